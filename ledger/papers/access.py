"""The paper of access: who had which rights at each review of them. Pure."""

from collections.abc import Iterator

from ledger.papers.cells import cell, cells, line_of, mapping
from ledger.papers.paper import DaysOfRecords, Paper, PaperSource, declare_papers
from ledger.records.findings import Body


class AccessPaper(Paper):
    """A line for each person of a review, as the record of it has them."""

    name = "access.csv"
    title = "User access"
    purpose = "Who had which rights when they were reviewed, with reviewer and date, quarter by quarter"
    signs = ("Reviewed by", "Second person")
    unprinted = ("at", "number", "terminal")
    later = True
    columns = (
        *("gaming_day", "shift", "number", "quarter", "person", "username", "name", "roles", "created"),
        *("last_sign_in", "works_here", "at", "local_time", "actor", "approver", "terminal"),
    )
    place = 533
    takes = frozenset({"house_event", "closed_day"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._days = DaysOfRecords(setting)

    def take(self, body: Body) -> Iterator[bytes]:
        self._days.close(body)
        if body.get("kind") != "access_reviewed":
            return
        day, data, at = self._days.of(body), mapping(body.get("data")), body.get("at")
        people = data.get("people")
        for one in map(mapping, people if isinstance(people, list) else []):
            roles = one.get("roles")
            yield line_of(
                [
                    cell(day),
                    self.setting.shift(day, at),
                    *cells(data, "number", "quarter"),
                    *cells(one, "staff", "username", "full_name"),
                    cell(", ".join(map(str, roles if isinstance(roles, list) else ()))),
                    *cells(one, "created", "last_sign_in"),
                    "yes" if one.get("is_active") is True else "no",
                    cell(at),
                    self.setting.local.of(at),
                    *cells(body, "actor"),
                    *cells(data, "approver"),
                    *cells(body, "terminal"),
                ]
            )


declare_papers(AccessPaper)
