"""The paper of access: who had which rights at each review of them. Pure."""

from collections.abc import Mapping
from typing import Any

from ledger.papers.cells import listed
from ledger.papers.paper import PartsPaper, declare_papers


class AccessPaper(PartsPaper):
    """A line for each person of a review, as its record has them."""

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

    def line(self, data: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
        return {
            "quarter": data.get("quarter"),
            "approver": data.get("approver"),
            "person": part.get("staff"),
            "name": part.get("full_name"),
            "roles": listed(part.get("roles")),
            "works_here": "yes" if part.get("is_active") is True else "no",
        }


declare_papers(AccessPaper)
