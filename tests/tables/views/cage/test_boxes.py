"""One box at the cashier's desk: expected against counted, the fees in it, and the sign-off."""

import pytest

from ledger.journal.acts import Act
from ledger.models import DropSignOff, JournalEntry
from tables.collection.taking_back import take_back_fee
from tests.support.acting import acting
from tests.support.cast import PIN
from tests.support.counting import count_box

KEY = "a key made by the page"


@pytest.fixture
def desk(at, cashier):
    """`desk(box)` and `desk(box, cause=...)`: the cashier looks at a box, or signs it off."""

    def go(box, person=cashier, **sent):
        address = f"/cashier/boxes/{box.pk}/"
        return at(person).post(address, {"key": KEY} | sent) if sent else at(person).get(address)

    return go


def test_the_box_lists_the_fees_in_it_line_by_line(desk, boxed):
    page = desk(boxed)
    lines = [
        (
            fee.charge.down.number,
            fee.charge.sitting.seat,
            str(fee.charge.player),
            fee.charge.cents,
            fee.method,
        )
        for fee in page.context["fees"]
    ]
    assert lines == [
        (1, 1, "Ann", 1000, "stack"),
        (1, 2, "Bob", 1000, "stack"),
        (1, 3, "Cat", 1000, "stack"),
        (1, 4, "Dan", 1000, "cash"),
        (2, 5, "Eve", 1000, "stack"),
        (2, 1, "Ann", 1000, "stack"),
        (2, 2, "Bob", 1000, "stack"),
    ]
    assert page.context["fees_cents"] == page.context["row"].expected == 7000


def test_a_fee_that_was_taken_back_is_struck_out_and_not_counted(desk, game, floor2, manager):
    game.seat("Ann", "Bob")
    game.play()
    (paid,) = game.minute(41).pay(1, "stack")
    two = {"approver": floor2, "reason": "it was Bob", "key": "not-this-fee", "actor": game.floor}
    acting(take_back_fee, payment_id=paid.pk, now=game.now, **two)
    page = desk(game.fresh_session().box, manager)
    assert page.context["fees_cents"] == page.context["row"].expected == 2000
    text = " ".join(page.content.decode().split())
    assert '<p class="soft small">2, $20.00</p>' in text
    assert '<s>$10.00</s> <span class="soft small">taken back, slip 1</span>' in text


def test_nothing_counted_is_shown_and_nothing_signed_before_the_counts_agree(desk, boxed, codes_on):
    page = desk(boxed)
    assert not page.context["may_sign"]
    assert "Receive" not in page.content.decode()
    answer = desk(boxed, cause="")
    assert (answer.status_code, codes_on(answer)) == (409, ["count_open"])
    assert not DropSignOff.objects.exists()


def test_a_box_that_is_as_expected_is_signed_off_with_one_press(desk, counted):
    box = counted(6000, 1000)
    page = desk(box)
    assert page.context["row"].difference == 0
    assert "Cause" not in page.content.decode()
    answer = desk(box, cause="")
    signed = DropSignOff.objects.get()
    assert answer.status_code == 302
    after = desk(box).content.decode()
    assert f"<dd>{signed.entry_id}</dd>" in after
    assert "2026-03-07 12:41:00 PST" in after
    assert "Receive" not in after
    assert (signed.entry.kind, signed.entry.gaming_day.isoformat()) == ("drop", "2026-03-07")


def test_a_difference_needs_its_cause(desk, counted, codes_on):
    box = counted(5500, 1000)
    assert "−$5.00" in desk(box).content.decode()
    answer = desk(box, cause="   ")
    assert (answer.status_code, codes_on(answer)) == (400, ["cause_required"])
    assert list(answer.context["form"].errors) == ["cause"]
    assert not DropSignOff.objects.exists()
    desk(box, cause="A chip of $5 was found under the table")
    signed = DropSignOff.objects.get()
    assert (signed.counted_chips - signed.expected_chips, signed.entry.reason) == (
        -500,
        "A chip of $5 was found under the table",
    )
    assert "found under the table" in desk(box).content.decode()


