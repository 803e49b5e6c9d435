"""The signers of an export, and whether its proofs lead to what they signed. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter

from ledger.proof.audit.errors import NOT_BELIEVED, BadProof, BadSignature, BadVerifierKey
from ledger.proof.audit.export.manifest import Consistency, Manifest, Proofs
from ledger.proof.audit.kept import Signed
from ledger.proof.audit.policy import Policy, Witnessed, witnessed
from ledger.proof.audit.tree import log_keys, note
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.log_keys import LogKey
from ledger.proof.audit.tree.merkle import verify_consistency, verify_inclusion
from ledger.records.findings import Finding

LEAST_OF_A_FINGERPRINT = 16
"""Hexadecimal digits, 64 bits: too many to find a second key by trying."""


@dataclass(frozen=True)
class Pinned:
    """The house's key as the reader knows it: text or beginning of the fingerprint. Raises BadVerifierKey."""

    text: str

    def __post_init__(self) -> None:
        if "+" in self.text:
            LogKey.parse(self.text)
        elif len(self._digits) < LEAST_OF_A_FINGERPRINT or not set(self._digits) <= set("0123456789abcdef"):
            raise BadVerifierKey(
                f"A key is given as its whole text, or by {LEAST_OF_A_FINGERPRINT} or more digits of its"
                " fingerprint."
            )

    @property
    def _digits(self) -> str:
        return "".join(char for char in self.text.lower() if char not in " :-\t")

    def among(self, known: Sequence[LogKey]) -> list[LogKey]:
        if "+" in self.text:
            return [LogKey.parse(self.text)]
        return [key for key in known if key.fingerprint.startswith(self._digits)]


