"""Records are declared once: anything more, less or different is refused, and the page lists all of it."""

import inspect
import json
from datetime import date
from pathlib import Path

import pytest

from ledger.chart import EntryKind
from ledger.journal.records import entry_text
from ledger.models import HouseEvent, JournalEntry
from ledger.proof.audit.export.found import Found, Rank
from ledger.proof.audit.reader import Reader
from ledger.records import books, declaring, house
from ledger.records.findings import Finding
from tables.audit import records as floor
from tables.models import TableEvent
from tests.support.entries_by_hand import entry, other
from tests.support.log_by_hand import DAY, at, house_event, night, record, table_event
from tools import records_page

INSIDE = [(of, kind) for of in ("entry", "house_event", "table_event") for kind in declaring.kinds_inside(of)]
NAMES = {"entry": "evidence", "house_event": "data", "table_event": "data"}


def found(body):
    return [(one.code, one.sentence) for one in Reader([], site=1).take(0, record(body))]


def of_kind(of, kind):
    make = {"entry": entry, "house_event": house_event, "table_event": table_event}[of]
    return make(1, kind, 1)


def spoiled(form, said):
    """Yield the record with an additional field, with one missing, and with one of another type."""
    yield {**said, "secret": "1357"}, "secret"
    for name, one in form.fields.items():
        if one.required:
            yield {key: value for key, value in said.items() if key != name}, name
        yield {**said, name: ["x"] if list not in one.look.types else "x"}, name


@pytest.mark.parametrize("kind", list(declaring.kinds()))
def test_a_record_that_says_more_or_less_or_otherwise_than_its_kind_is_refused(kind):
    body = other(kind, 1, 1, **({"kind": "no such kind"} if kind in NAMES else {}))
    form = declaring.form(kind)
    if kind not in NAMES:
        assert found(body) == []
    for planted, name in spoiled(form, body):
        if name not in ("record", "id", "site", "kind"):
            (wrong,) = found(planted)
            assert wrong[0] == "bad_record"
            assert f"Its {name}" in wrong[1]


@pytest.mark.parametrize(("of", "kind"), INSIDE)
def test_what_an_event_or_entry_says_is_what_its_kind_says(of, kind):
    body, name = of_kind(of, kind), NAMES[of]
    assert found(body) == []
    for form in declaring.kinds_inside(of)[kind].forms[:1]:
        for planted, wrong in spoiled(form, body[name]):
            if wrong == "secret" or len(declaring.kinds_inside(of)[kind].forms) == 1:
                assert [code for code, _ in found({**body, name: planted})] == ["bad_record"], wrong


@pytest.mark.parametrize(
    "kind", ["round", "hand_settlement", "correction", "collection", "chip_sale", "drop"]
)
def test_an_entry_that_says_nothing_of_what_it_follows_from_is_refused(kind):
    body = {**entry(1, kind, 1), "evidence": {}}
    assert [code for code, _ in found(body)] == ["bad_record"]


def test_a_record_that_is_not_of_its_form_is_one_finding_whatever_follows_from_it():
    found = Found()
    of_form = Finding("bad_record", "Its evidence.session is missing.", 3, "entry 2")
    found.note(3, Rank.GAME, [Finding("bad_record", "It does not say what it settles.", 3, "entry 2")])
    found.note(3, Rank.FORM, [of_form])
    found.note(4, Rank.BOOKS, [other := Finding("below_zero", "An account is below zero.", 4, "entry 3")])
    found.settle()
    assert found.sure == [of_form, other]


def test_an_event_or_entry_of_a_kind_that_nobody_declared_is_refused():
    for of in NAMES:
        (wrong,) = found({**of_kind(of, "no such kind"), "kind": "banana"})
        assert wrong == ("bad_record", "Its kind is missing, of the wrong form, or does not belong there.")


@pytest.mark.parametrize("count", [0, -3])
def test_a_run_counts_at_least_one_and_an_account_has_no_negative_number(count):
    event = house_event(1, "session_ended", 1)
    assert "data.count" in found({**event, "data": {**event["data"], "count": count}})[0][1]
    sale = night()[4]
    lines = [{**sale["transfers"][0], "from": -1}]
    assert "transfers.0.from" in found({**sale, "transfers": lines})[0][1]


@pytest.mark.parametrize("time", ["2026-11-20", "", "2026-11-20T20:00:00Z", f"{at(0)} "])
def test_a_time_and_a_day_have_one_form(time):
    assert "recorded_at" in found({**night()[0], "recorded_at": time})[0][1]
    assert "gaming_day" in found({**night()[4], "gaming_day": f"{DAY}T"})[0][1]


@pytest.mark.parametrize("day", ["0000-00-00", "2026-02-30", "2026-19-39"])
def test_a_time_and_a_day_are_in_the_calendar(day):
    assert "recorded_at" in found({**night()[0], "recorded_at": f"{day}T20:00:00.000000Z"})[0][1]
    assert "gaming_day" in found({**night()[4], "gaming_day": day})[0][1]


@pytest.mark.parametrize("hour", ["24:00:00", "29:00:00"])
def test_a_time_is_one_of_the_day(hour):
    assert "recorded_at" in found({**night()[0], "recorded_at": f"2026-11-20T{hour}.000000Z"})[0][1]


def test_every_kind_that_can_be_written_is_declared():
    declared_in = {
        "house_event": (HouseEvent.Kind, f"{house.__name__} or {floor.__name__}.house_events"),
        "table_event": (TableEvent.Kind, f"{floor.__name__}.events"),
        "entry": (EntryKind, f"{books.__name__} or {floor.__name__}.entries"),
    }
    for of, (kinds, where) in declared_in.items():
        here = declaring.kinds_inside(of)
        assert [str(one) for one in kinds if str(one) not in here] == [], f"Declare what it says in {where}."


def test_an_entry_is_written_with_the_fields_that_are_declared():
    row = JournalEntry(
        pk=1,
        site_id=1,
        key="a",
        content_hash="b",
        kind="drop",
        occurred_at=at(0),
        recorded_at=at(0),
        gaming_day=date(2026, 11, 20),
        actor_id=1,
    )
    (_, body) = json.loads(entry_text(row, [("chips", 1, 1, "a", 2, "b")], "[1,{}]"))
    assert set(body) == set(declaring.form("entry").fields), f"Declare it in {books.__name__}."


def test_the_page_lists_every_record_field_by_field():
    page = Path(inspect.getfile(records_page)).parents[1] / "docs" / "audit-records.md"
    assert page.read_text() == records_page.page(), "Run .venv/bin/python tools/records_page.py"
