"""What is known of a table's seats and fees as the log tells them, and what one charge or collection says otherwise. Pure.

Nothing is remembered here of the log: charges.py does that, and asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from ledger.audit.findings import Finding, name_of
from tables.audit.house import moment
from tables.audit.table_clock import Down, Rate, TableClock
from tables.rules.table import downs

Body = Mapping[str, Any]


@dataclass(slots=True, eq=False)
class Sitting:
    """A player in a seat. `covers` are the charges (None: no charge) of which one may stand for the first fee."""

    id: int
    seat: int
    player: int
    stacks: set[int]
    entered: datetime
    table: Table
    covers: set[int | None]
    charged: bool = False
    left: bool = False

    @property
    def unused(self) -> set[int | None]:
        """The covers while no fee has used them."""
        return {None} if self.charged else self.covers


@dataclass(slots=True, eq=False)
class Charge:
    """A fee that was charged. `sure` is false of an accused one; `seated` once its sitting is known.

    `uncollected` is the number under which its player left without paying it.
    """

    id: int
    place: int
    name: str
    body: Body
    table: Table | None
    taken: bool = False
    sure: bool = True
    seated: bool = False
    uncollected: int | None = None


@dataclass(slots=True, eq=False)
class Table:
    """One opening of a table. `charged` is by player and place of the down; None where it is not known by which charge.

    `rates` has the rate of the table, several where records disagree on it; `announced` that of the next down.
    """

    session: int
    rates: tuple[Rate, ...]
    box_chips: set[int]
    box_cash: set[int]
    clock: TableClock = field(default_factory=TableClock)
    sittings: dict[int, Sitting] = field(default_factory=dict)
    seated: dict[int, Sitting] = field(default_factory=dict)
    charged: dict[tuple[int, int], Charge | None] = field(default_factory=dict)
    for_round: list[Charge] = field(default_factory=list)
    accused: set[object] = field(default_factory=set)
    announced: tuple[Rate, ...] = ()


def accuse(code: str, sentence: str, place: int, body: Body) -> Finding:
    return Finding(code, sentence, place, name_of(body))


def seconds_of(owed: downs.Owed) -> str | None:
    return (
        None
        if owed.minute is None
        else f"{Decimal(owed.minute // timedelta(microseconds=1)) / 1_000_000:.6f}"
    )


def charged_for(table: Table, player: int, down: Down) -> tuple[bool, Charge | None]:
    """Whether a player has been charged for a down, and by which charge where that is known."""
    key = (player, down.place)
    return key in table.charged, table.charged.get(key)


def mark_charged(table: Table, player: int, down: Down, charge: Charge | None) -> None:
    """Remember that a player was charged for a down; without a charge, that this is not asked for any more."""
    key = (player, down.place)
    if table.charged.get(key) is None:
        table.charged[key] = charge


def mark_vague(body: Body, table: Table, one: Sitting) -> None:
    """Of a charge that names one player and the sitting of another, nobody knows whose it is: it may be either's."""
    for sitting in [one, *(other for other in table.seated.values() if other.player == body["player"])]:
        clock = sitting.table.clock
        down = clock.down_of(body["down_id"], body["down"], moment(body["down_started_at"]))
        if down is not None:
            mark_charged(sitting.table, sitting.player, down, None)
        sitting.covers.add(None)


def mark_unseated(charge: Charge, table: Table) -> None:
    """Take the word of a charge of which only the sitting is not known: its player was charged."""
    body = charge.body
    down = table.clock.down_of(body["down_id"], body["down"], moment(body["down_started_at"]))
    if down is not None:
        mark_charged(table, body["player"], down, charge)
    for sitting in table.seated.values():
        if sitting.player == body["player"]:
            sitting.covers.add(None)


def leave(place: int, body: Body, table: Table) -> Iterator[Finding]:
    """Somebody leaves; where seat and sitting are not the same player's, the seat is freed."""
    data = body["data"]
    sitting, there = table.sittings.get(data["sitting"]), table.seated.get(data["seat"])
    if sitting is not there and data["sitting"] not in table.accused:
        sentence = f"Sitting {data['sitting']} leaves seat {data['seat']}, in which it does not sit."
        yield accuse("left_differs", sentence, place, body)
    gone = there or (sitting if sitting and table.seated.get(sitting.seat) is sitting else None)
    if gone is not None and gone is sitting and (unpaid := left_unpaid(table.charged, gone.player)):
        yield accuse("uncollected_missing", unpaid, place, body)
    if gone is not None:
        gone.left = True
        table.seated.pop(gone.seat, None)


def left_unpaid(charged: Mapping[tuple[int, int], Charge | None], player: int) -> str:
    """Why somebody cannot have left: a charge is open of which no number says that it was not collected (R63)."""
    for (payer, _), charge in charged.items():
        owed = payer == player and charge is not None and charge.sure and not charge.taken
        if owed and charge is not None and charge.uncollected is None:
            return f"{charge.name} was left unpaid, and it is no numbered uncollected fee (R63)."
    return ""


def rate_in(data: Body) -> Rate:
    """The rate that an event of a table names, as charges name it, with its fee."""
    schedule = data["schedule"]
    if type(schedule["fee_cents"]) is not int:
        raise TypeError("a fee is whole cents")
    return {name: schedule[name] for name in ("id", "option", "version")}, schedule["fee_cents"]


def change_rate(table: Table, data: Body) -> None:
    """The rate that was announced takes effect; where the two say it differently, either may be right (R64)."""
    told = rate_in(data)
    table.rates = table.announced if told in table.announced else (*table.announced, told)
    table.announced = ()


