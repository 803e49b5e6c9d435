"""Corrected buy-ins, add-ons, tokes, cash-outs and moves: reversed and posted again, by two people in one
act. Pure. If the player has moved on or left since, the amount carried along or taken away is corrected
with it."""

from __future__ import annotations

from typing import Any, Final

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.house import moment
from tables.audit.floor.sitting import Body, BroughtBounds, EntryChips, ReplayedSitting, ReversedChips
from tables.audit.floor.table import Awaited, ReplayedTable
from tables.audit.judging.moments import dealt_in, wrong_moment
from tables.rules.table.buy_ins import (
    NOTHING,
    buy_in_bounds,
    came_back_since,
    taken_away_then,
    wrong_add_on,
    wrong_buy_in,
)

BROUGHT: Final = ("buy_in", "add_on")
TOKE: Final = "toke"
_KINDS: Final = frozenset({"entry reversal", "entry correction"})
Line = tuple[Any, Any, int]


def remember(table: ReplayedTable, body: Body, sitting: ReplayedSitting) -> EntryChips:
    """Keep an entry of chips for later corrections, with what R52 needs if chips were brought."""
    said, lines, at, bounds = body["evidence"], body["transfers"], body["recorded_at"], None
    kind = body["kind"]  # a cash-out has no amounts in its evidence: nothing would judge them there
    if kind in BROUGHT:
        left = table.last_left.get(table.person(sitting.player))
        bounds = BroughtBounds(at, table.limit_cents, table.most, sitting.cents, left)
    chips = table.chips[body["id"]] = EntryChips(
        kind=kind,
        sitting=sitting,
        cents=sum(line["cents"] for line in lines) if kind == "cash_out" else said["cents"],
        source=said.get("source", ""),
        over_short=said.get("over_short_cents", 0) if kind == "correction" else 0,
        bank_cash=_net(body, table.bank_cash),
        bank_chips=_net(body, table.bank_chips),
        bounds=bounds,
        at=at,
        dealer=said.get("dealer"),
        account=said.get("account"),
    )
    return chips


def keep(
    floor: Floor, table: ReplayedTable, body: Body, sitting: ReplayedSitting | None, wrong: list[Problem]
) -> None:
    """Remember an entry of chips; a wrong one leaves the stacks in doubt."""
    if wrong:
        floor.doubt(body["transfers"], sitting)
    elif sitting is not None:
        remember(table, body, sitting)


def table_of(floor: Floor, said: Body) -> ReplayedTable | None:
    """Return the table of a correction: where the entry was reversed, else the one it names."""
    taken = next((one for one in floor.every() if said["corrects"] in one.reversed_chips), None)
    return taken or floor.find(said["session"])


