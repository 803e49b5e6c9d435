"""Ask the witnesses of the house's policy to cosign the newest checkpoint, and keep their cosignatures. It
runs in the background. All witnesses are asked at once with a timeout of some seconds, outside any
transaction."""

import logging
import socket
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime, timedelta
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.core.cache import cache

from ledger.models import AuditLog, Checkpoint, Cosignature, Site
from ledger.proof.audit.errors import BadCheckpoint, BadNote, BadPolicy, BadSignature
from ledger.proof.audit.policy import Policy, Witness, witnessed
from ledger.proof.audit.tree import cosignatures, note
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.cosignatures import Submission
from ledger.proof.audit.tree.note import VerifierKey
from ledger.proof.log import keys, proofs, sealing
from ledger.records.findings import Finding

EVERY = timedelta(minutes=5)  # a cosignature has 3.3 kB
AGAIN = timedelta(hours=1)  # a log that has not grown is still the newest
SECONDS = 5.0
MOST_BYTES = 1 << 16
AT_ONCE = 100  # cosignatures in memory
LOOKED_AT = 20  # cosignatures whose checkpoints are searched for one that meets the quorum

log_file = logging.getLogger(__name__)


class Reply(NamedTuple):
    """The answer of a witness; no status if there was none."""

    status: int | None
    body: bytes

    @property
    def size(self) -> int | None:
        """The size that a witness has cosigned, by its answer."""
        text = self.body.strip()
        return int(text) if self.status == HTTPStatus.CONFLICT and text.isdigit() and len(text) < 20 else None


Post = Callable[[str, bytes], Reply]


def post(address: str, body: bytes) -> Reply:
    """Send a submission to a witness. It ends after SECONDS, however slowly the answer comes."""
    try:
        parts = urlsplit(address)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        with closing(kind(parts.netloc, timeout=SECONDS)) as connection:
            connection.connect()
            end = Timer(SECONDS, socket.socket.shutdown, (connection.sock, socket.SHUT_RDWR))
            end.start()
            try:
                connection.request("POST", f"{parts.path.rstrip('/')}/add-checkpoint", body)
                answered = connection.getresponse()
                return Reply(answered.status, answered.read(MOST_BYTES))
            finally:
                end.cancel()
    except (OSError, HTTPException, ValueError) as error:
        return Reply(None, str(error).encode())


def policy_of_the_house() -> Policy | None:
    """Return the policy that AUDIT_POLICY names, or None. Raises BadPolicy."""
    if not settings.AUDIT_POLICY:
        return None
    try:
        return Policy.parse(Path(settings.AUDIT_POLICY).read_bytes())
    except OSError as error:
        raise BadPolicy(f"{settings.AUDIT_POLICY}: {error.strerror}") from error


def ask(site: Site, *, now: datetime, post: Post = post) -> dict[str, str]:
    """Ask every witness that is due for its cosignature; return the problems by witness. Raises BadPolicy."""
    policy, log = policy_of_the_house(), sealing.log_of(site)
    newest = sealing.latest(log)
    if policy is None or newest is None:
        return {}
    wrong: dict[str, str] = {}
    due = {one: size for one in policy.witnesses if (size := _due(log, one, newest, now)) is not None}
    for _ in range(2):  # a witness that knows another size is asked again from there
        other: dict[Witness, int] = {}
        for witness, reply in _all_at_once(_bodies(log, due, newest), post):
            if reply.size is not None and reply.size != due[witness] and reply.size <= newest.size:
                other[witness] = reply.size
            else:
                wrong[witness.name] = _keep(newest, witness, reply)
        due = other
    before = cache.get(_noted(site), {})
    for name, sentence in wrong.items():
        if sentence and sentence != before.get(name):
            log_file.error("%s: the witness %s: %s", site, name, sentence)
    if wrong:
        cache.set(_noted(site), {**before, **wrong}, timeout=None)
    return wrong


def troubles(site: Site) -> dict[str, str]:
    return {name: sentence for name, sentence in cache.get(_noted(site), {}).items() if sentence}


def cosigned(checkpoint: Checkpoint) -> str:
    lines = dict(checkpoint.cosignatures.order_by("signed_at").values_list("witness", "line"))
    return checkpoint.note + "".join(f"{line}\n" for line in lines.values())


def newest_cosigned(log: AuditLog) -> str | None:
    """Return the newest cosigned checkpoint: with a quorum, if there is a recent one."""
    notes = [cosigned(checkpoint) for checkpoint in sorted(cosigned_last(log), key=lambda one: -one.size)]
    return next((text for text in notes if _has_quorum(text)), notes[0] if notes else None)


