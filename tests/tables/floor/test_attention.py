"""What waits for somebody: read right at any moment, raised and cleared once,
on the board with a way to see to it."""

import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.cage import exclusions
from ledger.errors import NotAsSent
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import Withheld
from ledger.proof.log import sealing
from ledger.rules.denominations import Pieces
from tables.collection import clock
from tables.floor import attention, banks, opening, waiting
from tables.models import Attention, Rate
from tables.seats import chip_counts
from tables.seats.player_entries import change_player
from tables.seats.players import Person
from tests.support.acting import acting
from tests.support.game import HANDS, LOW, OPENING, PLAIN, Game

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sealed(game):
    """Nobody waits for the log, unless a test says so."""
    sealing.seal(game.site, now=OPENING)


def kinds(game):
    """What waits, without the log, which nobody seals here."""
    return [item.kind for item in attention.waiting_now(game.site, game.now) if item.kind != "log"]


def say(game, kind):
    return [item.sentence for item in attention.waiting_now(game.site, game.now) if item.kind == kind]


def stop(game):
    by = {"session_id": game.session.pk, "actor": game.floor, "now": game.now}
    acting(clock.stop_clock, reason="fire alarm", key=game.key(), **by)


def test_a_quiet_night_needs_nobody(game):
    game.seat("Ann", "Bob")
    game.play()
    assert kinds(game) == []


def test_whoever_sits_when_put_on_the_exclusion_list_needs_somebody(game, employ):
    game.seat("Ann", "Bob")
    act = Act(employ("carla", "compliance"), game.now, "a-change-of-ann")
    change_player(player_id=game.players["Ann"].pk, name="Anna Li", act=act)
    listed = {"site": game.site, "reference": "list 7", "effective_from": game.now.date(), "act": act}
    one = exclusions.add_exclusion(name="LI, Ánna", **listed)
    said = ["Table 1, seat 1: Anna Li may no longer play here. See compliance."]
    assert say(game, "excluded") == said
    exclusions.lift_exclusion(exclusion_id=one.pk, act=replace(act, reason="term is over"))
    assert kinds(game) == []
    exclusions.add_exclusion(name="ann", **listed)
    assert say(game, "excluded") == said


def test_whoever_may_be_somebody_put_on_the_list_is_asked_about_at_the_table(game, employ, client, floor):
    game.seat("Ann", "Bob")
    act = Act(employ("carla", "compliance"), game.now, "a-change-of-ann")
    change_player(player_id=game.players["Ann"].pk, name="Ann Miller", act=act)
    listed = {"site": game.site, "reference": "list 7", "effective_from": game.now.date(), "act": act}
    exclusions.add_exclusion(name="Ann Millar", **listed)
    assert say(game, "is_it_this_person") == [
        "Table 1, seat 1: Ann Miller may be somebody on the exclusion list. Look at a document, and answer."
    ]
    client.force_login(floor)
    address = f"/sittings/{game.sitting(1).pk}/who/"
    with time_machine.travel(game.now, tick=False):
        asked = client.post(address, {"key": "who-is-it-1"})
        assert (asked.status_code, b"Ann Millar" in asked.content) == (409, True)
        token = re.search(r'name="asked" value="([^"]+)"', asked.content.decode())[1]
        answered = client.post(address, {"key": "who-is-it-2", "asked": token, "answer": "is_not"})
        assert answered.status_code == 302
    assert kinds(game) == []
    assert Withheld.objects.filter(what="exclusion_answer").count() == 1
    game.minute(25 * 60)
    assert say(game, "is_it_this_person")  # an answer holds for a day


def test_whoever_is_the_person_of_an_entry_may_no_longer_play(game, employ, floor):
    game.seat("Ann", "Bob")
    act = Act(employ("carla", "compliance"), game.now, "a-change-of-ann")
    change_player(player_id=game.players["Ann"].pk, name="Ann Miller", act=act)
    listed = {"site": game.site, "reference": "list 7", "effective_from": game.now.date(), "act": act}
    one = exclusions.add_exclusion(name="Ann Millar", **listed)
    told = {"site": game.site, "exclusion": one.pk, "name": "Ann Miller", "number": ""}
    exclusions.answer(**told, said="is", act=Act(floor, game.now))
    assert say(game, "excluded") == ["Table 1, seat 1: Ann Miller may no longer play here. See compliance."]


