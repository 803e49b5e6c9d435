"""Pushes: a table has one dealer, a dealer one table, and what is done with cards is the dealer's."""

from datetime import datetime

import pytest

from casino import roles
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.proof.log import sealing, verifying
from tables.errors import TableError
from tables.models import Down, FeePayment, Round, TableEvent, TableSession
from tables.reports.downs import dealers_of_downs
from tables.rounds import pushes
from tests.support.acting import acting
from tests.support.game import FULL_HOUSE, QUEENS
from tests.support.together import run_together

pytestmark = pytest.mark.django_db
HANDS = (QUEENS, FULL_HOUSE)


@pytest.fixture
def zoe(employ):
    """Another dealer, who is pushed in nowhere."""
    return employ("zoe", "dealer")


def refused(act, *args, **options):
    with pytest.raises((TableError, LedgerError)) as error:
        acting(act, *args, **options)
    return error.value.code


def dealer_of(game):
    return game.fresh_session().dealer


def pushed(game):
    """The pushes of a table: (who came in, who went)."""
    events = game.session.events.filter(kind=TableEvent.Kind.PUSHED).order_by("pk")
    return [(event.data["dealer"], event.data["previous"]) for event in events]


def test_a_push_brings_one_dealer_in_and_takes_the_other_out(game, dealer, zoe):
    game.push(zoe)
    assert dealer_of(game) == zoe
    assert pushed(game) == [(dealer.pk, None), (zoe.pk, dealer.pk)]


def test_a_dealer_who_is_pushed_in_elsewhere_leaves_the_other_table(game, beside, dealer):
    game.push(beside.dealer)
    assert (dealer_of(game), dealer_of(beside)) == (beside.dealer, None)
    assert pushed(beside)[-1] == (None, beside.dealer.pk)


def test_a_dealer_in_a_round_elsewhere_is_pushed_only_if_the_round_is_left_on_purpose(game, beside):
    beside.seat("Ann", "Bob")
    round_ = beside.start(actor=beside.dealer)
    assert refused(game.push, beside.dealer) == "dealer_in_round"
    assert dealer_of(beside) == beside.dealer
    key = game.key()
    assert refused(game.push, beside.dealer, key=key) == "dealer_in_round"
    game.push(beside.dealer, key=key, leave_round=True)
    assert (dealer_of(game), dealer_of(beside)) == (beside.dealer, None)
    assert Round.objects.get(pk=round_.pk).state == "dealt"


def test_the_floor_takes_a_dealer_out(game):
    game.push(None)
    assert dealer_of(game) is None


def test_the_same_push_comes_twice_and_once_it_counts(game, zoe, dealer):
    key = game.key()
    for _ in range(2):
        game.push(zoe, key=key)
    assert len(pushed(game)) == 2
    assert refused(game.push, dealer, key=key) == "key_reused"


def test_nobody_deals_who_is_no_dealer(game, cashier, floor2):
    assert refused(game.push, cashier) == refused(game.push, floor2) == "not_a_dealer"
    game.dealer.is_active = False
    game.push(None)
    assert refused(game.push, game.dealer) == "not_a_dealer"


def test_a_dealer_hands_over_the_own_table_and_takes_one_that_has_none(game, beside, dealer, zoe):
    assert refused(game.push, zoe, actor=zoe) == "not_your_table"
    assert refused(beside.push, dealer, actor=dealer) == "not_your_table"
    game.push(zoe, actor=dealer)
    beside.push(None)
    assert refused(beside.push, beside.dealer, actor=dealer) == "not_your_table"
    beside.push(dealer, actor=dealer)
    assert (dealer_of(game), dealer_of(beside)) == (zoe, dealer)


def test_others_push_nobody(game, cashier, regulator, zoe):
    for person in (cashier, regulator):
        assert refused(game.push, zoe, actor=person) == "not_allowed"


def test_a_closed_table_has_no_push(game, floor2, zoe):
    game.close(floor2)
    assert refused(game.push, zoe) == "table_closed"


def test_only_the_tables_dealer_starts_enters_settles_and_voids(game, dealer, zoe):
    game.seat("Ann", "Bob")
    assert refused(game.start, actor=zoe) == "not_your_table"
    round_ = game.start()
    game.push(zoe)
    assert refused(game.settle, round_, HANDS) == "not_your_table"
    assert refused(game.void, round_) == "not_your_table"
    game.settle(round_, HANDS, actor=zoe)
    assert Round.objects.get(pk=round_.pk).dealer == dealer