def cosigned_last(log: AuditLog, **condition: Any) -> list[Checkpoint]:
    """Return the checkpoints of the newest cosignatures that meet the condition."""
    newest = Cosignature.objects.filter(checkpoint__log=log, **condition).order_by("-pk")
    return [*dict.fromkeys(one.checkpoint for one in newest.select_related("checkpoint")[:LOOKED_AT])]


def last_of(log: AuditLog, witness: Witness) -> Cosignature | None:
    found = Cosignature.objects.filter(checkpoint__log=log, witness=witness.key.short)
    return found.select_related("checkpoint").order_by("-pk").first()


def wrong_cosignatures(log: AuditLog, checked: dict[str, int]) -> Iterator[Finding]:
    """Yield invalid cosignatures; without the witness's key in the policy, only the line is checked."""
    known = {}
    try:
        if (policy := policy_of_the_house()) is not None:
            known = {one.key.short: one.key for one in policy.witnesses}
    except BadPolicy as error:
        yield Finding("bad_policy", f"cosignatures are not verified: {error.message}")
    rows = Cosignature.objects.filter(checkpoint__log=log).order_by("pk").select_related("checkpoint")
    for row in rows.iterator(AT_ONCE):
        checked["cosignatures"] = checked.get("cosignatures", 0) + 1
        if not _is_as_signed(row, known.get(row.witness)):
            wrong = "its line, its witness or its time is not what was signed."
            yield Finding("bad_cosignature", wrong, None, f"cosignature {row.pk}")


def _is_as_signed(row: Cosignature, key: VerifierKey | None) -> bool:
    """Return whether a cosignature is the witness's line under its checkpoint and has its time."""
    try:
        signed = note.parse(f"{row.checkpoint.note}{row.line}\n".encode())
        tree = TreeHead.parse(signed.text)
    except (BadNote, BadCheckpoint):
        return False
    line = signed.signatures[-1]
    cosigned = (f"{line.name}+{line.key_id.hex()}", cosignatures.time_of(line.signature), line.line)
    if cosigned != (row.witness, row.signed_at, row.line):
        return False
    return key is None or cosignatures.holds(key, tree, line.signature, keys.ARITHMETIC)


def _has_quorum(text: str) -> bool:
    try:
        policy = policy_of_the_house()
        return policy is not None and policy.is_met_by(
            witnessed(text.encode(), policy, keys.ARITHMETIC).at.keys()
        )
    except (BadPolicy, BadSignature):
        return False


def _due(log: AuditLog, witness: Witness, newest: Checkpoint, now: datetime) -> int | None:
    """Return how many leaves a witness has seen, or None if it is not to be asked now."""
    if not witness.address:
        return None
    last = last_of(log, witness)
    if last is None:
        return 0
    rest = EVERY if last.checkpoint.size < newest.size else AGAIN
    return None if now - last.signed_at < rest else last.checkpoint.size


def _bodies(log: AuditLog, due: Mapping[Witness, int], newest: Checkpoint) -> dict[Witness, bytes]:
    return {
        witness: Submission(
            size, tuple(proofs.consistency(log, size, newest.size)), newest.note.encode()
        ).body
        for witness, size in due.items()
    }


def _all_at_once(bodies: Mapping[Witness, bytes], post: Post) -> Iterator[tuple[Witness, Reply]]:
    if not bodies:
        return
    with ThreadPoolExecutor(len(bodies)) as pool:
        replies = pool.map(post, [witness.address for witness in bodies], bodies.values())
        yield from zip(bodies, replies, strict=True)


def _keep(newest: Checkpoint, witness: Witness, reply: Reply) -> str:
    if reply.status is None:
        return f"it does not answer: {reply.body.decode(errors='replace')}"
    if reply.size is not None:
        sentence = f"it has cosigned {reply.size} leaves, and the log has {newest.size}"
        return f"{sentence}: the end of the log is missing, or the log was rewritten."
    if reply.status != HTTPStatus.OK:
        return f"it has refused ({reply.status}): {reply.body[:200].decode(errors='replace').strip()}"
    try:
        lines = note.parse(newest.note.encode() + reply.body).signatures
    except BadNote as error:
        return f"its answer is no cosignature: {error.message}"
    tree = TreeHead.parse(note.parse(newest.note.encode()).text)
    for line in lines:
        mine = (line.name, line.key_id) == (witness.key.name, witness.key.key_id)
        if mine and cosignatures.holds(witness.key, tree, line.signature, keys.ARITHMETIC):
            Cosignature.objects.create(
                checkpoint=newest,
                witness=witness.key.short,
                line=line.line,
                signed_at=cosignatures.time_of(line.signature),
            )
            return ""
    return "it has not signed with the key that the policy names."


def _noted(site: Site) -> str:
    return f"witness-troubles-{site.pk}"
