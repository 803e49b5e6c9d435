"""Opening and closing a table: its game, its schedule, its bank and its box are bound here."""

from datetime import datetime
from typing import Any

from django.db import transaction

from ledger import drops, posting
from ledger.days import gaming_day
from ledger.rights import require
from tables import games
from tables.errors import BadBuyInMaximum, RoundRunning, TableOpen, UnknownSchedule
from tables.live import publish
from tables.models import Schedule, Sitting, Table, TableEvent, TableSession
from tables.queries import sessions, state_of
from tables.sessions import lock_session, record, recorded_before, require_open


def _require_published(schedule: Schedule, table: Table, now: datetime) -> None:
    """Hold a table to a rate that its own house has published and that is in force on this gaming day (R60)."""
    day = gaming_day(table.site, now)
    if schedule.site_id != table.site_id or schedule.effective_from > day:
        raise UnknownSchedule("This rate is not published here for today.", field="schedule")


def open_table(
    *,
    table: Table,
    game: str,
    schedule: Schedule,
    max_buy_in_cents: int,
    opener_cents: int,
    key: str,
    actor: Any,
    now: datetime,
    terminal: str = "",
) -> TableSession:
    """Open `table` for `game` (a sheet's code) with a schedule, its bank and an empty box.

    The limit is the schedule's (R60). `opener_cents` in chips move from the cage to the table bank. Refuses
    `table_open`, `unknown_game`, `unknown_schedule`, `sheet_changed`, `bad_buy_in_maximum`, and `insufficient_funds` of the cage.
    """
    require(actor, "tables.run_floor")
    content = {
        "table": table.pk,
        "game": game,
        "schedule": schedule.pk,
        "max_buy_in": max_buy_in_cents,
        "opener": opener_cents,
    }
    with transaction.atomic():
        Table.objects.select_for_update(no_key=True).get(pk=table.pk)
        earlier = posting.earlier(site=table.site, key=key, kind="bank_fill", actor=actor, content=content)
        if earlier is not None:
            return sessions().get(bank_chips__in=earlier.transfers.values("target"))
        if TableSession.objects.filter(table=table, closed_at__isnull=True).exists():
            raise TableOpen(f"{table} is open already.", field="table")
        sheet = games.game(game)
        _require_published(schedule, table, now)
        smallest = 30 * schedule.limit_cents
        if max_buy_in_cents < smallest:
            raise BadBuyInMaximum(
                "The maximum buy-in must be at least thirty times the limit.", field="max_buy_in"
            )
        session = TableSession.objects.create(
            table=table,
            sheet=games.keep_sheet(sheet, now),
            schedule=schedule,
            limit_cents=schedule.limit_cents,
            max_buy_in_cents=max_buy_in_cents,
            opener_cents=opener_cents,
            bank_chips=_bank(table, "chips", now),
            bank_cash=_bank(table, "cash", now),
            box=drops.install_box(site=table.site, place=str(table), actor=actor, now=now),
            opened_at=now,
            opened_by=actor,
        )
        move_bank(session, opener_cents, key=key, content=content, actor=actor, now=now, terminal=terminal)
        record(session, TableEvent.Kind.OPENED, actor=actor, now=now, **_particulars(session))
        publish(session.pk)
    return session


def _particulars(session: TableSession) -> dict[str, Any]:
    """What a table is bound to while it is open: all that its rounds and fees are worked out from."""
    sheet, schedule, box = session.sheet, session.schedule, session.box
    return {
        "table": session.table.number,
        "sheet": {"code": sheet.code, "version": sheet.version, "sha256": sheet.sha256},
        "schedule": {
            "id": schedule.pk,
            "option": schedule.option,
            "version": schedule.version,
            "fee_cents": schedule.fee_cents,
            "limit_cents": schedule.limit_cents,
        },
        "limit_cents": session.limit_cents,
        "max_buy_in_cents": session.max_buy_in_cents,
        "opener_cents": session.opener_cents,
        "bank_chips": session.bank_chips_id,
        "bank_cash": session.bank_cash_id,
        "box": box.number,
        "box_chips": box.chips_id,
        "box_cash": box.cash_id,
    }


def _bank(table: Table, asset: str, now: datetime) -> Any:
    return posting.open_account(site=table.site, kind="table_bank", asset=asset, label=str(table), now=now)


