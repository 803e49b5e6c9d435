"""Fill a table bank and change a drop box."""

from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.cage import boxes
from ledger.journal import posting
from ledger.rights import require
from tables.live import publish
from tables.models import Table, TableEvent, TableSession
from tables.rights import RUN_FLOOR
from tables.state.events import record, recorded_before
from tables.state.locks import lock_session, require_open


def bank_account(table: Table, asset: str, now: datetime) -> Any:
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
    require(actor, RUN_FLOOR)
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
    require(actor, RUN_FLOOR)
    with transaction.atomic():
        session = lock_session(session_id)
        if recorded_before(session, {TableEvent.Kind.BOX_CHANGED}, key, actor=actor, second=second.pk):
            return session
        require_open(session)
        old = session.box
        boxes.pull_box(box=old, actor=actor, second=second, now=now)
        session.box = boxes.install_box(
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
