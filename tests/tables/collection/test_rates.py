"""R60, R64: rates are published once and for all, and that of a table changes with its next down,
never within a round."""

import json
from dataclasses import fields, replace
from datetime import date, timedelta

import pytest
from django.db.models import Sum

from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.jurisdiction import FILES, jurisdiction
from ledger.models import AuditRecord, Site
from tables.collection import rates
from tables.errors import TableError
from tables.floor import opening
from tables.models import Charge, Down, FeePayment, Rate, Round, Table, TableEvent
from tables.rules.table.downs import half_of
from tables.state.evidence import standing_evidence
from tables.state.table_state import state_of
from tests.support.acting import acting
from tests.support.answers import answer_to
from tests.support.game import HANDS, LOW, OPENING, PLAIN

pytestmark = pytest.mark.django_db
TODAY = date(2026, 3, 7)
KINDS = TableEvent.Kind
R60 = [(1, 10), (5, 10), (10, 12), (20, 12), (30, 15), (40, 15), (50, 18), (100, 18)]


@pytest.fixture
def publish(site, manager):
    """Publish a rate as the manager, at the opening's time; by default a new option of the house at $40."""

    def publish(**said):
        usual = rates.RateEntry(4000, 1500, "BGC-7", TODAY)
        names = {field.name for field in fields(usual)} & said.keys()
        entry = replace(usual, **{name: said.pop(name) for name in names})
        return acting(rates.publish_rate, site=site, entry=entry, **{"actor": manager, "now": OPENING} | said)

    return publish


def code_of(call, *args, **said):
    with pytest.raises((TableError, LedgerError)) as refused:
        call(*args, **said)
    return refused.value.code


def announce(game, rate, points=100, **said):
    said = {"key": game.key(), "actor": game.floor, "now": game.now} | said
    return acting(
        rates.announce_rate,
        session_id=game.session.pk,
        rate=rate,
        max_buy_in_cents=points * rate.limit_cents,
        **said,
    )


def withdraw(game, **said):
    said = {"key": game.key(), "actor": game.floor, "now": game.now} | said
    return acting(rates.withdraw_rate, session_id=game.session.pk, **said)


def events(game, *kinds):
    kinds = kinds or (KINDS.RATE_ANNOUNCED, KINDS.RATE_WITHDRAWN, KINDS.RATE_CHANGED)
    return list(game.session.events.filter(kind__in=kinds).order_by("pk"))


def in_force(game):
    session = game.fresh_session()
    return session.limit_cents, session.rate.fee_cents, session.max_buy_in_cents


# -- publishing ----------------------------------------------------------------------------------------------


def test_r60_the_eight_options_are_those_of_the_rules():
    assert list(rates.LICENSED) == list(range(1, 9))
    assert [(limit / 100, fee / 100) for limit, fee in rates.LICENSED.values()] == R60


@pytest.mark.parametrize("option", range(1, 9))
def test_r60_each_of_the_eight_options_can_be_published_and_keeps_its_limit(publish, option):
    limit, fee = (100 * amount for amount in R60[option - 1])
    first = publish(option=option, limit_cents=limit, fee_cents=fee)
    assert (first.option, first.version, first.limit_cents, first.fee_cents) == (option, 1, limit, fee)
    assert code_of(publish, option=option, limit_cents=limit + 100, fee_cents=fee) == "other_limit"


def test_r60_a_houses_own_options_follow_the_eight_and_a_rate_is_written_once_with_its_record(
    publish, manager
):
    first, second = publish(), publish(limit_cents=2500)
    assert (first.option, second.option, second.version, second.published_by) == (9, 10, 1, manager)
    newer = publish(option=9, fee_cents=1600, effective_from=TODAY + timedelta(days=1))
    assert (newer.option, newer.version) == (9, 2)
    records = AuditRecord.objects.filter(kind="rate").order_by("pk")
    assert [record.subject for record in records] == [first.pk, second.pk, newer.pk]
    assert code_of(publish, option=9, limit_cents=2500) == "other_limit"


