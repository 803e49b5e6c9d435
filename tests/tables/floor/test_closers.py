"""The bank of a table that closes comes to the cage on a closer: counted by two, sent at once, received by a
cashier who counts it blind."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group

from ledger.cage.documents import trail_of
from ledger.errors import LedgerError
from ledger.journal import closing as days
from ledger.models import Account, Document, JournalEntry, StruckCount, Transfer
from ledger.proof.log import sealing, verifying
from ledger.rules.denominations import Pieces
from ledger.rules.documents import wrong_closer
from tables.errors import TableError
from tables.floor import banks
from tests.support.acting import acting
from tests.support.cage import fields_of, pieces
from tests.support.cast import PIN
from tests.support.kept import kept
from tests.support.pages import steady

pytestmark = pytest.mark.django_db
SECOND = {"second": "floor2", "second_pin": PIN}


def refused(act, *args, **options):
    with pytest.raises((TableError, LedgerError)) as error:
        acting(act, *args, **options)
    return error.value


@kept
def closed(game, floor2):
    """Ann has bought in for $300 in cash and gone; floor and floor2 closed the table, and the bank is on its
    way."""
    game.seat("Ann")
    game.cash_out(1)
    game.close(floor2, received=False)
    return game


@kept
def closer(closed):
    return Document.objects.get(kind="closer")


@pytest.fixture
def take(closed, closer):
    def taken(person, step="received", counted=None, **options):
        counted = counted or pieces(closed.site, chips=4_970_000, cash=30_000)
        by = {"actor": person, "now": closed.minute(5).now, "key": closed.key()}
        return acting(banks.take_step, document=closer, step=step, pieces=counted, **by | options)

    return taken


def held(site, kind):
    of_kind = Account.objects.filter(site=site, kind=kind)
    return {
        asset: sum(of_kind.filter(asset=asset).values_list("balance_cents", flat=True)) for asset in ASSETS
    }


ASSETS = ("chips", "cash")


def test_all_that_two_counted_is_under_way_in_the_moment_of_the_closing(closed, closer, floor, floor2):
    trail = trail_of(closer)
    assert (str(closer), closer.place) == ("Closer 1", "Table 1")
    assert trail.taken == [("requested", floor2.pk), ("sent", floor.pk)]
    assert {step.at for step in trail.steps} == {closed.fresh_session().closed_at}
    assert trail.pieces == pieces(closed.site, chips=4_970_000, cash=30_000)
    assert held(closed.site, "table_bank") == {"chips": 0, "cash": 0}
    assert held(closed.site, "transit") == {"chips": 4_970_000, "cash": 30_000}
    counted = JournalEntry.objects.get(kind="bank_count")
    assert (counted.actor, counted.approver, counted.transfers.count()) == (floor, floor2, 0)


def test_the_entry_of_the_count_moves_the_difference_alone(game, floor2):
    game.close(floor2, chips_over=-500, received=False)
    moved = Transfer.objects.filter(entry__kind="bank_count")
    lines = [(one.source.kind, one.target.kind, one.cents) for one in moved]
    assert lines == [("table_bank", "over_short", 500)]
    assert Document.objects.get(kind="closer").chips_cents == 4_999_500


def test_a_cashier_who_did_not_count_it_receives_it_into_the_vault(closed, closer, take, cashier):
    before = held(closed.site, "vault")
    assert take(cashier).step == "received"
    assert held(closed.site, "vault") == {
        "chips": before["chips"] + 4_970_000,
        "cash": before["cash"] + 30_000,
    }
    assert held(closed.site, "transit") == {"chips": 0, "cash": 0}
    assert refused(take, cashier).code == "document_ended"


def test_neither_of_the_two_receives_it(take, floor, floor2, dealer):
    assert {refused(take, one).code for one in (floor, floor2, dealer)} == {"not_allowed"}
    for counter in (floor, floor2):  # who is a cashier since
        counter.groups.set(Group.objects.filter(name="cashier"))
        now_cashier = type(counter).objects.get(pk=counter.pk)
        assert refused(take, now_cashier).code == "second_person"


def test_a_closer_is_never_voided(take, floor, manager):
    two = {"approver": manager, "reason": "no more of it"}
    assert refused(take, floor, "voided", **two).code == "wrong_step"


def test_what_arrives_otherwise_is_over_short_of_its_own(closed, take, cashier, manager):
    short = pieces(closed.site, chips=4_969_500, cash=30_000)
    error = refused(take, cashier, counted=short)
    assert (error.code, any(map(str.isdigit, error.message))) == ("not_as_sent", False)
    kept = StruckCount.objects.get(document__kind="closer")
    assert (kept.attempt, kept.person, kept.chips_cents) == (1, cashier, 4_969_500)
    step = take(cashier, counted=short, approver=manager, reason="a chip fell on the way")
    assert (step.step, held(closed.site, "over_short")) == ("differed", {"chips": 500, "cash": 0})


def test_the_day_waits_for_it(closed, closer, take, cashier):
    day, later = closer.gaming_day, closed.now + timedelta(days=1)
    assert days.day_state(closed.site, day, later).documents == (closer,)
    take(cashier)
    assert days.day_state(closed.site, day, later).documents == ()


def test_an_empty_bank_has_no_closer_and_is_counted_all_the_same(game, floor2):
    game.close(floor2, count=Pieces({500: 0}, {}))
    assert not Document.objects.filter(kind="closer").exists()
    assert JournalEntry.objects.filter(kind="bank_count").count() == 1


def test_a_house_counts_in_its_own_denominations(game, floor2):
    assert refused(game.close, floor2, count=Pieces({300: 1})).code == "bad_amount"
    assert game.fresh_session().closed_at is None


def test_nobody_asks_for_a_closer(screen, game):
    by = {"actor": game.dealer, "now": game.now, "key": game.key()}
    counted = Pieces({500: 1})
    error = refused(banks.ask, session_id=game.session.pk, kind="closer", pieces=counted, **by)
    assert error.code == "wrong_step"
    assert screen.get(f"/sessions/{game.session.pk}/bank/closer/").status_code == 404


def test_a_closing_verifies_while_its_closer_is_under_way_and_after_it_was_received(closed, take, cashier):
    for _ in range(2):
        sealing.seal(closed.site, now=closed.now)
        assert [str(found) for found in verifying.Verification(closed.site).run()] == []
        if Account.objects.filter(kind="transit", closed_at=None).exists():
            take(cashier)


# -- the rule ------------------------------------------------------------------------------------------------

SENT = Pieces({500: 2})
TAKEN = [("requested", 4, "8 p.m."), ("sent", 3, "8 p.m.")]


@pytest.mark.parametrize(
    ("sent", "taken", "right"),
    [
        (SENT, TAKEN, True),
        (None, [], False),
        (Pieces({500: 1}), TAKEN, False),
        (SENT, TAKEN[:1], False),
        (SENT, TAKEN[::-1], False),
        (SENT, [("requested", 3, "8 p.m."), ("sent", 4, "8 p.m.")], False),
        (SENT, [TAKEN[0], ("sent", 3, "9 p.m.")], False),
        (SENT, [*TAKEN, ("received", 7, "8 p.m.")], False),
    ],
)
def test_a_closer_is_of_what_was_counted_by_the_two_and_in_that_moment(sent, taken, right):
    assert (wrong_closer(SENT, (3, 4), "8 p.m.", sent, taken) == "") is right


def test_nothing_goes_on_no_closer():
    assert wrong_closer(Pieces(), (3, 4), "8 p.m.", None, []) == ""
    assert wrong_closer(Pieces(), (3, 4), "8 p.m.", SENT, TAKEN) != ""


# -- the pages -----------------------------------------------------------------------------------------------


def test_the_page_says_which_paper_goes_to_the_cage(screen, game, floor2):
    path = f"/floor/sessions/{game.session.pk}/close/"
    page = screen.get(screen.post(path, **fields_of(game.counted()), **SECOND).url).content.decode()
    assert "Table 1 is closed. Take its bank to the cage: Closer 1" in page


def test_a_form_on_which_nothing_was_counted_is_refused_and_a_written_nought_is_not(screen, game, floor2):
    path = f"/floor/sessions/{game.session.pk}/close/"
    for said in ({}, {"chips_500": "0"}, {"second_chips_500": "0"}):
        answer = screen.post(path, **said, **SECOND)
        assert (answer.status_code, screen.codes(answer)[:1]) == (400, ["bad_amount"])
    assert game.fresh_session().closed_at is None
    answer = screen.post(path, chips_500="0", second_cash_100="0", **SECOND)
    assert "Its bank was empty." in screen.get(answer.url).content.decode()


def test_the_part_with_what_is_wrong_is_open(screen, game, floor2):
    path, counted = f"/floor/sessions/{game.session.pk}/close/", fields_of(game.counted())
    assert not screen.get(path).context["form"].second_open
    wrong = {"second": "floor2", "second_pin": "8642"}
    assert screen.post(path, **counted, **wrong).context["form"].second_open
    assert not screen.post(path, **counted | {"chips_500": "x"}, **wrong).context["form"].second_open


def test_the_reconciliation_tells_the_cashier_of_no_bank_that_is_on_its_way(
    closed, closer, take, at, cashier, regulator
):
    address = f"/cashier/days/{closer.gaming_day}/reconciliation/"
    before = at(cashier).get(address).content.decode()
    assert "on its way to the cage" in before
    assert "50,000.00" not in before
    assert "50,000.00" in at(regulator).get(address).content.decode()
    take(cashier)
    assert "50,000.00" in at(cashier).get(address).content.decode()


def test_the_cashier_is_told_of_it_and_not_what_is_in_it(closed, closer, at, cashier):
    for address in ("/cashier/", f"/cashier/vault/?day={closer.gaming_day}", f"/documents/{closer.pk}/"):
        page = steady(at(cashier).get(address))
        assert "Closer 1" in page, address
        for figure in ("49,700", "49700"):
            assert figure not in page, (address, figure)
