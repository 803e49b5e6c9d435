"""What somebody with the database, but not the key, does to a sealed log; and its files, beside kept rows."""

from pathlib import Path

from django.conf import settings

from ledger.models import Account, AuditRecord, Checkpoint, JournalEntry, Leaf, Receipt, Tile, Transfer
from ledger.proof.audit.tree.tiles import TiledTree, tile_root
from ledger.proof.log import sealing

Files = tuple[dict[Path, bytes], bytes]


def files_of_the_log() -> Files:
    """Return what a kept fixture has left beside the database: checkpoints by their places, and the key."""
    left = [path for path in settings.CHECKPOINTS.rglob("*") if path.is_file()]
    places = {path.relative_to(settings.CHECKPOINTS): path.read_bytes() for path in left}
    return places, settings.AUDIT_KEY_FILE.read_bytes()


def put_back(files: Files) -> None:
    """Have checkpoints and key where this test has them."""
    places, key = files
    here = {settings.CHECKPOINTS / place: content for place, content in places.items()}
    for path, content in (here | {settings.AUDIT_KEY_FILE: key}).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def drop_checkpoints(size=0):
    Checkpoint.objects.filter(size__gt=size)._raw_delete("default")


def take_out(entry):
    """Remove an entry with everything about it, and adjust the balances."""
    record = AuditRecord.objects.get(kind="entry", subject=entry.pk)
    number = Leaf.objects.get(record=record).number
    for transfer in Transfer.objects.filter(entry=entry):
        for account, cents in ((transfer.source_id, transfer.cents), (transfer.target_id, -transfer.cents)):
            row = Account.objects.get(pk=account)
            Account.objects.filter(pk=account).update(balance_cents=row.balance_cents + cents)
    Receipt.objects.filter(entry=entry)._raw_delete("default")
    Transfer.objects.filter(entry=entry)._raw_delete("default")
    JournalEntry.objects.filter(pk=entry.pk)._raw_delete("default")
    Leaf.objects.filter(record=record)._raw_delete("default")
    AuditRecord.objects.filter(pk=record.pk)._raw_delete("default")
    return number


def rebuild(site):
    """Renumber the remaining leaves, and make their tiles: everything that needs no key."""
    log = sealing.log_of(site)
    rows = list(Leaf.objects.filter(log=log).order_by("number"))
    for number, leaf in enumerate(rows):
        Leaf.objects.filter(pk=leaf.pk).update(number=number)
    Tile.objects.filter(log=log)._raw_delete("default")
    for tile, data in TiledTree().extend(bytes(leaf.hash) for leaf in rows):
        Tile.objects.create(log=log, level=tile.level, index=tile.index, hashes=data, root=tile_root(data))
