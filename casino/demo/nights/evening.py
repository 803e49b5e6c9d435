"""The demo's first evening: last night's boxes, and open tables that each have something to attend to. One
has a short player, one a fee due, one a fifth player, one a correction to approve, one a half-entered round.
The scenes use the verbs; only the decks are chosen."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model

from casino.demo.nights.bank import MINUTE, go_beyond
from casino.demo.nights.custody import tonight
from casino.demo.nights.guests_hands import Temper
from casino.demo.nights.house import (
    Happening,
    SimulatedHouse,
    close_shifts,
    count_vault,
    free_tables,
    next_seal,
    pieces_worth,
    publish_rates,
    read_seal,
)
from casino.demo.nights.playing import SimulatedTable
from casino.demo.nights.seating import SEATS
from casino.demo.nights.trays import Trays, counted
from ledger.cage import banks, box_custody, boxes as drops, count_sheets
from ledger.cage.seals import Pulling
from ledger.errors import CountsDiffer
from ledger.journal.acts import Act
from ledger.journal.bank_differences import bank_differences
from ledger.journal.days import gaming_day
from ledger.rules.denominations import Pieces
from tables.floor.games import game
from tables.floor.opening import change_box
from tables.reports.days import without_box
from tables.rounds.running import save_draft
from tables.rules.table.downs import DOWN

# The table with the fee due: how long before the end its last down begins.
FRESH_DOWN = timedelta(minutes=7)
EVENINGS_GAMES = ("face-up", "2-4", "eastern", "pokerlistings", "western")
"""The games of the evening's tables, in the order of the scenes."""
SHORT_CENTS, BOX_CHIP = 500, 2500
"""What a short box lacks, and the largest chip with which a fee is paid, in cents."""


def count_boxes(*, site: Any, at: datetime, prefix: str) -> datetime:
    """Count every pulled box from `at` on, on one count sheet for each gaming day, and sign them off. One box
    without cash is counted twice, is a $5 chip short and is not signed off. Return when that was done."""
    people = {person.username: person for person in get_user_model().objects.all()}
    counter, second, cashier = (people[name] for name in ("counter1", "counter2", "cashier"))
    receive_boxes(site=site, at=at, prefix=prefix)
    trays = Trays(site)
    boxes = [state.box for state in drops.boxes_to_count(counter)]
    short = next((box for box in boxes if not box.cash.balance_cents), None)
    for day in sorted({box.gaming_day for box in boxes}):
        if drops.open_sheet(site, day) is not None:
            continue  # this day's count has begun already
        of_day = [box for box in boxes if box.gaming_day == day]
        act = Act(actor=counter, now=at, key=f"{prefix}-{day}")
        sheet = count_sheets.begin_sheet(site=site, day=day, act=act)
        told = {"kind": "told", "text": "The count begins"}
        count_sheets.note_on_sheet(sheet=sheet, **told, act=act.under(f"{prefix}-{day}-told"))
        for box in of_day:
            holds = in_box(trays, box)
            lacks = [without(holds, trays.values)] * 3 if box is short else [holds]
            at = _counted(box, (counter, second), at, prefix, [holds, *lacks])
        at += timedelta(minutes=2)
        act = Act(actor=counter, approver=second, now=at, key=f"{prefix}-{day}-signed")
        count_sheets.sign_sheet(sheet=sheet, without_box=without_box(site, day), act=act)
        found, at = drops.counted_together(sheet), at + timedelta(minutes=4)
        act = Act(actor=cashier, now=at, key=f"{prefix}-{day}-received")
        if short in of_day and found.chips_cents > SHORT_CENTS:  # the cashier is short too, at first
            miscounted = without(found, trays.values)
            with suppress(CountsDiffer):
                count_sheets.receive_sheet(sheet=sheet, pieces=miscounted, act=act.under(f"{act.key}-first"))
        count_sheets.receive_sheet(sheet=sheet, pieces=found, act=act)
        for box in of_day:
            at += timedelta(minutes=1)
            if box is not short:
                act = Act(actor=cashier, key=f"{prefix}-{box.number}-signed", now=at)
                drops.sign_off(box=box, cause="", act=act)
    return at


