"""What every account holds at the end of a gaming day: what it held when the day before was closed, and what the day moved. Pure.

By gaming day, not by the time of recording: what is recorded of the next day before this one is closed is no part of it, and
what is recorded of this day after its end is. So a balance follows from the entries of the day to the cent, whoever adds them up.
It can be below zero where a debt of this day is paid with what came in on the next.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

Balances = list[list[str | int]]
"""[asset, kind of account, account, cents], in this order, of each account that holds something."""
Move = tuple[str, str, int, str, int, int]
"""Asset, kind and id of the account it leaves, kind and id of the account it enters, cents."""


def balances_after(before: Iterable[Sequence[str | int]], moves: Iterable[Move]) -> Balances:
    """Return the balances at the end of a day from those at the end of the day before and what was moved in between."""
    held: Counter[tuple[str, str, int]] = Counter()
    for asset, kind, account, cents in before:
        held[str(asset), str(kind), int(account)] += int(cents)
    for asset, source_kind, source, target_kind, target, cents in moves:
        held[asset, source_kind, source] -= cents
        held[asset, target_kind, target] += cents
    return [[*place, cents] for place, cents in sorted(held.items()) if cents]


def first_difference(said: object, worked_out: Balances) -> str:
    """Return in words where what was said differs from what was worked out; empty where it does not."""
    if said == worked_out:
        return ""
    if not isinstance(said, list):
        return "it has no balances"
    said_of = {_account(line): line for line in said}
    of = {_account(line): line for line in worked_out}
    for account in sorted({*said_of, *of}):
        if said_of.get(account) != of.get(account):
            return f"account {account} ends it with {_cents(of.get(account))} cents, not {_cents(said_of.get(account))}"
    return "its lines are not in order"


def _account(line: object) -> str:
    return str(line[2]) if isinstance(line, list) and len(line) == 4 else "without a number"


def _cents(line: object) -> str:
    return str(line[3]) if isinstance(line, list) and len(line) == 4 else "0" if line is None else "no"