def test_the_floor_voids_whoever_deals(game, floor):
    from tables.rounds import running

    game.seat("Ann", "Bob")
    round_ = game.start()
    voided = running.void_round(
        round_id=round_.pk, act=Act(reason="a fire alarm", key=game.key(), actor=floor, now=game.now)
    )
    assert voided.state == Round.State.VOID


def test_a_round_that_the_floor_starts_is_the_dealers(game, floor, dealer):
    game.seat("Ann", "Bob")
    key = game.key()
    round_ = game.start(actor=floor, key=key, in_cash=[1], two_hands=[1, 2])
    assert game.start(actor=floor, key=key, in_cash=[1], two_hands=[1, 2]) == round_
    assert (round_.dealer, dealer_of(game), round_.hands.count()) == (dealer, dealer, 4)
    started = TableEvent.objects.get(kind="round_started")
    assert (started.actor, started.data["dealer"]) == (floor, dealer.pk)
    taken = FeePayment.objects.select_related("entry").filter(charge__session=game.session)
    assert {one.entry.actor for one in taken} == {floor}
    assert refused(game.start) == "round_running"
    game.settle(round_)
    assert "dealer" not in [game.start(), TableEvent.objects.latest("pk")][1].data


def test_the_floor_starts_no_round_without_a_dealer(game, floor):
    game.seat("Ann", "Bob")
    game.push(None)
    assert refused(game.start, actor=floor) == "no_dealer"
    assert not Round.objects.exists()


def test_who_runs_the_floor_and_deals_as_well_starts_for_another_dealer(game, zoe):
    roles.assign(zoe, "floor")
    zoe = type(zoe).objects.get(pk=zoe.pk)
    game.seat("Ann", "Bob")
    assert game.start(actor=zoe).dealer == game.dealer


def test_starting_at_a_table_without_a_dealer_pushes_in_whoever_starts(game, zoe):
    game.seat("Ann", "Bob")
    game.push(None)
    game.start(actor=zoe)
    assert dealer_of(game) == zoe
    assert pushed(game)[-1] == (zoe.pk, None)


def test_whoever_deals_elsewhere_takes_no_second_table_by_dealing(game, beside, dealer):
    beside.seat("Ann", "Bob")
    beside.push(None)
    assert refused(beside.start, actor=dealer) == "not_your_table"
    assert dealer_of(beside) is None


def test_a_down_knows_everybody_who_dealt_in_it(game, dealer, zoe):
    game.seat("Ann", "Bob")
    game.play(HANDS)
    game.minute(39).push(zoe)
    game.minute(41).dealer = zoe
    game.play(HANDS)
    first, second = Down.objects.order_by("number")
    assert dealers_of_downs(game.session) == {first.pk: (dealer, zoe), second.pk: (zoe,)}


def test_pushes_verify_and_another_dealer_in_the_row_is_found(game, zoe, dealer):
    game.push(zoe)
    sealing.seal(game.site, now=game.now)
    assert [str(found) for found in verifying.Verification(game.site).run()] == []
    TableSession.objects.filter(pk=game.session.pk).update(dealer=dealer)
    found = {finding.record for finding in verifying.Verification(game.site).run()}
    assert found == {f"table session {game.session.pk}"}


@pytest.mark.django_db(transaction=True)
def test_one_dealer_pushed_in_at_two_tables_at_once_deals_at_one(game, beside, zoe):
    answers = run_together(
        "tests.tables.rounds.test_pushes:push_at_once",
        [{"session": one.session.pk, "now": one.now.isoformat()} for one in (game, beside)],
    )
    assert set(answers) <= {"ok", "stale_page"}
    assert "ok" in answers
    assert TableSession.objects.filter(dealer=zoe).count() == 1


def push_at_once(session, now):
    """Push zoe in, in a process of its own."""
    from casino.models import Staff

    try:
        pushes.push_dealer(
            session_id=session,
            dealer=Staff.objects.get(username="zoe"),
            act=Act(
                key=f"push-at-{session}",
                actor=Staff.objects.get(username="floor"),
                now=datetime.fromisoformat(now),
            ),
        )
    except TableError as refused:
        return refused.code
    return "ok"
