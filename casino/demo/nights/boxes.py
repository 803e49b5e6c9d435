"""The morning after a simulated night: two people count its boxes, and most are signed off.

One box is left uncounted, one counted once, and one short and not signed off, so that every screen has work.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model

from ledger.cage import boxes as drops
from ledger.journal.acts import Act

SHORT_CENTS = 500


def count_boxes(*, site: Any, at: datetime, prefix: str) -> None:
    """Count every pulled box of the site from `at` on, a few minutes each, oldest first.

    The last box is left uncounted, and the one before it counted once. The first is short by a $5 chip, after counts
    that differed at first. All other counted boxes are signed off.
    """
    people = {person.username: person for person in get_user_model().objects.all()}
    counters = (people["counter1"], people["counter2"])
    boxes = [state.box for state in drops.boxes_to_count(counters[0])]
    for place, box in enumerate(boxes[:-1]):
        expected = box.chips.balance_cents, box.cash.balance_cents
        short = place == 0 and expected[0] >= SHORT_CENTS
        found = (expected[0] - SHORT_CENTS * short, expected[1])
        attempts: list[tuple[tuple[int, int], ...]]
        attempts = [(expected, found), (found, found)] if short else [(found, found)]
        if place == len(boxes) - 2:
            attempts = [(found,)]
        for attempt, counts in enumerate(attempts, start=1):
            for counter, (chips, cash) in zip(counters, counts, strict=False):
                at += timedelta(minutes=3)
                drops.enter_count(
                    box=box,
                    chips=chips,
                    cash=cash,
                    act=Act(actor=counter, key=f"{prefix}-{box.number}-{attempt}-{counter.username}", now=at),
                )
        if not short and len(attempts[-1]) == 2:
            at += timedelta(minutes=2)
            drops.sign_off(
                box=box,
                cause="",
                act=Act(actor=people["cashier"], key=f"{prefix}-{box.number}-signed", now=at),
            )