def wrong_rate(table: Table, down: Down, body: Body) -> str:
    """A down is of the rate that its table has; which of several, it says itself (R64)."""
    named = tuple(rate for rate in table.rates if rate[0]["id"] == body["schedule"])
    table.rates = down.rates = named or table.rates
    if named:
        return ""
    return f"It is of rate {body['schedule']}; the table's is {table.rates[0][0]['id']} (R64)."


def never_dealt(table: Table, round_id: object) -> Iterator[Finding]:
    """Charges for a round that is not the one that started after them; one finding for each such round."""
    told: list[object] = []
    for charge in table.for_round:
        named = charge.body["round_id"]
        if named != round_id and named not in told:
            told.append(named)
            sentence = f"It was charged before round {named}, which did not start then."
            yield Finding("charge_differs", sentence, charge.place, charge.name)
    table.for_round = []


def wrong_names(body: Body, sitting: Sitting, down: Down) -> str:
    """What a charge says otherwise of its table, its player, its entry and its down."""
    if body["session"] != sitting.table.session:
        return (
            f"It is of session {body['session']}; sitting {sitting.id} is at that of {sitting.table.session}."
        )
    if body["player"] != sitting.player:
        return f"It charges player {body['player']}; in sitting {sitting.id} is player {sitting.player}."
    if sitting.left:
        return f"It charges sitting {sitting.id}, which had left."
    if down.likeness(body["down_id"], body["down"], moment(body["down_started_at"])) < 3:
        return f"Its down is not as recorded: {body['down']}, begun at {body['down_started_at']}."
    if moment(body["entered_at"]) != sitting.entered:
        return (
            f"It says the player entered at {body['entered_at']}; that was at {sitting.entered.isoformat()}."
        )
    return ""


def wrong_round(charge: Charge, sitting: Sitting, down: Down, claimed: bool) -> str:
    """A claimed entry is charged for the first round of the down that started with the player seated."""
    if not claimed:
        return ""
    first = next((id_ for at, id_ in down.rounds if at >= sitting.entered), None)
    named = charge.body["round_id"]
    return "" if named == first else f"It is for round {named}; the first with the player seated was {first}."


def note_charged(table: Table, told: Body) -> bool:
    """Take the word of a collection that a player was charged; whether a charge was to be expected there at all.

    The charge itself is not there or not to be believed; where there is another one, it may be the one that was taken.
    """
    sitting = table.sittings.get(told["sitting"])
    down = table.clock.down_of(None, told["down"], moment(told["down_started_at"]))
    if sitting is None or down is None:
        return False
    known, charge = charged_for(table, sitting.player, down)
    if charge is not None:
        charge.sure = False
    mark_charged(table, sitting.player, down, None)
    sitting.charged = True
    return known and charge is None


def wrong_payer(charge: Charge, table: Table, told: Body) -> str:
    payer, charged = table.sittings.get(told["sitting"]), table.sittings.get(charge.body["sitting"])
    if charged is None:
        return ""  # the charge is accused as soon as it is clear that nobody was seated
    if payer is None or payer.player != charged.player or payer.seat != told["seat"]:
        return f"Sitting {told['sitting']} in seat {told['seat']} is not the one that owes {charge.name}."
    cover, covered = told.get("covered_by"), charge.body["rule"] == "covered"
    if (cover not in payer.covers) if covered else (cover is not None):
        return f"It says that charge {cover} covers it; that is not so."
    if covered != (told["method"] == "covered"):
        return f"A fee of rule {charge.body['rule']} is not taken by {told['method']}."
    return ""


def wrong_transfers(charge: Charge, table: Table, body: Body, told: Body) -> str:
    """The fee goes once from where it is paid to where that is kept (R63); of nothing, nothing moves."""
    lines, cents, method = body["transfers"], charge.body["cents"], told["method"]
    if method not in ("stack", "cash", "cage", "covered", "waived"):
        return f"No fee is paid by {method}."
    if (body["kind"] == "waiver") != (method == "waived"):
        return f"A fee is not {method} by an entry of the kind {body['kind']}."
    if method in ("covered", "waived") or cents == 0:
        return "Nothing is due, and yet something moves." if lines else ""
    if len(lines) != 1 or lines[0]["cents"] != cents:
        return f"It does not move the {cents} cents of {charge.name}, and nothing else."
    (line,) = lines
    payer = table.sittings.get(told["sitting"])
    ways = {"stack": ("chips", "stack", "drop_box"), "cash": ("cash", "outside", "drop_box")}
    way = ways.get(method, ("cash", "outside", "cage"))
    if (line["asset"], line["from_kind"], line["to_kind"]) != way:
        return f"Paid by {method}, {way[0]} go from {way[1]} to {way[2]}."
    if method == "stack" and payer is not None and line["from"] not in payer.stacks:
        return f"It takes chips of account {line['from']}, which is not the stack of sitting {payer.id}."
    boxes = table.box_chips if method == "stack" else table.box_cash
    if method != "cage" and line["to"] not in boxes:
        return f"It goes into account {line['to']}, which is not that of the table's box."
    return ""


def take_over_accounts(table: Table, told: Body, body: Body) -> None:
    """Further collections of the same accounts are not accused for the same reason."""
    payer = table.sittings.get(told["sitting"])
    for line in body["transfers"]:
        if line["to_kind"] == "drop_box":
            (table.box_chips if line["asset"] == "chips" else table.box_cash).add(line["to"])
        if line["from_kind"] == "stack" and payer is not None:
            payer.stacks.add(line["from"])