def test_r65_a_clock_that_has_stood_for_more_than_ten_minutes_needs_somebody(game):
    game.seat("Ann", "Bob")
    game.play()
    stop(game.minute(5))
    assert kinds(game.minute(15)) == []
    assert say(game.minute(15.1), "clock_stopped") == [
        "The clock of Table 1 has been stopped since 12:05: fire alarm"
    ]


def test_r63_a_fee_that_no_stack_can_pay_needs_somebody_until_it_is_paid(game):
    game.seat("Ann", "Bob", "Cat")
    game.set_stack(2, 5000)
    assert say(game, "fee_due") == ["Table 1, seat 2: Bob owes $10.00 that the stack cannot pay."]
    game.play()
    assert kinds(game) == ["fee_due"]
    game.pay(2)
    assert kinds(game) == []


def test_r58_a_correction_waits_for_a_second_person(game):
    game.seat("Ann", "Bob")
    asked = game.ask(game.play((PLAIN, LOW)), (LOW, PLAIN), actor=game.dealer)
    assert say(game, "correction") == [
        f"Table 1: a correction of round 1, asked for by {game.dealer}, waits for a second person."
    ]
    game.approve(asked)
    assert kinds(game) == []


def test_a_chip_count_that_differs_needs_somebody_until_one_that_does_not(game):
    game.seat("Ann", "Bob")
    count = {"session_id": game.session.pk, "actor": game.floor, "now": game.now}
    acting(chip_counts.count_chips, counted={1: 30_000, 2: 28_000}, key=game.key(), **count)
    assert say(game, "variance") == ["Table 1, chip count of 12:00: seat 2 $20.00 short."]
    acting(chip_counts.count_chips, counted={1: 30_000, 2: 30_000}, key=game.key(), **count)
    assert kinds(game) == []


def test_a_fill_that_was_counted_wrongly_three_times_calls_a_supervisor(game, floor2, cashier):
    by = {"now": game.now}
    five, four = Pieces({500: 5}), Pieces({500: 4})
    asked = {"session_id": game.session.pk, "kind": "fill", "pieces": five, "actor": game.dealer}
    fill = acting(banks.ask, **asked, **by, key="ask")
    for step, person in (("authorised", floor2), ("sent", cashier)):
        acting(banks.take_step, document=fill, step=step, actor=person, **by, key=step)
    for turn in range(3):
        assert "document_refused" not in kinds(game)
        with pytest.raises(NotAsSent):
            acting(
                banks.take_step,
                document=fill,
                step="received",
                pieces=four,
                actor=game.dealer,
                **by,
                key=f"count {turn}",
            )
    assert say(game, "document_refused")[0].startswith("Fill 1: three counts of what arrived were refused.")
    acting(banks.take_step, document=fill, step="received", pieces=five, actor=game.dealer, **by, key="all")
    assert "document_refused" not in kinds(game)


def test_a_bank_that_could_not_sell_one_more_buy_in_is_low(game):
    bank = game.session.bank_chips
    bank.refresh_from_db()
    bank.balance_cents = game.session.max_buy_in_cents
    bank.save(update_fields=["balance_cents"])
    assert kinds(game) == []
    game.buy_in("Ann", 1)
    assert say(game, "bank_low") == ["The bank of Table 1 has less than one buy-in of $500.00."]


def test_r64_a_down_that_begins_soon_at_another_rate_is_to_be_told(game):
    other = Rate.objects.create(
        site=game.site,
        option=9,
        limit_cents=500,
        fee_cents=700,
        approval_reference="B",
        effective_from=date(2026, 1, 1),
    )
    game.seat("Ann", "Bob")
    game.play()
    game.announce(other, 50_000)
    assert kinds(game.minute(34.9)) == []
    assert say(game.minute(35), "rate_soon") == [
        "Table 1: down 2 begins at 12:40 with limit $5.00, fee $7.00."
    ]
    assert kinds(game.minute(41)) == []  # it has begun


def held(game):
    return waiting.hold_seat(
        session_id=game.session.pk,
        seat=3,
        until=game.now + timedelta(minutes=10),
        who=Person("Fay"),
        act=Act(key=game.key(), actor=game.floor, now=game.now),
    )