def test_publishing_the_same_once_more_is_the_same_rate(publish):
    assert publish(option=9) == publish(option=9)
    assert Rate.objects.count() == 1


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"approval_reference": "  "}, "approval_required"),
        ({"approval_reference": "x" * 81}, "approval_required"),
        ({"effective_from": TODAY - timedelta(days=1)}, "bad_effective_date"),
        ({"fee_cents": 0}, "bad_amount"),
        ({"fee_cents": -1500}, "bad_amount"),
        ({"fee_cents": 12.5}, "bad_amount"),
        ({"limit_cents": 0}, "bad_amount"),
        ({"limit_cents": True}, "bad_amount"),
        ({"option": 0}, "unknown_rate"),
        ({"option": 32768}, "unknown_rate"),
    ],
)
def test_r60_a_rate_without_approval_amount_or_a_day_to_come_is_refused(publish, said, code):
    assert code_of(publish, **said) == code
    assert not Rate.objects.exists()


def test_a_rate_can_hold_from_the_gaming_day_that_runs_though_the_calendar_is_ahead_of_it(publish):
    after_midnight = OPENING + timedelta(hours=14)  # 2 in the morning of the 8th: the gaming day is the 7th
    assert publish(effective_from=TODAY, now=after_midnight).effective_from == TODAY


def test_only_who_keeps_the_house_publishes(publish, floor, cashier, regulator):
    for person in (floor, cashier, regulator):
        assert code_of(publish, actor=person) == "not_allowed"


def test_r60_a_sixth_amount_in_force_for_one_limit_is_too_many(publish):
    for number in range(5):
        publish(fee_cents=1500 + 100 * number)
    assert code_of(publish, fee_cents=2500) == "too_many_rates"
    assert publish(fee_cents=1500).option == 14  # the same amount once more is no sixth one
    assert publish(limit_cents=4100, fee_cents=2500).option == 15
    # A version with a new amount in the place of an old one keeps it at five.
    assert publish(option=10, fee_cents=2500).version == 2


def test_r60_a_sixth_amount_is_too_many_on_any_day_to_come(publish):
    for number in range(4):
        publish(fee_cents=1500 + 100 * number)
    week, fortnight = TODAY + timedelta(days=7), TODAY + timedelta(days=14)
    publish(fee_cents=2000, effective_from=fortnight)
    # Until then four hold and a fifth may; from then on it would be the sixth.
    assert code_of(publish, fee_cents=2100, effective_from=week) == "too_many_rates"
    publish(option=9, fee_cents=2000, effective_from=fortnight)  # one of the four makes room
    assert publish(fee_cents=2100, effective_from=week).version == 1


def test_the_cap_is_that_of_the_jurisdiction_and_an_unknown_one_has_none(monkeypatch):
    assert jurisdiction("california").rates_per_limit == 5
    for code in ("nowhere", "../jurisdiction", ""):
        with pytest.raises(KeyError):
            jurisdiction(code)
    assert [path.stem for path in FILES.glob("*.toml")] == [Site._meta.get_field("jurisdiction").default]


@pytest.mark.parametrize("wrong", ["", "[confirm_pieces]\nvault = 5", "confirm_pieces = 5"])
def test_a_jurisdictions_file_has_a_bound_for_every_place_that_is_counted(monkeypatch, tmp_path, wrong):
    text = (FILES / "california.toml").read_text()
    (tmp_path / "california.toml").write_text(text[: text.index("[confirm_pieces]")] + wrong)
    monkeypatch.setattr("ledger.jurisdiction.FILES", tmp_path)
    with pytest.raises(ValueError, match="confirm_pieces must have whole numbers"):
        jurisdiction.__wrapped__("california")


def test_r60_a_version_holds_until_the_next_one_of_its_option_does(site, publish):
    first = publish(option=9)
    third = publish(option=9, fee_cents=1700, effective_from=TODAY + timedelta(days=9))
    fourth = publish(option=9, fee_cents=1800, effective_from=TODAY + timedelta(days=4))
    history = rates.rate_history(site)
    assert [(one.rate, one.effective_to, one.never_held) for one in history] == [
        (fourth, None, False),
        (third, TODAY + timedelta(days=3), True),
        (first, TODAY + timedelta(days=3), False),
    ]
    for days, held in ((0, first), (3, first), (4, fourth), (30, fourth)):
        assert rates.rates_in_force(site, OPENING + timedelta(days=days)) == [held]
    assert rates.rates_in_force(site, OPENING - timedelta(days=1)) == []


