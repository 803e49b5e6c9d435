"""Statements of sittings, players' days and table sessions as CSV lines, from the pages' rows."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import chain
from typing import Any

from ledger.reports.trial_balance import Amount, table_lines
from tables.models import Claim
from tables.reports.session_report import SessionReport
from tables.reports.statements import PlayerDay, Statement

STATEMENT_COLUMNS = (
    *("part", "sitting", "table", "seat", "player", "entry", "kind", "occurred_at", "recorded_at"),
    *("round", "down", "reason", "amount", "stack_after"),
)
SESSION_COLUMNS = ("part", "id", "what", "figure", "amount")


def sitting_lines(statement: Statement) -> Iterator[str]:
    """Return a sitting as CSV: its lines, fees and claims (STATEMENT_COLUMNS)."""
    return table_lines(STATEMENT_COLUMNS, _statement_rows([statement], statement.claims))


def day_lines(day: PlayerDay) -> Iterator[str]:
    """Return a player's day as CSV: lines and fees, then claims (STATEMENT_COLUMNS)."""
    return table_lines(STATEMENT_COLUMNS, _statement_rows(day.statements, day.claims))


def session_lines(report: SessionReport) -> Iterator[str]:
    """Return a table session as CSV, a row a figure (SESSION_COLUMNS); `proof` rows have both figures."""
    return table_lines(SESSION_COLUMNS, _session_rows(report))


def _statement_rows(statements: Iterable[Statement], claims: Iterable[Claim]) -> Iterator[list[Any]]:
    for cells in (*chain.from_iterable(map(_sitting_cells, statements)), *map(_claim_cells, claims)):
        yield [cells.get(name, "") for name in STATEMENT_COLUMNS]


def _sitting_cells(statement: Statement) -> Iterator[dict[str, Any]]:
    """Yield the cells of each line and of each fee, by column."""
    sitting = statement.sitting
    at = {"sitting": sitting.pk, "table": sitting.session.table.number, "seat": sitting.seat}
    where: dict[str, Any] = at | {"player": str(sitting.player)}
    for line in statement.lines:
        entry = line.entry
        when = {"occurred_at": entry.occurred_at, "recorded_at": entry.recorded_at}
        what = {"round": line.round and line.round.number, "down": line.down, "reason": entry.reason}
        amounts = {"amount": Amount(line.cents), "stack_after": Amount(line.stack_cents)}
        yield {"part": "line", "entry": entry.pk, "kind": line.kind} | where | when | what | amounts
    for charge in statement.charges:
        payment = charge.payment
        unpaid = "uncollected" if hasattr(charge, "uncollected") else "due"
        kind = f"{charge.rule} {payment.method if payment else unpaid}"
        why = {"round": charge.round and charge.round.number, "down": charge.down.number}
        taken = {"entry": payment and payment.entry_id, "kind": kind, "occurred_at": charge.charged_at}
        amount = {"reason": charge.serials, "amount": Amount(charge.cents)}
        yield {"part": "fee"} | where | taken | why | amount


def _claim_cells(claim: Claim) -> dict[str, Any]:
    settlement = claim.settlement
    who = f"{claim.debtor} owes {claim.creditor}{', paid' if hasattr(claim, 'payment') else ''}"
    when = {"occurred_at": settlement.settled_at, "round": settlement.round.number}
    what = {"kind": f"claim {claim.number}", "amount": Amount(claim.cents)}
    return {"part": "claim", "player": who, "entry": settlement.entry_id} | when | what


def _session_rows(report: SessionReport) -> Iterator[list[Any]]:
    for part, pk, what, figures in _session_figures(report):
        for name, figure in figures.items():
            yield [part, pk, what, name, Amount(figure) if isinstance(figure, int) else ""]


def _session_figures(report: SessionReport) -> Iterator[tuple[str, Any, Any, Mapping[str, int | None]]]:
    """Yield part, id, name and the figures by name; None for no amount."""
    for row in report.sittings:
        held = {"stack": row.held_cents, "charged": row.charged_cents}
        totals = {f.name.removesuffix("_cents"): getattr(row.totals, f.name) for f in fields(row.totals)}
        yield "sitting", row.sitting.pk, row.sitting, totals | held
    charged = ("charged", "stack", "cash", "cage", "waived", "uncollected", "due")
    for down in report.downs:
        figures = {name: getattr(down.sums, f"{name}_cents") for name in charged}
        yield "down", down.down.pk, f"down {down.down.number}", figures
    for what, sums in (
        ("of other tables, taken here", report.followed),
        ("taken at other tables", report.elsewhere),
    ):
        taken = {"stack": sums.stack_cents, "cash": sums.cash_cents, "cage": sums.cage_cents}
        yield "fees", "", what, {name: cents for name, cents in taken.items() if cents}
    for shown in report.rounds:
        round_ = shown.round
        words = [*([] if shown.net else [round_.state]), *(["settled by hand"] if shown.by_hand else [])]
        won = {f"seat {seat}": cents for seat, _, cents in shown.net}
        yield "round", round_.pk, f"round {round_.number}", {**dict.fromkeys(words), **won}
    for bank in report.banks:
        moved = {kind: came - went for kind, came, went in bank.moved}
        yield "bank", bank.account.pk, bank.account.asset, moved | {"held": bank.held_cents}
    for box in report.boxes:
        for line in box.lines:
            counted = {} if line.counted is None else {"counted": line.counted}
            figures = {"expected": line.expected} | counted
            yield "box", box.box.pk, f"box {box.box.number} {line.asset}", figures
    for count in report.counts:
        for stack in count.stacks:
            seat = f"seat {stack.seat}"
            figures = {f"{seat} counted": stack.counted_cents, f"{seat} expected": stack.expected_cents}
            yield "count", count.event.pk, f"chip count {count.event.at:%Y-%m-%d %H:%M:%S} UTC", figures
    for proof in report.proofs:
        yield "proof", "", proof.says, {"one side": proof.one, "other side": proof.other}
