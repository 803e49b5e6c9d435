"""The replay knows every kind of audit record that the house writes;
one that it does not know would be called unreadable."""

from ledger.journal import records
from tables.audit import replay
from tables.audit.records.events import TABLE_EVENTS


def test_every_kind_of_record_has_its_place_in_the_replay():
    assert {*replay._BY_RECORD, *replay._AT_NO_TABLE} == set(records.kinds())


def test_every_kind_of_event_at_a_table_has_its_judge():
    assert {*replay._EVENTS, "opened"} == set(TABLE_EVENTS)