def test_r60_a_table_is_not_opened_at_a_version_that_a_newer_one_has_replaced(game, publish, floor):
    old = publish()
    new = publish(option=old.option, fee_cents=1600, effective_from=TODAY + timedelta(days=1))

    def open_at(rate, now):
        table = Table.objects.create(site=game.site, number=20 + Table.objects.count())
        return opening.open_table(
            table=table,
            game="western",
            rate=rate,
            max_buy_in_cents=400_000,
            act=Act(key=game.key(), actor=floor, now=now),
        )

    assert open_at(old, game.now).rate == old
    tomorrow = game.now + timedelta(days=1)
    assert code_of(open_at, old, tomorrow) == "unknown_rate"
    session = open_at(new, tomorrow)
    assert rates.newer_version(session, tomorrow) is None


# -- changing the rate of a table ----------------------------------------------------------------------------


@pytest.fixture
def forty(game, publish):
    """$40 with a $15 fee, at a table of $5 with $10."""
    return publish()


@pytest.fixture
def ten(game, publish):
    """$10 with a $12 fee: with 60 points of $5 one has 30 of these."""
    return publish(limit_cents=1000, fee_cents=1200)


def test_r64_an_announced_rate_holds_from_the_next_down_on(game, ten):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(10)
    announce(game, ten)
    game.play()
    assert in_force(game) == (500, 1000, 50_000)
    game.minute(39.9).play()
    game.minute(40).play()
    assert in_force(game) == (1000, 1200, 100_000)
    assert [(down.number, down.rate.fee_cents) for down in game.session.downs.order_by("number")] == [
        (1, 1000),
        (2, 1200),
    ]
    assert list(Round.objects.order_by("pk").values_list("limit_cents", flat=True)) == [500, 500, 500, 1000]
    charges = Charge.objects.order_by("pk").values_list("down__number", "fee_cents", "rate")
    assert list(charges) == [(1, 1000, game.rate.pk)] * 2 + [(2, 1200, ten.pk)] * 2
    announced, changed = events(game)
    assert (announced.kind, changed.kind) == (KINDS.RATE_ANNOUNCED, KINDS.RATE_CHANGED)
    assert (changed.data["down"], changed.actor, changed.at) == (2, game.floor, game.now)
    assert changed.data["rate"] == announced.data["rate"]
    assert announced.data["limit_cents"] == changed.data["limit_cents"] == 1000


def test_r64_a_round_that_runs_across_the_boundary_is_settled_at_the_limit_it_began_with(game, ten):
    game.seat("Ann", "Bob")
    game.play()
    announce(game, ten)
    game.minute(39)
    before = game.stacks()
    crossing = game.start()
    game.minute(41).settle(crossing, (PLAIN, LOW))
    after = game.stacks()
    assert in_force(game)[0] == 1000
    points = answer_to(crossing)["payments"][0]["points"]
    assert max(after[seat] - before[seat] for seat in after) == 500 * points
    assert standing_evidence(crossing)["input"]["limit"] == "5.00"
    corrected = game.approve(game.ask(crossing, (LOW, PLAIN), actor=game.dealer))
    assert standing_evidence(corrected.round)["input"]["limit"] == "5.00"
    assert standing_evidence(game.play((PLAIN, LOW)))["input"]["limit"] == "10.00"


