"""The balances at the end of a gaming day: those of the day closed before, and the day's transfers. Pure.

They go by gaming day, not by time of recording, so they follow from the day's entries to the cent, even if
entries of two days were recorded in turn. A balance can be below zero if a debt of this day is paid with
money that came in on the next."""

from collections import Counter
from collections.abc import Iterable, Sequence

Balances = list[list[str | int]]
"""[asset, kind of account, account, cents] of each account with a balance, in this order."""
Move = tuple[str, str, int, str, int, int]
"""Asset, kind and id of the source account, kind and id of the target account, cents."""


def balances_after(before: Iterable[Sequence[str | int]], moves: Iterable[Move]) -> Balances:
    held: Counter[tuple[str, str, int]] = Counter()
    for asset, kind, account, cents in before:
        held[str(asset), str(kind), int(account)] += int(cents)
    for asset, source_kind, source, target_kind, target, cents in moves:
        held[asset, source_kind, source] -= cents
        held[asset, target_kind, target] += cents
    return [[*place, cents] for place, cents in sorted(held.items()) if cents]


def first_difference(recorded: object, worked_out: Balances) -> str:
    """Return the first difference from the expected balances, in words, or an empty text."""
    if recorded == worked_out:
        return ""
    if not isinstance(recorded, list):
        return "it has no balances"
    recorded_of = {_account(line): line for line in recorded}
    of = {_account(line): line for line in worked_out}
    for account in sorted({*recorded_of, *of}):
        if recorded_of.get(account) != of.get(account):
            return (
                f"account {account} ends it with {_cents(of.get(account))} cents, not"
                f" {_cents(recorded_of.get(account))}"
            )
    return "its lines are not in order"


def _account(line: object) -> str:
    return str(line[2]) if isinstance(line, list) and len(line) == 4 else "without a number"


def _cents(line: object) -> str:
    return str(line[3]) if isinstance(line, list) and len(line) == 4 else "0" if line is None else "no"