def test_a_held_seat_that_has_run_out_is_shown_for_half_an_hour_marked_or_not(game):
    held(game)
    assert kinds(game.minute(9)) == []
    assert say(game.minute(10), "place_over") == [
        "Fay (place 1) has not come: seat 3 of Table 1 was held until 12:10."
    ]
    waiting.mark_expired(now=game.now)
    assert kinds(game.minute(39)) == ["place_over"]
    assert kinds(game.minute(40)) == []


def test_a_round_without_a_dealer_needs_one(game):
    game.seat("Ann", "Bob")
    round_ = game.start()
    assert kinds(game) == []
    game.push(None)
    assert say(game, "no_dealer") == ["Table 1: round 1 has no dealer."]
    game.push(game.dealer)
    game.settle(round_, HANDS[:2])
    game.push(None)
    assert kinds(game) == []  # between rounds nobody waits for a dealer


def test_a_round_far_longer_than_usual_needs_somebody(game):
    game.seat("Ann", "Bob")
    round_ = game.start()
    assert kinds(game.minute(15)) == []
    assert say(game.minute(15.1), "round_long") == ["Table 1: round 1 has been running since 12:00."]
    game.void(round_)
    assert kinds(game) == []


def test_a_player_without_chips_needs_somebody_once_the_round_is_over(game):
    game.seat("Ann", "Bob", "Cat")
    game.set_stack(2, 0)
    assert say(game, "busted") == ["Table 1, seat 2: Bob has no chips left."]
    game.add_on(2, 30_000)
    assert say(game, "busted") == []


def listed(game, name):
    return waiting.join(
        site=game.site,
        game="face-up",
        limit_cents=500,
        who=Person(name),
        act=Act(key=game.key(), actor=game.floor, now=game.now),
    )


def test_a_free_seat_with_somebody_on_the_list_needs_somebody(game):
    game.seat("Ann", "Bob", "Cat", "Dan")
    assert say(game, "free_seat") == []
    fay = listed(game, "Fay")
    listed(game, "Gus")
    assert say(game, "free_seat") == ["Table 1 has a free seat, and Fay (place 1) waits for one."]
    waiting.call(
        place_id=fay.pk,
        session_id=game.session.pk,
        seat=5,
        act=Act(key=game.key(), actor=game.floor, now=game.now),
    )
    assert say(game, "free_seat") == []  # the last seat is held for her


def test_a_log_that_is_not_sealed_needs_somebody(game):
    game.seat("Ann", "Bob")
    late = attention.waiting_now(game.site, game.now + timedelta(minutes=2))
    assert [item.sentence for item in late] == ["The audit log is late: records wait to be sealed."]


def test_a_gaming_day_that_is_over_waits_to_be_closed_by_a_person(game):
    house_events.note_particulars(
        game.site, act=Act(actor=None, now=OPENING - timedelta(hours=9)), opened=False
    )
    game.seat("Ann", "Bob")
    assert kinds(game.minute(17 * 60)) == []
    assert say(game.minute(18 * 60 + 5), "day_over") == [
        "Gaming day 2026-03-07 is over and not closed: 1 box is not signed off."
    ]
    waits = "Table 1 plays on: gaming day 2026-03-07 waits for a count of its bank."
    assert say(game, "bank_uncounted") == [waits]


# -- rows ----------------------------------------------------------------------------------------------------


@pytest.fixture
def told(monkeypatch):
    heard = []
    monkeypatch.setattr(attention, "publish", heard.append)
    return heard


def rows():
    return list(Attention.objects.order_by("pk").values_list("kind", "cleared_at"))


def tend(game):
    sealing.seal(game.site, now=game.now)
    return attention.tend(game.site, game.now)


def test_what_waits_is_raised_once_and_cleared_once_and_screens_are_told_each_time(game, told):
    game.seat("Ann", "Bob")
    game.play()
    stop(game)
    game.minute(11)
    assert [tend(game), tend(game)] == [1, 0]
    assert rows() == [("clock_stopped", None)]
    assert sorted(told) == [attention.HOUSE, game.session.pk]
    clock.start_clock(session_id=game.session.pk, act=Act(key=game.key(), actor=game.floor, now=game.now))
    assert [tend(game), tend(game)] == [1, 0]
    assert rows() == [("clock_stopped", game.now)]
    assert len(told) == 4