def reversal(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    chips, said = table.chips.pop(body["reverses"]), body["evidence"]
    by = (body["actor"], body["approver"], body["reason"])
    table.reversed_chips[body["reverses"]] = ReversedChips(chips, by)
    table.awaits = Awaited(floor.mark(body), "not_posted_again", "It was not posted again after it.", _KINDS)
    if said["reverses"] != body["reverses"]:
        yield Problem("other_entry", f"Its evidence is not about entry {body['reverses']}.")
    yield from wrong_names(table, chips, said)
    yield from wrong_moment(body)
    yield from dealt_in(floor.tables.get(chips.sitting.session), chips.sitting)


def wrong_names(table: ReplayedTable, chips: EntryChips, said: Body, *more: str) -> Problems:
    sitting = chips.sitting
    own = {"of": chips.kind, "session": table.session, "sitting": sitting.id, "seat": sitting.seat}
    own |= {"player": sitting.player, **{name: getattr(chips, name) for name in more}}
    for name, value in own.items():
        if said[name] != value:
            yield Problem("other_entry", f"Its {name} is {said[name]}; that of the entry is {value}.")


def correction(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    said = body["evidence"]
    number = said["corrects"]
    if number not in table.reversed_chips:
        number = next(iter(table.reversed_chips), None)
    taken = table.reversed_chips.pop(number, None)
    if not table.reversed_chips:
        table.awaits = None
    if taken is None:
        floor.doubt(body["transfers"])
        return
    chips, sitting = taken.chips, taken.chips.sitting
    wrong = list(_wrong_words(table, taken, number, body)) or list(_wrong_chips(floor, table, taken, body))
    yield from wrong
    if wrong:
        floor.doubt(body["transfers"], sitting, sitting.moved_to)
    if chips.kind in BROUGHT:
        _carry(sitting, said["cents"] - chips.cents)
    elif chips.kind != TOKE:
        sitting.taken_away = said["cents"]
        after, sitting.more = sitting.more, 0
        if sitting.moved_to is not None:
            _carry(sitting.moved_to, after)
    if not wrong:
        again = remember(table, body, sitting)
        table.chips[body["id"]] = again._replace(kind=chips.kind, bounds=chips.bounds, at=chips.at)


def _carry(sitting: ReplayedSitting, more: int) -> None:
    sitting.more = more if sitting.left else 0


def _wrong_words(table: ReplayedTable, taken: ReversedChips, number: int | None, body: Body) -> Problems:
    said = body["evidence"]
    if said["corrects"] != number:
        yield Problem("other_entry", f"Entry {number} was taken back before it, not {said['corrects']}.")
    yield from wrong_names(table, taken.chips, said)
    if (body["actor"], body["approver"], body["reason"]) != taken.by:
        yield Problem("not_asked", "It is not by who took the entry back, or not for that reason.")
    yield from wrong_moment(body)


def _wrong_chips(floor: Floor, table: ReplayedTable, taken: ReversedChips, body: Body) -> Problems:
    said, chips, sitting = body["evidence"], taken.chips, taken.chips.sitting
    cents, more_known = said["cents"], _came_from(floor, sitting)
    if chips.kind in BROUGHT:
        right = _brought(table, chips, cents, said["source"])
        yield from _wrong_bounds(floor, chips, cents)
        if (cents, said["source"]) == (chips.cents, chips.source):
            yield Problem("nothing_changes", "It says what was said before.")
        if cents != chips.cents and sitting.left and not _was_reversed_too(floor, sitting):
            yield Problem(
                "wrong_amount", "The player had left, and what was taken away was not posted again."
            )
    elif chips.kind == TOKE:
        right = [(sitting.stack, chips.account, cents)]
        yield from _wrong_toke(chips, sitting, said)
    elif chips.kind == "table_move":
        right = [(sitting.stack, sitting.moved_to and sitting.moved_to.stack, cents)]
        if more_known and (cents != chips.cents + sitting.more or not sitting.more):
            yield Problem("wrong_amount", f"It carries {cents} cents; by what came before they are others.")
    else:
        over = said["over_short_cents"]
        right = [*_between(sitting.stack, "over_short", over), (sitting.stack, "outside", cents)]
        yield from _wrong_leaving(chips, sitting, cents, over) if more_known else ()
    if _told(body) != [line for line in right if line[2]]:
        yield Problem("wrong_amount", f"It does not move {cents} cents from where to where it says.")


def _wrong_toke(chips: EntryChips, sitting: ReplayedSitting, said: Body) -> Problems:
    """Judge a corrected toke: same dealer, other amount, player still seated."""
    if (said["dealer"], said["account"]) != (chips.dealer, chips.account):
        yield Problem("other_account", "It is about the tokes of another dealer (R52).")
    if said["cents"] == chips.cents:
        yield Problem("nothing_changes", "It says what was said before.")
    if sitting.left:
        yield Problem("not_seated", "The player had left the table.")


def _came_from(floor: Floor, sitting: ReplayedSitting) -> bool:
    source = sitting.from_sitting
    return source is None or any(source in one.sittings for one in floor.every())


def _was_reversed_too(floor: Floor, sitting: ReplayedSitting) -> bool:
    here = floor.find(sitting.session)
    return here is not None and any(
        one.chips.sitting is sitting and one.chips.kind not in BROUGHT for one in here.reversed_chips.values()
    )


def _brought(table: ReplayedTable, chips: EntryChips, cents: int, source: object) -> list[Line]:
    """Return the transfers for this amount. If the bank has been counted since, over/short absorbs the
    difference, so that the counted total stays."""
    stack, lines = chips.sitting.stack, list[Line]()
    if source == "chips" and cents:
        lines = [("outside", stack, cents)]
    elif source == "cash" and cents:
        lines = [("outside", table.bank_cash, cents), (table.bank_chips, stack, cents)]
    elif source or cents:
        lines = [("nowhere", stack, cents or 1)]
    if table.counted is not None:
        sold = cents if source == "cash" else 0
        lines += _between(table.bank_cash, "over_short", sold - chips.bank_cash)
        lines += _between(table.bank_chips, "over_short", -sold - chips.bank_chips)
    return lines


def _wrong_leaving(chips: EntryChips, sitting: ReplayedSitting, cents: int, over: int) -> Problems:
    """Judge what left the stack: what left before plus later corrections; two people divide it."""
    total = chips.cents + chips.over_short + sitting.more
    if cents < 0 or cents + over != total:
        yield Problem("wrong_amount", f"The player left with {total} cents by the entries before.")
    elif not sitting.more and cents == chips.cents:
        yield Problem("nothing_changes", "It says what was said before.")
    elif sitting.more and (cents if chips.over_short else over) != (chips.cents if chips.over_short else 0):
        yield Problem("wrong_amount", "It goes to over/short, or not, as nobody has said.")


def _wrong_bounds(floor: Floor, chips: EntryChips, cents: int) -> Problems:
    """Judge R52 by what held when the chips were brought."""
    bounds = chips.bounds
    if bounds is None or not (chips.sitting.sure and chips.sitting.counted):
        return
    if chips.kind == "add_on":
        if code := wrong_add_on(bounds.before, cents, bounds.most):
            yield Problem(code, f"The stack would have been above {bounds.most} cents (R52).")
        return
    taken, left, minutes = NOTHING, bounds.returned, floor.house.return_minutes
    if left is not None and minutes is None:
        return
    if left is not None and left.left_at and minutes is not None:
        if not (left.sure and left.counted):
            return
        if moment(left.left_at) >= came_back_since(moment(bounds.at), minutes):
            taken = taken_away_then(left.taken_away, carried=left.moved_to is not None)
    right = buy_in_bounds(bounds.limit, bounds.most, taken)
    if code := wrong_buy_in(cents, right):
        yield Problem(code, f"At least {right.least} and at most {right.most} cents could be brought (R52).")


def _net(body: Body, account: int | None) -> int:
    lines = body["transfers"]
    return sum(line["cents"] * ((line["to"] == account) - (line["from"] == account)) for line in lines)


def _between(account: object, other: object, cents: int) -> list[Line]:
    return [(account, other, cents) if cents >= 0 else (other, account, -cents)]


def _told(body: Body) -> list[Line]:
    """Return the transfers of an entry; accounts that a house has once are named by their kind."""
    one = ("outside", "over_short")
    return [
        (
            line["from_kind"] if line["from_kind"] in one else line["from"],
            line["to_kind"] if line["to_kind"] in one else line["to"],
            line["cents"],
        )
        for line in body["transfers"]
    ]
