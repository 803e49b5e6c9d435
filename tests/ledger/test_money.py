"""Text becomes whole cents at the door, or is refused."""

from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from ledger.errors import BadAmount
from ledger.money import (
    MOST_CENTS,
    amount_text,
    cents_of,
    dollars,
    dollars_in_words,
    exact_cents,
    net_cents_of,
    parse_amount,
    percent_text,
)
from ledger.templatetags import figures


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("45", 4500),
        ("45.00", 4500),
        ("$45", 4500),
        ("$1,234.50", 123450),
        ("1,000,000", 100_000_000),
        (" 7.50 ", 750),
        ("0", 0),
        ("0.01", 1),
        ("007", 700),
        ("10000000000.00", MOST_CENTS),
    ],
)
def test_an_amount_is_read_to_the_cent(text, cents):
    assert parse_amount(text) == cents


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "$",
            ".",
            ".50",
            "5.",
            "1.5",
            "1.005",
            "1.0000",
            "-1",
            "+1",
            "- 1",
            "$-1",
            "-$1",
            "1-",
            "nan",
            "NaN",
        ),
        *(
            "inf",
            "1e3",
            "0x10",
            "1_000",
            "12,34",
            "1,2345",
            ",100",
            "1,",
            "1,000,00",
            "1 000",
            "$$1",
            "$ 1",
            "1.00.00",
        ),
        *("٤٥", "４５", "½", "10000000000.01", "99999999999999999999", "9" * 5000, "45\x00", "4\n5"),
    ],
)
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(BadAmount) as refused:
        parse_amount(text)
    assert refused.value.code == "bad_amount"


@given(st.integers(0, MOST_CENTS))
def test_an_amount_survives_both_ways_of_writing_it(cents):
    assert parse_amount(amount_text(cents)) == cents
    assert parse_amount(dollars(cents)) == cents


def test_amounts_are_written_with_two_places():
    assert [amount_text(cents) for cents in (0, 5, 4500, -750, -5)] == [
        "0.00",
        "0.05",
        "45.00",
        "-7.50",
        "-0.05",
    ]
    assert [dollars(cents) for cents in (0, 123450, -750)] == ["$0.00", "$1,234.50", "-$7.50"]


@given(st.text("0123456789.-+e ", max_size=18) | st.decimals(-(10**13), 10**13, places=2).map("{:f}".format))
def test_the_text_of_a_record_is_read_as_a_decimal_would_read_it(text):
    whole, point, places = text.removeprefix("-").partition(".")
    written = whole.isdigit() and point and places.isdigit() and len(places) == 2 and len(whole) <= 13
    cents = int(Decimal(text).scaleb(2)) if written else None
    assert cents_of(text) == (None if text.startswith("-") else cents)
    if written:
        assert net_cents_of(text) == cents
    else:
        with pytest.raises(ValueError, match="is not an amount"):
            net_cents_of(text)


@given(st.integers(-MOST_CENTS, MOST_CENTS))
def test_a_record_writes_an_amount_as_a_decimal_would_write_it(cents):
    assert amount_text(cents) == f"{Decimal(cents).scaleb(-2):.2f}"
    assert net_cents_of(amount_text(cents)) == cents


@pytest.mark.parametrize("amount", [None, 45, 45.0, True, b"45.00", "9" * 5000 + ".00"])
def test_what_is_no_text_of_a_record_has_no_cents(amount):
    assert cents_of(amount) is None


@pytest.mark.parametrize(
    "amount", [None, 45, 45.0, True, b"45.00", [], "45", "45.0", "-45.00", "9" * 5000 + ".00"]
)
def test_what_is_refused_as_an_exact_amount_is_not_kept(amount):
    kept = exact_cents.cache_info().currsize
    with pytest.raises((TypeError, ValueError)):
        exact_cents(amount)
    assert exact_cents.cache_info().currsize == kept
    assert exact_cents("45.00") == 4500


def test_an_amount_of_a_record_is_printed_as_every_other_amount_is():
    assert [figures.dollars_of(text) for text in ("12.50", "1234.50")] == ["$12.50", "$1,234.50"]


@pytest.mark.parametrize(
    ("cents", "said"),
    [
        (0, "zero dollars"),
        (100, "one dollar"),
        (1_250, "twelve dollars 50 cents"),
        (4_205, "forty-two dollars 05 cents"),
        (300_000, "three thousand dollars"),
        (3_000_000, "thirty thousand dollars"),
        (12_345_600, "one hundred twenty-three thousand four hundred fifty-six dollars"),
        (10**12, "ten billion dollars"),
    ],
)
def test_an_amount_is_said_in_words(cents, said):
    assert dollars_in_words(cents) == said


@pytest.mark.parametrize(
    ("cents", "whole", "text"),
    [(-1, 3, "-33.33"), (1, 800, "0.13"), (-1, 800, "-0.13"), (0, 5, "0.00"), (-1, -4, "25.00"), (7, 0, "")],
)
def test_a_share_has_two_decimals_and_a_half_goes_away_from_zero(cents, whole, text):
    assert percent_text(cents, whole) == text
