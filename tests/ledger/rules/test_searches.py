"""What a text in the search box may mean."""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from ledger.rules.searches import FORMS, Meant, read

TODAY = date(2026, 11, 26)
HERE = ZoneInfo("America/Los_Angeles")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("R 214", {"named": {"round": 214}}),
        ("r214", {"named": {"round": 214}}),
        ("table 3 round 14", {"named": {"table": 3, "round": 14}}),
        ("F-000012", {"named": {"fill": 12}}),
        ("Receipt no. 7", {"named": {"receipt": 7}}),
        ("slip 4", {"named": {"slip": 4, "reversal": 4}}),
        ("chip purchase 2", {"named": {"chip_purchase": 2}}),
        ("$12.50", {"cents": 1250}),
        ("1,250", {"cents": 125_000}),
        ("$20", {"cents": 2000}),
        ("12.50 26 Nov", {"cents": 1250, "day": TODAY}),
        ("11/26/2026", {"day": TODAY}),
        ("2026-11-26", {"day": TODAY}),
        ("Nov 26, 2026", {"day": TODAY}),
        ("26 Nov", {"day": TODAY}),
        ("27 Nov", {"day": date(2025, 11, 27)}),
        ("29 Feb", {"day": date(2024, 2, 29)}),
        ("yesterday", {"day": date(2026, 11, 25)}),
        ("02:14", {"at": time(2, 14)}),
        ("2:14 am", {"at": time(2, 14)}),
        ("12 am", {"at": time(0, 0)}),
        ("26 Nov 14:05:33", {"day": TODAY, "at": time(14, 5, 33), "second": True}),
        ("2026-11-26T02:14", {"day": TODAY, "at": time(2, 14)}),
        (
            "2026-11-26 02:14:05 PST, Table 3, seat 2",
            {"day": TODAY, "at": time(2, 14, 5), "second": True, "named": {"table": 3, "seat": 2}},
        ),
        (
            "2026-11-26 02:14:05 to 02:16:40 PST, Table 3, seats 1, 2, 4",
            {"day": TODAY, "at": time(2, 14, 5), "second": True, "named": {"table": 3}},
        ),
        ("214", {"number": 214}),
        ("#0042", {"number": 42}),
        ("José Mar", {"words": "José Mar"}),
        ("31 Feb", {"number": 31, "words": "Feb"}),
        ("25:99", {"words": "25:99"}),
        ("99999999999", {"words": "99999999999"}),
        ("table 99999999999", {}),
        ("'; DROP TABLE --", {"words": "'; DROP TABLE --"}),
    ],
)
def test_a_text_is_read_as_the_house_writes(text, meant):
    assert read(text, TODAY) == Meant(" ".join(text.split()), **meant)


def test_each_form_that_the_page_names_is_understood():
    for forms, _ in FORMS[:-2]:
        for form in forms.replace("1,250", "$1250").split(", "):
            assert read(form, TODAY).words == "", form


def moments(text, now=datetime(2026, 11, 26, 20, tzinfo=UTC)):
    return read(text, now.astimezone(HERE).date()).moments(HERE, now)


def test_a_time_alone_is_the_last_time_the_clock_showed_it():
    assert moments("02:14")[0][0] == datetime(2026, 11, 26, 10, 14, tzinfo=UTC)
    assert moments("23:00")[0][0] == datetime(2026, 11, 26, 7, 0, tzinfo=UTC)
    assert [end - start for start, end in moments("02:14:05")] == [datetime.resolution * 1_000_000]


def test_a_clock_that_went_back_showed_it_twice_and_one_that_went_forward_never():
    assert len(moments("1 Nov 2026 01:30")) == 2
    assert moments("8 Mar 2026 02:30") == []
    assert moments("27 Nov 2026 02:30") == []
