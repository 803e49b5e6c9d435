"""The input of comparisons of rows with records, and what they keep of it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.proof.log import book_rows, following
from ledger.records.findings import Finding

OPENED, CLOSED = ("table_event", "opened"), ("table_event", "closed")


def event(number, kind, **data):
    return {"record": "table_event", "kind": kind, "id": number, "data": data}


def test_a_comparison_at_the_end_is_told_what_was_noted_of_its_records_in_the_order_of_the_log():
    def ask(site, known):
        yield Finding("told", f"{site}: {known}")

    def note(body, known):
        known[body["kind"]] = [*known.get(body["kind"], ()), body["id"]]

    comparison = following.at_end(ask, {}, {OPENED: note, CLOSED: note})("a house")
    for number, kind in ((5, "opened"), (6, "closed"), (7, "opened")):
        assert list(comparison.take(event(number, kind))) == []
    assert comparison.kinds == (OPENED, CLOSED)
    assert [finding.sentence for finding in comparison.finish()] == [
        "a house: {'opened': [5, 7], 'closed': [6]}"
    ]


def test_one_that_needs_no_record_is_told_of_none():
    comparison = following.at_end(lambda site: [Finding("asked", site)], {})("a house")
    assert comparison.kinds == ()
    assert [finding.sentence for finding in comparison.finish()] == ["a house"]


def test_an_id_that_was_met_is_known_and_counts_once():
    seen = following.Seen()
    for number in (0, 1, 32_767, 32_768, 10**12, 1):
        seen.add(number)
    assert seen.count == 5
    assert all(number in seen for number in (0, 1, 32_767, 32_768, 10**12))
    assert not any(number in seen for number in (2, 32_769, 10**12 + 1))


@pytest.mark.django_db
def test_rows_that_follow_from_records_are_read_in_one_query_however_many_they_are(site):
    comparison = following.FollowingRows(book_rows.boxes(), site)
    pulled = {"record": "house_event", "kind": "box_pulled", "actor": 1, "recorded_at": ""}
    with CaptureQueriesContext(connection) as asked:
        for box in range(1, 100):
            assert list(comparison.take(pulled | {"data": {"box": box, "second": 2}})) == []
        assert list(comparison.settle()) == []
    assert len(asked) == 1