class Trust:
    """The keys and checkpoints of an export, and what they prove about its tree. `signed_by` are the keys
    with a valid signature, `tree` the trusted checkpoint or None; `witnessed` has the reader's witnesses and
    the checkpoint they cosigned."""

    def __init__(self, manifest: Manifest, pinned: Sequence[Pinned]) -> None:
        self._manifest = manifest
        self._pinned = pinned
        self.keys: list[LogKey] = []
        self.signed_by: tuple[LogKey, ...] = ()
        self.tree: TreeHead | None = None
        self.witnessed: Witnessed | None = None

    def read_keys(self) -> Iterator[Finding]:
        for text in self._manifest.verifier_keys:
            try:
                self.keys.append(LogKey.parse(text))
            except BadVerifierKey as error:
                yield Finding("bad_verifier_key", f"manifest.json names a key that is none: {error}")

    def read_tree(self, data: bytes) -> Iterator[Finding]:
        """Read the checkpoint: signed by a given key, if any, by no key of another log, and of this size."""
        known = self.all_keys
        try:
            tree, signers = log_keys.signed_by(data, origin=self._manifest.origin, known=known)
            self.signed_by = self._required(signers)
        except NOT_BELIEVED as error:
            yield Finding(error.code, f"checkpoint: {error}")
            return
        lines = [(one.name, one.key_id) for one in note.parse(data).signatures]
        if sorted(lines) != sorted((half.name, half.key_id) for key in signers for half in key.halves):
            yield Finding("bad_note", "checkpoint has lines that are no signatures of the log's keys.")
        if tree.size != self._manifest.tree_size:
            yield Finding(
                "bad_checkpoint",
                f"checkpoint is of {tree.size} leaves; manifest.json says {self._manifest.tree_size}.",
            )
        self.tree = tree

    def _required(self, signers: Sequence[LogKey]) -> tuple[LogKey, ...]:
        """Return the trusted signers, all if no key was given. Raises BadSignature without any."""
        given = [key for pin in self._pinned for key in pin.among(self.keys)]
        known = tuple(key for key in signers if key in given) if self._pinned else tuple(signers)
        if not known:
            others = ", ".join(key.fingerprint for key in signers)
            raise BadSignature(
                f"it is not signed by the key that was given, but by {others}. If the house has changed its "
                "key, the log says so: compare this fingerprint with the one that the house has published."
            )
        return known

    def read_earlier(self, name: str, data: bytes | None, proof: Consistency | None) -> Iterator[Finding]:
        if (data is None) != (proof is None):
            yield Finding("bad_proof", f"{name} and its consistency proof in proofs.json belong together.")
        if data is None or proof is None:
            return
        try:
            earlier = log_keys.opened(data, origin=self._manifest.origin, known=self.all_keys)
        except NOT_BELIEVED as error:
            yield Finding(error.code, f"{name}: {error}")
            return
        lines = [(one.name, one.key_id) for one in note.parse(data).signatures]
        if len(set(lines)) < len(lines):
            yield Finding("bad_note", f"{name} has a signature twice.")
        own = {(half.name, half.key_id) for key in self.all_keys for half in key.halves}
        if any(line[0] == earlier.origin and line not in own for line in lines):
            yield Finding(
                "bad_note", f"{name} has a line by the log's name that is no signature of its keys."
            )
        if (earlier.size, earlier.root) != (proof.size, proof.root):
            yield Finding("bad_proof", f"proofs.json continues another tree than the one in {name}.")
        elif self.tree is not None:
            old, new = earlier, self.tree
            try:
                verify_consistency(
                    old_size=old.size,
                    old_root=old.root,
                    new_size=new.size,
                    new_root=new.root,
                    proof=proof.hashes,
                )
            except BadProof as error:
                yield Finding(
                    error.code, f"The log does not continue the one that was signed in {name}: {error}"
                )

    def read_since(self, data: bytes, policy: Policy) -> Iterator[Finding]:
        """Check the cosignatures of a policy's witnesses under `since`; `read_earlier` comes first."""
        try:
            witnessed(data, policy)
        except NOT_BELIEVED as error:
            yield Finding(error.code, f"since: {error}")

    def unjudged(self, name: str, data: bytes, policy: Policy) -> Iterator[str]:
        """Yield a sentence about the signature lines of an earlier checkpoint by unknown keys."""
        keys = [half for key in self.all_keys for half in key.halves]
        known = {key.short for key in (*keys, *(witness.key for witness in policy.witnesses))}
        lines = [f"{one.name}+{one.key_id.hex()}" for one in note.parse(data).signatures]
        if others := [line for line in lines if line not in known]:
            yield f"The lines under {name} by whom your policy does not name: {', '.join(others)}."

    def read_witnesses(self, data: bytes | None, policy: Policy) -> Iterator[Finding]:
        """Read which witnesses of a policy have cosigned; `read_earlier` comes first."""
        try:
            self.witnessed = None if data is None else witnessed(data, policy)
        except NOT_BELIEVED as error:
            yield Finding(error.code, f"witnessed: {error}")
            return
        if not policy.is_met_by(self.witnessed.at.keys() if self.witnessed else set()):
            yield Finding("not_witnessed", "Fewer witnesses have cosigned the log than your policy asks for.")

    def is_late(self, policy: Policy, newest: str) -> Iterator[Finding]:
        try:
            since = policy.due_since(datetime.fromisoformat(newest))
        except (ValueError, OverflowError):  # no record, or one without a time
            return
        if policy.latest is None or self.witnessed is None:
            return
        at = self.witnessed.at
        if policy.is_met_by(at.keys()) and not policy.is_met_by({name for name in at if at[name] > since}):
            yield Finding(
                "witnessed_late",
                f"By {policy.latest:%H:%M} UTC your policy asks for a checkpoint of each day that enough "
                f"witnesses have cosigned; since {since:%Y-%m-%d %H:%M} fewer have.",
            )

    def signed_times(
        self, notes: Iterable[tuple[str, bytes]], now: datetime | None, ahead_until: Sequence[datetime]
    ) -> Iterator[Finding]:
        """Check that larger checkpoints were signed later, and none after now. `notes` are trusted."""
        trees = ((TreeHead.parse(note.parse(data).text).size, name, data) for name, data in notes)
        before = None
        for _, name, data in sorted(trees, key=itemgetter(0)):
            at = log_keys.last_signed_at(data, self.all_keys)
            if wrong := log_keys.wrong_time(at, before=before, now=now, ahead_until=ahead_until):
                yield Finding("wrong_time", f"{name}: {wrong}")
            before = at or before

    def signed(self, notes: Iterable[tuple[str, bytes]]) -> list[Signed]:
        found: dict[tuple[int, datetime], Signed] = {}
        for name, data in notes:
            size, at = (
                TreeHead.parse(note.parse(data).text).size,
                log_keys.last_signed_at(data, self.all_keys),
            )
            if at is not None:
                found.setdefault((size, at), Signed(name, size, at))
        return [*found.values()]

    def replaced_keys(
        self, notes: Iterable[tuple[str, bytes]], noted: Sequence[tuple[int, str]]
    ) -> Iterator[Finding]:
        """Check that each checkpoint has the signature of the newest key below it, by the leaves `noted`."""
        for name, data in notes:
            size = TreeHead.parse(note.parse(data).text).size
            below = [text for leaf, text in noted if leaf < size]
            newest = next((key for key in self.all_keys if key.text in below[-1:]), None)
            if newest is not None and not log_keys.has_signed(data, newest):
                yield Finding(
                    "bad_checkpoint",
                    f"{name} is signed with a key that was replaced: the log notes {newest.fingerprint} by"
                    " then.",
                )

    def read_ends(self, proofs: Proofs, first: bytes | None, last: bytes | None) -> Iterator[Finding]:
        if self.tree is None or first is None or last is None:
            return
        begin, end = self._manifest.first_leaf, self._manifest.first_leaf + self._manifest.count - 1
        for leaf, index, proof in ((first, begin, proofs.first), (last, end, proofs.last)):
            try:
                verify_inclusion(
                    leaf=leaf, index=index, size=self.tree.size, proof=proof, root=self.tree.root
                )
            except BadProof as error:
                yield Finding(error.code, f"proofs.json: {error}", index)

    def read_held(self, data: bytes) -> TreeHead:
        return log_keys.opened(data, origin=self._manifest.origin, known=self.all_keys)

    @property
    def all_keys(self) -> list[LogKey]:
        given = [key for pin in self._pinned for key in pin.among(self.keys)]
        return list(dict.fromkeys([*given, *self.keys]))
