"""Live pages by their stream: every act tells each page that may show it all that has changed there."""

from types import SimpleNamespace

import pytest

from ledger.journal.acts import Act
from ledger.models import JournalEntry
from tables.collection import clock, rates, taking_back, uncollected, waivers
from tables.floor import opening
from tables.models import Claim, FeePayment, Table
from tables.rounds import claims, corrections, running
from tables.seats import chip_corrections, chip_counts, tokes
from tables.seats.player_entries import change_player
from tables.seats.players import Person, know_player
from tables.seats.sitting import change_seat
from tests.support.acting import acting
from tests.support.game import FULL_HOUSE, PLAIN, QUEENS
from tests.support.kept import kept
from tests.support.live_pages import kept_true

pytestmark = pytest.mark.django_db


def buying_in(game, others):
    yield
    game.buy_in("Dan", 4)


def adding_on(game, others):
    yield
    game.add_on(1, 5000)


def cashing_out(game, others):
    yield
    game.cash_out(2)


def sitting_out(game, others):
    yield
    game.sit_out(1)


def changing_seats_(game, others):
    yield
    acting(change_seat, sitting_id=game.sitting(1).pk, seat=5, **by(game))


def moving(game, others):
    yield
    game.move(3, others.beside, 5)


def starting(game, others):
    yield
    game.start()


def settling(game, others):
    round_ = game.start()
    yield
    game.settle(round_)


def voiding(game, others):
    round_ = game.start()
    yield
    game.void(round_)


def calling_time_(game, others):
    round_ = game.start()
    yield
    acting(running.call_time, round_id=round_.pk, seat=1, **by(game))


def asking_for_a_correction(game, others):
    round_ = game.play()
    yield
    game.ask(round_, (FULL_HOUSE, QUEENS, PLAIN))


def approving_a_correction(game, others):
    asked = game.ask(game.play(), (FULL_HOUSE, QUEENS, PLAIN))
    yield
    game.approve(asked)


def refusing_a_correction(game, others):
    asked = game.ask(game.play(), (FULL_HOUSE, QUEENS, PLAIN))
    yield
    acting(corrections.refuse_correction, request_id=asked.pk, reason="the cards lay so", **by(game))


def paying_ahead(game, others):
    game.play()
    game.minute(41)
    yield
    game.pay(1)


def stopping_the_clock(game, others):
    game.play()
    yield
    acting(clock.stop_clock, session_id=game.session.pk, reason="a spilled drink", **by(game))


def starting_the_clock(game, others):
    game.play()
    acting(clock.stop_clock, session_id=game.session.pk, reason="a spilled drink", **by(game))
    game.minute(3)
    yield
    acting(clock.start_clock, session_id=game.session.pk, **by(game))


def announcing_a_rate(game, others):
    game.play()
    yield
    game.announce(others.beside.rate, 100_000)


def withdrawing_a_rate(game, others):
    game.play()
    game.announce(others.beside.rate, 100_000)
    yield
    acting(rates.withdraw_rate, session_id=game.session.pk, **by(game))


def taking_a_fee_back(game, others):
    game.play()
    game.minute(41).pay(1)
    payment = FeePayment.objects.latest("pk")
    yield
    acting(taking_back.take_back_fee, payment_id=payment.pk, **by(game, actor=payment.entry.actor))


def waiving_a_fee(game, others):
    reason = acting(
        waivers.publish_waiver_reason,
        site=game.site,
        code="equipment",
        text="The table was out of order",
        approval_reference="BGC-7",
        effective_from=game.now.date(),
        **by(game, actor=others.manager),
    )
    game.play()
    game.minute(41)
    yield
    acting(waivers.waive_fee, sitting_id=game.sitting(1).pk, reason=reason, **by(game))


def a_player_gone_without_paying(game, others):
    game.play()
    game.set_stack(3, 500)
    game.minute(41).play()
    yield
    walked = by(game, reason="went home without a word")
    acting(uncollected.declare_uncollected, sitting_id=game.sitting(3).pk, **walked)


