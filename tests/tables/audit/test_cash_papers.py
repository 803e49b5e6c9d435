"""The cash log and the currency reports, from records alone."""

import csv
import io

from ledger.papers.paper import PaperSource
from tables.audit.cash_papers import CashLogPaper, CurrencyReportsPaper

DAY = "2026-03-07"
SAYS = {"patron_from": 300_000, "report_above": 1_000_000, "report_days": 15}


def entry(number, cents, kind="chip_sale", **said):
    ends = {"to_kind": "public"} if kind == "chip_redemption" else {"from_kind": "public"}
    at = f"2026-03-08T05:{number:02d}:00.000000Z"
    return {
        "record": "entry",
        "id": number,
        "kind": kind,
        "gaming_day": DAY,
        "occurred_at": at,
        "actor": 3,
        "terminal": "w1",
        "transfers": [{**ends, "asset": "cash", "cents": cents}],
        "evidence": {"cents": cents} | (SAYS if kind.startswith("chip") else {}) | said,
    }


NIGHT = [
    {"record": "table_event", "kind": "opened", "session": 5, "data": {"table": 2}},
    entry(1, 299_900, receipt=1),
    entry(2, 600_000, "buy_in", player=7, session=5),
    entry(3, 299_900, receipt=2, player=7, seen=1),
    entry(4, 4_000, receipt=3, player=9),
    entry(5, 50_000, "chip_redemption", receipt=4, player=8),
    {"record": "player_merge", "merged": 8, "into": 7},
]


def lines(paper, bodies):
    made = paper(PaperSource())
    text = b"".join([made.header(), *(line for body in bodies for line in made.take(body)), *made.finish()])
    return list(csv.DictReader(io.StringIO(text.decode(), newline="")))


def test_the_cash_log_has_everything_of_whoever_comes_to_its_amount_with_running_totals():
    found = lines(CashLogPaper, NIGHT)
    assert [(one["transaction"], one["place"], one["total_in"], one["total_out"]) for one in found] == [
        ("18", "window", "2999.00", "0.00"),
        ("18", "table 2", "8999.00", "0.00"),
        ("18", "window", "11998.00", "0.00"),
        ("28", "window", "11998.00", "500.00"),
    ]
    assert {one["player"] for one in found} == {"7"}
    assert [one["receipt"] for one in found] == ["1", "", "2", "4"]


def test_who_is_above_ten_thousand_dollars_is_to_be_reported_within_fifteen_days():
    (one,) = lines(CurrencyReportsPaper, NIGHT)
    assert (one["player"], one["cash_in"], one["cash_out"]) == ("7", "11998.00", "500.00")
    assert (one["receipts"], one["places"], one["recorded_by"]) == ("1, 2, 4", "window, table 2", "3")
    assert (one["due"], one["report_above"]) == ("2026-03-22", "10000.00")


def test_what_was_taken_back_stands_in_the_log_and_is_not_reported():
    back = {"record": "entry", "id": 6, "kind": "undo", "gaming_day": DAY, "reverses": 3, "evidence": {}}
    *_, last = lines(CashLogPaper, [*NIGHT, back])
    assert (last["kind"], last["cash_in"], last["total_in"]) == ("undo", "-2999.00", "8999.00")
    assert lines(CurrencyReportsPaper, [*NIGHT, back]) == []


def test_a_closed_days_lines_depend_on_nothing_that_comes_later():
    closed = {"record": "closed_day", "gaming_day": DAY}
    early = lines(CashLogPaper, [*NIGHT[:-1], closed])
    assert lines(CashLogPaper, [*NIGHT[:-1], closed, NIGHT[-1]]) == early
    assert [one["transaction"] for one in early] == ["18", "18", "18"]


def test_records_that_do_not_say_the_amounts_list_nobody():
    old = [entry(1, 5_000_000, "buy_in", player=7, session=5)]
    assert lines(CashLogPaper, old) == lines(CurrencyReportsPaper, old) == []


def test_an_unreadable_entry_is_passed_over():
    bad = NIGHT[1] | {"id": [], "reverses": {}, "evidence": {"seen": [], "receipt": "x"}, "transfers": 7}
    assert lines(CashLogPaper, [bad]) == []
