"""Close a table: the bank is counted blind by two people, the box is pulled, the bank returns to the cage."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from ledger.cage import boxes
from ledger.errors import ReasonRequired, SecondPerson
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.money import checked_cents, dollars
from ledger.rights import require
from tables.errors import RoundRunning, TableOpen
from tables.live import publish
from tables.models import Sitting, TableEvent, TableSession
from tables.rights import RUN_FLOOR
from tables.state.events import record
from tables.state.locks import lock_session, require_open
from tables.state.table_state import state_of


@dataclass(frozen=True)
class BankCount:
    """What two people counted in a table's bank, in cents. `cause` explains a difference from the books."""

    chips_cents: int
    cash_cents: int
    cause: str = ""

    def content(self) -> dict[str, Any]:
        """Return the count as evidence."""
        return {"chips": self.chips_cents, "cash": self.cash_cents, "cause": self.cause.strip()}


def close_table(*, session_id: int, count: BankCount, second: Any, act: Act) -> TableSession:
    """Close a table whose players have left: two people count its bank and pull its box.

    The counted chips and cash go back to the cage; a difference from the books (the opener, fills and purchases) goes
    to over/short and needs a `cause`. The count is blind: the form shows no expected figure, and only the refusal of a
    count that differs shows both. Refuses `round_running`, `table_open` while somebody is seated, `reason_required`
    (field `cause`), `second_person`. Repeating a key changes nothing.
    """
    require(act.actor, RUN_FLOOR)
    content = {"session": session_id, "second": second.pk, "counted": count.content()}
    with transaction.atomic():
        session, act = lock_session(session_id, act)
        earlier = posting.earlier(site=session.table.site, kind="bank_return", content=content, act=act)
        if earlier is None:
            end_session(session, count, second=second, content=content, act=act)
    return session


def closing_count(session: TableSession) -> dict[str, Any] | None:
    """Return the logged count of a table's closing, with the `people` who counted; None while it is open."""
    event = session.events.filter(kind=TableEvent.Kind.CLOSED).select_related("actor").first()
    if event is None:
        return None
    second = get_user_model().objects.get(pk=event.data["second"])
    return {**event.data, "people": (event.actor, second)}


def end_session(
    session: TableSession, count: BankCount, *, second: Any, content: dict[str, Any], act: Act
) -> None:
    """Close a table under its lock, as `close_table` does; the caller has checked for a repeated key."""
    require_open(session)
    if state_of(session).running_round:
        raise RoundRunning(f"{session.table} has a round that is not settled.")
    seated = Sitting.objects.filter(session=session, left_at__isnull=True).count()
    if seated:
        raise TableOpen(f"{seated} players still sit at {session.table}: cash them out first.")
    counted = _return_bank(session, count, second=second, content=content, act=act)
    boxes.pull_box(box=session.box, second=second, act=act)
    for account in (session.bank_chips, session.bank_cash):
        account.refresh_from_db()
        posting.close_account(account, act.now)
    session.closed_at, session.closed_by = act.now, act.actor
    session.closer_cents = count.chips_cents
    session.save(update_fields=["closed_at", "closed_by", "closer_cents"])
    record(session, TableEvent.Kind.CLOSED, act=act, **counted)
    publish(session.pk)


def _return_bank(
    session: TableSession, count: BankCount, *, second: Any, content: dict[str, Any], act: Act
) -> dict[str, Any]:
    """Return the counted bank to the cage, the difference to over/short; return the count as log data."""
    site = session.table.site
    if second.pk == act.actor.pk:
        raise SecondPerson("Two people must count the bank.", field="second")
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
        kind="bank_return",
        moves=tuple(moves),
        evidence={"session": session.pk, "table": session.table.number, **counted},
        content=content,
        act=act,
    )
    posting.post(site=site, draft=draft)
    return counted


def _as_counted(site: Any, account: Any, cents: int) -> list[posting.Move]:
    """Return the transfers that empty an account of the bank in which `cents` were counted."""
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
    """Return a sentence comparing the count with the books; empty if they agree."""
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
    return f"{text[0].upper()}{text[1:]}. Count again, or enter the cause."
