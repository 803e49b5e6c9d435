"""The count room: two people count, each blind to the other and to the books, and sign one count sheet."""

import pytest

from ledger.cage import count_sheets
from ledger.models import Count, CountNote, CountSheet, CountSheetSignature
from tests.support.cast import PIN
from tests.support.counting import begin_sheet, enter_count, receive_sheet, sign_sheet
from tests.support.pages import steady

KEY = "a key made by the page"
FOUND = {"chips_500": "12", "cash_1000": "1"}
"""What is in the box: $60 and $10."""
FIGURES = ("60.00", "10.00", "70.00")


@pytest.fixture
def sheet(boxed, counter1, evening):
    return begin_sheet(boxed, counter1, evening.now)


@pytest.fixture
def count(at, boxed, sheet):
    """`count(person, step, chips_500="12", ...)`: send the form of the box."""

    def send(person, step, key=None, **found):
        sent = {"key": key or f"{KEY} {person} {found.get('chips_500')}", "step": step, **(found or FOUND)}
        return at(person).post(f"/count/boxes/{boxed.pk}/", sent, follow=True)

    return send


def test_a_counter_begins_the_sheet_of_a_gaming_day_before_anything_is_counted(at, counter1, boxed, codes_on):
    page = at(counter1).get("/count/").content.decode()
    assert "Begin a count sheet" in page
    assert "Count box" not in page
    sent = {"key": KEY, "step": "confirm", **FOUND}
    refused = at(counter1).post(f"/count/boxes/{boxed.pk}/", sent)
    assert (refused.status_code, codes_on(refused)) == (409, ["sheet_not_begun"])
    address = f"/count/days/{boxed.gaming_day}/begin/"
    page = at(counter1).post(address, {"key": KEY}, follow=True).content.decode()
    assert "Count sheet 1 is begun." in page
    assert f"Count box {boxed.number}" in page
    again = at(counter1).post(address, {"key": "another key"})
    assert (again.status_code, codes_on(again)) == (409, ["sheet_begun"])


def test_the_list_shows_boxes_and_nothing_of_what_is_in_them(at, counter1, boxed, sheet):
    page = at(counter1).get("/count/").content.decode()
    assert f"Count box {boxed.number}" in page
    assert "$" not in page
    box = steady(at(counter1).get(f"/count/boxes/{boxed.pk}/"))
    assert not [figure for figure in FIGURES if figure in box]
    assert 'value="12"' not in box


def test_a_box_at_its_table_is_not_to_be_counted(at, counter1, evening):
    box = evening.session.box
    assert "No box waits" in at(counter1).get("/count/").content.decode()
    page = at(counter1).get(f"/count/boxes/{box.pk}/").content.decode()
    assert "still at its table" in page
    assert "<input" not in page.split("<main")[1]


def test_the_review_repeats_what_was_typed_and_writes_nothing(counter1, count):
    page = count(counter1, "review", chips_500="1.5").content.decode()
    assert "bad_amount" in page
    page = " ".join(
        count(counter1, "review", chips_500="82", chips_50="5", cash_500="9").content.decode().split()
    )
    assert "You counted <b>$412.50</b> in chips and <b>$45.00</b> in cash. Confirm?" in page
    assert "82 × $5 chips" in page
    assert not Count.objects.exists()


def test_change_gives_the_form_back_as_it_was(counter1, count):
    answer = count(counter1, "change", chips_500="82")
    assert answer.status_code == 200
    assert 'value="82"' in answer.content.decode()
    assert not Count.objects.exists()


def test_after_the_first_count_the_counter_waits_and_learns_nothing(at, counter1, count, boxed):
    page = steady(count(counter1, "confirm"))
    assert "Entered. Waiting for the second counter." in page
    assert not [figure for figure in FIGURES if figure in page]
    form = at(counter1).get(f"/count/boxes/{boxed.pk}/").content.decode()
    assert "<input" not in form.split("<main")[1]


def test_the_second_counter_sees_nothing_of_the_first_count(at, counter1, counter2, count, boxed, sheet):
    count(counter1, "confirm", chips_500="11", chips_50="7", cash_500="2")
    for address in ("/count/", f"/count/boxes/{boxed.pk}/", f"/count/sheets/{sheet.pk}/"):
        page = steady(at(counter2).get(address))
        assert "58.50" not in page
        assert "11 ×" not in page


