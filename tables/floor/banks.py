"""Fill a table bank and change a drop box."""

from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.cage import boxes
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.rights import require
from tables.live import publish
from tables.models import Table, TableEvent, TableSession
from tables.rights import RUN_FLOOR
from tables.state.events import record, recorded_before
from tables.state.locks import lock_session, require_open


def bank_account(table: Table, asset: str, now: datetime) -> Any:
    return posting.open_account(site=table.site, kind="table_bank", asset=asset, label=str(table), now=now)


def move_bank(session: TableSession, cents: int, *, content: dict[str, Any], act: Act) -> None:
    """Bring `cents` in chips from the cage to the table's bank."""
    site = session.table.site
    cage = posting.house_account(site, "cage", "chips")
    draft = posting.EntryDraft(
        kind="bank_fill",
        moves=(posting.Move(cage.pk, session.bank_chips_id, cents),),
        evidence={"session": session.pk, "table": session.table.number, "cents": cents},
        content=content,
        act=act,
    )
    posting.post(site=site, draft=draft)


def fill_bank(*, session_id: int, cents: int, act: Act) -> TableSession:
    """Fill a table's bank with chips from the cage."""
    require(act.actor, RUN_FLOOR)
    content = {"session": session_id, "cents": cents}
    with transaction.atomic():
        session, act = lock_session(session_id, act)
        site = session.table.site
        if posting.earlier(site=site, kind="bank_fill", content=content, act=act) is None:
            require_open(session)
            move_bank(session, cents, content=content, act=act)
            publish(session.pk)
    return session


def change_box(*, session_id: int, second: Any, act: Act) -> TableSession:
    """Pull the table's drop box, with a second person, and install an empty one.

    Repeating a key changes nothing (`key_reused` for other people).
    """
    require(act.actor, RUN_FLOOR)
    with transaction.atomic():
        session, act = lock_session(session_id, act)
        if recorded_before(session, {TableEvent.Kind.BOX_CHANGED}, act, second=second.pk):
            return session
        require_open(session)
        old = session.box
        boxes.pull_box(box=old, second=second, act=act)
        session.box = boxes.install_box(site=session.table.site, place=str(session.table), act=act)
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
        publish(session.pk)
    return session
