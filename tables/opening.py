"""Opening and closing a table: its game, its schedule, its bank and its box are bound here."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from ledger import drops, posting
from ledger.compiled import Compiled
from ledger.errors import SecondPerson
from ledger.money import checked_cents, dollars
from ledger.rights import require
from tables import games
from tables.errors import NotConfigured, ReasonRequired, RoundRunning, TableOpen, TablesAuthorised
from tables.live import publish
from tables.models import Schedule, Sitting, Table, TableEvent, TableSession
from tables.queries import sessions, state_of
from tables.schedules import rates_in_force, require_offered
from tables.sessions import lock_session, rate_told, record, recorded_before, require_open

_TABLES = Compiled(lambda site: Table.objects.filter(site=site)[:1])
_OPENED = Compiled(
    lambda site: TableSession.objects.filter(table__site=site, closed_at__isnull=True).only("pk")
)


def missing(site: Any, now: datetime) -> list[str]:
    """What has to be there before any table can be opened and is not, in sentences that say what to do next."""
    found = []
    if not _TABLES.values(site.pk):
        found.append("The house has no tables: a manager enters them.")
    if not site.authorised_tables:
        found.append("No table is authorised: a manager enters how many may be open by the licence.")
    sheets = games.games()
    if len(games.changed_games(sheets)) == len(sheets):
        found.append("No game sheet can be used: whoever runs the server sees why on the page of games.")
    if not rates_in_force(site, now):
        found.append("No collection rate is in force: a manager publishes one.")
    if posting.house_account(site, "cage", "chips").balance_cents <= 0:
        found.append("The cage has no chips: the cashier enters its float.")
    return found


def open_places(site: Any) -> int:
    """How many more tables may be opened now by the licence (4 CCR 12391)."""
    return max(site.authorised_tables - len(_OPENED.values(site.pk)), 0)


def too_many(site: Any) -> str:
    """Why no more tables may be opened, with the number."""
    tables = "1 table is" if site.authorised_tables == 1 else f"{site.authorised_tables} tables are"
    return f"{tables} open, and no more are authorised: close one first."


def _require_place(table: Table, now: datetime) -> None:
    """Refuse to open a table too many (`tables_authorised`), or before the house is ready (`not_configured`).

    The house's row is locked, so that of two who open at once the second counts the first one's table.
    """
    posting.lock_house(table.site)
    table.site.refresh_from_db(fields=["authorised_tables"])
    not_there = missing(table.site, now)
    if not_there:
        raise NotConfigured(" ".join(not_there))
    if not open_places(table.site):
        raise TablesAuthorised(too_many(table.site), field="table")


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
    `table_open`, `not_configured` with everything that is missing, `tables_authorised`, `unknown_game`,
    `unknown_schedule`, `sheet_changed`, `bad_buy_in_maximum`, and `insufficient_funds` of the cage.
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
        _require_place(table, now)
        sheet = games.game(game)
        require_offered(schedule, max_buy_in_cents, site=table.site, now=now)
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
    sheet, box = session.sheet, session.box
    return {
        "table": session.table.number,
        "sheet": {"code": sheet.code, "version": sheet.version, "sha256": sheet.sha256},
        **rate_told(session.schedule, session.max_buy_in_cents),
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


@dataclass(frozen=True)
class BankCount:
    """What two people counted in a table's bank, in cents, beside what the books hold there. `cause` explains a difference."""

    chips_cents: int
    cash_cents: int
    cause: str = ""

    def content(self) -> dict[str, Any]:
        """What the client sent."""
        return {"chips": self.chips_cents, "cash": self.cash_cents, "cause": self.cause.strip()}


def close_table(
    *,
    session_id: int,
    second: Any,
    counted_chips_cents: int,
    counted_cash_cents: int,
    cause: str = "",
    key: str,
    actor: Any,
    now: datetime,
    terminal: str = "",
) -> TableSession:
    """Close a table whose players have left: two people count its bank and pull its box.

    What was counted goes back to the cage; a difference from what the books hold (the opener, fills, and what was bought)
    goes to over/short and needs its `cause`. The floor counts blind: the form shows no figure of the books, and only
    where a count that was typed differs does the refusal say both. Refuses `round_running`, `table_open` while
    somebody is seated, `reason_required` (field `cause`), `second_person`. A second call with the same key is the same closing.
    """
    require(actor, "tables.run_floor")
    count = BankCount(counted_chips_cents, counted_cash_cents, cause)
    content = {"session": session_id, "second": second.pk, "counted": count.content()}
    with transaction.atomic():
        session = lock_session(session_id)
        earlier = posting.earlier(
            site=session.table.site, key=key, kind="bank_return", actor=actor, content=content
        )
        if earlier is None:
            end_session(
                session,
                count,
                second=second,
                key=key,
                content=content,
                actor=actor,
                now=now,
                terminal=terminal,
            )
    return session