def test_two_counts_that_differ_are_asked_for_again_without_figures(at, counter1, counter2, count):
    count(counter1, "confirm", chips_500="11")
    page = steady(count(counter2, "confirm"))
    assert "The two counts differ: count again" in page
    assert not [figure for figure in ("55.00", *FIGURES) if figure in page]
    assert "The two counts differ: count again." in at(counter1).get("/count/").content.decode()
    count(counter1, "confirm", key="the first one's second try")
    page = count(counter2, "confirm", key="the second one's second try").content.decode()
    assert "Both counts agree" in page
    assert "Sign Count sheet 1" in page
    assert sorted(Count.objects.values_list("attempt", flat=True)) == [1, 1, 2, 2]


def test_the_same_sum_in_other_pieces_does_not_agree(counter1, counter2, count):
    count(counter1, "confirm", chips_500="12")
    page = count(counter2, "confirm", chips_100="60").content.decode()
    assert "The two counts differ" in page


def test_a_count_that_is_sent_twice_is_one_count(counter1, count):
    for _ in range(2):
        assert count(counter1, "confirm").status_code == 200
    assert Count.objects.count() == 1


def test_nobody_counts_a_box_twice_in_one_go(counter1, count, codes_on):
    count(counter1, "confirm")
    answer = count(counter1, "confirm", chips_500="13")
    assert (answer.status_code, codes_on(answer)) == (409, ["already_counted"])
    assert Count.objects.count() == 1


def test_a_count_after_both_agree_is_refused(counter1, counter2, count, employ, codes_on):
    count(counter1, "confirm")
    count(counter2, "confirm")
    answer = count(employ("third", "counter"), "confirm")
    assert (answer.status_code, codes_on(answer)) == (409, ["count_closed"])


@pytest.mark.parametrize("step", ["review", "confirm"])
@pytest.mark.parametrize("field", ["chips_500", "cash_1000"])
@pytest.mark.parametrize("text", ["1.5", "-5", "forty", "99999999999999999999"])
def test_a_bad_figure_is_said_beside_it_and_stays(counter1, count, codes_on, step, field, text):
    answer = count(counter1, step, **FOUND | {field: text})
    assert (answer.status_code, codes_on(answer)) == (400, ["bad_amount"])
    assert list(answer.context["form"].errors) == [field]
    assert answer.context["form"][field].value() == text
    assert not Count.objects.exists()


def test_an_empty_box_can_be_counted(counter1, count):
    assert "You counted <b>$0.00</b> in chips" in count(counter1, "review", chips_500="0").content.decode()
    assert count(counter1, "confirm", chips_500="0").status_code == 200
    assert Count.objects.get().chips_cents == 0


@pytest.mark.parametrize("who", ["floor", "dealer", "cashier", "regulator", "manager"])
def test_only_counters_enter_the_count_room(at, boxed, sheet, request, who):
    browser = at(request.getfixturevalue(who))
    address = f"/count/boxes/{boxed.pk}/"
    assert browser.get("/count/").status_code == 403
    assert browser.get(address).status_code == 403
    sent = {"key": KEY, "step": "confirm", **FOUND}
    assert browser.post(address, sent).status_code == 403
    assert browser.post(f"/count/days/{boxed.gaming_day}/begin/", {"key": KEY}).status_code == 403
    assert browser.post(f"/count/sheets/{sheet.pk}/", {"key": KEY}).status_code == 403
    assert not Count.objects.exists()


# --- The sheet


@pytest.fixture
def agreed(boxed, counter1, counter2, evening, sheet):
    """The sheet with a first attempt that came to nothing; then both found $55 in chips and $10 in cash."""
    for chips in (6000, 5500):
        enter_count(boxed, counter1, evening.now, chips=chips, cash=1000)
        enter_count(boxed, counter2, evening.now, chips=5500, cash=1000)
    return sheet


@pytest.fixture
def sign(at, agreed):
    def sign(person, second="counter2", pin=PIN, key=KEY, own=PIN):
        sent = {"key": key, "pin": own, "second": second, "second_pin": pin}
        return at(person).post(f"/count/sheets/{agreed.pk}/", sent, follow=True)

    return sign


