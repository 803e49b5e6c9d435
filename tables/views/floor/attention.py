"""The board's panel "Needs somebody": what waits, and the link to it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.urls import reverse

from ledger.rights import SIGN_OFF_DROPS, WORK_CAGE
from tables.floor.attention import Item, waiting_now
from tables.rights import RUN_FLOOR
from tables.views.floor.board_cache import Shown


def _session(fragment: str = "") -> Callable[[Item], str]:
    def address(item: Item) -> str:
        page = reverse("floor-session", args=[item.session.pk])  # type: ignore[union-attr]
        return f"{page}#{fragment.format(item.subject)}" if fragment else page

    return address


# By kind of item: icon, right to act, label, address.
def _of_subject(name: str, read: Callable[[str], Any] = str) -> Callable[[Item], str]:
    return lambda item: reverse(name, args=[read(item.subject)])


def _at(name: str) -> Callable[[Item], str]:
    return lambda item: reverse(name, args=[item.session.pk])  # type: ignore[union-attr]


ANSWERS: dict[str, tuple[str, str, str, Callable[[Item], str]]] = {
    "clock_doubted": ("alert", RUN_FLOOR, "Confirm the time", lambda _: reverse("confirm-time")),
    "excluded": ("alert", RUN_FLOOR, "Cash out", _of_subject("cash-out")),
    "clock_stopped": ("pause", RUN_FLOOR, "Start the clock", _at("start-clock")),
    "no_dealer": ("alert", RUN_FLOOR, "Push a dealer in", _at("push-dealer")),
    "round_long": ("clock", RUN_FLOOR, "See the table", _session()),
    "busted": ("chip", RUN_FLOOR, "Add on", _of_subject("add-on")),
    "free_seat": ("player", RUN_FLOOR, "Call them", lambda _: reverse("waiting")),
    "variance": ("alert", RUN_FLOOR, "Count again", _at("count-chips")),
    "correction": ("swap", RUN_FLOOR, "Look and decide", _session("correction-{}")),
    "by_hand": ("swap", RUN_FLOOR, "Look and decide", _session("by-hand-{}")),
    "fee_due": ("chip", RUN_FLOOR, "Take the fee", _of_subject("pay-fee")),
    "rate_soon": ("clock", RUN_FLOOR, "See the table", _session()),
    "place_over": ("player", RUN_FLOOR, "Waiting lists", lambda _: reverse("waiting")),
    "counts_differ": ("alert", SIGN_OFF_DROPS, "See the box", _of_subject("cashier-box")),
    "sheet_refused": ("alert", SIGN_OFF_DROPS, "See the sheet", _of_subject("count-sheet")),
    "document_refused": ("alert", RUN_FLOOR, "See it", _of_subject("document")),
    "bank_refused": ("alert", RUN_FLOOR, "Count the bank", _at("count-bank")),
    "slip_refused": ("alert", WORK_CAGE, "See the slip", _of_subject("cage-slip")),
    "unconfirmed": ("alert", RUN_FLOOR, "Ask, and confirm it", _of_subject("document")),
    "document": ("chip", RUN_FLOOR, "Open it", _of_subject("document")),
    "bank_low": ("chip", RUN_FLOOR, "Fill the bank", _at("bank")),
    "bank_uncounted": ("chip", RUN_FLOOR, "Count the bank", _at("count-bank")),
    "day_over": ("paper", SIGN_OFF_DROPS, "Close the day", _of_subject("close-day", date.fromisoformat)),
}
# The log has its own banner above the board.
ELSEWHERE = ("log",)


@dataclass(frozen=True)
class Need:
    """A row of the panel; `href` is empty for people without the right."""

    sentence: str
    icon: str
    href: str
    action: str


def needs(person: Any, site: Any, now: datetime, tables: Iterable[Shown]) -> list[Need]:
    """Return what waits for somebody, with links as this person's rights allow."""
    here = [one.facts for one in tables if one.facts.session.table.site_id == site.pk]
    found = []
    for item in waiting_now(site, now, [(facts.state, facts.plan) for facts in here], but=ELSEWHERE):
        icon, right, action, address = ANSWERS[item.kind]
        href = address(item) if person.has_perm(right) else ""
        found.append(Need(item.sentence, icon, href, action))
    return found
