"""The paper of the system: what the house runs on, as its log states it. Pure."""

from collections.abc import Iterator

from ledger.papers.cells import cell, cells, line_of, mapping
from ledger.papers.paper import DaysOfRecords, Paper, PaperSource, declare_papers
from ledger.records.findings import Body


class SystemPaper(Paper):
    """A line for each fact of each statement: at a start of the program that runs on something else."""

    name = "system.csv"
    title = "System"
    purpose = "Versions, migrations, settings, the jurisdiction's file and the sheets, whenever they changed"
    law = "4 CCR 12003, 12381"
    signs = ("Inspected by",)
    unprinted = ("at", "record_id", "shift")
    later = True
    columns = ("gaming_day", "shift", "part", "name", "value", "at", "local_time", "record_id")
    place = 535
    takes = frozenset({"house_event", "closed_day"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._days = DaysOfRecords(setting)

    def take(self, body: Body) -> Iterator[bytes]:
        self._days.close(body)
        if body.get("kind") != "system_stated":
            return
        day, at = self._days.of(body), body.get("at")
        facts = mapping(body.get("data")).get("facts")
        for fact in map(mapping, facts if isinstance(facts, list) else []):
            about = (cell(day), self.setting.shift(day, at), *cells(fact, "part", "name", "value"))
            yield line_of([*about, cell(at), self.setting.local.of(at), *cells(body, "id")])


declare_papers(SystemPaper)
