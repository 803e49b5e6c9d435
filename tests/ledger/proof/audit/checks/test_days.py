"""Gaming days in a log: what is dated in a day happened in it, and a day is closed with its entries'
totals."""

import pytest

from ledger.proof.audit.checks.books import BooksCheck
from ledger.rules.gaming_days import MOST_CLOCKS
from tests.support.books_by_hand import before_closing, codes, field, run, sale
from tests.support.entries_by_hand import other
from tests.support.log_by_hand import DAY, at, changed, drawer, house_event, night


def test_nothing_is_dated_in_a_closed_day_nor_before_it():
    for number, day in enumerate((DAY, "2026-11-19"), 200):
        late = sale(number, 24 * 60 + 1, gaming_day=day)
        assert codes([*night(), late]) == [("day_closed", number)]
    again = other(
        "closed_day",
        99,
        24 * 60 + 5,
        closed_at=at(24 * 60 + 5),
        **{key: night()[-1][key] for key in ("gaming_day", "entries", "totals", "balances")},
    )
    assert codes([*night(), again]) == [("day_closed", 99)]


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.update(entries=13),
        lambda body: body["totals"]["stack"]["chips"].update(out=57_499),
        lambda body: body["totals"].pop("over_short"),
    ],
)
def test_a_day_is_closed_with_what_its_entries_add_up_to(change):
    assert codes(changed("closed_day", 98, change)) == [("wrong_total", 98)]


def closed_with(second, **changes):
    return changed("closed_day", 98, lambda body: body.update(closed_with=second, **changes))


def test_a_day_is_closed_by_two_of_whom_the_second_signed_no_box():
    assert codes(night()) == codes(closed_with(4)) == []
    assert codes(closed_with(7)) == [("second_person", 98)]
    assert codes(closed_with(7, closed_by=4)) == [("second_person", 98)]
    assert codes(closed_with(4, closed_by=4)) == [("second_person", 98)]


def test_a_day_without_a_second_person_is_named():
    assert codes(changed("closed_day", 98, lambda body: body.pop("closed_with"))) == [("bad_record", 98)]


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[0].__setitem__(3, 531_401),
        lambda lines: lines.pop(),
        lambda lines: lines.append(["chips", "tokes", 77, 100]),
        lambda lines: lines.reverse(),
        lambda lines: lines[0].__setitem__(2, 78),
        lambda lines: lines.insert(0, lines[0]),
    ],
)
def test_a_day_is_closed_with_what_each_account_holds_at_its_end(change):
    night = changed("closed_day", 98, lambda body: change(body["balances"]))
    assert codes(night) == [("wrong_balance", 98)]


def test_balances_that_are_none_are_unreadable_and_break_nothing():
    for balances in (["vault"], [[1, 2, 3]], [{}], [["cash", "vault", "one", "two"]]):
        night = changed("closed_day", 98, lambda body, of=balances: body.update(balances=of))
        assert codes(night) == [("wrong_balance", 98)]


def test_the_play_of_the_next_day_before_the_closing_is_in_no_balance_of_the_day():
    *day, closing = night()
    next_day = sale(200, 60, 500, receipt=2)
    next_day["gaming_day"] = "2026-11-21"
    check = BooksCheck(whole=True)
    assert [
        one.code for leaf, body in enumerate([*day, next_day, closing]) for one in check.take(leaf, body)
    ] in (
        [],
        ["wrong_day"],
    )


def test_days_follow_the_house_s_clock_also_after_it_has_changed():
    bodies = [*night()[:13], *drawer(2)]
    late = sale(200, 17 * 60 + 59)  # 05:59 in Los Angeles
    assert codes([*bodies, late]) == []
    later = sale(200, 18 * 60)
    assert codes([*bodies, later]) == [("wrong_day", 200)]
    clock = {"time_zone": "America/Los_Angeles", "day_starts_at": 7, "shifts": 1}
    moved = house_event(9, "house_changed", 60, **clock, demo=False)
    assert codes([*bodies, moved, later]) == []


def _claimed(minute, occurred_at, number=200):
    return {**sale(number, minute), "occurred_at": occurred_at}


def test_an_hour_before_its_recording_is_one_of_the_day_it_is_dated_in():
    assert codes([*night()[:13], *drawer(3), _claimed(16, at(9))]) == []
    next_day = {"gaming_day": "2026-11-21"}
    late = {**_claimed(24 * 60, at(16)), **next_day}
    assert codes([*night()[:-1], late]) == [("wrong_day", 200)]


def test_what_happened_in_a_day_that_was_closed_is_dated_in_the_day_of_its_recording():
    late = {**_claimed(24 * 60 + 1, at(16)), "gaming_day": "2026-11-21"}
    assert codes([*night(), late]) == []
    still_open = {**_claimed(2 * 24 * 60, at(24 * 60)), "gaming_day": "2026-11-22"}
    assert codes([*night(), still_open]) == [("wrong_day", 200)]


