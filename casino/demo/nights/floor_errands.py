"""What the floor does once in a whole night besides play: a dealer's break, a need that somebody takes, and
the handover to who comes."""

from typing import Any

from casino.demo.nights.house import Happening, SimulatedHouse
from ledger.journal.acts import Act
from ledger.journal.staff import holders
from tables.floor.attention import waiting_now
from tables.floor.handover import hand_over, to_hand_over
from tables.floor.line_up import order_line, standings
from tables.floor.needs import change_need, need_standings
from tables.rights import DEAL
from tables.rules.table.line_up import in_order, may_order
from tables.rules.table.needs import NOBODY, TAKE, may_do


def dealers_break(table: Any) -> Happening | None:
    """Who waits longest goes on a break, comes back, and is first in line."""
    house = table.house
    waits = in_order(standings(house.site, house.now).values())
    return _break(house, waits[0].dealer) if waits else None


def _break(house: SimulatedHouse, dealer: int) -> Happening:
    for does in ("break", "line", "first"):
        order(house, dealer, does)
        yield 300


def order(house: SimulatedHouse, dealer: int, does: str) -> None:
    """Order what still fits: the dealer may have been pushed in meanwhile."""
    if may_order(standings(house.site, house.now).get(dealer), does):
        act = Act(house.crew.floor, house.now, house.key("line"))
        order_line(site=house.site, dealer=holders(DEAL).get(pk=dealer), does=does, act=act)


def need_taken(table: Any) -> Happening | None:
    """Somebody of the floor sees to what waits."""
    return _taken(table.house) if take_a_need(table.house) else None


def _taken(house: SimulatedHouse) -> Happening:
    yield 60


def take_a_need(house: SimulatedHouse) -> bool:
    """Take the first need that is nobody's; return whether there was one."""
    site, now = house.site, house.now
    taken = need_standings(site, now)
    for item in waiting_now(site, now, but=("log",)):
        which = item.kind, item.subject
        if may_do(taken.get(which, NOBODY), item.kind, TAKE):
            act = Act(house.crew.floor, now, house.key("need"))
            change_need(site=site, which=which, does=TAKE, act=act)
            return True
    return False


def handover(house: SimulatedHouse) -> None:
    """The floor goes to the next one with whatever waits."""
    site, crew = house.site, house.crew
    notes = {one.which: "" for one in to_hand_over(site, house.now)}
    notes |= dict.fromkeys([*notes][:1], "Asked for it twice")
    act = Act(crew.floor, house.now, house.key("handover"), approver=crew.floor2)
    hand_over(site=site, notes=notes, act=act)


def tonight(house: SimulatedHouse) -> None:
    """Leave somebody in line, somebody on a break, and a need that is somebody's."""
    here = standings(house.site, house.now)
    rested = [one.pk for one in holders(DEAL).order_by("pk") if one.pk not in here]
    for dealer, orders in zip(rested, (("line",), ("line", "break")), strict=False):
        for does in orders:
            order(house, dealer, does)
    take_a_need(house)
