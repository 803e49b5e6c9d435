"""Write docs/audit-records.md from the record declarations: `.venv/bin/python tools/records_page.py`."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ledger.records import declaring
from ledger.records.declaring import Field
from tables.audit import records  # noqa: F401

PAGE = Path(__file__).resolve().parents[1] / "docs" / "audit-records.md"
HEAD = """# The records of the audit log, field by field

This page is written from the declarations in `ledger/records/` and `tables/audit/records/`
by `tools/records_page.py`. [The format of the audit log](audit-format.md) has what is common to all \
records. A verifier refuses a record
(`bad_record`) that lacks a field, has another one, or one of another type.

An *id* is the number of a row, *seat* is 1 to 5, *cents* are whole; a *time* is UTC with six digits after \
the second and `Z`, a
*time of any form* is as Python's `isoformat` writes it, a *gaming day* is `2026-11-20`; each is in the \
calendar. Objects "by seat" have the seat's number as a
text for a key. `waiver.number` is the field `number` of the object `waiver`, `counts[].chips` the field \
`chips` of each object in
the list `counts`. A field in *italics* may be left out; all others are always there, and are `null` only \
where their type says so.
"""
INSIDE = {
    "entry": ("The evidence of entries", "evidence", "entry"),
    "table_event": ("The data of events at tables", "data", "event at a table"),
    "house_event": ("The data of events of the house", "data", "event of the house"),
}


def page() -> str:
    return "\n".join([HEAD, *_records(), *_insides()]).rstrip() + "\n"


def _records() -> Iterator[str]:
    yield (
        "## Records\n\nEvery record has `record` (its kind), `id` (of the row it was written for), `site` "
        "(the house) and"
    )
    yield "`recorded_at` (when it was written down)."
    for kind in sorted(declaring.kinds()):
        form = declaring.form(kind)
        yield f"\n### `{kind}`\n\n{_sentence(form.says)}\n"
        yield from _table({name: one for name, one in form.fields.items() if name not in declaring.EVERY})


def _insides() -> Iterator[str]:
    for record, (title, field, what) in INSIDE.items():
        yield f"\n## {title}\n\nWhat `{field}` says, by the `kind` of the {what}."
        for kind, look in sorted(declaring.kinds_inside(record).items()):
            for form in look.forms:
                yield f"\n### `{record}` `{kind}`: {form.says}\n"
                yield from _table(form.fields)


def _table(fields: Mapping[str, Field]) -> Iterator[str]:
    if not fields:
        yield "Nothing."
        return
    yield "| field | type | meaning |\n|---|---|---|"
    yield from _rows(fields)


def _rows(fields: Mapping[str, Field], above: str = "") -> Iterator[str]:
    for name, one in fields.items():
        written = f"`{above}{name}`" if one.required else f"*`{above}{name}`*"
        yield f"| {written} | {one.look.words} | {one.meaning} |"
        for form in one.look.forms:
            yield from _rows(form.fields, f"{above}{name}{'[]' if list in one.look.types else ''}.")


def _sentence(says: str) -> str:
    return says[:1].upper() + says[1:] + ("" if says.endswith(".") else ".")


if __name__ == "__main__":
    PAGE.write_text(page())
