"""Set aside the checkpoints of a branch of the log that a restore has ended: kept and recorded, never
deleted.

After a restore the folder outside the books may have checkpoints over more leaves than were restored, and
nothing is sealed until they are moved. Not so once something was signed after the restore: then the log
continues from it, and a line that does not fit is a contradiction to investigate."""

from datetime import datetime

from django.db import transaction

from ledger.errors import NotContinued, NothingToSetAside, ReasonRequired
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import AuditLog, Checkpoint, HouseEvent
from ledger.proof.audit.kept import tree_in
from ledger.proof.log import outside, sealing

NAME = "%Y%m%dT%H%M%SZ.set-aside"


def set_aside(log: AuditLog, *, reason: str, act: Act) -> HouseEvent:
    """Move the lines newer than the restored log into a file of their own in the same folder, and record it.
    Raises ReasonRequired, NothingToSetAside, CheckpointsUnreadable, CheckpointNotKept; NotContinued if older
    lines contradict the log as well."""
    if not reason.strip():
        raise ReasonRequired("Say why: which restore this belongs to, and who ordered it.")
    restored = (
        HouseEvent.objects.filter(site=log.site_id, kind=HouseEvent.Kind.RESTORED).order_by("-pk").first()
    )
    if restored is None:
        raise NothingToSetAside(
            "The log notes no restore, and only a restore leaves newer checkpoints behind."
        )
    leaves = int(restored.data["leaves"])
    if Checkpoint.objects.filter(log=log, size__gt=leaves).exists():
        raise NothingToSetAside("The log has been signed since it was restored, and goes on from there.")
    folder = outside.folder(log)
    newest = folder.newest(within=leaves)
    tree = None if newest is None else tree_in(newest, log.origin)
    if tree is not None and not sealing.continues(log, tree.size, tree.root):
        raise NotContinued(
            f"The restored log does not continue the checkpoint over {tree.size} leaves either, which is no"
            " newer than it."
            " Nothing is set aside: run `audit verify`."
        )
    name = name_of_file(act.now)
    with transaction.atomic():
        moved = folder.set_aside(leaves, name, f"{act.now.isoformat()} {' '.join(reason.split())}")
        if not moved:
            raise NothingToSetAside(f"No kept checkpoint is over more than {leaves} leaves.")
        sizes = [tree_in(text, log.origin).size for text in moved]
        return house_events.note(
            log.site,
            HouseEvent.Kind.CHECKPOINTS_SET_ASIDE,
            reason=reason.strip(),
            lines=len(sizes),
            from_size=min(sizes),
            to_size=max(sizes),
            file=name,
            act=act,
        )


def name_of_file(now: datetime) -> str:
    return now.strftime(NAME)
