"""Texts of records are packed in SQLite, and read as they were written, whatever happens to the bytes."""

from datetime import UTC, datetime
from hashlib import sha256

import pytest
from django.core.exceptions import FieldError
from django.db import connection
from hypothesis import given, strategies as st

from ledger.db import packed_text
from ledger.db.packed_text import packed, unpacked
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import AuditRecord, HouseEvent


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_a_text_comes_back_as_it_was(text):
    assert unpacked(packed(text)) == text == unpacked(text)


def test_the_words_are_those_that_houses_have_packed_with():
    """With other words nothing stored can be read: add words under another number instead."""
    assert sha256(packed_text.WORDS).hexdigest() == (
        "f532a70a7e7a4747106bd070b31ece4c089f46e1581819809900287d53ca24e6"
    )


@pytest.mark.parametrize("data", [b"", b"\x01", b"\x02abc", b"\x01\xff\xff", packed("a text")[:-2]])
def test_bytes_that_were_changed_give_a_text_that_no_record_has(data):
    assert unpacked(data) == f"packed otherwise: {data.hex()}"


@pytest.mark.both_databases
@pytest.mark.django_db
def test_sqlite_keeps_records_packed_and_nothing_is_looked_for_inside(site, floor):
    act = Act(floor, datetime(2026, 3, 7, 20, 0, tzinfo=UTC))
    house_events.note(site, HouseEvent.Kind.CHECKPOINT_TAKEN, size=1, act=act)
    record = AuditRecord.objects.latest("pk")
    with connection.cursor() as cursor:
        cursor.execute("SELECT text FROM ledger_auditrecord WHERE id = %s", [record.pk])
        (kept,) = cursor.fetchone()
    assert unpacked(kept) == record.text
    assert isinstance(kept, bytes) is (connection.vendor == "sqlite")
    with pytest.raises(FieldError):
        AuditRecord.objects.filter(text__contains="size")
