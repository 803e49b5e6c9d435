"""The replay knows every kind of audit record that the house writes; one that it does not know would be called unreadable."""

import re
from pathlib import Path

from ledger.journal import records
from tables.audit import replay


def test_every_kind_of_record_has_its_place_in_the_replay():
    dispatch = Path(replay.__file__).read_text().partition("def _judged")[2].partition("def _entry")[0]
    at_tables = set(re.findall(r'"(\w+)"', " ".join(re.findall(r"if record (?:==|in) ([^\n]+):", dispatch))))
    assert {"entry", "table_event"} <= at_tables
    assert at_tables | replay._OF_HOUSE == set(records.kinds())
