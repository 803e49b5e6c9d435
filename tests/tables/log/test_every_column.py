"""Every column of every table, changed behind the triggers: verifying the books names the row,
or the docs say why not."""

import copy
import json

import pytest
from django.apps import apps
from django.db import DatabaseError, transaction

from ledger.journal import records
from ledger.models import JournalEntry, Site
from ledger.proof.log import verifying
from ledger.proof.log.following import _several as several
from ledger.records import canonical, declaring
from tables.models import TableEvent
from tests.support import busy, declarations
from tests.support.behind import behind_the_triggers
from tests.support.columns import columns, findings, is_listed, listed, names, others
from tests.support.lengths import LONG

SAMPLE = 8
"""So many columns are changed in the short form."""
WHOLE = {
    (table, column)
    for table, columns in {
        "ledger_account": "balance_cents",
        "ledger_journalentry": "site_id key content_hash kind occurred_at recorded_at gaming_day actor_id"
        " terminal approver_id reason reverses_id evidence",
        "ledger_transfer": "entry_id line source_id target_id asset cents",
        "ledger_auditrecord": "site_id kind subject recorded_at text",
        "ledger_auditlog": "site_id origin",
        "ledger_leaf": "log_id number record_id hash recorded_at",
        "ledger_tile": "log_id level index hashes root",
        "ledger_checkpoint": "log_id size note key_fingerprint signed_at",
        "ledger_cosignature": "checkpoint_id witness line signed_at",
    }.items()
    for column in columns.split()
}
"""Entries are compared with their records as one text, balances with transfers, the log's rows with its tree,
cosignatures with the keys of the house's policy (tests/ledger/proof/log/test_witnessing.py)."""


ROWS = {
    "tables_gameoffer": {"offered": False},
    "ledger_auditrecord": {"kind": "entry"},
    "auth_permission": {"codename": "deal"},
}
"""Which row to change, where not any."""
IN_FULL = {("tables_waitingplace", name) for name in ("joined_at", "joined_by_id", "changed_by_id")}
"""What a short run does not read again: who joined a waiting list when, before it began."""


def wrong(site, model, field, state):
    """What is found after this column was changed in one row, also from the state before; and what the row
    may be called; None if it cannot be changed.

    What constraints of the database refuse by themselves is not tried any further than with some rows and
    values.
    """
    rows = model._base_manager.filter(**ROWS.get(model._meta.db_table, {})).order_by("-pk")
    said = rows.filter(**{f"{field.attname}__isnull": False})
    for row in said[:4] or rows[:4]:
        for value in others(field, getattr(row, field.attname)):
            try:
                with transaction.atomic():
                    with behind_the_triggers(model._meta.db_table):
                        model._base_manager.filter(pk=row.pk).update(**{field.attname: value})
                        found = findings(site)
                        if (model._meta.db_table, field.attname) not in IN_FULL:
                            assert findings(site, start=state) == found
                    transaction.set_rollback(True)
                return found, names(row, field.attname)
            except DatabaseError:
                continue
    return None


def recorded(house):
    """The columns of rows with a record of their own of which that record says something."""
    for recorded in records._models.values():
        row = recorded.model._base_manager.order_by("-pk").first()
        said = canonical.unchecked(records._body(recorded, row, house.pk, house_time(row)))
        for field in recorded.model._meta.concrete_fields:
            value = getattr(row, field.attname)
            changed = copy.copy(row)
            changed._state = copy.copy(row._state)
            changed._state.fields_cache = {}
            setattr(changed, field.attname, others(field, value)[0])
            if said != canonical.unchecked(records._body(recorded, changed, house.pk, house_time(row))):
                yield recorded.model._meta.db_table, field.attname


def house_time(row):
    return getattr(row, "recorded_at", busy.OPENING)


