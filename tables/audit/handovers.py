"""The paper of handovers: what waited as the floor went from one person to the next. Pure."""

from collections.abc import Mapping
from typing import Any

from ledger.papers.paper import PartsPaper, declare_papers


class HandoversPaper(PartsPaper):
    """A line for each thing that was gone through, and one for a handover at which nothing waited. What the
    house said of it names players and is withheld; `said` is the commitment to it."""

    name = "handovers.csv"
    title = "Handovers of the floor"
    purpose = "What waited as the floor changed hands: item by item with notes, who went and who signed"
    signs = ("Reviewed by",)
    unprinted = ("at", "said", "record_id")
    columns = (
        *("gaming_day", "shift", "number", "line", "need", "subject", "note", "at", "local_time"),
        *("actor", "approver", "terminal", "said", "record_id"),
    )
    place = 536
    event, parts, is_empty_told = "handed_over", "items", True

    def line(self, data: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"approver": data.get("approver"), "said": data.get("said")}


declare_papers(HandoversPaper)
