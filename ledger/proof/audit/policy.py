"""Whom to trust: the keys of a log, its witnesses, and how many of them are enough. Pure.

A policy is a text file in the form of C2SP tlog-policy, with one line more: `latest 06:00`, the hour (UTC) by
which each day's checkpoint must be witnessed. The `log` lines of one name come in pairs, Ed25519 first: both
must have signed.

    log tables.example.com/log+c74f20a3+ARpc... http://...
    log tables.example.com/log+1b2c3d4e+BkJh...
    witness bureau bureau.example/w1+0a1b2c3d+BtQc... https://witness.bureau.example
    witness auditor auditor.example/w+5e6f7a8b+BAbC...
    group both all bureau auditor
    quorum both
    latest 06:00
"""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta

from ledger.proof.audit.errors import BadPolicy, BadSignature, BadVerifierKey
from ledger.proof.audit.tree import cosignatures, note
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.cosignatures import PLAIN, Arithmetic
from ledger.proof.audit.tree.log_keys import LogKey
from ledger.proof.audit.tree.note import COSIGNED_BY_ED25519, COSIGNED_BY_MLDSA, ED25519, VerifierKey

NONE = "none"

_DAY = timedelta(days=1)
_BAD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_HOUR = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])", re.ASCII)


@dataclass(frozen=True)
class Witness:
    name: str
    key: VerifierKey
    address: str = ""


@dataclass(frozen=True)
class Group:
    """Witnesses and groups, of which at least `least` must agree."""

    least: int
    members: tuple[str, ...]


@dataclass(frozen=True)
class Policy:
    """A parsed policy file. `quorum` names a witness, a group, or nobody."""

    logs: tuple[LogKey, ...]
    witnesses: tuple[Witness, ...]
    groups: Mapping[str, Group]
    quorum: str
    latest: time | None = None

    def is_met_by(self, names: Set[str]) -> bool:
        return self.quorum == NONE or self._agrees(self.quorum, names)

    def _agrees(self, name: str, names: Set[str]) -> bool:
        group = self.groups.get(name)
        if group is None:
            return name in names
        return sum(self._agrees(member, names) for member in group.members) >= group.least

    def due_since(self, now: datetime) -> datetime:
        """Return the time after which a checkpoint must have been witnessed, by `latest`, or a day ago."""
        if self.latest is None:
            return now - _DAY
        end = datetime.combine(now.astimezone(UTC), self.latest)
        return end - (_DAY if end <= now else 2 * _DAY)

    @classmethod
    def parse(cls, data: bytes) -> "Policy":
        """Parse a policy file. Raises BadPolicy, naming the line."""
        return _Reading().read(data)


@dataclass(frozen=True)
class Witnessed:
    """A checkpoint, and when witnesses of a policy have cosigned it, by their names there."""

    tree: TreeHead
    at: Mapping[str, datetime]

    @property
    def newest(self) -> datetime | None:
        return max(self.at.values(), default=None)


def witnessed(data: bytes, policy: Policy, arithmetic: Arithmetic = PLAIN) -> Witnessed:
    """Return who has cosigned a checkpoint; whether the log signed it is not checked. Raises BadNote,
    BadCheckpoint, and BadSignature for a cosignature of a policy's witness that does not hold."""
    found = note.parse(data)
    tree = TreeHead.parse(found.text)
    names = {(one.key.name, one.key.key_id): one for one in policy.witnesses}
    at: dict[str, datetime] = {}
    for line in found.signatures:
        witness = names.get((line.name, line.key_id))
        if witness is None:
            continue
        if not cosignatures.holds(witness.key, tree, line.signature, arithmetic):
            raise BadSignature(f"The cosignature by {witness.key.name} does not hold.")
        signed_at = cosignatures.time_of(line.signature)
        at[witness.name] = max(signed_at, at.get(witness.name, signed_at))
    return Witnessed(tree, at)


