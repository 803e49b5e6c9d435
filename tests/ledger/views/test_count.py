"""The count room: two people count, each blind to the other and to the books."""

import pytest

from ledger.models import Count

KEY = "a key made by the page"


@pytest.fixture
def count(at, boxed):
    """`count(person, step, chips, cash)`: send the form of the box."""

    def send(person, step, chips, cash, key=None):
        sent = {"key": key or f"{KEY} {person} {chips}", "step": step, "chips": chips, "cash": cash}
        return at(person).post(f"/count/boxes/{boxed.pk}/", sent, follow=True)

    return send


def test_the_list_shows_boxes_and_nothing_of_what_is_in_them(at, counter1, boxed):
    page = at(counter1).get("/count/").content.decode()
    assert f"Count box {boxed.number}" in page
    assert "$" not in page
    box = at(counter1).get(f"/count/boxes/{boxed.pk}/").content.decode()
    assert "$" not in box
    for figure in ("60.00", "10.00", "70.00"):
        assert figure not in box


def test_a_box_at_its_table_is_not_to_be_counted(at, counter1, evening):
    box = evening.session.box
    assert "No box waits" in at(counter1).get("/count/").content.decode()
    page = at(counter1).get(f"/count/boxes/{box.pk}/").content.decode()
    assert "still at its table" in page
    assert "<input" not in page.split("<main")[1]


def test_the_review_repeats_what_was_typed_and_writes_nothing(counter1, count):
    page = count(counter1, "review", "412.5", "45").content.decode()
    assert "bad_amount" in page  # one decimal is no amount
    page = count(counter1, "review", "412.50", "45").content.decode()
    assert "You counted <b>$412.50</b> in chips and <b>$45.00</b> in cash. Confirm?" in page
    assert not Count.objects.exists()


def test_change_gives_the_form_back_as_it_was(counter1, count):
    answer = count(counter1, "change", "412.50", "45")
    assert answer.status_code == 200
    assert 'value="412.50"' in answer.content.decode()
    assert not Count.objects.exists()


def test_after_the_first_count_the_counter_waits_and_learns_nothing(at, counter1, count, boxed):
    page = count(counter1, "confirm", "60.00", "10.00").content.decode()
    assert "Entered. Waiting for the second counter." in page
    for figure in ("60.00", "10.00"):
        assert figure not in page
    form = at(counter1).get(f"/count/boxes/{boxed.pk}/").content.decode()
    assert "<input" not in form.split("<main")[1]


def test_the_second_counter_sees_nothing_of_the_first_count(at, counter1, counter2, count, boxed):
    count(counter1, "confirm", "59.33", "11.44")
    for address in ("/count/", f"/count/boxes/{boxed.pk}/"):
        page = at(counter2).get(address).content.decode()
        assert "59.33" not in page
        assert "11.44" not in page
        assert "counter1" not in page


def test_two_counts_that_differ_are_asked_for_again_without_figures(at, counter1, counter2, count):
    count(counter1, "confirm", "59.33", "10.00")
    page = count(counter2, "confirm", "60.00", "10.00").content.decode()
    assert "The two counts differ: count again" in page
    assert "59.33" not in page
    assert "60.00" not in page
    assert "The two counts differ: count again." in at(counter1).get("/count/").content.decode()
    count(counter1, "confirm", "60.00", "10.00", key="the first one's second try")
    page = count(counter2, "confirm", "60.00", "10.00", key="the second one's second try").content.decode()
    assert "Both counts agree" in page
    assert "No box waits" in page
    assert sorted(Count.objects.values_list("attempt", flat=True)) == [1, 1, 2, 2]


def test_a_count_that_is_sent_twice_is_one_count(counter1, count):
    for _ in range(2):
        assert count(counter1, "confirm", "60.00", "10.00").status_code == 200
    assert Count.objects.count() == 1


def test_nobody_counts_a_box_twice_in_one_go(counter1, count, codes_on):
    count(counter1, "confirm", "60.00", "10.00")
    answer = count(counter1, "confirm", "61.00", "10.00")
    assert (answer.status_code, codes_on(answer)) == (409, ["already_counted"])
    assert Count.objects.count() == 1


def test_a_count_after_both_agree_is_refused(counter1, counter2, count, employ, codes_on):
    count(counter1, "confirm", "60.00", "10.00")
    count(counter2, "confirm", "60.00", "10.00")
    answer = count(employ("third", "counter"), "confirm", "60.00", "10.00")
    assert (answer.status_code, codes_on(answer)) == (409, ["count_closed"])


@pytest.mark.parametrize("step", ["review", "confirm"])
@pytest.mark.parametrize("field", ["chips", "cash"])
@pytest.mark.parametrize("text", ["1.005", "-5", "", "forty", "99999999999999999999"])
def test_a_bad_figure_is_said_beside_it_and_stays(counter1, count, codes_on, step, field, text):
    figures = {"chips": "60.00", "cash": "10.00"} | {field: text}
    answer = count(counter1, step, **figures)
    assert (answer.status_code, codes_on(answer)) == (400, ["bad_amount"])
    assert list(answer.context["form"].errors) == [field]
    assert answer.context["form"][field].value() == text
    assert not Count.objects.exists()


def test_an_empty_box_can_be_counted(counter1, count):
    assert "You counted <b>$0.00</b> in chips" in count(counter1, "review", "0", "0").content.decode()


@pytest.mark.parametrize("who", ["floor", "dealer", "cashier", "regulator", "manager"])
def test_only_counters_enter_the_count_room(at, boxed, request, who):
    browser = at(request.getfixturevalue(who))
    address = f"/count/boxes/{boxed.pk}/"
    assert browser.get("/count/").status_code == 403
    assert browser.get(address).status_code == 403
    sent = {"key": KEY, "step": "confirm", "chips": "1", "cash": "1"}
    assert browser.post(address, sent).status_code == 403
    assert not Count.objects.exists()
