"""Rarer acts with chips and cash in a whole night, each once: at a table as soon as one can, at the window
before the drawer is closed. So every paper of the cage has something to show."""

from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

from casino.demo.nights.house import Happening, SimulatedHouse, pieces_worth
from ledger.cage import beyond, documents, stocking, taking_back
from ledger.errors import NotAsSent
from ledger.journal.acts import Act
from ledger.journal.staff import holders
from ledger.rules.denominations import Pieces
from ledger.rules.documents import Step
from tables.collection.taking import pay_fees
from tables.collection.taking_back import take_back_fee
from tables.floor import banks
from tables.floor.attention import waiting_now
from tables.floor.closing import count_bank
from tables.floor.disputes import decide_dispute, take_dispute
from tables.floor.handover import hand_over, to_hand_over
from tables.floor.line_up import order_line, standings
from tables.floor.needs import change_need, need_standings
from tables.floor.picking_up import claim
from tables.models import FeePayment
from tables.rights import DEAL
from tables.rules.table.line_up import in_order, may_order
from tables.rules.table.needs import NOBODY, TAKE, may_do
from tables.seats.players import Person, know_player


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


Errand = Callable[[Any], Happening | None]
"""What happens at a table; None if it cannot now."""
LATER = timedelta(minutes=1)
SOLD_CENTS, FOUND_CENTS, SMALLEST = 20_000, 2_500, 100
OWNER = Person(name="Walter Ng")


def fill(table: Any) -> Happening:
    """A fill that the dealer miscounts first: that count stays on the paper, struck through."""
    document, chips = yield from _sent(table)
    with suppress(NotAsSent):
        _take(table, document, Step.RECEIVED, table.dealer, pieces=_one_less(chips))
    yield 60
    _take(table, document, Step.RECEIVED, table.dealer, pieces=Pieces(chips))


def short_fill(table: Any) -> Happening:
    """A fill in which a $1 chip is missing: two people say so."""
    document, chips = yield from _sent(table)
    crew, why = table.house.crew, "The row was a chip short, counted by both"
    second = {"approver": crew.floor2, "because": why}
    _take(table, document, Step.RECEIVED, table.dealer, pieces=_one_less(chips), **second)


def voided_fill(table: Any) -> Happening:
    """A fill that nobody needs any more before it is sent."""
    floor = table.house.crew.floor
    document = _asked(table, "fill", Pieces({500: 20}))
    yield 60
    why = "A player bought in with chips from the cage"
    _take(table, document, Step.VOIDED, floor, approver=table.dealer, because=why)


def credit(table: Any) -> Happening | None:
    bank, cents = table.session.bank_chips, 20 * table.session.limit_cents
    bank.refresh_from_db(fields=["balance_cents"])
    return _credit(table, cents) if bank.balance_cents > cents else None


def _credit(table: Any, cents: int) -> Happening:
    trays = table.house.trays
    pieces = Pieces(trays.take(trays.out, cents, cents))
    document = _asked(table, "credit", pieces)
    yield 90
    _take(table, document, Step.RECEIVED, table.house.crew.cashier, pieces=pieces)
    trays.vault.update(pieces.chips)


def bank_counted(table: Any) -> Happening:
    """Floor and dealer count the bank while play goes on."""
    yield 90
    session, trays = table.session, table.house.trays
    for bank in (session.bank_chips, session.bank_cash):
        bank.refresh_from_db(fields=["balance_cents"])
    there = trays.take(Counter(trays.out), session.bank_chips.balance_cents, 20 * session.limit_cents)
    cash = pieces_worth(table.house.site, 0, session.bank_cash.balance_cents)
    count = replace(cash, chips=there, meant=True)
    table.order(count_bank, count=count, second_count=count, second=table.dealer)


def fee_at_cage(table: Any) -> Happening | None:
    return _fee_paid(table, "cage")


def fee_in_cash(table: Any) -> Happening | None:
    return _fee_paid(table, "cash")


def _fee_paid(table: Any, method: str) -> Happening | None:
    owing = [plan.seat for plan in table.plan().seats if any(fee.cents for fee in plan.fees)]
    return _paid(table, owing[0], method) if owing and table.round is not None else None


def _paid(table: Any, seat: int, method: str) -> Happening:
    table.pay(table.present[seat], method)
    yield 10


AT_TABLES: tuple[Errand, ...] = (
    *(fee_at_cage, fee_in_cash, fill, short_fill, voided_fill, credit),
    *(bank_counted, dealers_break, need_taken),
)


def run_errands(house: SimulatedHouse) -> None:
    """Play the errands at the window, in the cage and on the floor at the end of the night."""
    sales = (sale_undone, redemption_reversed, fee_recovered)
    for errand in (*sales, chips_found, beyond_books, slips_that_end, handover):
        errand(house)
        house.now += LATER
    complaint(house)


def sale_undone(house: SimulatedHouse) -> None:
    """A sale that its cashier takes back within ten seconds."""
    entry, chips = house.sell(SOLD_CENTS)
    act = replace(house.at_cage(), now=house.now + timedelta(seconds=6))
    taking_back.take_back_at_window(entry=entry, act=act)
    house.trays.out.subtract(chips)
    house.trays.drawer.update(chips)