def compared(house):
    """The columns that are compared with what records say of them, as the comparisons declare."""
    for _, make in verifying._rows:
        for label, names_of in make(house).holds.items():
            model = apps.get_model(label)
            for name in names_of:
                if name != "pk":
                    yield model._meta.db_table, model._meta.get_field(name.removesuffix("_id")).attname


def test_the_house_verifies(busy_house, busy_state):
    assert [str(one) for one in findings(busy_house)] == []
    again = verifying.Verification(busy_house, now=busy.NOW, start=busy_state)
    assert ([*again.run()], again.again) == ([], "")


def side_to_take(table, column):
    """Say where a column can be declared: with its row's own record, or those that its row follows from."""
    model = next(
        model for model in apps.get_models(include_auto_created=True) if model._meta.db_table == table
    )
    forms = [declaring.form(one.kind) for one in records._models.values() if one.model is model]
    for _, make in verifying._rows:
        follows = getattr(make(Site()), "follows", None)
        if follows is not None and apps.get_model(follows.model) is model:
            kinds = [kind for kind, says in follows.says.items() if any(one.begins for one in several(says))]
            forms += [form for kind in kinds for form in declarations.forms_of(*kind)]
    where = " or ".join(dict.fromkeys(map(declarations.where, forms))) or "tables/audit/records/"
    reason = "give the reason in docs/audit-columns.md"
    return f"{table}.{column}: declare a field of that name in {where}, or {reason}."


def test_every_column_takes_sides(busy_house):
    """Its row's own record has it, it is compared with other records,
    or the docs say why it is compared with nothing."""
    every = {(model._meta.db_table, field.attname) for model, field in columns()}
    held = {*recorded(busy_house), *compared(busy_house), *WHOLE}
    told = {one for one in every if is_listed(*one)}
    assert every - held - told == set(), "\n".join(side_to_take(*one) for one in every - held - told)
    assert sorted(held & told) == []
    assert sorted(table for table, _ in listed() - every if (table, "*") not in listed()) == []


def written_of(house):
    """Yield each kind of event at a table and of entry, its forms, and what a verb has written in one."""
    for event in TableEvent.objects.filter(session__table__site=house):
        yield ("table_event", event.kind), declarations.forms_of("table_event", event.kind), event.data
    for entry in JournalEntry.objects.filter(site=house):
        yield ("entry", entry.kind), declarations.forms_of("entry", entry.kind), json.loads(entry.evidence)


def texts_in(form, data, above=""):
    """Yield each text that a form declares, also deeper inside, and whether these data have it."""
    for name, one in form.fields.items():
        if one.look.words == "text":
            yield f"{above}{name}", name in data
        for deeper in one.look.forms if isinstance(data.get(name), dict) else ():
            yield from texts_in(deeper, data[name], f"{above}{name}.")


def test_every_text_that_a_record_declares_is_written(busy_house):
    """An optional one, too, if it is empty: else an old record cannot be told from a forgetful verb."""
    had, where = {}, {}
    for kind, forms, data in written_of(busy_house):
        for form in (one for one in forms if one.wrong(data) is None):
            for name, written in texts_in(form, data):
                had[kind, name] = had.get((kind, name), False) or written
                where[kind, name] = declarations.where(form)
    for (kind, name), written in had.items():
        verbs = " or ".join(sorted(declarations.WRITERS[kind]))
        assert written or name == "key", f"{verbs} does not write {name}: see {where[kind, name]}."


TRIED = [one for one in columns() if not is_listed(one[0]._meta.db_table, one[1].attname)]


@pytest.mark.parametrize(
    ("model", "field"),
    TRIED if LONG else TRIED[:: len(TRIED) // SAMPLE],
    ids=lambda one: one.attname if hasattr(one, "attname") else one._meta.db_table,
)
def test_a_column_that_is_changed_behind_the_triggers_is_named(busy_house, busy_state, model, field):
    """By the short run from before as by the full one."""
    tried = wrong(busy_house, model, field, busy_state)
    if tried is not None:
        found, called = tried
        assert found if not called else called & {one.record for one in found}, found
