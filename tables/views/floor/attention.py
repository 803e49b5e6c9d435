"""The board's panel "Needs somebody": what waits, the link to it, and the part that stands in a table's
line."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from django.contrib.auth import get_user_model
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language

from ledger.rights import SIGN_OFF_DROPS, WORK_CAGE
from tables.floor.attention import Item, on_lists, waiting_now
from tables.floor.needs import TAKERS, Which, need_standings, told
from tables.rights import RUN_FLOOR
from tables.rules.table import needs
from tables.views.floor.board_cache import Shown


def _session(fragment: str = "") -> Callable[[Item], str]:
    def address(item: Item) -> str:
        page = reverse("floor-session", args=[item.session.pk])  # type: ignore[union-attr]
        return f"{page}#{fragment.format(item.subject)}" if fragment else page

    return address


# By kind of item: in a word, icon, right to act, label, address.
def _of_subject(name: str, read: Callable[[str], Any] = str) -> Callable[[Item], str]:
    return lambda item: reverse(name, args=[read(item.subject)])


def _at(name: str) -> Callable[[Item], str]:
    return lambda item: reverse(name, args=[item.session.pk])  # type: ignore[union-attr]


ANSWERS: dict[str, tuple[str, str, str, str, Callable[[Item], str]]] = {
    "clock_doubted": (
        "Time in doubt",
        "alert",
        RUN_FLOOR,
        "Confirm the time",
        lambda _: reverse("confirm-time"),
    ),
    "excluded": ("Excluded", "alert", RUN_FLOOR, "Cash out", _of_subject("cash-out")),
    "is_it_this_person": ("Who is it?", "alert", RUN_FLOOR, "Is it this person?", _of_subject("who-is-it")),
    "clock_stopped": ("Clock stopped", "pause", RUN_FLOOR, "Start the clock", _at("start-clock")),
    "no_dealer": ("No dealer", "alert", RUN_FLOOR, "Push a dealer in", _at("push-dealer")),
    "round_long": ("Long round", "clock", RUN_FLOOR, "See the table", _session()),
    "busted": ("No chips", "chip", RUN_FLOOR, "Add on", _of_subject("add-on")),
    "free_seat": ("Call the list", "player", RUN_FLOOR, "Call them", lambda _: reverse("waiting")),
    "variance": ("Count is off", "alert", RUN_FLOOR, "Count again", _at("count-chips")),
    "correction": ("Correction", "swap", RUN_FLOOR, "Look and decide", _session("correction-{}")),
    "by_hand": ("By hand", "swap", RUN_FLOOR, "Look and decide", _session("by-hand-{}")),
    "discrepancy": (
        "Discrepancy",
        "alert",
        RUN_FLOOR,
        "Look and decide",
        _of_subject("decide-dispute", int),
    ),
    "tablet_away": ("Tablet away", "alert", RUN_FLOOR, "Count the chips", _at("count-chips")),
    "fee_due": ("Fee due", "chip", RUN_FLOOR, "Take the fee", _of_subject("pay-fee")),
    "rate_soon": ("New rate soon", "clock", RUN_FLOOR, "See the table", _session()),
    "more_time": ("More time", "clock", RUN_FLOOR, "Waiting lists", lambda _: reverse("waiting")),
    "place_over": ("Has not come", "player", RUN_FLOOR, "Waiting lists", lambda _: reverse("waiting")),
    "counts_differ": ("Counts differ", "alert", SIGN_OFF_DROPS, "See the box", _of_subject("cashier-box")),
    "sheet_refused": ("Counts refused", "alert", SIGN_OFF_DROPS, "See the sheet", _of_subject("count-sheet")),
    "document_refused": ("Counts refused", "alert", RUN_FLOOR, "See it", _of_subject("document")),
    "bank_refused": ("Bank differs", "alert", RUN_FLOOR, "Count the bank", _at("count-bank")),
    "slip_refused": ("Counts differ", "alert", WORK_CAGE, "See the slip", _of_subject("cage-slip")),
    "unconfirmed": ("Unconfirmed", "alert", RUN_FLOOR, "Ask, and confirm it", _of_subject("document")),
    "document": ("Document", "chip", RUN_FLOOR, "Open it", _of_subject("document")),
    "bank_low": ("Bank is low", "chip", RUN_FLOOR, "Fill the bank", _at("bank")),
    "box_due": ("Box is due", "box", RUN_FLOOR, "Change the box", _at("change-box")),
    "bank_uncounted": ("Count the bank", "chip", RUN_FLOOR, "Count the bank", _at("count-bank")),
    "day_over": (
        "Day is over",
        "paper",
        SIGN_OFF_DROPS,
        "Close the day",
        _of_subject("close-day", date.fromisoformat),
    ),
}
# What a screen may say aloud (alerts.js), by kind.
ALERTS = dict.fromkeys(("correction", "by_hand", "document", "unconfirmed"), "approval") | {"box_due": "box"}
# The log has its own banner above the board.
ELSEWHERE = ("log",)


@dataclass(frozen=True)
class Need:
    """A row of the panel; `href` is empty for people without the right."""

    sentence: str
    icon: str
    href: str
    action: str
    kind: str = ""
    subject: str = ""
    owner: str = ""
    minutes: int | None = None
    escalated: bool = False
    orders: tuple[tuple[str, str], ...] = ()

    @property
    def alert(self) -> str:
        return ALERTS.get(self.kind, "")

    @property
    def urgent(self) -> bool:
        return needs.PRIORITY.get(self.kind) == needs.URGENT


WORDS = {
    needs.TAKE: "I take it",
    needs.RELEASE: "Release",
    needs.DISMISS: "Not needed",
    needs.RECALL: "Recall",
}


@dataclass(frozen=True)
class AtHand:
    """What waits at a house, read once for everybody: how many tables are open, its items, how many wait by
    game and limit, and who took which item, when it was raised, and the people who did."""

    tables: int
    items: list[Item]
    lists: Counter[tuple[str, int]]
    now: datetime
    standings: Mapping[Which, needs.NeedStanding]
    raised: Mapping[Which, datetime]
    people: Mapping[int, Any]

    def needs(self, person: Any) -> list[Need]:
        """Return what waits for somebody, with links as this person's rights allow; the late ones first."""
        may_take = any(map(person.has_perm, TAKERS))
        found = [self._need(item, person, may_take=may_take) for item in self.items]
        return sorted(found, key=lambda need: not need.escalated)

    def _need(self, item: Item, person: Any, *, may_take: bool) -> Need:
        _, icon, right, action, address = ANSWERS[item.kind]
        which = _which(item)
        standing = self.standings.get(which, needs.NOBODY)
        since = standing.since or self.raised.get(which)
        deeds = [does for does in needs.DEEDS if may_take and needs.may_do(standing, item.kind, does)]
        return Need(
            item.sentence,
            icon,
            address(item) if person.has_perm(right) else "",
            action,
            *which,
            "" if standing.owner is None else str(self.people[standing.owner]),
            None if since is None else int((self.now - since).total_seconds()) // 60,
            needs.is_escalated(item.kind, self.raised.get(which), standing, self.now),
            tuple((does, WORDS[does]) for does in deeds),
        )

    def panel(self, person: Any) -> dict[str, list[Need]]:
        """Return what the panel shows to this person: the more tables below it, the fewer items at once."""
        found, many = self.needs(person), self.tables > 8
        first = 2 if many else 4
        return {"needs": found, "urgent": found[:first], "rest": found[first:]}

    def marks(self, tables: Iterable[Shown]) -> dict[int, str]:
        """Return for each table, by session, the end of its line on the board: who waits, the worst need."""
        worst: dict[int, Item] = {}
        for item in self.items:
            if item.session is not None:
                worst.setdefault(item.session.pk, item)
        return {pk: self._mark(one.facts.session, worst.get(pk)) for pk, one in _by_session(tables)}

    def _mark(self, session: Any, worst: Item | None) -> str:
        waiters = self.lists[session.sheet.code, session.limit_cents]
        word, icon = ANSWERS[worst.kind][:2] if worst else ("", "")
        return _mark(session.pk, waiters, word, icon, get_language())


def _which(item: Item) -> Which:
    return item.kind, item.subject


def _by_session(tables: Iterable[Shown]) -> list[tuple[int, Shown]]:
    return [(one.facts.session.pk, one) for one in tables]


@lru_cache(maxsize=1000)
def _mark(session: int, waiters: int, word: str, icon: str, _language: str | None) -> str:
    shows = {"session": session, "waiters": waiters, "word": word, "icon": icon}
    return render_to_string("floor/_mark.html", shows)


def at_hand(site: Any, now: datetime, tables: Iterable[Shown]) -> AtHand:
    here = [one.facts for one in tables if one.facts.session.table.site_id == site.pk]
    raised, settled = told(site, now)
    standings = need_standings(site, now, settled)
    lists = on_lists(site)
    known = [(facts.state, facts.plan) for facts in here]
    items = waiting_now(site, now, known, lists=lists, but=ELSEWHERE)
    waiting = [item for item in items if not standings.get(_which(item), needs.NOBODY).dismissed]
    owners = {one.owner for one in standings.values()} - {None}
    people = get_user_model().objects.in_bulk(owners) if owners else {}
    counts = Counter((place.game, place.limit_cents) for place in lists)
    return AtHand(len(here), waiting, counts, now, standings, raised, people)
