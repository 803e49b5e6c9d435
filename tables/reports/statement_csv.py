"""Statements of sittings, players' days and table sessions as CSV lines.

The figures come from the same rows as on the pages; only the text is made here.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from ledger.reports.trial_balance import Amount, table_lines
from tables.models import Charge, Claim
from tables.reports.statements import PlayerDay, Statement
from tables.reports.table_night import TableNight

STATEMENT_COLUMNS = (
    *("part", "sitting", "table", "seat", "player", "entry", "kind", "occurred_at", "recorded_at"),
    *("round", "down", "reason", "amount", "stack_after"),
)
NIGHT_COLUMNS = ("part", "id", "what", "figure", "amount")


def sitting_lines(statement: Statement) -> Iterator[str]:
    """The statement of a sitting as CSV: a row a line, then its fees, then its claims (STATEMENT_COLUMNS)."""
    return table_lines(STATEMENT_COLUMNS, _statement_rows([statement], statement.claims))


def day_lines(day: PlayerDay) -> Iterator[str]:
    """A player's day as CSV: every sitting's lines and fees, then the claims (STATEMENT_COLUMNS)."""
    return table_lines(STATEMENT_COLUMNS, _statement_rows(day.statements, day.claims))


def night_lines(night: TableNight) -> Iterator[str]:
    """A table's night as CSV, a row a figure: which part of it, the id of what it is of, and its name (NIGHT_COLUMNS).

    The part `proof` has both figures of each pair that must be the same.
    """
    return table_lines(NIGHT_COLUMNS, _night_rows(night))


def _statement_rows(statements: Iterable[Statement], claims: Iterable[Claim]) -> Iterator[list[Any]]:
    for statement in statements:
        sitting = statement.sitting
        where = [sitting.pk, sitting.session.table.number, sitting.seat, str(sitting.player)]
        for line in statement.lines:
            entry = line.entry
            yield [
                *("line", *where, entry.pk, line.kind, entry.occurred_at, entry.recorded_at),
                *(line.round.number if line.round else "", line.down or "", entry.reason),
                *(Amount(line.cents), Amount(line.stack_cents)),
            ]
        for charge in statement.charges:
            yield ["fee", *where, *_fee(charge)]
    for claim in claims:
        round_ = claim.settlement.round
        who = f"{claim.debtor} owes {claim.creditor}{', paid' if hasattr(claim, 'payment') else ''}"
        settlement = claim.settlement
        yield [
            *(
                "claim",
                "",
                "",
                "",
                who,
                settlement.entry_id,
                f"claim {claim.number}",
                settlement.settled_at,
                "",
            ),
            *(round_.number, "", "", Amount(claim.cents), ""),
        ]


def _fee(charge: Charge) -> list[Any]:
    payment = charge.payment
    unpaid = "uncollected" if hasattr(charge, "uncollected") else "due"
    kind = f"{charge.rule} {payment.method if payment else unpaid}"
    return [
        *(payment.entry_id if payment else "", kind, charge.charged_at, ""),
        *(
            charge.round.number if charge.round else "",
            charge.down.number,
            charge.serials,
            Amount(charge.cents),
            "",
        ),
    ]


def _night_rows(night: TableNight) -> Iterator[list[Any]]:
    for row in night.sittings:
        figures = {
            "bought_in": row.totals.bought_in_cents,
            "carried_in": row.totals.carried_in_cents,
            "won": row.totals.won_cents,
            "collected": row.totals.collected_cents,
            "toked": row.totals.toked_cents,
            "carried_away": row.totals.carried_away_cents,
            "cashed_out": row.totals.cashed_out_cents,
            "over_short": row.totals.over_short_cents,
            "stack": row.held_cents,
            "charged": row.charged_cents,
        }
        yield from (["sitting", row.sitting.pk, row.sitting, n, Amount(c)] for n, c in figures.items())
    for down in night.downs:
        names: tuple[str, ...] = ("charged_cents", "stack_cents", "cash_cents", "cage_cents")
        names += ("waived_cents", "uncollected_cents", "due_cents")
        for name in names:
            figure = name.removesuffix("_cents")
            yield ["down", down.down.pk, f"down {down.down.number}", figure, Amount(getattr(down.sums, name))]
    for what, sums in (
        ("of other tables, taken here", night.followed),
        ("taken at other tables", night.elsewhere),
    ):
        figures = {"stack": sums.stack_cents, "cash": sums.cash_cents, "cage": sums.cage_cents}
        yield from (["fees", "", what, name, Amount(cents)] for name, cents in figures.items() if cents)
    for shown in night.rounds:
        round_ = shown.round
        what = f"round {round_.number}"
        if not shown.net:
            yield ["round", round_.pk, what, round_.state, ""]
        if shown.by_hand:
            yield ["round", round_.pk, what, "settled by hand", ""]
        yield from (["round", round_.pk, what, f"seat {seat}", Amount(c)] for seat, _, c in shown.net)
    for bank in night.banks:
        for kind, came, went in bank.moved:
            yield ["bank", bank.account.pk, bank.account.asset, kind, Amount(came - went)]
        yield ["bank", bank.account.pk, bank.account.asset, "held", Amount(bank.held_cents)]
    for box in night.boxes:
        for line in box.lines:
            what = f"box {box.box.number} {line.asset}"
            yield ["box", box.box.pk, what, "expected", Amount(line.expected)]
            if line.counted is not None:
                yield ["box", box.box.pk, what, "counted", Amount(line.counted)]
    for count in night.counts:
        what = f"chip count {count.event.at:%Y-%m-%d %H:%M:%S} UTC"
        for stack in count.stacks:
            figures = {"counted": stack.counted_cents, "expected": stack.expected_cents}
            yield from (
                ["count", count.event.pk, what, f"seat {stack.seat} {name}", Amount(cents)]
                for name, cents in figures.items()
            )
    for proof in night.proofs:
        yield ["proof", "", proof.says, "one side", Amount(proof.one)]
        yield ["proof", "", proof.says, "other side", Amount(proof.other)]