def a_claim_that_was_paid(game, others):
    round_ = game.play([QUEENS, FULL_HOUSE, PLAIN])
    game.cash_out(1)
    game.approve(game.ask(round_, [PLAIN, FULL_HOUSE, QUEENS]), actor=others.floor2)
    yield
    acting(claims.mark_paid, claim_id=Claim.objects.order_by("number")[0].pk, **by(game))


def correcting_a_buy_in(game, others):
    entry = JournalEntry.objects.filter(kind="buy_in").latest("pk")
    yield
    acting(
        chip_corrections.correct_chips,
        entry=entry,
        cents=40_000,
        source="cash",
        **by(game, reason="it was less", approver=others.floor2),
    )


def changing_a_name(game, others):
    yield
    change_player(player_id=game.sitting(1).player_id, name="Annie", act=Act(**by(game)))


def leaving_a_table_without_a_dealer(game, others):
    yield
    game.push(None)


def pushing_another_dealer(game, others):
    yield
    game.push(others.dealer2)


def counting_the_chips(game, others):
    yield
    counted = {seat: cents - (seat == 1) * 500 for seat, cents in game.stacks().items()}
    acting(chip_counts.count_chips, session_id=game.session.pk, counted=counted, **by(game))


def a_toke(game, others):
    yield
    acting(tokes.give_toke, sitting_id=game.sitting(1).pk, cents=500, **by(game, actor=game.dealer))


def a_toke_given_back(game, others):
    acting(tokes.give_toke, sitting_id=game.sitting(1).pk, cents=500, **by(game, actor=game.dealer))
    entry = JournalEntry.objects.filter(kind="toke").latest("pk")
    yield
    acting(tokes.undo_toke, entry=entry, **by(game, actor=game.dealer))


def filling_the_bank(game, others):
    yield
    game.fill(100_000)


def changing_the_box(game, others):
    yield
    acting(opening.change_box, session_id=game.session.pk, second=others.floor2, **by(game))


def opening_another_table(game, others):
    yield
    opening.open_table(
        table=Table.objects.create(site=game.site, number=9),
        game="face-up",
        rate=game.rate,
        max_buy_in_cents=50_000,
        act=Act(**by(game)),
    )


def closing_another_table(game, others):
    for seat in (1, 2):
        others.beside.cash_out(seat)
    others.beside.push(None)
    yield
    others.beside.close(others.floor2)


def joining_a_list(game, others):
    yield
    others.desk.join("Gus")


def calling_somebody(game, others):
    place = others.desk.join("Gus")
    yield
    others.desk.call(place, game, 4)


def seating_from_a_list(game, others):
    place = others.desk.join("Gus")
    yield
    others.desk.seat(place, game, 4)


def holding_a_seat(game, others):
    yield
    others.desk.hold(game, 4, "Gus")


def making_a_must_move_table(game, others):
    yield
    others.desk.must_move(others.beside, game)


def a_round_at_a_must_move_table(game, others):
    others.desk.must_move(others.beside, game)
    yield
    others.beside.start()


def moving_up(game, others):
    others.desk.must_move(others.beside, game)
    yield
    others.desk.move_up(others.beside.sitting(1), game, 4)


ACTS = [act for act in list(globals().values()) if getattr(act, "__module__", "") == __name__]


def by(game, **options):
    return {"key": game.key(), "actor": game.floor, "now": game.now} | options


@kept
def others(game, desk, beside, floor2, manager, employ, players):
    """What acts need beside the table of Ann, Bob and Cat: the table beside with Eve and Fay, the lists,
    a second dealer."""
    players["Fay"] = know_player(Person("Fay"), site=game.site, act=Act(game.floor, game.now))
    beside.buy_in("Eve", 1)
    beside.buy_in("Fay", 2)
    game.seat("Ann", "Bob", "Cat")
    dealer2 = employ("dealer-without-table", "dealer")
    return SimpleNamespace(desk=desk, beside=beside, floor2=floor2, manager=manager, dealer2=dealer2)


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_a_page_that_hears_of_an_act_is_the_page_fetched_anew(act, game, others, floor, regulator, dealer):
    steps = act(game, others)
    next(steps)
    people = [floor, regulator, dealer]
    with kept_true(game.session.pk, people, lambda: game.now, ACTS.index(act)):
        assert next(steps, "done") == "done"
