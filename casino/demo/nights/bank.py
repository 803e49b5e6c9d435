"""Fills and credits of a table's bank in a simulated night: the dealer asks, the floor authorises and
receives, a cashier sends. When the table has closed, a cashier receives its bank."""

from collections.abc import Mapping
from typing import Any

from ledger.cage import stocking
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