def test_two_who_counted_sign_the_sheet_once_and_then_the_cashier_sees_it(
    at, counter1, cashier, agreed, sign, boxed, evening, codes_on
):
    desk = f"/cashier/boxes/{boxed.pk}/"
    refused = at(cashier).post(desk, {"key": KEY, "cause": "a chip"})
    assert (refused.status_code, codes_on(refused)) == (409, ["sheet_not_signed"])
    assert "the count sheet is not signed yet" in at(cashier).get(desk).content.decode()
    assert "Count sheet 1 is signed." in sign(counter1).content.decode()
    signed = CountSheetSignature.objects.get()
    assert (signed.installed, signed.pulled, signed.counted) == (1, 1, 1)
    waits = at(cashier).post(desk, {"key": "a key of the desk", "cause": "a chip"})
    assert (waits.status_code, codes_on(waits)) == (409, ["sheet_not_received"])
    receive_sheet(agreed, evening.now)
    page = at(cashier).get(f"/count/sheets/{agreed.pk}/").content.decode()
    assert "<s>2 × $25 chips, 2 × $5 chips, 1 × $10 cash</s>" in page
    assert "2 × $25 chips, 1 × $5 chips, 1 × $10 cash" in page
    assert "struck, C" in page
    assert at(cashier).get(desk).context["row"].difference == -500
    assert at(cashier).post(desk, {"key": "a key of the desk", "cause": "a chip"}).status_code == 302


def test_who_did_not_count_does_not_sign(counter1, employ, sign, codes_on):
    third = employ("third", "counter")
    assert codes_on(sign(counter1, second="third")) == ["wrong_pin"]
    assert codes_on(sign(third)) == ["did_not_count"]
    assert codes_on(sign(counter1, second="counter1")) == ["wrong_pin"]
    assert codes_on(sign(counter1, pin="000000")) == ["wrong_pin"]
    assert codes_on(sign(counter1, own="000000")) == ["wrong_pin"]
    assert codes_on(sign(counter1, own="")) == ["bad_entry"]
    assert not CountSheetSignature.objects.exists()


def test_a_sheet_is_not_signed_over_a_box_that_does_not_agree(
    at, counter1, counter2, boxed, evening, codes_on
):
    for counter, chips in ((counter1, 6000), (counter2, 5500)):
        enter_count(boxed, counter, evening.now, chips=chips)
    address = f"/count/sheets/{CountSheet.objects.get().pk}/"
    assert "Sign the count sheet" not in at(counter1).get(address).content.decode()
    answer = at(counter1).post(address, {"key": KEY, "pin": PIN, "second": "counter2", "second_pin": PIN})
    assert (answer.status_code, codes_on(answer)) == (409, ["count_open"])


def test_nothing_is_added_to_a_signed_sheet(at, counter1, agreed, sign, codes_on):
    sign(counter1)
    assert codes_on(sign(counter1, key="once more, please")) == ["sheet_signed"]
    note = {"key": KEY + " note", "kind": "told", "text": "the count ended"}
    answer = at(counter1).post(f"/count/sheets/{agreed.pk}/notes/", note)
    assert (answer.status_code, codes_on(answer)) == (409, ["sheet_signed"])
    assert not CountNote.objects.exists()


def test_what_happens_in_the_count_room_is_noted_with_time_and_person(at, counter1, sheet, codes_on):
    address = f"/count/sheets/{sheet.pk}/"
    for kind, text in (("came", "Eve Guard"), ("told", "Dan of surveillance"), ("empty_shown", "Box 1")):
        at(counter1).post(f"{address}notes/", {"key": f"{KEY} {kind}", "kind": kind, "text": text})
    page = at(counter1).get(address).content.decode()
    assert "Surveillance was told: Dan of surveillance" in page
    assert "12:41:00" in page
    for wrong in ({"kind": "sang", "text": "x"}, {"kind": "came", "text": ""}):
        answer = at(counter1).post(f"{address}notes/", {"key": KEY, **wrong})
        assert (answer.status_code, codes_on(answer)) == (400, ["bad_entry"])
    assert CountNote.objects.count() == 3


def test_boxes_and_tables_of_the_day_stand_on_the_sheet(at, counter1, beside, agreed, sign, cashier):
    page = at(counter1).get(f"/count/sheets/{agreed.pk}/").content.decode()
    assert "2 installed, 1 pulled, 1 counted: not the same number" in page
    sign(counter1)
    signed = CountSheetSignature.objects.get()
    assert (signed.installed, signed.pulled, signed.counted) == (2, 1, 1)


def test_a_table_without_a_box_stands_on_the_sheet(at, counter1, site, manager, evening, agreed, sign):
    from ledger.journal.acts import Act
    from tables.floor.tables import add_table

    add_table(site=site, number=77, seat_one="left", act=Act(manager, evening.now, "a table"))
    sign(counter1)
    assert CountSheetSignature.objects.get().without_box[-1] == "Table 77"
    assert "Table 77" in at(counter1).get(f"/count/sheets/{agreed.pk}/").content.decode()


