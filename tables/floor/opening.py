"""Open a table once the house is ready; change its box."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from ledger.cage import boxes
from ledger.cage.seals import Pulling
from ledger.db.compiled import Compiled
from ledger.errors import KeyReused
from ledger.journal import keys, posting
from ledger.journal.acts import Act
from ledger.rights import require
from tables.collection.rates import rates_in_force, require_offered
from tables.errors import NotConfigured, TableOpen, TableRetired, TablesAuthorised
from tables.floor import games, readiness
from tables.live import publish
from tables.models import Rate, Table, TableEvent, TableSession
from tables.rights import RUN_FLOOR
from tables.state.events import rate_data, record, recorded_before
from tables.state.locks import at_table, require_open
from tables.state.table_state import sessions

_TABLES = Compiled(lambda site: Table.objects.filter(site=site, retired_at__isnull=True)[:1])
_OPENED = Compiled(
    lambda site: TableSession.objects.filter(table__site=site, closed_at__isnull=True), read="id"
)


def last_sessions(tables: list[Table]) -> list[TableSession]:
    """Return the newest session of each of these tables that was ever open, by number; one query."""
    of_them = TableSession.objects.filter(table__in=tables).values("table")
    newest = of_them.annotate(newest=Max("pk")).values("newest")
    found = TableSession.objects.filter(pk__in=newest).select_related("table", "sheet", "rate")
    return list(found.order_by("table__number"))


def missing(site: Any, now: datetime) -> list[str]:
    """Return what is missing before a table can be opened, as sentences that say what to do. Every board asks
    this: five small queries, not the whole checklist."""
    sheets = games.offered_games(site)
    there = {
        "tables": bool(_TABLES.values(site.pk)),
        "authorised": site.authorised_tables > 0,
        "sheets": len(games.changed_games(sheets)) < len(sheets),
        "rates": bool(rates_in_force(site, now)),
        "chips": posting.house_account(site, "vault", "chips").balance_cents > 0,
    }
    return [lack.sentence for lack in readiness.UNCOUNTED if not there.get(lack.code, True)]


def open_places(site: Any) -> int:
    """Return how many more tables the licence allows to open now (4 CCR 12391)."""
    more: int = site.authorised_tables - len(_OPENED.values(site.pk))
    return max(more, 0)


def too_many(site: Any) -> str:
    """Return the sentence that says why no more tables may be opened."""
    opened = len(_OPENED.values(site.pk))
    tables = "1 table is" if opened == 1 else f"{opened} tables are"
    if opened > site.authorised_tables:
        return f"{tables} open, and {site.authorised_tables} authorised: close one before another opens."
    return f"{tables} open, and no more are authorised: close one first."


def _require_place(table: Table, now: datetime) -> None:
    """Refuse a table too many (`tables_authorised`) or a house not ready (`not_configured`). Locks the house,
    so that of two openings at once the second counts the first."""
    posting.lock_house(table.site)
    table.site.refresh_from_db(fields=["authorised_tables"])
    not_there = missing(table.site, now)
    if not_there:
        raise NotConfigured(" ".join(not_there))
    if not open_places(table.site):
        raise TablesAuthorised(too_many(table.site), field="table")


def open_table(
    *, table: Table, game: str, rate: Rate, max_buy_in_cents: int, seal: str = "", act: Act
) -> TableSession:
    """Open `table` for `game` (a sheet's code) with a rate, an empty bank and an empty box with its `seal`.
    The opener is asked for afterwards (`banks.ask`). Refuses `table_open`, `table_retired`, `not_configured`,
    `tables_authorised`, `unknown_game`, `game_not_offered`, `unknown_rate`, `sheet_changed`,
    `bad_buy_in_maximum`, `seal_required`, `seal_in_use`."""
    require(act.actor, RUN_FLOOR)
    with transaction.atomic():
        locked = Table.objects.select_for_update(no_key=True).get(pk=table.pk)
        if earlier := _opened_before(table, game, rate, max_buy_in_cents, act):
            return earlier
        if TableSession.objects.filter(table=table, closed_at__isnull=True).exists():
            raise TableOpen(f"{table} is already open.", field="table")
        if locked.retired_at is not None:
            raise TableRetired(f"{table} has been retired: a manager must bring it back.", field="table")
        _require_place(table, act.now)
        sheet = games.game(game)
        games.require_on_offer(table.site, sheet)
        games.note_sheets(table.site, act=act)
        require_offered(rate, max_buy_in_cents, site=table.site, now=act.now)
        bank: dict[str, Any] = {"site": table.site, "kind": "table_bank", "label": str(table), "now": act.now}
        session = TableSession.objects.create(
            table=table,
            sheet=games.keep_sheet(sheet, act.now),
            rate=rate,
            limit_cents=rate.limit_cents,
            max_buy_in_cents=max_buy_in_cents,
            bank_chips=posting.open_account(asset="chips", **bank),
            bank_cash=posting.open_account(asset="cash", **bank),
            box=boxes.install_box(site=table.site, place=str(table), seal=seal, act=act),
            opened_at=act.now,
            latest_at=act.now,
            opened_by=act.actor,
        )
        record(session, TableEvent.Kind.OPENED, key=act.key, act=act, **_particulars(session))
        publish(session.pk)
    return session


def _opened_before(
    table: Table, game: str, rate: Rate, max_buy_in_cents: int, act: Act
) -> TableSession | None:
    alike = {"actor_id": act.actor.pk, "kind": TableEvent.Kind.OPENED}
    event = keys.made_before(TableEvent, table.site_id, act.key, **alike)
    if event is None:
        return None
    session = sessions().get(pk=event.session_id)
    of = session.table_id, session.sheet.code, session.rate_id, session.max_buy_in_cents
    if of != (table.pk, game, rate.pk, max_buy_in_cents):
        raise KeyReused(keys.USED, field="key")
    return session


def _particulars(session: TableSession) -> dict[str, Any]:
    """Return the opening's log data, from which rounds and fees are worked out."""
    sheet, box = session.sheet, session.box
    return {
        "table": session.table.number,
        "sheet": {"code": sheet.code, "version": sheet.version, "sha256": sheet.sha256},
        **rate_data(session.rate, session.max_buy_in_cents),
        "bank_chips": session.bank_chips_id,
        "bank_cash": session.bank_cash_id,
        "box": box.number,
        "box_chips": box.chips_id,
        "box_cash": box.cash_id,
    }


def change_box(
    *, session_id: int, second: Any, noted: Pulling | None = None, new_seal: str = "", act: Act
) -> TableSession:
    """Pull the table's drop box, with a second person, and install an empty one with the `new_seal`. Refuses
    `key_reused`, `seal_differs`, `emergency_drop`, `seal_required`, `seal_in_use`."""
    require(act.actor, RUN_FLOOR)
    with at_table(session_id, act) as (session, act):
        if recorded_before(session, TableEvent.Kind.BOX_CHANGED, act, second=second.pk):
            return session
        require_open(session)
        old = session.box
        boxes.pull_box(box=old, second=second, noted=noted, act=act)
        place = str(session.table)
        session.box = boxes.install_box(site=session.table.site, place=place, seal=new_seal, act=act)
        session.save(update_fields=["box"])
        record(
            session,
            TableEvent.Kind.BOX_CHANGED,
            pulled=old.number,
            installed=session.box.number,
            box_chips=session.box.chips_id,
            box_cash=session.box.cash_id,
            second=second.pk,
            key=act.key,
            act=act,
        )
    return session
