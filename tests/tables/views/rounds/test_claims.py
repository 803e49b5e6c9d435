"""Claims on the floor's screens: where they stand, and marking one as paid (R58)."""

import pytest

from tables.models import Claim
from tests.support.game import FULL_HOUSE, PLAIN, QUEENS
from tests.support.kept import kept

pytestmark = pytest.mark.django_db


@kept
def claim(game, floor2):
    game.seat("Ann", "Bob", "Cat")
    round_ = game.play([QUEENS, FULL_HOUSE, PLAIN])
    game.cash_out(1)
    game.approve(game.ask(round_, [PLAIN, FULL_HOUSE, QUEENS]), actor=floor2)
    return Claim.objects.order_by("number").first()


def text(answer):
    return " ".join(answer.content.decode().split())


def test_r58_a_claim_is_marked_as_paid_where_it_stands(screen, game, claim, regulator):
    table, address = f"/floor/sessions/{game.session.pk}/", f"/floor/claims/{claim.pk}/paid/"
    assert address in text(screen.get(table))
    page = screen.get(address)
    assert [label for label, _ in page.context["notes"]] == [f"{claim.debtor} pays {claim.creditor}"]
    answer = screen.post(address)
    assert (answer.status_code, answer.url) == (302, table)
    shown = text(screen.get(table))
    assert "Yes, <bdi>floor</bdi> saw it" in shown
    assert address not in shown
    again = screen.post(address)
    assert (again.status_code, screen.codes(again)) == (409, ["claim_paid"])
    sitting = claim.settlement.round.hands.get(sitting__player=claim.debtor).sitting_id
    screen.as_(regulator)
    assert "Yes, <bdi>floor</bdi> saw it" in text(screen.get(f"/sittings/{sitting}/"))
    record = text(screen.get(f"/rounds/{claim.settlement.round_id}/"))
    assert "Yes, <bdi>floor</bdi> saw it" in record


@pytest.mark.parametrize("who", ["dealer", "cashier", "regulator", "manager"])
def test_r58_only_the_floor_is_offered_it_and_does_it(screen, claim, request, who):
    screen.as_(request.getfixturevalue(who))
    address = f"/floor/claims/{claim.pk}/paid/"
    assert screen.get(address).status_code == screen.post(address).status_code == 403


def test_a_claim_that_is_none_is_not_found(screen):
    assert screen.get("/floor/claims/1/paid/").status_code == 404