def test_r64_a_down_that_has_begun_and_has_no_row_is_planned_at_the_new_rate(game, forty):
    game.seat("Ann", "Bob", "Cat", points=100)
    game.play()
    for seat in (1, 2):
        game.set_stack(seat, 40_000)
    game.set_stack(3, 36_900)  # nine points of $40 are $360; with the fee of $15 they are not left
    announce(game, forty)
    before = game.minute(39).plan()
    assert (before.rate.limit_cents, len(before.dealt_in)) == (500, 3)
    plan = game.minute(41).plan()
    assert (plan.rate.limit_cents, [down.number for down in plan.new_downs]) == (4000, [2])
    assert [fee.cents for seat in plan.dealt_in for fee in seat.fees] == [1500, 1500]
    assert [(seat.seat, seat.reason, seat.due_cents) for seat in plan.waiting] == [(3, "fee_due", 1500)]
    assert not Down.objects.filter(number=2).exists()
    round_ = game.start()
    assert (round_.limit_cents, round_.down.number, round_.down.rate) == (4000, 2, forty)


def test_r61_r64_the_players_of_a_new_down_are_those_with_nine_points_of_its_limit(game, forty):
    """With $300 each nobody has nine points of $40: the clock waits, though at $5 they could go on."""
    game.seat("Ann", "Bob")
    game.play()
    announce(game, forty)
    game.minute(45)
    state = state_of(game.fresh_session())
    assert state.waits(game.now)
    assert not state.enough_players
    plan = game.plan()
    assert (plan.problem, {seat.reason for seat in plan.waiting}) == ("too_few_players", {"short"})
    assert code_of(game.start) == "too_few_players"
    game.add_on(1, 20_000)  # above the old maximum: players may prepare for the new limit
    assert state_of(game.fresh_session()).waits(game.now)
    game.minute(47).add_on(2, 20_000)
    down = Down.objects.get(number=2)
    assert (down.started_at, down.rate, in_force(game)) == (game.now, forty, (4000, 1500, 400_000))
    assert game.play((PLAIN, LOW)).limit_cents == 4000


def test_r64_a_lower_limit_that_is_announced_while_the_clock_waits_begins_the_down_at_once(game, publish):
    dollar = publish(limit_cents=100, fee_cents=900)
    game.seat("Ann", "Bob")
    game.play()
    for seat in (1, 2):
        game.set_stack(seat, 4000)  # eight points of $5
    game.minute(50)
    assert state_of(game.fresh_session()).waits(game.now)
    announce(game, dollar, points=1000)
    down = Down.objects.get(number=2)
    assert (down.started_at, down.waited_from) == (game.now, OPENING + timedelta(minutes=40))
    assert [event.kind for event in events(game)] == [KINDS.RATE_ANNOUNCED, KINDS.RATE_CHANGED]
    assert in_force(game)[0] == 100


def test_r64_an_announcement_after_the_boundary_holds_from_the_down_after_it(game, ten):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(42)
    announce(game, ten)  # down 2 has begun at 40, though nobody has written it yet
    game.play()
    assert in_force(game)[0] == 500
    game.minute(80).play()
    assert in_force(game)[0] == 1000
    assert [down.rate_id for down in game.session.downs.order_by("number")] == [
        *(game.rate.pk, game.rate.pk, ten.pk)
    ]


def test_r64_before_the_first_round_the_first_down_is_the_next_one(game, ten):
    announce(game, ten)
    game.seat("Ann", "Bob")
    round_ = game.start()
    assert (round_.limit_cents, round_.down.number, round_.down.rate) == (1000, 1, ten)


def test_r64_an_announcement_is_taken_back_before_it_holds_and_not_after(game, ten, forty):
    game.seat("Ann", "Bob")
    game.play()
    key = game.key()
    announce(game, forty)
    announce(game, ten)  # in the place of the one before
    withdraw(game, key=key)
    withdraw(game, key=key)
    assert code_of(withdraw, game) == "nothing_changes"
    game.minute(41).play()
    assert in_force(game)[0] == 500
    announce(game, ten)
    game.minute(81)  # down 3 has begun
    assert code_of(withdraw, game) == "nothing_changes"
    game.play()
    assert in_force(game)[0] == 1000


