"""What comparisons of rows with records are told, and what they keep of it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.audit.findings import Finding
from ledger.log import book_rows, row_checks
from ledger.log.following import FollowingRows

OPENED, CLOSED = ("table_event", "opened"), ("table_event", "closed")


def event(number, kind, **data):
    return {"record": "table_event", "kind": kind, "id": number, "data": data}


def test_a_comparison_at_the_end_is_told_its_records_in_the_order_of_the_log_as_often_as_it_asks():
    def ask(site, told):
        for number in (1, 2):
            once = [body["id"] for body in told.of(*OPENED)]
            yield Finding("told", f"{site}, time {number}: {once} and {list(told.of(*CLOSED))}")

    comparison = row_checks.at_end(ask, OPENED, CLOSED, holds={})("a house")
    for number in (5, 7):
        assert list(comparison.take(event(number, "opened", table=number))) == []
    assert [finding.sentence for finding in comparison.finish()] == [
        "a house, time 1: [5, 7] and []",
        "a house, time 2: [5, 7] and []",
    ]


def test_two_can_read_what_was_told_side_by_side():
    told = row_checks.SpooledRecords([OPENED])
    for number in range(4):
        told.put(event(number, "opened", much="x" * row_checks.IN_MEMORY))  # so that it is in a file
    pairs = [(one["id"], other["id"]) for one, other in zip(told.of(*OPENED), told.of(*OPENED), strict=True)]
    told.close()
    assert pairs == [(number, number) for number in range(4)]


def test_an_event_without_data_is_told_to_nobody():
    told = row_checks.SpooledRecords([OPENED])
    told.put({"record": "table_event", "kind": "opened", "id": 1, "data": "none"})
    found = list(told.of(*OPENED))
    told.close()
    assert found == []


def test_an_id_that_was_met_is_known_and_counts_once():
    seen = row_checks.Seen()
    for number in (0, 1, 32_767, 32_768, 10**12, 1):
        seen.add(number)
    assert seen.count == 5
    assert all(number in seen for number in (0, 1, 32_767, 32_768, 10**12))
    assert not any(number in seen for number in (2, 32_769, 10**12 + 1))


@pytest.mark.django_db
def test_rows_that_follow_from_records_are_read_in_one_query_however_many_they_are(site):
    comparison = FollowingRows(book_rows.boxes(), site)
    pulled = {"record": "house_event", "kind": "box_pulled", "actor": 1, "recorded_at": ""}
    with CaptureQueriesContext(connection) as asked:
        for box in range(1, 100):
            assert list(comparison.take(pulled | {"data": {"box": box, "second": 2}})) == []
        assert list(comparison.settle()) == []
    assert len(asked) == 1
