"""Compare an export's sheets, rates, keys and local time with the ones its records name. Pure."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfoNotFoundError

from ledger.audit.export.manifest import Manifest
from ledger.audit.export.register import CLOCKS
from ledger.audit.findings import Body, Check, Finding, Problem, told
from ledger.audit.local_time import offsets_of


class Bindings:
    """Check that the export has exactly the sheets, rates, keys and offsets of local time that the records name.

    `wrong_sheets`: a table was opened with a sheet that differs from the export's. `unknown_zone`: a time zone that this
    computer does not know, so that local times are not judged.
    """

    def __init__(self, manifest: Manifest, rates: Mapping[int, Mapping[str, Any]] | None) -> None:
        self._manifest = manifest
        self._rates = rates
        self._told: set[str] = set()
        self.wrong_sheets = False
        self.unknown_zone = ""
        self._zones: list[tuple[str, str]] = []
        self._until = ""
        self.checked = {_SHEETS: 0, "rates published": 0}

    def take(self, leaf: int, body: Body) -> Iterable[Finding]:
        """Check the sheet, rate or key that a record names."""
        self._until = max(self._until, body["recorded_at"])
        return told(leaf, body, self._wrong(body))

    def _wrong(self, body: Body) -> Iterator[Problem]:
        match body["record"], body.get("kind"):
            case "table_event", "opened":
                self.checked[_SHEETS] += 1
                yield from self._sheet(body["data"]["sheet"])
                yield from self._rate(body["data"]["rate"], _RATE_OF_A_TABLE)
            case "rate", _:
                self.checked["rates published"] += 1
                yield from self._rate(body, _RATE)
            case "house_event", "audit_key":
                if body["data"]["verifier_key"] not in self._manifest.verifier_keys:
                    yield "bad_verifier_key", "manifest.json leaves out the key that is noted here."
            case _:
                self.earlier(body)

    def earlier(self, body: Body) -> None:
        """Take the time zone that a record of the house sets."""
        if body["record"] == "house_event" and body["kind"] in CLOCKS:
            self._zones.append((body["recorded_at"], str(body["data"].get("time_zone"))))

    def finish(self) -> Iterable[Finding]:
        """Yield whether local times are those of the house's time zones; all else is reported with its record."""
        try:
            offsets = offsets_of(self._zones, self._until) if self._until else ()
        except (ZoneInfoNotFoundError, ValueError):
            self.unknown_zone = ", ".join(sorted({str(zone) for _, zone in self._zones}))
            return
        if offsets != self._manifest.offsets:
            yield Finding(
                "wrong_offsets",
                "manifest.json has other offsets of local time than the house's time zones give, by this computer's tables.",
            )

    def _sheet(self, sheet: Mapping[str, Any]) -> Iterator[Problem]:
        name = f"sheets/{sheet['code']}.{sheet['version']}.toml"
        if self._manifest.sha256.get(name) == sheet["sha256"]:
            return
        self.wrong_sheets = True
        if name not in self._told:
            self._told.add(name)
            sentence = f"{name} is not the sheet that the table was opened with."
            yield "member_changed", f"{sentence} Rounds and fees are not judged from here."

    def _rate(self, rate: Mapping[str, Any], fields: Sequence[str]) -> Iterator[Problem]:
        if self._rates is None:
            return
        listed, name = self._rates.get(rate["id"]), f"rates.json {rate['id']}"
        if (listed is None or any(listed.get(key) != rate[key] for key in fields)) and name not in self._told:
            self._told.add(name)
            yield "member_changed", f"rates.json does not list rate {rate['id']} as the log has it."


class Bound:
    """A check that is silent once a sheet differs from the one the table was opened with."""

    def __init__(self, check: Check, bindings: Bindings) -> None:
        self._check, self._bindings = check, bindings
        self.checked = check.checked

    def take(self, leaf: int, body: Body) -> Iterable[Finding]:
        """Yield the check's findings for a record."""
        found = self._check.take(leaf, body)
        return () if self._bindings.wrong_sheets else found

    def finish(self) -> Iterable[Finding]:
        """Yield the check's findings for the whole log."""
        found = self._check.finish()
        self.checked = self._check.checked
        return () if self._bindings.wrong_sheets else found


_SHEETS = "sessions whose sheet and rate go with them"
_RATE_OF_A_TABLE = ("option", "version", "limit_cents", "fee_cents")
_RATE = (*_RATE_OF_A_TABLE, "approval_reference", "effective_from")


def rates_of(data: bytes | None) -> dict[int, Mapping[str, Any]] | None:
    """Return the rates of `rates.json` by id; None if it cannot be read."""
    try:
        return {int(rate["id"]): dict(rate) for rate in json.loads(data)} if data is not None else None
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
