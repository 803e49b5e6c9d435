"""Claims between two players that are paid: who saw it, once, on every paper, and in both verifiers (R58)."""

import copy

import pytest
from django.db import IntegrityError, transaction

from ledger.errors import KeyReused, NotAllowed
from ledger.journal.acts import Act
from ledger.proof.log import sealing, verifying
from tables.errors import ClaimPaid
from tables.models import Claim, ClaimPayment, TableEvent
from tables.reports.statements import statement
from tables.rounds import claims
from tables.seats.player_entries import merge_players
from tables.seats.players import enter_player
from tests.support.acting import acting
from tests.support.behind import behind_the_triggers
from tests.support.game import FULL_HOUSE, PLAIN, QUEENS
from tests.support.kept import kept
from tests.support.replayed import bodies, replayed

pytestmark = pytest.mark.django_db


@kept
def claim(game, floor2):
    """The first claim of a correction that comes when Ann has left."""
    sealing.seal(game.site, now=game.now)
    game.seat("Ann", "Bob", "Cat")
    round_ = game.play([QUEENS, FULL_HOUSE, PLAIN])
    game.cash_out(1)
    game.approve(game.ask(round_, [PLAIN, FULL_HOUSE, QUEENS]), actor=floor2)
    return Claim.objects.order_by("number").first()


def pay(game, claim, **options):
    options = {"key": game.key(), "actor": game.floor, "now": game.now} | options
    return acting(claims.mark_paid, claim_id=claim.pk, **options)


def accused(records):
    return [(finding.code, finding.leaf) for finding in replayed(records)[0]]


def test_r58_who_saw_it_and_when_are_kept_and_no_chips_move(game, claim):
    stacks = game.stacks()
    paid = pay(game.minute(9), claim)
    assert (paid.claim, paid.seen_by, paid.seen_at) == (claim, game.floor, game.now)
    assert game.stacks() == stacks
    assert paid.event.data["cents"] == claim.cents


def test_r58_a_claim_is_paid_once_and_the_same_key_says_so_again(game, claim, floor2):
    key = game.key()
    assert pay(game, claim, key=key) == pay(game, claim, key=key)
    with pytest.raises(ClaimPaid, match=f"Claim {claim.number} has been paid; floor saw it."):
        pay(game, claim, actor=floor2)
    with pytest.raises(KeyReused):
        pay(game, Claim.objects.exclude(pk=claim.pk).first() or claim, key=key, actor=floor2)
    assert ClaimPayment.objects.count() == TableEvent.objects.filter(kind="claim_paid").count() == 1


def test_r58_a_claim_can_be_paid_after_the_table_has_closed(game, claim, floor2):
    for seat in game.stacks():
        game.cash_out(seat)
    game.close(floor2)
    assert pay(game, claim).claim == claim
    assert accused(bodies()) == []


def test_r58_a_claim_of_somebody_whose_entries_were_merged_since_is_paid(game, claim, floor2):
    anna = enter_player(site=game.site, name="Anna", act=Act(game.floor, game.now))
    merged = Act(game.floor, game.now, "ann-is-anna", approver=floor2, reason="She showed both cards.")
    merge_players(merged_id=game.players["Ann"].pk, into_id=anna.pk, act=merged)
    paid = pay(game.minute(9), claim)
    assert game.players["Ann"] in (paid.claim.debtor, paid.claim.creditor)
    assert accused(bodies()) == []
    sealing.seal(game.site, now=game.now)
    assert [str(finding) for finding in verifying.Verification(game.site).run()] == []


def test_only_the_floor_says_so(game, claim):
    with pytest.raises(NotAllowed):
        pay(game, claim, actor=game.dealer)


@pytest.mark.both_databases
def test_the_row_is_written_once(game, claim):
    paid = pay(game, claim)
    with pytest.raises(IntegrityError), transaction.atomic():
        ClaimPayment.objects.filter(pk=paid.pk).update(seen_at=game.minute(50).now)


def test_the_statement_says_which_claims_are_paid(game, claim):
    def said():
        sitting = claim.settlement.round.hands.get(sitting__player=claim.debtor).sitting
        return [hasattr(one, "payment") for one in statement(sitting).claims if one.pk == claim.pk]

    assert said() == [False]
    pay(game, claim)
    assert said() == [True]


class TestInTheLog:
    @kept
    def paid(self, game, claim):
        pay(game.minute(9), claim)
        sealing.seal(game.site, now=game.now)
        return game

    def test_it_is_right_offline_and_in_the_live_books(self, paid):
        assert accused(bodies()) == []
        assert [*verifying.Verification(paid.site).run()] == []

    @pytest.mark.parametrize(
        ("name", "code"),
        [
            ("claim", "no_claim"),
            *((name, "wrong_claim") for name in ("number", "debtor", "creditor", "cents")),
        ],
    )
    def test_one_that_says_something_else_is_named(self, paid, name, code):
        records = copy.deepcopy(bodies())
        at = next(at for at, body in enumerate(records) if body.get("kind") == "claim_paid")
        records[at]["data"][name] += 1000
        assert accused(records) == [(code, at)]

    def test_one_that_stands_there_twice_is_named(self, paid):
        records = bodies()
        again = next(body for body in records if body.get("kind") == "claim_paid")
        assert accused([*records, again]) == [("claim_paid", len(records))]

    def test_a_row_that_names_another_witness_or_is_gone_is_found(self, paid, floor2):
        row = ClaimPayment.objects.get()
        for change, named in (
            (lambda rows: rows.update(seen_by=floor2), f"claim payment {row.pk}"),
            (lambda rows: rows.delete(), f"table event {row.event_id}"),
        ):
            with transaction.atomic():
                with behind_the_triggers("tables_claimpayment"):
                    change(ClaimPayment.objects.all())
                    found = [str(finding.record) for finding in verifying.Verification(paid.site).run()]
                assert found == [named]
                transaction.set_rollback(True)
