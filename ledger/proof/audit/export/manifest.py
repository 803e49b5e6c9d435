"""An export's own description: the members of its zip, its manifest, proofs and README. Pure."""

import base64
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any

from ledger.proof.audit.errors import BadBundle
from ledger.proof.audit.tree import note
from ledger.proof.audit.tree.checkpoints import MOST_LEAVES
from ledger.rules.local_time import Offsets

FORMAT, VERIFIER_VERSION = 8, "1"


class Member(StrEnum):
    """The members of an export in order (`members_in_order`), besides the folders of sheets and papers."""

    README = "README.txt"  # what this is and how to check it, made from the manifest
    MANIFEST = "manifest.json"  # see `Manifest`, with the SHA-256 of each sheet, controls.json and verify.pyz
    CHECKPOINT = "checkpoint"  # the signed note over the tree
    SINCE = "since"  # an earlier one that the export continues, if any
    WITNESSED = "witnessed"  # the newest one that witnesses cosigned, if any
    PROOFS = "proofs.json"  # see `Proofs`
    EARLIER = "earlier.jsonl"  # records outside the range that those inside refer to, see `Earlier`
    LEAVES = "leaves"  # the hashes of the records as leaves, 32 bytes each
    RECORDS = "records.jsonl"  # the records' exact bytes, one a line
    OPENED = "players.jsonl"  # players' entries, if the export names players; see `register`
    WITHHELD = "withheld.jsonl"  # the other withheld texts, if the export opens them; see `audit.withheld`
    RATES = "rates.json"  # the rates that the records publish and name, derived from them
    CONTROLS = "controls.json"  # the table of controls by which its papers of controls were made
    VERIFIER = "verify.pyz"


PAPERS = "papers/"  # *.csv for people to read, derived from the records
MOST_OF_A_LINE = 1 << 20
"""Bytes of a line in a member that has lines, its end included."""
MOST_BYTES: Mapping[str, int] = {
    **dict.fromkeys((Member.CHECKPOINT, Member.SINCE, Member.WITNESSED), note.MOST_BYTES),
    Member.PROOFS: 1 << 16,
    Member.VERIFIER: 1 << 24,
    "": 1 << 20,
}
"""Bytes of a member that is read whole, by name; "" for all others."""

_SHEET = re.compile(r"sheets/(?P<code>[a-z0-9-]{1,40})\.(?P<version>[1-9][0-9]{0,8})\.toml", re.ASCII)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_OFFSET = re.compile(r"[+-][0-9]{2}:[0-9]{2}", re.ASCII)
_FROM = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2})?", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_ANY = re.compile(r".*", re.DOTALL)


@dataclass(frozen=True)
class Manifest:
    """The range of an export: `count` records from leaf `first_leaf` in the tree of `tree_size` leaves.

    `from_day` and `to_day` are its gaming days (None: unbounded); `verifier_keys` every key the log has had,
    the current one last; `withheld` how many records have only a commitment to a text that stays in the
    house. `offsets` are those of local time (`ledger.rules.local_time`). `players`: players are named;
    `opened`: everything else withheld is opened. `sha256` has the hashes of members that are not derived from
    records; `write_bundle` fills it in."""

    origin: str
    site: int
    first_leaf: int
    count: int
    tree_size: int
    from_day: str | None
    to_day: str | None
    verifier_keys: tuple[str, ...]
    verifier_version: str
    withheld: int = 0
    offsets: Offsets = ()
    players: bool = False
    opened: bool = False
    sha256: Mapping[str, str] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        return not self.first_leaf

    @property
    def withholding(self) -> frozenset[str]:
        here = {"player_change": self.players, "withheld": self.opened}
        return frozenset(kind for kind, is_here in here.items() if not is_here)

    @property
    def days(self) -> tuple[str | None, str | None]:
        return self.from_day, self.to_day

    @property
    def data(self) -> bytes:
        fields = {_SPELLED.get(name, name): value for name, value in vars(self).items()}
        return _json({"format": FORMAT} | fields)

    @classmethod
    def parse(cls, data: bytes) -> "Manifest":
        """Parse `manifest.json`. Raises BadBundle for bytes that `data` would not give."""
        fields = _object(data, Member.MANIFEST)
        if fields.get("format") != FORMAT:
            raise BadBundle(f"This verifier knows format {FORMAT}, and this export has another one.")
        values = {name: fields.get(_SPELLED.get(name, name), ...) for name in _FORMS}
        if not all(is_right(values[name]) for name, is_right in _FORMS.items()):
            raise BadBundle("manifest.json is incomplete or malformed.")
        keys, offsets = tuple(values["verifier_keys"]), tuple(map(tuple, values["offsets"]))
        manifest = cls(**values | {"verifier_keys": keys, "offsets": offsets})
        if manifest.data != data:
            raise BadBundle("manifest.json is not written the way exports are.")
        if manifest.verifier_version != VERIFIER_VERSION:
            raise BadBundle(f"Exports of this format are for version {VERIFIER_VERSION} of the verifier.")
        if manifest.from_day and manifest.to_day and manifest.from_day > manifest.to_day:
            raise BadBundle("manifest.json has a first day after its last one.")
        if manifest.first_leaf + manifest.count > manifest.tree_size:
            raise BadBundle("manifest.json claims more leaves than the tree has.")
        return manifest

    @property
    def sheets(self) -> dict[tuple[str, int], str]:
        """The export's sheets: code and version -> name of the member."""
        found = ((name, _SHEET.fullmatch(name)) for name in self.sha256)
        return {(match["code"], int(match["version"])): name for name, match in found if match}

    @property
    def foreign(self) -> list[str]:
        return sorted(self.sha256.keys() - {Member.VERIFIER, Member.CONTROLS, *self.sheets.values()})

    @property
    def readme(self) -> bytes:
        readme = _README.format_map(
            {
                **vars(self),
                "days": f"{self.from_day or 'the first day'} to {self.to_day or 'the newest'}",
                "leaves": f"{self.first_leaf} to {self.first_leaf + self.count - 1}",
                "players": _NAMED if self.players else _NOT_NAMED,
                "opened": _OPENED if self.opened else "",
            }
        )
        return readme.encode()


