"""Acts on the books themselves, each compared with those before it. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ledger.records.findings import Body, Problem

PROGRAM: Final = ("version", "rules", "sources")
"""The fields that distinguish programs."""


class Upkeep:
    """The events about the books of a log. `whole`: it begins with the first leaf."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._withheld = 0
        self._program: dict[str, Any] | None = None
        self._sheets: dict[tuple[str, int], str] = {}

    def withheld(self, body: Body) -> None:
        self._withheld = max(self._withheld, body["id"])

    def take(self, leaf: int, body: Body) -> Iterator[Problem]:
        if wrong := self._wrong(leaf, body):
            yield "upkeep_differs", wrong

    def opened(self, body: Body) -> Iterator[Problem]:
        """A session's sheet, if it is the house's own, is the one offered last."""
        sheet = body["data"]["sheet"]
        offered = self._sheets.get((sheet["code"], sheet["version"]))
        if offered is not None and offered != sheet["sha256"]:
            yield "upkeep_differs", f"The sheet {sheet['code']} is not the one that the house had offered."

    def _wrong(self, leaf: int, body: Body) -> str:
        data = body["data"]
        match body["kind"]:
            case "withheld_opened" if self._whole and not 0 < data["record"] <= self._withheld:
                return f"No record {data['record']} had withheld anything by then."
            case "program_started":
                return self._started(data)
            case "verified" if data["exit"] != int(data["findings"] > 0) or data["findings"] < 0:
                return "Its status is not that of its findings."
            case "monitored" if data["exit"] != int(bool(data["alerts"])):
                return "Its status is not that of its alerts."
            case "verified" | "monitored" if not 0 <= data["size"] <= leaf:
                return f"There was no checkpoint of {data['size']} leaves by then."
            case "system_stated":
                said = {fact["name"]: fact["value"] for fact in data["facts"] if fact["part"] == "program"}
                known = self._program and {name: str(value) for name, value in self._program.items()}
                return "Another program had started last." if known not in (None, said) else ""
            case "archive_verified" if data["exit"] != int(data["findings"] > 0) or data["findings"] < 0:
                return "Its status is not that of its findings."
            case "sheet_offered":
                self._sheets[data["code"], data["version"]] = data["sha256"]
        return ""

    def _started(self, data: Mapping[str, Any]) -> str:
        known, before = self._program, data["before"]
        self._program = {name: data[name] for name in PROGRAM}
        if before == known or (known is None and not self._whole):
            return ""
        return "The program started before it was another one."