def closing_count(session: TableSession) -> dict[str, Any] | None:
    """What the log says of the count at a table's closing, with the `people` who counted; None while it is open."""
    event = session.events.filter(kind=TableEvent.Kind.CLOSED).select_related("actor").first()
    if event is None:
        return None
    second = get_user_model().objects.get(pk=event.data["second"])
    return {**event.data, "people": (event.actor, second)}


def end_session(
    session: TableSession,
    count: BankCount,
    *,
    second: Any,
    key: str,
    content: dict[str, Any],
    actor: Any,
    now: datetime,
    terminal: str = "",
) -> None:
    """Close a table under its lock, as `close_table` says, which has looked for an earlier closing."""
    require_open(session)
    if state_of(session).running_round:
        raise RoundRunning(f"{session.table} has a round that is not settled.")
    seated = Sitting.objects.filter(session=session, left_at__isnull=True).count()
    if seated:
        raise TableOpen(f"{seated} players still sit at {session.table}: cash them out first.")
    counted = _return_bank(
        session, count, second=second, key=key, content=content, actor=actor, now=now, terminal=terminal
    )
    drops.pull_box(box=session.box, actor=actor, second=second, now=now)
    for account in (session.bank_chips, session.bank_cash):
        account.refresh_from_db()
        posting.close_account(account, now)
    session.closed_at, session.closed_by = now, actor
    session.closer_cents = count.chips_cents
    session.save(update_fields=["closed_at", "closed_by", "closer_cents"])
    record(session, TableEvent.Kind.CLOSED, actor=actor, now=now, **counted)
    publish(session.pk)


def _return_bank(
    session: TableSession,
    count: BankCount,
    *,
    second: Any,
    key: str,
    content: dict[str, Any],
    actor: Any,
    now: datetime,
    terminal: str,
) -> dict[str, Any]:
    """Bring the bank to the cage as it was counted, the difference to over/short; return what the log says of it."""
    site = session.table.site
    if second.pk == actor.pk:
        raise SecondPerson("The bank is counted by two people.", field="second")
    moves: list[posting.Move] = []
    over = {}
    for account, cents in ((session.bank_chips, count.chips_cents), (session.bank_cash, count.cash_cents)):
        checked_cents(cents)
        account.refresh_from_db(fields=["balance_cents"])
        moves += _as_counted(site, account, cents)
        over[account.asset] = cents - account.balance_cents
    if any(over.values()) and not count.cause.strip():
        raise ReasonRequired(_difference(session, count), field="cause")
    counted = {
        "opener_cents": session.opener_cents,
        "closer_cents": count.chips_cents,
        "closer_cash_cents": count.cash_cents,
        "over_chips_cents": over["chips"],
        "over_cash_cents": over["cash"],
        "second": second.pk,
        "cause": count.cause.strip() if any(over.values()) else "",
    }
    draft = posting.EntryDraft(
        key=key,
        kind="bank_return",
        occurred_at=now,
        actor=actor,
        moves=tuple(moves),
        evidence={"session": session.pk, "table": session.table.number, **counted},
        content=content,
        terminal=terminal,
    )
    posting.post(site=site, draft=draft, now=now)
    return counted


def _as_counted(site: Any, account: Any, cents: int) -> list[posting.Move]:
    """The moves that empty an account of the bank in which `cents` were counted."""
    cage, over_short = (
        posting.house_account(site, kind, account.asset).pk for kind in ("cage", "over_short")
    )
    held = account.balance_cents
    moves = (
        posting.Move(account.pk, cage, min(cents, held)),
        posting.Move(account.pk, over_short, held - cents),
        posting.Move(over_short, cage, cents - held),
    )
    return [move for move in moves if move.cents > 0]


def _difference(session: TableSession, count: BankCount) -> str:
    """What was counted beside what the books hold, now that a count has been typed."""
    found = []
    for account, cents in ((session.bank_chips, count.chips_cents), (session.bank_cash, count.cash_cents)):
        over = cents - account.balance_cents
        if over:
            word = "too much" if over > 0 else "missing"
            found.append(
                f"{account.asset} counted {dollars(cents)}, by the books {dollars(account.balance_cents)}:"
                f" {dollars(abs(over))} {word}"
            )
    text = "; ".join(found)
    return f"{text[0].upper()}{text[1:]}. Count again, or say why."
