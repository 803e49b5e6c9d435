"""Compare an export's sheets, rates, keys and local time with the ones its records name. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfoNotFoundError

from ledger.proof.audit.checks.identity import Chains
from ledger.proof.audit.export.manifest import Manifest
from ledger.proof.audit.export.register import KEY_NOTED, TIME_CONFIRMED, Rates, rate_named
from ledger.records.findings import Body, Check, Finding, Problem, told
from ledger.records.house import CLOCKS
from ledger.rules.local_time import offsets_of


class Bindings:
    """Check that the export has exactly the sheets, rates, keys and time offsets that its records name, and
    in a part of a log, that changes follow from the earlier ones.

    `rates` are the bytes of `rates.json`, or None. `wrong_sheets`: a table was opened with a sheet that
    differs from the export's. `ahead_until`: until when the house knows its clock was ahead. `unknown_zone`:
    a time zone unknown on this computer, so that local times are not judged."""

    def __init__(self, manifest: Manifest, rates: bytes | None = None) -> None:
        self._manifest = manifest
        self._rates_there = rates
        self._rates, self._rates_before = Rates(), set[int]()
        self._chains = None if manifest.whole else Chains(players=manifest.players)
        self._sheets: set[str] = set()
        self._told: set[str] = set()
        self._keys: list[tuple[int, str, str | None]] = []
        self._key_told = False
        self.wrong_sheets = False
        self.unknown_zone = ""
        self.ahead_until: list[datetime] = []
        self._zones: list[tuple[str, str]] = []
        self._until = ""
        self.checked = {_SHEETS: 0, "rates published": 0}

    def take(self, leaf: int, body: Body) -> Iterable[Finding]:
        self._until = max(self._until, body["recorded_at"])
        return told(leaf, body, self._wrong(leaf, body))

    def _wrong(self, leaf: int, body: Body) -> Iterator[Problem]:
        self._rates.take(body)
        yield from self._unlike_before(body)
        match body["record"], body.get("kind"):
            case "table_event", "opened":
                self.checked[_SHEETS] += 1
                yield from self._sheet(body["data"]["sheet"])
            case "rate", _:
                self.checked["rates published"] += 1
            case "house_event", kind if kind == KEY_NOTED:
                self._note_key(leaf, body)
                if body["data"].get("verifier_key") not in self._manifest.verifier_keys:
                    self._key_told = True
                    yield "bad_verifier_key", "manifest.json leaves out the key that is noted here."
            case _:
                self._set_clock(body)
        if not self._manifest.whole and (rate := rate_named(body)) is not None:
            # The replay checks more of a rate, in a whole log.
            published, listed = self._rates.published.get(rate), body["data"]["rate"]
            if published is None or any(published[name] != listed[name] for name in _RATE_OF_A_TABLE):
                yield "other_rate", f"No record here publishes rate {rate} as the table names it (R60)."

    def _unlike_before(self, body: Body) -> Iterator[Problem]:
        if self._chains is not None and (wrong := self._chains.wrong(body)):
            yield "identity_differs", wrong

    def earlier(self, leaf: int, body: Body) -> list[Finding]:
        """Take a record from outside the range; return a change that does not follow."""
        self._set_clock(body)
        if body["record"] == "rate":
            self._rates.take(body)
            self._rates_before.add(body["id"])
        elif body.get("kind") == KEY_NOTED:
            self._note_key(leaf, body)
        return told(leaf, body, self._unlike_before(body))

    def _set_clock(self, body: Body) -> None:
        if body["record"] == "house_event" and body["kind"] in CLOCKS:
            self._zones.append((body["recorded_at"], str(body["data"].get("time_zone"))))
        elif (
            body["record"] == "house_event" and body["kind"] == TIME_CONFIRMED and body["data"]["ahead_until"]
        ):
            self.ahead_until.append(datetime.fromisoformat(body["data"]["ahead_until"]))

    def _note_key(self, leaf: int, body: Body) -> None:
        key, replaces = (body["data"].get(name) for name in ("verifier_key", "replaces"))
        self._keys.append((leaf, str(key), None if replaces is None else str(replaces)))

    @property
    def keys(self) -> list[tuple[int, str]]:
        """The leaves that record a key of the log, in order, with its text."""
        return [(leaf, key) for leaf, key, _ in sorted(self._keys)]

    def finish(self) -> Iterator[Finding]:
        yield from self._wrong_offsets()
        for name in sorted(set(self._manifest.sheets.values()) - self._sheets):
            yield Finding("member_unknown", f"No table of this export was opened with {name}.")
        for rate in sorted(self._rates_before - self._rates.named):
            yield Finding("bad_bundle", f"earlier.jsonl has rate {rate}, which no record here names.")
        if self._rates_there is not None and self._rates_there != self._rates.data:
            yield Finding(
                "member_changed", "rates.json does not list the rates that the records publish and name."
            )
        if not self._key_told:
            # The manifest has the recorded keys, each replacing the one before.
            keys = [key for _, key, _ in sorted(self._keys)]
            replaced = [replaces for *_, replaces in sorted(self._keys)]
            if keys != [*self._manifest.verifier_keys] or replaced != [None, *keys][: len(keys)]:
                sentence = "manifest.json has other keys than those that the records of the log note."
                yield Finding("bad_verifier_key", sentence)

    def _wrong_offsets(self) -> Iterator[Finding]:
        if not self._zones and not self._manifest.whole:
            sentence = (
                "No record here says by which clock the house goes, so nothing bears out the offsets of"
                " manifest.json."
            )
            yield Finding("wrong_offsets", sentence)
            return
        try:
            offsets = offsets_of(self._zones, self._until) if self._until else ()
        except (ZoneInfoNotFoundError, ValueError):
            self.unknown_zone = ", ".join(sorted({str(zone) for _, zone in self._zones}))
            return
        if offsets != self._manifest.offsets:
            yield Finding(
                "wrong_offsets",
                "manifest.json has other offsets of local time than the house's time zones give, by this"
                " computer's tables.",
            )

    def _sheet(self, sheet: Mapping[str, Any]) -> Iterator[Problem]:
        name = f"sheets/{sheet['code']}.{sheet['version']}.toml"
        self._sheets.add(name)
        if self._manifest.sha256.get(name) == sheet["sha256"]:
            return
        self.wrong_sheets = True
        if name not in self._told:
            self._told.add(name)
            sentence = f"{name} is not the sheet that the table was opened with."
            yield "member_changed", f"{sentence} Rounds and fees are not judged from here."


class Bound:
    """A check that is silent once a sheet differs from the one the table was opened with."""

    def __init__(self, check: Check, bindings: Bindings) -> None:
        self._check, self._bindings = check, bindings
        self.checked = check.checked

    def take(self, leaf: int, body: Body) -> Iterable[Finding]:
        found = self._check.take(leaf, body)
        return () if self._bindings.wrong_sheets else found

    def finish(self) -> Iterable[Finding]:
        found = self._check.finish()
        self.checked = self._check.checked
        return () if self._bindings.wrong_sheets else found


_SHEETS = "sessions whose sheet and rate go with them"
_RATE_OF_A_TABLE = ("option", "version", "limit_cents", "fee_cents")