def test_what_waits_again_is_another_row(game, told):
    game.seat("Ann", "Bob", "Cat")
    for _ in range(2):
        game.set_stack(2, 5000)
        assert tend(game) == 1
        game.set_stack(2, 30_000)
        assert tend(game) == 1
    assert [kind for kind, _ in rows()] == ["fee_due", "fee_due"]


def test_a_row_says_what_is_so_now(game, told):
    game.seat("Ann", "Bob", "Cat")
    game.set_stack(2, 5000)
    tend(game)
    game.play()
    game.minute(41)
    assert tend(game) == 1
    assert [row.sentence for row in Attention.objects.filter(cleared_at=None)] == [
        "Table 1, seat 2: Bob owes $20.00 that the stack cannot pay."
    ]


def test_a_box_is_due_at_the_filed_time_until_it_is_pulled(game):
    game.site.time_zone, game.site.drop_times = "UTC", "20:30"
    game.site.save(update_fields=["time_zone", "drop_times"])
    assert say(game.minute(29), "box_due") == []
    due = f"Box {game.session.box.number} of Table 1 is due since 20:30."
    assert say(game.minute(30), "box_due") == [due]
    by = {"session_id": game.session.pk, "actor": game.floor, "now": game.now}
    acting(opening.change_box, second=game.dealer, key=game.key(), **by)
    assert say(game.minute(31), "box_due") == []


# -- the board -----------------------------------------------------------------------------------------------


def test_the_board_shows_what_waits_with_the_way_to_it_and_nothing_when_nothing_does(screen, game):
    sealing.seal(game.site, now=game.now)
    assert "Needs somebody" not in screen.get("/floor/").content.decode()
    game.seat("Ann", "Bob", "Cat")
    game.set_stack(2, 5000)
    page = screen.get("/floor/").content.decode()
    assert "Needs somebody" in page
    assert "Bob owes $10.00 that the stack cannot pay." in page
    assert f'href="/sittings/{game.sitting(2).pk}/pay/"' in page
    assert not Attention.objects.exists()  # right without the scheduler


def test_every_kind_has_a_place_where_it_is_seen_to(game):
    from tables.views.floor.attention import ANSWERS, ELSEWHERE

    assert sorted([*ANSWERS, *ELSEWHERE]) == sorted(attention.KINDS)
    for kind, (_, _, _, _, address) in ANSWERS.items():
        subject = "2026-03-07" if kind == "day_over" else "1"
        assert address(attention.Item(kind, subject, "", game.session)).startswith("/")


def test_who_only_reads_sees_it_without_the_way(screen, game, regulator):
    game.seat("Ann", "Bob")
    game.set_stack(2, 5000)
    page = screen.as_(regulator).get("/floor/").content.decode()
    assert "Bob owes" in page
    assert "/pay/" not in page


def test_reading_what_waits_costs_the_same_for_one_table_and_for_three(
    game, stocked_site, floor, dealer, players
):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            attention.waiting_now(game.site, game.now)
        return len(captured)

    game.seat("Ann", "Bob")
    game.set_stack(1, 5000)
    one = queries()
    for number in (2, 3):
        other = Game(stocked_site, floor, dealer, players, number=number)
        other.buy_in({2: "Cat", 3: "Dan"}[number], 1)
        other.set_stack(1, 5000)
    assert queries() == one


def test_a_fill_needs_somebody_while_the_floor_or_the_dealer_is_to_take_a_step(game, floor2, cashier):
    fill = banks.ask(
        session_id=game.session.pk,
        kind="fill",
        pieces=Pieces({500: 20}),
        act=Act(game.floor, game.now, game.key()),
    )
    assert say(game, "document") == ["Table 1: Fill 1 is to be authorised by the floor or a manager."]
    banks.take_step(document=fill, step="authorised", act=Act(floor2, game.now, game.key()))
    assert say(game, "document") == []  # the cashier's window has it
    banks.take_step(document=fill, step="sent", act=Act(cashier, game.now, game.key()))
    assert say(game, "document") == ["Table 1: Fill 1 is to be received by the dealer or the floor."]
    received = {"document": fill, "step": "received", "pieces": Pieces({500: 20})}
    banks.take_step(**received, act=Act(game.floor, game.now, game.key()))
    assert say(game, "document") == []
