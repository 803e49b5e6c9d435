"""Cashiers' drawers in the log by hand: slips that move the drawer of 3, and a night at whose end it was
closed."""

import copy
from collections.abc import Mapping
from typing import Any

from tests.support.closing_by_hand import BALANCES
from tests.support.entries_by_hand import (
    DRAWER_CASH,
    DRAWER_CHIPS,
    OVER_CASH,
    VAULT_CASH,
    VAULT_CHIPS,
    entry,
    other,
    vault_counted,
)
from tests.support.log_by_hand import drawer, find, night
from tests.support.whole_records import DAY, Body, at

WAYS = {"drawer_issue": "to_drawer", "drawer_return": "from_drawer", "drawer_close": "closing"}


def counted(
    kind: str,
    *lines: tuple[int, int, int],
    pieces: Mapping[str, Any],
    minute: int = 30,
    number: int = 200,
    slip: int = 3,
    by: int = 3,
) -> list[Body]:
    """Return a slip of the drawer, counted by `by` and 4, its entry with these moves, and its result."""
    sums = {f"{asset}_cents": sum(value * n for value, n in pieces[asset]) for asset in ("chips", "cash")}
    said = {"pieces": dict(pieces), **sums}
    named = {"number": slip, "way": WAYS[kind], "drawer": 141}
    first = {"counted_by": by, "counted_at": at(minute), "gaming_day": DAY}
    evidence = {
        **named,
        "slip": 200 + slip,
        "pieces": dict(pieces),
        "counted_by": [by, 4],
        "drawer_number": 1,
    }
    ended = {"slip": 200 + slip, "outcome": "posted", "person": 4, "at": at(minute), "entry": number}
    return [
        other("cage_slip", 200 + slip, minute, **said, **named, **first),
        entry(number, kind, minute, *lines, actor=by, approver=4, evidence=evidence),
        other("cage_slip_result", 200 + slip, minute, **said, **ended),
    ]


def closing(*lines: tuple[int, int, int], pieces: Mapping[str, Any], **more: Any) -> list[Body]:
    return counted("drawer_close", *lines, pieces=pieces, **more)


def signed_off(**changed: Any) -> Body:
    """Return the sign-off of the difference of `night_of_a_closed_drawer`."""
    said = {"entry": 200, "over_chips": 0, "over_cash": -1_000, "cause": "a ten stuck to another"}
    said |= {"threshold_cents": 10_000, "signed_by": 7, "signed_with": None, "signed_at": at(71)}
    return other("bank_sign_off", 99, 71, **said | changed)


def night_of_a_closed_drawer(*signatures: Body, by: int = 3) -> list[Body]:
    """Return the night, at whose end the drawer was closed with ten dollars less than it should have; all
    are valid if that was signed off."""
    *bodies, last = copy.deepcopy(night())
    del bodies[-3:]  # the vault is counted once more has come into it
    find(bodies, "drawer", 141).update(drawer(ahead=0)[0])
    lines = (DRAWER_CHIPS, VAULT_CHIPS, 40_000), (DRAWER_CASH, VAULT_CASH, 9_000)
    left = {"chips": [[2_500, 16]], "cash": [[1_000, 9]]}
    bodies += closing(*lines, (DRAWER_CASH, OVER_CASH, 1_000), pieces=left, minute=70, by=by)
    last["entries"] += 1
    totals = last["totals"]
    totals["vault"]["chips"]["in"] += 40_000
    totals["vault"]["cash"]["in"] += 9_000
    totals["drawer"]["chips"]["out"] += 40_000
    totals["drawer"]["cash"]["out"] += 10_000
    totals["over_short"]["cash"]["in"] += 1_000
    came = {VAULT_CHIPS: 40_000, VAULT_CASH: 9_000, OVER_CASH: 1_000}
    last["balances"] = [
        [asset, kind, account, cents + came.get(account, 0)]
        for asset, kind, account, cents in BALANCES
        if kind != "drawer"
    ]
    left = {"chips": [[10_000, 97], [100, 15]], "cash": [[10_000, 53], [100, 4]]}
    return [*bodies, *signatures, *vault_counted(left, minute=72, number=4), last]
