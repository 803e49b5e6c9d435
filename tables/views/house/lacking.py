"""The checklist of what the house lacks, with links for those who may act, and roles for the others."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from ledger.rights import READ_BOOKS, WORK_CAGE
from tables.floor.readiness import lacks
from tables.rights import MANAGE_HOUSE, RUN_FLOOR

# By code: the page, and its label.
ANSWERS = {
    "tables": ("add-table", "Enter a table"),
    "authorised": ("house-particulars", "Enter the number"),
    "sheets": ("house-games", "See the games"),
    "rates": ("publish-rate", "Publish a rate"),
    "reasons": ("publish-reason", "Publish a reason"),
    "staff": ("staff-hire", "Hire somebody"),
    "pins": ("staff", "See who"),
    "terminals": ("terminals", "Enrol a device"),
    "chips": ("stock-cage", "Open the vault"),
    "checkpoint": ("audit-log", "Take a checkpoint"),
}
WHO = {
    (MANAGE_HOUSE,): "manager",
    (RUN_FLOOR, MANAGE_HOUSE): "floor or manager",
    (WORK_CAGE,): "cashier",
    (READ_BOOKS,): "manager or regulator",
}


@dataclass(frozen=True)
class ToDo:
    """A line of the checklist; `href` is empty for people without the right, `who` has it."""

    sentence: str
    href: str
    action: str
    who: str


def checklist(user: Any, site: Any, now: datetime) -> list[ToDo]:
    """Return what the house lacks, as this person sees it."""
    found = []
    for lack in lacks(site, now):
        page, action = ANSWERS[lack.code]
        href = reverse(page) if any(map(user.has_perm, lack.rights)) else ""
        found.append(ToDo(lack.sentence, href, action, WHO[lack.rights]))
    return found
