"""What a simulated house takes to the bank, buys of its chip maker and has destroyed."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model

from ledger.cage import deposits, documents, stocking
from ledger.journal.acts import Act
from ledger.rules.denominations import Pieces, fewest_pieces
from ledger.rules.documents import Step

MINUTE = timedelta(minutes=1)
RACK = Pieces(chips={500: 100})
SHORT_RACK = Pieces(chips={500: 78})
WORN = Pieces(chips={100: 20})


def go_beyond(*, site: Any, at: datetime, prefix: str, apart: timedelta = MINUTE) -> datetime:
    """Deposit the cash of signed-off boxes, of several all but the last; buy a rack, of which the first time
    much is missing, and destroy worn chips. Return when that was done."""
    people = {person.username: person for person in get_user_model().objects.all()}
    signed = list(deposits.undeposited(site))
    signed = signed[:-1] or signed
    cents = sum(one.counted_cash for one in signed)
    notes = Pieces(cash=fewest_pieces(cents, stocking.denominations(site)["cash"]))
    boxes = [one.box_id for one in signed]
    papers: tuple[tuple[str, Pieces, list[int], str, str, str], ...] = (
        ("deposit", notes, boxes, "Carl Carrier", "manager", "slip 4711"),
        ("chip_purchase", RACK, [], "delivery note 12", "floor2", ""),
        ("destruction", WORN, [], "", "floor2", "certificate 3"),
    )
    first = not site.documents.filter(kind="chip_purchase").exists()
    missing: dict[str, Any] = {
        "approver": people["manager"],
        "reason": "A rack came with 22 chips too few",
        "evidence": "delivery note 12",
    }
    for kind, pieces, named, sent, receiver, received in papers:
        short = first and kind == "chip_purchase"
        if not (pieces.cash_cents or pieces.chips_cents):
            continue
        document: Any = None
        steps: Sequence[tuple[Step, str, str]] = (
            (Step.REQUESTED, "cashier", ""),
            (Step.AUTHORISED, "floor", ""),
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
