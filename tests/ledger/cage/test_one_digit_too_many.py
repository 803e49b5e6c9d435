"""A count with one digit too many is asked for once more, wherever somebody counts. Whether it is asked
follows from what was counted and from the place alone, never from what the books expect."""

import pytest
from django.db import connection

from ledger.cage import boxes, documents, drawers, stocking
from ledger.errors import ConfirmCount
from ledger.journal.acts import Act
from ledger.jurisdiction import jurisdiction
from ledger.models import CageSlip, Count, Document, DocumentStep
from ledger.rules.denominations import Pieces, question, require_meant
from tables.floor import banks
from tests.support.acting import acting
from tests.support.counting import begin_sheet

MOST = jurisdiction("california").confirm_pieces


@pytest.mark.parametrize(
    ("pieces", "asked"),
    [
        (Pieces({500: 400}), ""),
        (Pieces({500: 401}), "Is it four hundred one times $5 in chips?"),
        (Pieces({50: 4000}, {2000: 1}), "Is it four thousand times $0.50 in chips?"),
        (
            Pieces({2500: 500}, {10000: 900}),
            "Is it five hundred times $25 in chips and nine hundred times $100 in cash?",
        ),
    ],
)
def test_what_has_more_than_so_many_pieces_is_asked_for_in_words(pieces, asked):
    assert question(pieces, 400) == asked


def test_what_was_said_again_is_taken_and_is_no_other_count():
    said = Pieces({500: 5000}, meant=True)
    require_meant(said, 400)
    assert said == Pieces({500: 5000})
    with pytest.raises(ConfirmCount) as refused:
        require_meant(Pieces({500: 5000}), 400, prefix="second_")
    assert refused.value.field == "second_chips_500"


def many(place, *, more=1):
    return {500: MOST[place] + more}


def asked_once(act, place):
    """Try one piece more than is taken at once: it is asked for, and taken when it was meant."""
    with pytest.raises(ConfirmCount) as refused:
        act(Pieces(many(place)))
    assert not connection.needs_rollback
    assert "times $5 in chips?" in refused.value.message
    return act(Pieces(many(place), meant=True))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("way", "place"), [("reserve", "vault"), ("count", "vault"), ("to_drawer", "drawer")]
)
def test_the_vault_and_a_drawer(stocked, cashier, now, way, place):
    drawer = drawers.drawer_of(stocked, cashier) if place == "drawer" else None
    if place == "drawer" and drawer is None:
        drawer = drawers.open_drawer(site=stocked, act=Act(cashier, now, "a drawer"))
    before = CageSlip.objects.count()

    def count(pieces):
        act = Act(cashier, now, f"{way} slip")
        return stocking.count_first(site=stocked, way=way, pieces=pieces, drawer=drawer, act=act)

    assert asked_once(count, place).pieces == Pieces(many(place)).data
    assert CageSlip.objects.count() == before + 1


@pytest.mark.django_db
def test_the_second_count_of_a_slip_which_then_still_waits(stocked, cashier, floor, now):
    act = Act(cashier, now, "first")
    slip = stocking.count_first(site=stocked, way="count", pieces=Pieces({500: 100}), act=act)

    def again(pieces):
        return stocking.count_second(
            slip=slip, pieces=pieces, act=Act(cashier, now, "second", approver=floor)
        )

    assert asked_once(again, "vault").outcome == "differed"


@pytest.mark.django_db
def test_a_box_whose_counter_is_asked_the_same_whatever_is_in_it(boxed, counter1, evening):
    begin_sheet(boxed, counter1, evening.now)

    def count(pieces):
        return boxes.enter_count(box=boxed, pieces=pieces, act=Act(counter1, evening.now, "a count"))

    asked_once(count, "drop_box")
    assert Count.objects.get().pieces == Pieces(many("drop_box")).data


@pytest.mark.django_db
def test_what_is_asked_for_at_a_table_and_what_arrives_there(game, floor, floor2, cashier):
    def ask(pieces):
        given = {"session_id": game.session.pk, "kind": "fill", "dealer": game.dealer}
        return banks.ask(**given, pieces=pieces, act=Act(floor, game.now, "a fill"))

    fill = asked_once(ask, "table_bank")
    assert Document.objects.filter(kind="fill").count() == 1
    banks.take_step(document=fill, step="sent", act=Act(cashier, game.now, "sent"))

    def receive(pieces):
        act = Act(floor, game.now, "here", approver=floor2, reason="counted")
        return documents.take(document=fill, step="received", pieces=pieces, act=act)

    assert asked_once(receive, "table_bank").step == "received"
    assert DocumentStep.objects.filter(document=fill).count() == 4


@pytest.mark.django_db
@pytest.mark.parametrize("second", [False, True])
def test_either_count_of_a_bank(game, floor2, second):
    game.seat("Ann")
    game.cash_out(1)
    few, lots = Pieces({500: 1}), Pieces({500: MOST["table_bank"] + 1})
    counts = {"count": few, "second_count": lots} if second else {"count": lots, "second_count": few}
    with pytest.raises(ConfirmCount) as refused:
        acting(game.close, floor2, **counts)
    assert refused.value.field == ("second_chips_500" if second else "chips_500")
    assert game.fresh_session().closed_at is None