@dataclass(frozen=True)
class Consistency:
    """A proof that the tree begins with an earlier one."""

    size: int
    root: bytes
    hashes: tuple[bytes, ...]

    @property
    def values(self) -> dict[str, Any]:
        root = base64.b64encode(self.root).decode()
        return {"from": self.size, "root": root, "hashes": _texts(self.hashes)}

    @classmethod
    def of(cls, values: Any) -> "Consistency | None":
        """Parse the values. Raises LookupError, TypeError or ValueError."""
        if values is None:
            return None
        return cls(int(values["from"]), _hashes([values["root"]])[0], _hashes(values["hashes"]))


@dataclass(frozen=True)
class Proofs:
    """Inclusion proofs of the first and last record, and consistency proofs from the checkpoint that the
    export continues and from the one that witnesses cosigned, or None."""

    first: tuple[bytes, ...]
    last: tuple[bytes, ...]
    consistency: Consistency | None = None
    witnessed: Consistency | None = None

    def data(self, manifest: Manifest) -> bytes:
        ends = (manifest.first_leaf, manifest.first_leaf + manifest.count - 1)
        proofs = zip(ends, (self.first, self.last), strict=True)
        return _json(
            {
                "inclusion": [{"leaf": leaf, "hashes": _texts(hashes)} for leaf, hashes in proofs],
                "consistency": self.consistency and self.consistency.values,
                "witnessed": self.witnessed and self.witnessed.values,
            }
        )

    @classmethod
    def parse(cls, data: bytes, manifest: Manifest) -> "Proofs":
        """Parse `proofs.json`. Raises BadBundle for bytes that `data` would not give."""
        fields = _object(data, Member.PROOFS)
        try:
            inclusion = [_hashes(one["hashes"]) for one in fields["inclusion"]]
            first, last = inclusion
            proofs = cls(
                first, last, Consistency.of(fields["consistency"]), Consistency.of(fields["witnessed"])
            )
        except (LookupError, TypeError, ValueError) as error:
            raise BadBundle("proofs.json is incomplete or malformed.") from error
        if proofs.data(manifest) != data:
            raise BadBundle("proofs.json is not written the way exports are, or is of other leaves.")
        return proofs


@dataclass(frozen=True)
class Earlier:
    """A record outside the export's range: its leaf, its exact bytes, and its inclusion proof."""

    leaf: int
    record: bytes
    hashes: tuple[bytes, ...]

    @property
    def line(self) -> bytes:
        fields = {"hashes": _texts(self.hashes), "leaf": self.leaf, "record": self.record.decode()}
        return json.dumps(fields, ensure_ascii=False, sort_keys=True).encode() + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> "Earlier":
        """Parse a line of `earlier.jsonl`. Raises BadBundle for one that `line` would not give."""
        fields = _object(line, Member.EARLIER)
        try:
            one = cls(int(fields["leaf"]), fields["record"].encode(), _hashes(fields["hashes"]))
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise BadBundle("A line of earlier.jsonl is incomplete or malformed.") from error
        if one.line != line:
            raise BadBundle("A line of earlier.jsonl is not written the way exports are.")
        return one


_ONLY_SOMETIMES: Mapping[str, Callable[[Manifest, Collection[str]], bool]] = {
    Member.SINCE: lambda manifest, given: Member.SINCE in given,
    Member.WITNESSED: lambda manifest, given: Member.WITNESSED in given,
    Member.OPENED: lambda manifest, given: manifest.players,
    Member.WITHHELD: lambda manifest, given: manifest.opened,
    Member.CONTROLS: lambda manifest, given: Member.CONTROLS in manifest.sha256,  # since 0.3.0
}
"""Members that not every export has, and when. `given` are the earlier checkpoints it continues."""


