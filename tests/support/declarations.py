"""Where what a record says is declared, and what verbs write held against it while they write it."""

import inspect
import json
import sys
from contextlib import contextmanager
from pathlib import Path

from ledger.journal import posting, records
from ledger.records import books, canonical, declaring, house
from tables.audit.records import entries, events, house_events, rows

ROOT = Path(__file__).parents[2]
DECLARED = (books, house, entries, events, house_events, rows)
PASSED_ON = ("ledger/journal/", "ledger/db/", "tables/state/")
"""What writes for others; a record is that of the verb that called it."""
_HELD = [True]
WRITERS: dict[tuple[str, str], set[str]] = {}
"""The files of the verbs that have written each kind of record since the tests began."""


def file_of(thing):
    return Path(inspect.getsourcefile(thing)).relative_to(ROOT).as_posix()


def forms_of(record, kind=""):
    """Return the forms of a kind of event or entry, or of the record itself."""
    inside = declaring.kinds_inside(record).get(kind)
    return [declaring.form(record)] if inside is None else list(inside.forms)


def where(form):
    """Return the class and the file that declare a form: `WaivedFee in tables/audit/records/entries.py`."""
    # A class that is imported is found in the file that has it, as books come before what imports them.
    return next(f"{form.name} in {file_of(module)}" for module in DECLARED if hasattr(module, form.name))


def put_in():
    """Have everything that the house writes held against its declaration, whichever test writes it."""
    posted, kept = posting.post_all, records.keep

    def post_all(*, site, drafts, **more):
        if verb := _verb():
            for draft in drafts:
                evidence = json.loads(canonical.text(draft.evidence))
                body = {"record": "entry", "kind": draft.kind, "evidence": evidence}
                _require(verb, body, declaring.wrong_inside(body))
        return posted(site=site, drafts=drafts, **more)

    def keep(site_id, now, *written):
        if verb := _verb():
            for row in written:
                body = records._body(records._models[type(row)], row, site_id, now)
                body = json.loads(canonical.text(records.plain(body)))
                _require(verb, body, declaring.wrong_field(body) or declaring.wrong_inside(body))
        return kept(site_id, now, *written)

    posting.post_all, records.keep = post_all, keep


def _verb():
    """Return the file of the product in which the writing began; nothing if a test writes by itself."""
    frame = sys._getframe(2)
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(ROOT):
            name = file.relative_to(ROOT).as_posix()
            if not name.startswith((*PASSED_ON, ".venv/")):
                return "" if name.startswith("tests/") else name
        frame = frame.f_back
    return ""


@contextmanager
def nothing_held():
    """Let a verb write what no declaration allows, for a test that forges it."""
    _HELD.append(False)
    try:
        yield
    finally:
        _HELD.pop()


def _require(verb, body, wrong):
    WRITERS.setdefault((body["record"], body.get("kind", "")), set()).add(verb)
    if wrong and _HELD[-1]:
        kind = body.get("kind", "")
        forms = " or ".join(where(form) for form in forms_of(body["record"], kind))
        what = f"{verb} writes a record of {body['record']} {kind}".rstrip()
        raise AssertionError(f"{what} whose {wrong} is missing, unknown or malformed: see {forms}.")