def test_r64_what_cannot_be_announced(game, ten, floor, dealer, publish, floor2):
    later = publish(effective_from=TODAY + timedelta(days=1))
    assert code_of(announce, game, later) == "unknown_rate"
    assert code_of(announce, game, ten, points=29) == "bad_buy_in_maximum"
    assert code_of(announce, game, game.rate) == "nothing_changes"
    assert code_of(announce, game, ten, actor=dealer) == "not_allowed"
    key = game.key()
    announce(game, ten, key=key)
    announce(game, ten, key=key)
    assert code_of(announce, game, ten, points=50, key=key) == "key_reused"
    assert len(events(game)) == 1
    game.close(floor2)
    assert code_of(announce, game, ten) == "table_closed"


def test_r64_a_maximum_buy_in_alone_can_change_as_well(game):
    game.seat("Ann", "Bob")
    game.play()
    announce(game, game.rate, points=200)
    game.minute(40).play()
    assert in_force(game) == (500, 1000, 100_000)


def test_r64_buy_ins_are_held_to_the_limit_of_the_down_that_runs(game, forty):
    game.seat("Ann", "Bob", points=100)
    game.play()
    announce(game, forty)
    game.minute(39).buy_in("Cat", 3, points=30)
    for seat in (1, 2):
        game.add_on(seat, 100_000)
    game.minute(40)
    assert code_of(game.buy_in, "Dan", 4, points=239) == "buy_in_too_small"  # 30 x $40 are 240 x $5
    game.buy_in("Dan", 4, points=240)


def test_r64_an_entry_that_is_recorded_late_pays_each_down_at_its_own_rate(game, ten, floor2):
    game.seat("Ann", "Bob")
    game.play()
    announce(game, ten)
    game.minute(30).play()
    game.minute(45).play()
    game.minute(65)
    game.buy_in("Cat", 3, points=120, entered_at=OPENING + timedelta(minutes=25), approver=floor2)
    charges = Charge.objects.filter(player__name="Cat").order_by("pk")
    assert list(charges.values_list("down__number", "rule", "cents", "rate")) == [
        (1, "half", half_of(1000), game.rate.pk),
        (2, "full", 1200, ten.pk),
    ]


def test_r64_a_fee_left_due_is_taken_later_as_what_it_was(game, ten, cashier):
    game.seat("Ann", "Bob", "Cat")
    game.set_stack(3, 5000)
    game.play()
    announce(game, ten)
    game.minute(41).add_on(3, 10_000)
    game.play()
    taken = FeePayment.objects.filter(charge__player__name="Cat").order_by("pk")
    assert [(one.charge.down.number, one.charge.cents) for one in taken] == [(1, 1000), (2, 1200)]
    said = [json.loads(one.entry.evidence)["rate"] for one in taken]
    assert said == [{"option": one.charge.rate.option, "version": 1} for one in taken]


def test_the_fees_of_a_night_with_changes_add_up(game, ten, forty):
    game.seat("Ann", "Bob", points=100)
    game.play(HANDS)
    announce(game, ten)
    for minute in (20, 40, 60, 80):
        game.minute(minute).play(HANDS)
    owed = Charge.objects.aggregate(cents=Sum("cents"))["cents"]
    assert owed == 2 * (1000 + 1200 + 1200)
    assert game.fresh_session().box.chips.balance_cents == owed


def test_a_table_whose_rate_has_a_newer_version_says_so_and_goes_on(game, publish):
    old = publish(limit_cents=1000, fee_cents=1200)
    announce(game, old)
    game.seat("Ann", "Bob")
    game.play()
    tomorrow = OPENING + timedelta(days=1)
    new = publish(option=old.option, limit_cents=1000, fee_cents=1300, effective_from=tomorrow.date())
    session = game.fresh_session()
    assert rates.newer_version(session, game.now) is None
    assert rates.newer_version(session, tomorrow) == new
    assert session.rate == old


def test_the_tables_and_downs_of_each_rate(game, ten):
    game.seat("Ann", "Bob")
    game.play()
    announce(game, ten)
    bound = rates.tables_bound(game.site)
    assert bound[game.rate.pk] == [(game.session.pk, "Table 1")]
    assert bound[ten.pk] == [(game.session.pk, "Table 1 from its next down")]
    game.minute(41).play()
    assert rates.downs_played(game.site) == {game.rate.pk: 1, ten.pk: 1}
