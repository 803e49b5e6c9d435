"""Charge fees: an insert-once row without money, made by the verb that starts a round or by paying ahead of
it (R60-R63)."""

from collections.abc import Sequence

from ledger.db.compiled import insert, new
from ledger.journal import records
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day, open_day
from tables.models import Charge, Down, Round, Sitting, TableSession
from tables.rules.table import downs
from tables.state.locks import require_true_time


def write_charge(
    *,
    session: TableSession,
    sitting: Sitting,
    down: Down,
    owed: downs.Owed,
    round_: Round | None = None,
    act: Act,
) -> Charge:
    """Write the charge for a sitting's fee in a down, once, at that down's rate (R64)."""
    return write_charges(session, [(sitting, owed)], down=down, round_=round_, act=act)[0]


def write_charges(
    session: TableSession,
    owing: Sequence[tuple[Sitting, downs.Owed]],
    *,
    down: Down,
    round_: Round | None,
    act: Act,
) -> list[Charge]:
    """Write the charges for several sittings' fees in a down, together and once, at that down's rate (R64).

    They belong to the gaming day the down starts in or, if that day is closed, to the day they are written on.
    """
    if not owing:
        return []
    require_true_time(session)
    site, rate = session.table.site, down.rate
    day = open_day(site, gaming_day(site, down.started_at), act.now)
    charges = [
        new(
            Charge,
            session=session,
            down=down,
            sitting=sitting,
            player_id=sitting.player_id,
            rate=rate,
            fee_cents=rate.fee_cents,
            rule=owed.rule,
            cents=owed.cents,
            entered_at=sitting.entered_at,
            minute_seconds=None if owed.minute is None else str(owed.minute.total_seconds()),
            charged_at=act.now,
            charged_by=act.actor,
            gaming_day=day,
            round=round_,
        )
        for sitting, owed in owing
    ]
    insert(charges)
    records.keep(site.pk, act.now, *charges)
    return charges