def members_in_order(manifest: Manifest, papers: Sequence[str], given: Collection[str]) -> list[str]:
    """Return the names of an export's members. `given` are the earlier checkpoints it continues."""
    *single, last = Member
    there = [one for one in single if one not in _ONLY_SOMETIMES or _ONLY_SOMETIMES[one](manifest, given)]
    sheets = [manifest.sheets[sheet] for sheet in sorted(manifest.sheets)]
    return [*there, *sheets, *(PAPERS + name for name in papers), last]


def sheet_member(code: str, version: int) -> str:
    """Return the member name of a sheet. Raises ValueError for a malformed code."""
    name = f"sheets/{code}.{version}.toml"
    if not _SHEET.fullmatch(name):
        raise ValueError(f"no sheet is called {code}, version {version}")
    return name


def rates_data(rates: Any) -> bytes:
    return _json(sorted((dict(rate) for rate in rates), key=lambda rate: int(rate["id"])))


def _is_day(value: Any) -> bool:
    try:
        return _is_text(value, _DAY) and bool(date.fromisoformat(value))
    except ValueError:
        return False


def _is_text(value: Any, form: re.Pattern[str] = _ANY) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None


def _are_offsets(value: Any) -> bool:
    """Return whether these are offsets of local time in order; only the first has no beginning."""
    right = isinstance(value, list) and all(
        isinstance(one, list) and len(one) == 2 and _is_text(one[0], _FROM) and _is_text(one[1], _OFFSET)
        for one in value
    )
    return right and value == sorted(value) and all(bool(one[0]) == (one is not value[0]) for one in value)


_FORMS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("origin", "verifier_version"), _is_text),
    **dict.fromkeys(
        ("site", "first_leaf", "tree_size", "withheld"),
        lambda value: type(value) is int and 0 <= value <= MOST_LEAVES,
    ),
    "count": lambda value: type(value) is int and 0 < value <= MOST_LEAVES,
    **dict.fromkeys(("from_day", "to_day"), lambda value: value is None or _is_day(value)),
    "verifier_keys": lambda value: isinstance(value, list) and all(map(_is_text, value)),
    "offsets": _are_offsets,
    **dict.fromkeys(("players", "opened"), lambda value: isinstance(value, bool)),
    "sha256": lambda value: isinstance(value, dict) and all(_is_text(one, _SHA256) for one in value.values()),
}
"""The form of each value of a manifest in JSON."""
_SPELLED = {"from_day": "from", "to_day": "to"}
"""Values with another name in `manifest.json`."""


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _object(data: bytes, name: str) -> dict[str, Any]:
    try:
        value = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise BadBundle(f"{name} is not JSON.") from error
    if not isinstance(value, dict):
        raise BadBundle(f"{name} is no JSON object.")
    return value


def _texts(hashes: tuple[bytes, ...]) -> list[str]:
    return [base64.b64encode(hashed).decode() for hashed in hashes]


def _hashes(texts: Any) -> tuple[bytes, ...]:
    return tuple(base64.b64decode(text, validate=True) for text in texts)


_README = """\
An export of the audit log {origin}
Gaming days: {days}
Records: {count} (leaves {leaves}), of a log of {tree_size} when it was signed; withheld: {withheld}

To check it you need Python 3.11 or newer, and nothing else. In an empty folder:

    unzip THIS-FILE.zip verify.pyz
    python3 -I verify.pyz THIS-FILE.zip --key FINGERPRINT

FINGERPRINT is that of the key which the house has published: on its papers, in its checkpoints. Do not \
take it
from this file. Better still, use a verify.pyz (version {verifier_version}) that did not come with this file.
It ends with status 0 if everything is right and 1 if not, and says in sentences what it checked and what \
is wrong.

records.jsonl    what happened, one record a line, exactly as it was sealed
earlier.jsonl    records from before these that say who works here, by which clock, with which rates and \
keys, each with the
                 proof that it is in the log
leaves           the hash of each record, 32 bytes each (SHA-256 over a zero byte and the record)
checkpoint       the signed root of the whole log
since            the earlier checkpoint that this export continues, if there is one
witnessed        the newest checkpoint that witnesses outside the house have cosigned, if there is one
proofs.json      why the records are in the log that was signed
sheets/          the rules of each game, as they were when a table used them
rates.json       the collection rates, worked out from the records that published them
papers/          the journal, collections, rounds and balances of these gaming days, for people to read: \
worked out
                 from the records
manifest.json    what this export is of

People are numbers of the house's own lists: papers/staff.csv says who of the staff they are, and when they \
had which name
and role. {players}{opened}
Amounts in records are cents, times are UTC; papers/journal.csv has the house's local time beside it.
"""

_OPENED = (
    "\nwithheld.jsonl opens the other records that hold a commitment: looks at the exclusion list, and its"
    " changes."
)
_NAMED = "Players are named by papers/players.csv; players.jsonl opens what their records have committed to."
_NOT_NAMED = "Players are not named: their records hold commitments to what their entries say."
