"""The paper of access: who had which rights at each review of them. Pure."""

from collections.abc import Mapping
from typing import Any

from ledger.papers.cells import cell, cells, line_of, mapping
from ledger.papers.paper import PartsPaper, declare_papers
from ledger.records.findings import Body


class AccessPaper(PartsPaper):
    """A line for each person of a review, as the record of it has them."""

    name = "access.csv"
    title = "User access"
    purpose = "Who had which rights when they were reviewed, with reviewer and date, quarter by quarter"
    signs = ("Reviewed by", "Second person")
    unprinted = ("at", "number", "terminal")
    columns = (
        *("gaming_day", "shift", "number", "quarter", "person", "username", "name", "roles", "created"),
        *("last_sign_in", "works_here", "at", "local_time", "actor", "approver", "terminal"),
    )
    place = 533
    event, parts = "access_reviewed", "people"

    def line(self, body: Body, day: str, part: Mapping[str, Any]) -> bytes:
        data, at, roles = mapping(body.get("data")), body.get("at"), part.get("roles")
        return line_of(
            [
                cell(day),
                self.setting.shift(day, at),
                *cells(data, "number", "quarter"),
                *cells(part, "staff", "username", "full_name"),
                cell(", ".join(map(str, roles if isinstance(roles, list) else ()))),
                *cells(part, "created", "last_sign_in"),
                "yes" if part.get("is_active") is True else "no",
                cell(at),
                self.setting.local.of(at),
                *cells(body, "actor"),
                *cells(data, "approver"),
                *cells(body, "terminal"),
            ]
        )


declare_papers(AccessPaper)
