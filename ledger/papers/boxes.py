"""The log of drop boxes: by whom and when each was installed, pulled, brought and received. Pure."""

from typing import Any, Final

from ledger.chart import EntryKind
from ledger.papers.cells import mapping, mappings, number
from ledger.papers.paper import DayPaper, PaperGroup, PaperSource, declare_papers
from ledger.papers.slips import table_in
from ledger.records.findings import Body

_WAYS: Final = {"storage": "stored", "count_room": "received"}
"""Places to which a box is brought, and their columns before `_by`, `_with` and `_at`."""


class BoxLogPaper(DayPaper):
    """A line for each drop box, in the gaming day for which it was installed."""

    name = "box_log.csv"
    title = "Drop box log"
    purpose = "Each drop box: installed, pulled and brought to the count by whom and when, with its seals"
    law = "4 CCR 12384"
    group = PaperGroup.CAGE
    later = True
    signs = ("Floor", "Count room")
    columns = (
        *("gaming_day", "shift", "box", "table", "installed_by", "installed_at", "seal"),
        *("pulled_by", "pulled_with", "pulled_at", "seal_read", "reason", "emergency"),
        *("stored_by", "stored_with", "stored_at", "received_by", "received_with", "received_at"),
        *("counted_by", "counted_with", "entry"),
    )
    unprinted = ("entry",)
    place = 390
    takes = frozenset({"house_event", "box_received", "entry", "closed_day"})
    kinds = frozenset({"box_installed", "box_pulled", EntryKind.DROP})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._boxes: dict[int, dict[str, Any]] = {}

    def follow(self, body: Body) -> None:
        data = mapping(body.get("data"))
        match body.get("record"), body.get("kind"):
            case "house_event", "box_installed":
                box, day = number(data.get("box")), data.get("gaming_day")
                self._boxes[box] = row = self.row(day, box)
                row |= {"shift": self.setting.shift(day, body.get("at")), "box": data.get("number")}
                row |= {"table": table_in(data.get("place")), "seal": data.get("seal")}
                row |= {"installed_by": body.get("actor"), "installed_at": body.get("at")}
            case "house_event", _:
                row = self._boxes.get(number(data.get("box")), {})
                row |= {"pulled_by": body.get("actor"), "pulled_with": data.get("second")}
                row |= {"pulled_at": body.get("at"), "seal_read": data.get("seal")}
                row |= {"reason": data.get("seal_reason"), "emergency": data.get("emergency")}
            case "box_received", _:
                self._brought(body)
            case "entry", _:
                said = mapping(body.get("evidence"))
                counters = [one.get("counter") for one in mappings(said.get("counts"))]
                row = self._boxes.pop(number(said.get("box")), {})
                row |= dict(zip(("counted_by", "counted_with"), counters, strict=False))
                row["entry"] = body.get("id")

    def _brought(self, body: Body) -> None:
        row = self._boxes.get(number(body.get("box")), {})
        part = _WAYS.get(str(body.get("place")), "received")
        row |= {f"{part}_by": body.get("person"), f"{part}_with": body.get("second")}
        row[f"{part}_at"] = body.get("at")
        row["seal_read"] = body.get("seal") or row.get("seal_read")
        row["reason"] = "; ".join(str(one) for one in (row.get("reason"), body.get("reason")) if one)


declare_papers(BoxLogPaper)