def move_bank(
    session: TableSession,
    cents: int,
    *,
    key: str,
    content: dict[str, Any],
    actor: Any,
    now: datetime,
    terminal: str = "",
) -> None:
    """Bring `cents` in chips from the cage to the table's bank."""
    site = session.table.site
    cage = posting.house_account(site, "cage", "chips")
    draft = posting.EntryDraft(
        key=key,
        kind="bank_fill",
        occurred_at=now,
        actor=actor,
        moves=(posting.Move(cage.pk, session.bank_chips_id, cents),),
        evidence={"session": session.pk, "table": session.table.number, "cents": cents},
        content=content,
        terminal=terminal,
    )
    posting.post(site=site, draft=draft, now=now)


def fill_bank(
    *, session_id: int, cents: int, key: str, actor: Any, now: datetime, terminal: str = ""
) -> TableSession:
    """Bring more chips from the cage to a table whose bank runs low."""
    require(actor, "tables.run_floor")
    content = {"session": session_id, "cents": cents}
    with transaction.atomic():
        session = lock_session(session_id)
        site = session.table.site
        if posting.earlier(site=site, key=key, kind="bank_fill", actor=actor, content=content) is None:
            require_open(session)
            move_bank(session, cents, key=key, content=content, actor=actor, now=now, terminal=terminal)
            publish(session.pk)
    return session


def change_box(*, session_id: int, second: Any, key: str, actor: Any, now: datetime) -> TableSession:
    """Pull the table's drop box, two people together, and install an empty one.

    A second call with the same key is the same change (`key_reused` for other people).
    """
    require(actor, "tables.run_floor")
    with transaction.atomic():
        session = lock_session(session_id)
        if recorded_before(session, {TableEvent.Kind.BOX_CHANGED}, key, actor=actor, second=second.pk):
            return session
        require_open(session)
        old = session.box
        drops.pull_box(box=old, actor=actor, second=second, now=now)
        session.box = drops.install_box(
            site=session.table.site, place=str(session.table), actor=actor, now=now
        )
        session.save(update_fields=["box"])
        record(
            session,
            TableEvent.Kind.BOX_CHANGED,
            actor=actor,
            now=now,
            pulled=old.number,
            installed=session.box.number,
            box_chips=session.box.chips_id,
            box_cash=session.box.cash_id,
            second=second.pk,
            key=key,
        )
        publish(session.pk)
    return session


def close_table(
    *, session_id: int, second: Any, key: str, actor: Any, now: datetime, terminal: str = ""
) -> TableSession:
    """Close a table whose players have all cashed out: the bank returns to the cage, the box is pulled by two.

    Refuses `round_running`, and `table_open` while somebody is seated. A second call with the same key is the
    same closing.
    """
    require(actor, "tables.run_floor")
    content = {"session": session_id, "second": second.pk}
    with transaction.atomic():
        session = lock_session(session_id)
        site = session.table.site
        if posting.earlier(site=site, key=key, kind="bank_return", actor=actor, content=content):
            return session
        require_open(session)
        if state_of(session).running_round:
            raise RoundRunning(f"{session.table} has a round that is not settled.")
        seated = Sitting.objects.filter(session=session, left_at__isnull=True).count()
        if seated:
            raise TableOpen(f"{seated} players still sit at {session.table}: cash them out first.")
        bank = [session.bank_chips, session.bank_cash]
        moves = tuple(
            posting.Move(
                account.pk, posting.house_account(site, "cage", account.asset).pk, account.balance_cents
            )
            for account in bank
            if account.balance_cents
        )
        posting.post(
            site=site,
            draft=posting.EntryDraft(
                key=key,
                kind="bank_return",
                occurred_at=now,
                actor=actor,
                moves=moves,
                evidence={"session": session.pk, "opener_cents": session.opener_cents},
                content=content,
                terminal=terminal,
            ),
            now=now,
        )
        drops.pull_box(box=session.box, actor=actor, second=second, now=now)
        for account in bank:
            account.refresh_from_db()
            posting.close_account(account, now)
        session.closed_at, session.closed_by = now, actor
        session.save(update_fields=["closed_at", "closed_by"])
        record(session, TableEvent.Kind.CLOSED, actor=actor, now=now)
        publish(session.pk)
    return session