def receive_boxes(*, site: Any, at: datetime, prefix: str) -> None:
    """Have each sealed box brought into locked storage, and from there into the count room, by two people."""
    people = {person.username: person for person in get_user_model().objects.all()}
    for box in box_custody.under_way(site):
        read = Pulling(seal=box.seal)
        legs = (
            ("storage", box.pulled_by, box.pulled_with),
            ("count_room", people["counter1"], people["floor2"]),
        )
        for place, person, second in legs:
            act = Act(actor=person, approver=second, now=at, key=f"{prefix}-{box.number}-{place}")
            box_custody.receive_box(box=box, place=place, read=read, act=act)


def in_box(trays: Trays, box: drops.DropBox) -> Pieces:
    cash = pieces_worth(box.site, 0, box.cash.balance_cents)
    return replace(cash, chips=trays.take(trays.out, box.chips.balance_cents, BOX_CHIP))


def without(pieces: Pieces, values: tuple[int, ...]) -> Pieces:
    """Return a count that is a $5 chip short."""
    left = Counter(pieces.chips)
    left[SHORT_CENTS] -= 1
    return replace(pieces, chips=counted(left, max(pieces.chips_cents - SHORT_CENTS, 0), values))


def _counted(
    box: drops.DropBox, counters: tuple[Any, Any], at: datetime, prefix: str, counts: Sequence[Pieces]
) -> datetime:
    """Enter these counts of a box, by the two counters in turn. Return the time of the last."""
    for turn, pieces in enumerate(counts):
        at, counter = at + timedelta(minutes=3), counters[turn % 2]
        key = f"{prefix}-{box.number}-{turn // 2 + 1}-{counter.username}"
        drops.enter_count(box=box, pieces=pieces, act=Act(actor=counter, key=key, now=at))
    return at


def morning(house: SimulatedHouse, at: datetime) -> datetime:
    """After a night: boxes counted and signed off, a deposit, chips bought and destroyed, differences
    explained, shifts that are over closed, and the vault counted. Return when that was done."""
    site, crew, prefix = house.site, house.crew, f"{house.prefix}-morning"
    at = count_boxes(site=site, at=at, prefix=prefix)
    at = go_beyond(site=site, at=at, prefix=prefix)
    sign_off_banks(site=site, at=at, prefix=f"{prefix}-bank")
    act = Act(crew.cashier, at, f"{prefix}-shifts", approver=crew.floor)
    close_shifts(site, gaming_day(site, house.now), act)
    at = max(at, site.entries.latest("recorded_at").recorded_at) + MINUTE  # other nights move the vault too
    count_vault(site, Act(crew.cashier, at, f"{prefix}-vault", approver=crew.floor))
    return at


def change_boxes(house: SimulatedHouse, sessions: Iterable[int], at: datetime) -> None:
    """Change the boxes of these tables. The count of the old ones has begun; the first is counted once."""
    crew, site = house.crew, house.site
    counter = get_user_model().objects.get(username="counter1")
    for session in sessions:
        act = Act(actor=crew.floor, now=at, key=house.key("box"))
        noted, new = read_seal(session), next_seal(site)
        change_box(session_id=session, second=crew.floor2, noted=noted, new_seal=new, act=act)
    receive_boxes(site=site, at=at, prefix=house.key("receipt"))
    box = drops.boxes_to_count(counter)[0].box
    act = Act(actor=counter, now=at, key=house.key("sheet"))
    count_sheets.begin_sheet(site=site, day=box.gaming_day, act=act)
    act = act.under(house.key("count"))
    drops.enter_count(box=box, pieces=in_box(Trays(site), box), act=act)


def sign_off_banks(*, site: Any, at: datetime, prefix: str) -> None:
    """Sign off the differences of banks, by the cashier, and of drawers, by the manager."""
    people = {person.username: person for person in get_user_model().objects.all()}
    for one in bank_differences(site, bank_sign_off=None):
        signer = people["manager" if one.session is None else "cashier"]
        act = Act(actor=signer, key=f"{prefix}-{one.entry.pk}", now=at)
        banks.sign_off_bank(site=site, entry_id=one.entry.pk, cause="It was not found", act=act)


