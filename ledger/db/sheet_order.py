"""Triggers that keep count sheets whole, for rows that SQL writes past the program: nothing is added to a
signed sheet, a box is counted on one sheet of its own gaming day, and signed off after that was signed."""

from django.db.backends.base.base import BaseDatabaseWrapper

from ledger.db import guards

_SIGNED = "EXISTS (SELECT 1 FROM ledger_countsheetsignature AS one WHERE one.sheet_id = NEW.sheet_id)"
_ELSEWHERE = """EXISTS (SELECT 1 FROM ledger_count AS one
      WHERE one.box_id = NEW.box_id AND one.sheet_id <> NEW.sheet_id)
    OR NOT EXISTS (SELECT 1 FROM ledger_dropbox AS box JOIN ledger_countsheet AS paper
        ON paper.site_id = box.site_id AND paper.gaming_day = box.gaming_day
      WHERE box.id = NEW.box_id AND paper.id = NEW.sheet_id)"""
_UNSIGNED = """NOT EXISTS (SELECT 1 FROM ledger_count AS one
      JOIN ledger_countsheetsignature AS signed ON signed.sheet_id = one.sheet_id
      WHERE one.box_id = NEW.box_id)"""
_ANOTHER = """EXISTS (SELECT 1 FROM ledger_countsheet AS one
      LEFT JOIN ledger_countsheetsignature AS signed ON signed.sheet_id = one.id
      WHERE one.site_id = NEW.site_id AND one.gaming_day = NEW.gaming_day AND signed.id IS NULL)"""
_STRANGERS = """2 > (SELECT count(DISTINCT one.counter_id) FROM ledger_count AS one
      WHERE one.sheet_id = NEW.sheet_id AND one.counter_id IN (NEW.signed_by_id, NEW.signed_with_id))"""
# Table, name of the trigger, what must not be, what it says.
_WRONG = (
    ("ledger_count", "on_open_sheet", _SIGNED, "a signed count sheet takes no count"),
    ("ledger_count", "on_one_sheet", _ELSEWHERE, "a box is counted on one sheet of its gaming day"),
    ("ledger_countnote", "on_open_sheet", _SIGNED, "a signed count sheet takes no note"),
    ("ledger_countsheet", "one_open", _ANOTHER, "one count sheet of a day is open at a time"),
    ("ledger_countsheetsignature", "by_counters", _STRANGERS, "two who counted sign a count sheet"),
    ("ledger_dropsignoff", "after_sheet", _UNSIGNED, "a box is signed off after its count sheet"),
)


def scripts(connection: BaseDatabaseWrapper) -> list[str]:
    if "ledger_countsheetsignature" not in connection.introspection.table_names():
        return []
    return guards.refusing(connection, _WRONG)


HELD = guards.Guard(
    scripts, "a signed count sheet could be added to, or a box signed off before", "ledger.E006"
)