@dataclass
class _Reading:
    keys: list[VerifierKey] = field(default_factory=list)
    witnesses: dict[str, Witness] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    quorum: str | None = None
    latest: time | None = None
    members: set[str] = field(default_factory=set)

    def read(self, data: bytes) -> Policy:
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise BadPolicy("A policy is UTF-8 text.") from error
        for number, line in enumerate(text.split("\n"), 1):
            words = re.split(r"[ \t]+", line.strip(" \t"))
            if not words[0] or words[0].startswith("#"):
                continue
            try:
                if _BAD.search(line):
                    raise BadPolicy(_BEGINS)
                self._take(words)
            except (BadPolicy, BadVerifierKey) as error:
                raise BadPolicy(f"Line {number} of the policy: {error.message}") from error
        if self.quorum is None:
            raise BadPolicy("A policy says its quorum: `quorum none`, or the name of a witness or group.")
        return Policy(self._logs(), tuple(self.witnesses.values()), self.groups, self.quorum, self.latest)

    def _logs(self) -> tuple[LogKey, ...]:
        try:
            return tuple(LogKey(*pair) for pair in zip(self.keys[::2], self.keys[1::2], strict=True))
        except (BadVerifierKey, ValueError) as error:
            raise BadPolicy(
                "The keys of a log come in pairs: Ed25519, then ML-DSA-44, of one name."
            ) from error

    def _take(self, words: list[str]) -> None:
        match words:
            case ["log", key] | ["log", key, _]:
                self.keys.append(self._new(key, "the key of a log is of type 1 or 6.", ED25519))
            case ["witness", name, key, *address] if len(address) < 2:
                self._is_free(name)
                wrong = "the key of a witness is of type 4 or 6."
                self.witnesses[name] = Witness(name, self._new(key, wrong, COSIGNED_BY_ED25519), *address)
            case ["group", name, least, *members] if members and self._are_ungrouped(members):
                self._group(name, least, members)
            case ["quorum", name] if self.quorum is None and name in {NONE, *self.witnesses, *self.groups}:
                self.quorum = name
            case ["latest", hour] if self.latest is None and (found := _HOUR.fullmatch(hour)):
                self.latest = time(int(found[1]), int(found[2]), tzinfo=UTC)
            case _:
                raise BadPolicy(_FORMS.get(words[0], _BEGINS))

    def _group(self, name: str, least: str, members: list[str]) -> None:
        self._is_free(name)
        if len(set(members)) != len(members):
            raise BadPolicy("each member of a group is named once.")
        count = {"all": len(members), "any": 1}.get(least) or (int(least) if least.isdecimal() else 0)
        if not 1 <= count <= len(members):
            raise BadPolicy("of a group `all`, `any` or a number of its members have to agree.")
        self.groups[name] = Group(count, tuple(members))
        self.members |= set(members)

    def _are_ungrouped(self, members: list[str]) -> bool:
        return set(members) <= {*self.witnesses, *self.groups} - self.members

    def _is_free(self, name: str) -> None:
        if name == NONE or name in self.witnesses or name in self.groups:
            raise BadPolicy(f"{name} is the name of something else.")

    def _new(self, text: str, wrong: str, kind: bytes) -> VerifierKey:
        """Return a key of this kind, or of ML-DSA-44, that no other line has."""
        key = VerifierKey.parse(text)
        others = [*self.keys, *(witness.key for witness in self.witnesses.values())]
        if any(key.public == other.public for other in others):
            raise BadPolicy("this key is named twice.")
        if key.kind not in (kind, COSIGNED_BY_MLDSA):
            raise BadPolicy(wrong)
        return key


_BEGINS = "it begins with log, witness, group, quorum, latest or #."
_FORMS = {
    "log": "a log is written `log KEY [ADDRESS]`.",
    "witness": "a witness is written `witness NAME KEY [ADDRESS]`.",
    "group": "a group is written `group NAME LEAST MEMBER...`; each member stands above, and in one group.",
    "quorum": "there is one quorum: `none`, or a witness or group above.",
    "latest": "there is one latest hour, written 06:00, in UTC.",
}
"""The form of each line."""