def play_evening(*, site: Any, seed: int, end: datetime, minutes: int) -> SimulatedHouse:
    """Play each scene at a table of its own up to `end`, and leave the tables open."""
    start = end - timedelta(minutes=minutes)
    house = SimulatedHouse(site=site, seed=seed, start=start)
    rates = {rate.option: rate for rate in publish_rates(site, start)}
    # Rate option, scene, minutes before the end at which it starts, and whether the clock may be stopped
    # before.
    stories = (
        (2, running_round, 9, True),
        (1, fee_due, 18, False),
        (3, fifth_player, 10, True),
        (4, short_player, 18, True),
        (2, open_correction, 12, True),
    )
    tables = free_tables(site, len(stories), start)
    played: list[SimulatedTable] = []
    for place, (table, (option, scene, minutes_left, incidents)) in enumerate(
        zip(tables, stories, strict=True)
    ):
        night = SimulatedTable(
            house=house,
            sheet=game(EVENINGS_GAMES[place]),
            table=table,
            rate=rates[option],
            place=place,
            places=len(stories),
            until=end - timedelta(minutes=minutes_left),
            scene=scene,
            incidents=incidents,
        )
        opening = start + timedelta(minutes=3 * place)
        if scene is fee_due:
            opening = end - FRESH_DOWN - DOWN - timedelta(minutes=4)
        house.expect(night.evening(), opening)
        played.append(night)
    house.run(end)
    house.now = end
    tonight(house)
    change_boxes(house, (table.session.pk for table in played[:2]), end)
    return house


def running_round(night: SimulatedTable) -> Happening:
    yield from _seat_until(night, 4)
    plan = None
    while plan is None:
        plan = yield from night.start()
    hands = night.deal(plan)
    yield 60
    entered = [laid.entered() for laid in hands]
    night.do(save_draft, round_id=night.started.pk, version=0, hands=entered[:1], actor=night.dealer)


def fifth_player(night: SimulatedTable) -> Happening:
    """Fill all five seats, so that one player waits, and put two guests on the list."""
    yield from _seat_until(night, 5)
    for guest in night.present.values():
        guest.adds_on = 1.0
        if guest.out_until is not None:
            night.sit_in(guest)
    yield from night.sell_chips()
    for _ in range(2):
        night.wait_in_line(night.newcomer())
    yield from night.play_round()


def short_player(night: SimulatedTable) -> Happening:
    yield from _empty_a_seat(night)
    guest = night.newcomer()
    guest.points, guest.adds_on, guest.stays = 30, 0.0, timedelta(hours=8)
    guest.temper = Temper(bold=0.0, careless=1.0)
    night.welcome(guest)
    yield 20
    nine = night.session.nine_points_cents
    for _ in range(3):
        yield from night.play_round(lambda stacks: stacks.get(guest.seat, 0) < nine)
    yield from night.start()


def fee_due(night: SimulatedTable) -> Happening:
    """Begin a new down in which one player's stack cannot pay the fee and keep nine points (R63)."""
    yield from _empty_a_seat(night)
    guest = night.newcomer()
    guest.points, guest.adds_on, guest.stays, guest.pays_cash = 30, 0.0, timedelta(hours=8), False
    night.welcome(guest)
    yield 10
    nine, fee = night.session.nine_points_cents, night.rate.fee_cents
    boundary = night.state().down_ends_at(night.house.now)
    while boundary is not None and night.house.now < boundary - timedelta(seconds=30):
        yield from night.play_round(lambda stacks: nine <= stacks.get(guest.seat, nine) < nine + fee)
        yield 20
    if boundary is not None:
        yield max((boundary - night.house.now).total_seconds(), 0) + 20
    yield from night.start()


def open_correction(night: SimulatedTable) -> Happening:
    """Settle a wrongly entered round; floor requests a correction that floor2 has yet to approve."""
    yield from _seat_until(night, 3)
    night.mistakes.clear()
    while not night.mistakes:
        plan = yield from night.start()
        if plan is not None:
            hands = night.deal(plan)
            yield 150
            night.settle(hands, mistaken=True)
    yield 40
    night.ask(night.mistakes.pop(), by_floor=True)


def _seat_until(night: SimulatedTable, seats: int) -> Happening:
    while len(night.present) < seats:
        night.welcome(night.newcomer())
        yield 25


def _empty_a_seat(night: SimulatedTable) -> Happening:
    while len(night.present) > len(SEATS) - 2:
        night.leave(next(iter(night.present.values())), for_good=True)
        yield 20
    yield from _seat_until(night, len(SEATS) - 2)