def redemption_reversed(house: SimulatedHouse) -> None:
    """A redemption of too much, which two people take back, and the right one."""
    house.sell(SOLD_CENTS)
    entry, chips = house.redeem(SOLD_CENTS)
    house.now += LATER
    act = house.at_cage(house.crew.floor).because("The patron wanted half of it")
    taking_back.take_back_at_window(entry=entry, act=act)
    house.trays.drawer.subtract(chips)
    house.trays.out.update(chips)
    for _ in range(2):
        house.redeem(SOLD_CENTS // 2)


def fee_recovered(house: SimulatedHouse) -> None:
    """A fee of a player who has left: two people take it back for a false note; it is paid again."""
    paid = FeePayment.objects.filter(method="cage", entry__reversed_by=None, sitting__left_at__isnull=False)
    paid = paid.filter(entry__site=house.site, entry__key__startswith=f"{house.prefix}-")
    if (payment := paid.order_by("pk").first()) is not None:
        act = house.at_cage(house.crew.floor).because("The note was false")
        take_back_fee(payment_id=payment.pk, act=act)
        house.now += LATER
        pay_fees(sitting_id=payment.sitting_id, method="cage", act=house.at_cage())


def chips_found(house: SimulatedHouse) -> None:
    """A chip found on the floor is kept, and handed to its owner."""
    crew, trays = house.crew, house.trays
    know_player(OWNER, site=house.site, act=Act(crew.cashier, house.now))
    house.sell(FOUND_CENTS)
    pieces = Pieces(trays.take(trays.out, FOUND_CENTS))
    where = documents.LeftBehind("On the floor beside the window")
    act = Act(crew.dealer, house.now, house.key("found"))
    document = documents.begin(site=house.site, kind="unclaimed", place=where, pieces=pieces, act=act)
    documents.take(document=document, step=Step.SENT, act=Act(crew.floor, house.now, house.key("found")))
    documents.take(document=document, step=Step.RECEIVED, pieces=pieces, act=house.at_cage())
    house.now += LATER
    claim(document=document, who=OWNER, act=house.at_cage(crew.floor).because("Driving licence seen"))
    trays.out.update(pieces.chips)
    house.redeem(FOUND_CENTS)


def beyond_books(house: SimulatedHouse) -> None:
    """A chip of an earlier night, which the books do not know."""
    act = house.at_cage(house.crew.floor).because("A chip kept since before the opening")
    beyond.accept(site=house.site, cents=FOUND_CENTS, act=act)
    house.trays.out[FOUND_CENTS] += 1
    house.redeem(FOUND_CENTS)


def slips_that_end(house: SimulatedHouse) -> None:
    """Chips of the drawer go back to the vault: one slip is withdrawn, one is a chip short, one is posted."""
    crew, site, trays, drawer = house.crew, house.site, house.trays, house.open_drawer()
    value = max(one for one, number in trays.drawer.items() if number > 1)
    back = Pieces({value: trays.drawer[value] - 1})
    for ends in (_withdrawn, _differs):
        first = {"site": site, "way": stocking.FROM_DRAWER, "pieces": back, "drawer": drawer}
        ends(house, stocking.count_first(**first, act=house.at_cage()), back)
    act = house.at_cage(crew.floor)
    stocking.stock_cage(site=site, way=stocking.FROM_DRAWER, pieces=back, drawer=drawer, act=act)
    trays.drawer.subtract(back.chips)
    trays.vault.update(back.chips)


def _withdrawn(house: SimulatedHouse, slip: Any, back: Pieces) -> None:
    stocking.withdraw_slip(slip=slip, act=house.at_cage().because("A patron came to the window"))


def _differs(house: SimulatedHouse, slip: Any, back: Pieces) -> None:
    more = Pieces({value: number + 1 for value, number in back.chips.items()})
    stocking.count_second(slip=slip, pieces=more, act=house.at_cage(house.crew.floor))


def complaint(house: SimulatedHouse) -> None:
    """Somebody complains, and is answered by somebody else."""
    taken = Act(house.crew.floor, house.now, house.key("complaint")).because("Waited ten minutes for a seat")
    dispute = take_dispute(site=house.site, what="conduct", act=taken)
    answered = Act(house.crew.floor2, house.now + LATER, house.key("complaint"))
    act = answered.because("The list was called late")
    decide_dispute(dispute=dispute, outcome="upheld", told=True, act=act)


def _asked(table: Any, kind: str, pieces: Pieces) -> Any:
    asked = {"kind": kind, "pieces": pieces, "dealer": table.dealer}
    return table.order(banks.ask, **asked)


def _sent(table: Any) -> Generator[float, None, tuple[Any, Mapping[int, int]]]:
    """Have a fill asked for, authorised and sent; return it and its chips."""
    house, cents = table.house, 40 * table.session.limit_cents
    house.stock_cage(chips=cents)
    chips = house.trays.take_trays(house.trays.vault, cents)
    house.trays.out.update(chips)
    document = _asked(table, "fill", Pieces(chips))
    yield 60
    _take(table, document, Step.SENT, house.crew.cashier)
    yield 90
    return document, chips


def _take(table: Any, document: Any, step: Step, actor: Any, **more: Any) -> None:
    table.do(banks.take_step, document=document, step=step, actor=actor, **more)


def _one_less(chips: Mapping[int, int]) -> Pieces:
    return Pieces({value: number - (value == SMALLEST) for value, number in chips.items()})
