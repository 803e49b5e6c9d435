"""Fills and credits of a table's bank in a simulated night: the dealer asks, the floor authorises and
receives, a cashier sends. When the table has closed, a cashier receives its bank. And the house's deposits
and orders at the bank, purchases from its chip maker, reserve sets, and chips destroyed."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model

from ledger.cage import deposits, documents, stocking
from ledger.journal.acts import Act
from ledger.rules.denominations import Pieces, fewest_pieces, pieces_of
from ledger.rules.documents import Step
from tables.floor import banks


def bring_chips(
    session: Any, chips: Mapping[int, int], *, floor: Any, dealer: Any, cashier: Any, act: Act
) -> None:
    """Send these chips to a table's bank, the first time on an opener, then on a fill. `act` has the time,
    and the key with which each step's key begins; a second call with the same key changes nothing."""
    pieces = Pieces(chips, meant=True)
    asked = Act(floor, act.now, act.key)
    before = banks.documents_of(session).exclude(steps__key__startswith=act.key)
    kind = "fill" if before.exists() else "opener"
    document = banks.ask(session_id=session.pk, kind=kind, pieces=pieces, dealer=dealer, act=asked)
    banks.take_step(document=document, step=Step.SENT, act=Act(cashier, act.now, f"{act.key}/sent"))
    received = Act(floor, act.now, f"{act.key}/received")
    banks.take_step(document=document, step=Step.RECEIVED, pieces=pieces, act=received)


def send_back(session: Any, *, floor: Any, dealer: Any, cashier: Any, act: Act) -> None:
    """Send the cash of a table's bank to the cage, on a credit that dealer and floor count."""
    cash = session.bank_cash
    cash.refresh_from_db(fields=["balance_cents"])
    if not cash.balance_cents:
        return
    values = stocking.denominations(session.table.site)["cash"]
    pieces = Pieces(cash=fewest_pieces(cash.balance_cents, values))
    asked = Act(floor, act.now, act.key)
    document = banks.ask(session_id=session.pk, kind="credit", pieces=pieces, dealer=dealer, act=asked)
    received = Act(cashier, act.now, f"{act.key}/received")
    banks.take_step(document=document, step=Step.RECEIVED, pieces=pieces, act=received)


def receive_closer(session: Any, *, cashier: Any, act: Act) -> None:
    """Have a cashier count and receive the bank of a table that has closed, unless it was empty."""
    closer = banks.closer_of(session)
    if closer is not None:
        act = Act(cashier, act.now, act.key)
        banks.take_step(document=closer, step=Step.RECEIVED, pieces=pieces_of(closer.pieces), act=act)


MINUTE = timedelta(minutes=1)
RACK = Pieces(chips={500: 100})
SHORT_RACK = Pieces(chips={500: 78})
WORN = Pieces(chips={100: 20})
FIRST_SEAL = 70_001
SEALED = Pieces(chips={2500: 40})
OPENED = Pieces(chips={2500: 20})
CHANGE = Pieces(cash={100: 200})
DRAWN = Pieces(cash={10000: 5})


def bring_in(site: Any, kind: str, pieces: Pieces, act: Act) -> None:
    """Order chips or cash and count them into the vault: the act's person, a cashier, asks and notes the
    delivery, the approver authorises and counts. Without pieces nothing is written."""
    if not (pieces.chips_cents or pieces.cash_cents):
        return

    def step(name: Step, who: Any) -> Act:
        return Act(actor=who, now=act.now, key=f"{act.key}-{kind}-{name}")

    document = documents.begin(site=site, kind=kind, pieces=pieces, act=step(Step.REQUESTED, act.actor))
    for name, who, reference, counted in (
        (Step.AUTHORISED, act.approver, "", None),
        (Step.SENT, act.actor, "delivery note 11", None),
        (Step.RECEIVED, act.approver, "", pieces),
    ):
        documents.take(document=document, step=name, pieces=counted, reference=reference, act=step(name, who))


def go_beyond(*, site: Any, at: datetime, prefix: str, apart: timedelta = MINUTE) -> datetime:
    """Deposit the cash of signed-off boxes (all but the last if there are several), buy a rack, which is far
    short the first time, order change, draw capital, seal two sets and open one, and destroy worn chips.
    Return when that was done."""
    people = {person.username: person for person in get_user_model().objects.all()}
    signed = list(deposits.undeposited(site))
    signed = signed[:-1] or signed
    cents = sum(one.counted_cash for one in signed)
    notes = Pieces(cash=fewest_pieces(cents, stocking.denominations(site)["cash"]))
    boxes = [one.box_id for one in signed]
    seal = FIRST_SEAL + 2 * site.documents.filter(kind="reserve_set").count()
    papers: tuple[tuple[str, Pieces, list[int], str, str, str, str], ...] = (
        ("deposit", notes, boxes, "floor", "Carl Carrier", "manager", "slip 4711"),
        ("chip_purchase", RACK, [], "floor", "delivery note 12", "floor2", ""),
        ("cash_order", CHANGE, [], "floor", "delivery note 13", "floor2", ""),
        ("capital_out", DRAWN, [], "manager", "Carl Carrier", "floor2", "slip 4712"),
        ("reserve_set", SEALED, [], "floor", "", "floor2", f"seals {seal}, {seal + 1}"),
        ("reserve_release", OPENED, [], "floor", f"seal {seal + 1}", "floor2", ""),
        ("destruction", WORN, [], "floor", "", "floor2", "certificate 3"),
    )
    first = not site.documents.filter(kind="chip_purchase").exists()
    missing: dict[str, Any] = {
        "approver": people["manager"],
        "reason": "A rack came with 22 chips too few",
        "evidence": "delivery note 12",
    }
    for kind, pieces, named, authoriser, sent, receiver, received in papers:
        short = first and kind == "chip_purchase"
        if not (pieces.cash_cents or pieces.chips_cents):
            continue
        document: Any = None
        steps: Sequence[tuple[Step, str, str]] = (
            (Step.REQUESTED, "cashier", ""),
            (Step.AUTHORISED, authoriser, ""),
            (Step.SENT, "cashier", sent),
            (Step.RECEIVED, receiver, received),
        )
        for step, who, reference in steps:
            at += apart
            arrives = step == Step.RECEIVED
            said = missing if short and arrives else {}
            act = Act(actor=people[who], now=at, key=f"{prefix}-{kind}-{step}", **said)
            if document is None:
                document = documents.begin(site=site, kind=kind, pieces=pieces, boxes=named, act=act)
            else:
                counted = (SHORT_RACK if short else pieces) if arrives else None
                documents.take(document=document, step=step, pieces=counted, reference=reference, act=act)
    return at
