"""Triggers that hold the steps of documents to their order and their people, for rows that SQL writes past
the program. They follow from `ledger/rules/documents.py` and are created again after every `migrate`."""

from django.db.backends.base.base import BaseDatabaseWrapper

from ledger.db import guards
from ledger.rules.documents import KINDS

TABLE = "ledger_documentstep"
_RULES = ", ".join(
    f"('{kind.code}', '{rule.after}', '{rule.step}', {int(rule.apart)})"
    for kind in KINDS.values()
    for rule in kind.rules
)
# The rule of the new step; the columns of VALUES are called alike on both databases.
_RULE = f"""FROM (VALUES {_RULES}) AS rule
    JOIN ledger_document AS paper ON paper.kind = rule.column1 AND paper.site_id = NEW.site_id
    LEFT JOIN {TABLE} AS before ON before.id = NEW.after_id
  WHERE paper.id = NEW.document_id AND rule.column3 = NEW.step
    AND rule.column2 = coalesce(before.step, '')
    AND (before.id IS NULL OR (before.document_id = paper.id AND before.ordinal = NEW.ordinal - 1))"""
_OUT_OF_ORDER = f"NOT EXISTS (SELECT 1 {_RULE})"
_ONE_PERSON = f"""EXISTS (SELECT 1 {_RULE}
    AND EXISTS (SELECT 1 FROM {TABLE} AS other WHERE other.document_id = paper.id
      AND other.person_id = NEW.person_id
      AND (rule.column4 = 2 OR rule.column4 = 1 AND other.id = NEW.after_id)))"""  # noqa: S608
_SAID = {"order": "the steps of a document follow each other", "apart": "two steps need two people"}
_WRONG = {"order": _OUT_OF_ORDER, "apart": _ONE_PERSON}
_SQLITE = "".join(
    f"""DROP TRIGGER IF EXISTS {TABLE}_{name};
CREATE TRIGGER {TABLE}_{name} BEFORE INSERT ON {TABLE} WHEN {wrong}
BEGIN SELECT RAISE(ABORT, '{_SAID[name]}'); END;
"""
    for name, wrong in _WRONG.items()
)
_POSTGRESQL = [
    f"""
CREATE OR REPLACE FUNCTION {TABLE}_{name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF {wrong} THEN
        RAISE EXCEPTION '{_SAID[name]}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER {TABLE}_{name} BEFORE INSERT ON {TABLE}
    FOR EACH ROW EXECUTE FUNCTION {TABLE}_{name}();
"""
    for name, wrong in _WRONG.items()
]


def scripts(connection: BaseDatabaseWrapper) -> list[str]:
    if TABLE not in connection.introspection.table_names():
        return []
    return _POSTGRESQL if connection.vendor == "postgresql" else [_SQLITE]


HELD = guards.Guard(scripts, "a document's steps could be out of order, or one person's", "ledger.E005")
