"""Text of others on a terminal: nothing moves the cursor, turns the line or hides."""

import pytest
from hypothesis import given, strategies as st

from ledger.records.findings import Finding
from ledger.records.shown import MOST, shown


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Seat 3 – Zoë, 李娜, Ωmega", "Seat 3 – Zoë, 李娜, Ωmega"),
        ("\x1b[2J\n\r\t\x00\x7f\x9b", r"\x1b[2J\x0a\x0d\x09\x00\x7f\x9b"),
        ("\u202egnp.exe\u2066\u200f\u2028\ufeff", r"\u202egnp.exe\u2066\u200f\u2028\ufeff"),
        ("a\u00a0b\u3164c\u2800d\udc80\U000e0001", r"a\xa0b\u3164c\u2800d\udc80\U000e0001"),
        ("a    b", r"a \x20\x20\x20b"),
    ],
)
def test_what_does_not_print_is_escaped(text, printed):
    assert shown(text) == printed


@given(st.text(st.characters(), max_size=2 * MOST))
def test_whatever_is_shown_prints_on_one_line_and_is_shown_the_same_again(text):
    once = shown(text)
    assert once.isprintable()
    assert len(once) <= MOST
    assert shown(once) == once


def test_a_finding_holds_its_texts_as_they_may_be_shown():
    finding = Finding("code", "x" * 10**6, 1, "entry \x1b")
    assert (len(finding.sentence), finding.record) == (MOST, r"entry \x1b")