def test_a_large_difference_is_signed_by_two(desk, counted, codes_on, manager):
    box = counted(16_000, 1000)
    assert "signed off by two people" in desk(box).content.decode()
    assert codes_on(desk(box, cause="A rack"))[-1] == "bad_entry"
    by_two = {"second": "manager", "second_pin": PIN}
    assert codes_on(desk(box, cause="A rack", **by_two)) == ["bad_entry"]
    desk(box, cause="A rack of the bank was dropped", evidence="camera 4, clip 12", **by_two)
    assert "camera 4, clip 12" in desk(box).content.decode()
    assert DropSignOff.objects.get().signed_with == manager
    assert "<bdi>cashier</bdi> and <bdi>manager</bdi>" in " ".join(desk(box).content.decode().split())


def test_who_pulled_the_box_is_not_offered_and_with_nobody_left_the_page_says_what_to_do(
    desk, counted, floor, floor2, manager
):
    box = counted(16_000, 1000)
    offered = desk(box).context["form"].offered
    assert offered
    assert not {one.username for one in (box.pulled_by, box.pulled_with)} & {*offered}
    type(manager).objects.filter(username__in=offered).update(pin="")
    assert "Nobody who may sign beside you has a PIN." in " ".join(desk(box).content.decode().split())


@pytest.mark.parametrize("cause", ["x" * 2001, "a\x01b", "a\x00b"])
def test_a_cause_that_no_record_can_hold_is_refused(desk, counted, codes_on, cause):
    box = counted(5500, 1000)
    answer = desk(box, cause=cause)
    assert (answer.status_code, codes_on(answer)) == (400, ["bad_text"])
    assert answer.context["form"]["cause"].value() == cause
    assert not DropSignOff.objects.exists()


def test_a_double_press_signs_once(desk, counted):
    box = counted(6000, 1000)
    before = JournalEntry.objects.count()
    assert [desk(box, cause="").status_code for _ in range(2)] == [302, 302]
    assert JournalEntry.objects.count() == before + 1


def test_a_box_is_signed_off_by_one_person_alone(desk, counted, employ, codes_on):
    box = counted(6000, 1000)
    desk(box, cause="")
    other = desk(box, employ("cashier2", "cashier"), cause="", key="another key of another page")
    assert (other.status_code, codes_on(other)) == (409, ["box_signed"])


def test_who_pulled_the_box_is_told_that_somebody_else_signs(desk, evening, employ, floor, codes_on):
    from ledger.cage import boxes

    both = employ("dee", "dealer", "cashier")
    counters = [employ("cora", "counter"), employ("carl", "counter")]
    box = boxes.pull_box(box=evening.session.box, second=both, act=Act(actor=floor, now=evening.now))
    count_box(box, counters, evening.now)
    page = desk(box, both)
    assert "somebody else signs it off" in page.content.decode()
    assert "Receive" not in page.content.decode()
    answer = desk(box, both, cause="")
    assert (answer.status_code, codes_on(answer)) == (403, ["counted_by_signer"])
    assert not DropSignOff.objects.exists()


def test_a_regulator_reads_the_box_and_signs_nothing(desk, counted, regulator):
    box = counted(6000, 1000)
    page = desk(box, regulator)
    assert page.status_code == 200
    assert "<form" not in page.content.decode().split("<main")[1]
    assert desk(box, regulator, cause="").status_code == 403
    assert not DropSignOff.objects.exists()


@pytest.mark.parametrize("who", ["floor", "dealer", "counter1"])
def test_nobody_else_sees_what_is_expected(desk, counted, request, who):
    assert desk(counted(6000, 1000), request.getfixturevalue(who)).status_code == 403


def test_a_box_that_is_not_there_is_not_found(at, cashier, site):
    assert at(cashier).get("/cashier/boxes/99/").status_code == 404