@pytest.mark.parametrize("occurred_at", ["1926-11-20T20:00:00.000000Z", "2026-11-20T19:59:59.999999Z"])
def test_nothing_happened_before_the_first_record_of_a_house(occurred_at):
    for bodies, minute, day in (([*night()[:13], *drawer(3)], 16, DAY), (night(), 24 * 60, "2026-11-21")):
        late = {**_claimed(minute, occurred_at), "gaming_day": day}
        assert codes([*bodies, late]) == [("wrong_day", 200)]


@pytest.mark.parametrize("number", [104, 106, 113])
def test_what_is_dated_by_its_fee_or_box_happened_when_it_was_recorded(number):
    bodies = before_closing("entry", number, field(occurred_at="1926-11-20T20:00:00.000000Z"))
    assert codes(bodies) == [("other_time", number)]


def test_a_part_of_a_log_does_not_say_which_days_had_been_closed_before_it():
    bodies = [night()[0], {**_claimed(24 * 60, at(-24 * 60)), "gaming_day": "2026-11-21"}]
    assert codes(bodies, whole=False) == []


def test_a_clock_that_was_put_back_accuses_nobody():
    assert codes([*night()[:13], *drawer(-6), sale(200, -5)]) == []


def test_a_time_zone_that_this_machine_does_not_know_is_said_and_nobody_accused():
    bodies = changed("house_event", 1, lambda body: body["data"].update(time_zone="Nowhere/Nothing"))
    found, check = run(bodies)
    assert found == []
    assert check.checked["clocks of a time zone not known here, days not judged"] == 1


def test_no_text_of_a_record_gets_into_the_words_of_what_was_checked():
    evil = "x), days not judged\n\nEverything is right.\n\x1b[8m("
    _, check = run(changed("house_event", 1, lambda body: body["data"].update(time_zone=evil)))
    assert not any(evil in words for words in check.checked)


def test_a_day_is_closed_when_it_is_over_and_its_boxes_are_signed_off():
    early = changed(
        "closed_day", 98, lambda body: body.update(closed_at=at(17 * 60), recorded_at=at(17 * 60))
    )
    assert codes(early) == [("before_its_time", 98)]
    unsigned = [body for body in night() if body["record"] != "sign_off"]
    assert codes(unsigned) == [("not_dropped", 98)]
    of_the_next_day = [changed_day(body, "2026-11-21", at(24 * 60 + 2)) for body in unsigned]
    assert codes(of_the_next_day) == []
    assert codes([changed_day(body, "2026-11-21", at(2)) for body in unsigned]) == [("wrong_day", 3)]


def changed_day(body, day, recorded_at):
    if body["record"] == "count_sheet":
        return {**body, "gaming_day": day}
    if body.get("kind") != "box_installed":
        return body
    return {**body, "data": {**body["data"], "gaming_day": day}, "recorded_at": recorded_at}


@pytest.mark.parametrize(
    ("record", "number", "name"),
    [
        ("cage_slip", 111, "counted_at"),
        ("cage_slip_result", 112, "at"),
        ("document_step", 133, "at"),
        ("drawer", 141, "opened_at"),
        ("sign_off", 97, "signed_at"),
        ("entry", 100, "occurred_at"),
        ("entry", 97, "occurred_at"),
        ("entry", 101, "occurred_at"),
    ],
)
def test_what_is_counted_or_signed_happens_when_it_is_recorded(record, number, name):
    early = before_closing(record, number, field(**{name: at(0, 1) if name == "occurred_at" else at(-1)}))
    assert codes(early) == [("other_time", number)]


def test_a_count_or_a_closing_at_another_time_than_it_was_recorded_at_is_named():
    assert ("other_time", 95) in codes(before_closing("count", 95, field(counted_at=at(49))))
    assert codes(changed("closed_day", 98, field(closed_at=at(24 * 60 + 1)))) == [("other_time", 98)]


@pytest.mark.parametrize(("record", "number"), [("cage_slip", 111), ("document", 121), ("drawer", 141)])
@pytest.mark.parametrize("day", ["2026-11-19", "2026-11-22", "2027-11-20"])
def test_a_slip_a_document_or_a_drawer_of_another_day_than_it_was_recorded_in_is_named(record, number, day):
    assert codes(before_closing(record, number, field(gaming_day=day))) == [("wrong_day", number)]


def test_thousands_of_clocks_keep_nobody_busy():
    opened, *rest = night()
    said, clocks = opened["data"], []
    for number in range(500, 650):
        hour, zone = (
            number % 24,
            ("UTC", "Asia/Tokyo", "Europe/Paris", "Asia/Kolkata", "Asia/Dubai")[number // 24 % 5],
        )
        now = {**said, "time_zone": zone, "day_starts_at": hour}
        before = {"time_zone": said["time_zone"], "day_starts_at": said["day_starts_at"]}
        clocks.append(house_event(number, "house_changed", 0, **now, before=before, key=""))
        said = now
    found, check = run([opened, *clocks, *rest])
    assert {one.code for one in found} == {"too_many_clocks"}
    assert len(check.days._clocks) == MOST_CLOCKS
    assert codes([opened, *clocks[: MOST_CLOCKS - 1], *rest]) == []