def test_a_third_attempt_that_differs_calls_a_supervisor_until_the_counts_agree(
    at, counter1, counter2, floor, boxed, evening
):
    def differ(chips, times):
        for _ in range(times):
            enter_count(boxed, counter1, evening.now, chips=6000)
            enter_count(boxed, counter2, evening.now, chips=chips)

    def said(person, address):
        return "differed three times" in at(person).get(address).content.decode()

    differ(5500, 2)
    assert not said(counter1, "/count/")
    differ(5500, 1)
    assert (said(counter1, "/count/"), said(counter1, f"/count/boxes/{boxed.pk}/")) == (True, True)
    assert said(floor, "/floor/")
    differ(6000, 1)
    assert (said(counter1, "/count/"), said(floor, "/floor/")) == (False, False)


# --- Nothing is told before it is signed

PAGES = (
    *(
        "/",
        "/count/",
        "/count/boxes/{box}/",
        "/count/sheets/{sheet}/",
        "/floor/",
        "/floor/sessions/{session}/",
    ),
    *(
        "/cashier/",
        "/cashier/vault/",
        "/cashier/day/",
        "/cashier/boxes/{box}/",
        "/cashier/days/2026-03-07/close/",
    ),
    *("/dealer/", "/floor/due/", "/floor/sessions/{session}/bank/", "/floor/sessions/{session}/panel/"),
    *(
        "/audit/days/2026-03-07/",
        "/audit/days/2026-03-07/journal.csv",
        "/audit/sessions/{session}/session.csv",
    ),
)


@pytest.mark.parametrize("agree", [False, True])
@pytest.mark.parametrize("who", ["counter2", "third", "cashier", "floor", "manager"])
def test_no_byte_that_somebody_can_fetch_tells_what_was_counted_before_the_sheet_is_signed(
    at, who, agree, boxed, sheet, counter1, counter2, employ, evening, request
):
    """$47.50 and $13.25 stand on no other page and in no other file."""
    third = employ("third", "counter")
    enter_count(boxed, counter1, evening.now, chips=4750, cash=1325)
    if agree:
        enter_count(boxed, counter2, evening.now, chips=4750, cash=1325)
    person = third if who == "third" else request.getfixturevalue(who)
    names = {"box": boxed.pk, "sheet": sheet.pk, "session": evening.session.pk}
    fetched = 0
    for address in PAGES:
        if who == "counter2" and agree and "sheets" in address:
            continue  # who counted sees what they are to sign
        answer = at(person).get(address.format(**names), follow=True)
        said = steady(answer)
        fetched += answer.status_code == 200
        for figure in ("47.50", "13.25", "60.75"):
            assert figure not in said, (address, figure)
    assert fetched >= 2
    assert count_sheets.is_signed(sheet) is False


def test_afterwards_it_is_told(at, cashier, boxed, sheet, counter1, counter2, evening):
    for counter in (counter1, counter2):
        enter_count(boxed, counter, evening.now, chips=4750, cash=1325)
    sign_sheet(boxed, (counter1, counter2), evening.now)
    for address in (f"/count/sheets/{sheet.pk}/", f"/cashier/boxes/{boxed.pk}/"):
        assert "47.50" in at(cashier).get(address).content.decode()


def test_the_counts_of_a_box_that_the_books_expect_are_told_to_no_counter(
    at, counter1, counter2, boxed, sheet, evening
):
    """Of the $60 and $10 that the books expect, no byte of the count room tells before two agree."""
    enter_count(boxed, counter1, evening.now, chips=4750, cash=1325)
    for address in ("/count/", f"/count/boxes/{boxed.pk}/", f"/count/sheets/{sheet.pk}/"):
        for person in (counter1, counter2):
            page = steady(at(person).get(address))
            assert not [figure for figure in FIGURES if figure in page], address


def test_one_digit_too_many_is_asked_in_words_where_the_count_is_reviewed(count, counter1, codes_on):
    found = {"chips_500": "1200"}
    review = count(counter1, "review", **found).content.decode()
    assert "Is it one thousand two hundred times $5 in chips?" in review
    assert '<input type="hidden" name="confirmed" value="600000">' in review
    assert "Is it" not in count(counter1, "review", chips_500="120").content.decode()
    refused = count(counter1, "confirm", **found)
    assert (refused.status_code, codes_on(refused)) == (409, ["confirm_count"])
    assert not Count.objects.exists()
    count(counter1, "confirm", key="a key for what was meant", **found, confirmed="600000")
    assert Count.objects.get().chips_cents == 600_000
