"""Nobody signs off the box or the bank of a table that they dealt at or ran: by the verb, by its page, and by
whoever reads the log."""

import json

import pytest

from casino import roles
from ledger.cage import boxes
from ledger.cage.signing import ran_box
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.models import AuditRecord, DropSignOff
from ledger.rules.denominations import Pieces
from tables.audit.floor.runners import SignedBy
from tables.collection.waivers import publish_waiver_reason, waive_fee
from tables.floor import banks, opening
from tables.state import runners
from tests.support.counting import count_box

pytestmark = pytest.mark.django_db


@pytest.fixture
def deals_and_signs(employ):
    """A dealer who also works the cage."""
    person = employ("dee", "dealer")
    roles.assign(person, "cashier")
    return person


@pytest.fixture
def pulled(game, floor2, dealer, counter1, counter2):
    """`pulled()`: the table's box is changed, and the old one counted."""

    def pull(**found):
        box = game.fresh_session().box
        act = Act(floor2, game.now, game.key())
        opening.change_box(session_id=game.session.pk, second=dealer, act=act)
        count_box(box, (counter1, counter2), game.now, **found)
        return box

    return pull


def code_of(box, actor, now, **given):
    act = Act(actor, now, f"signed by {actor}", approver=given.pop("second", None))
    with pytest.raises(LedgerError) as error:
        boxes.sign_off(box=box, cause="gone", act=act, **given)
    return error.value.code


def test_whoever_dealt_while_the_box_stood_there_does_not_sign_it_off(
    game, pulled, deals_and_signs, dealer, cashier
):
    game.seat("Ann", "Bob")
    game.push(deals_and_signs)
    game.push(dealer)
    box = pulled()
    assert code_of(box, deals_and_signs, game.now) == "ran_the_table"
    assert boxes.sign_off(box=box, cause="", act=Act(cashier, game.now, "another")).signed_by == cashier


def test_a_dealer_who_came_before_the_box_and_stayed_does_not_sign_it_off(game, pulled, deals_and_signs):
    game.push(deals_and_signs)
    first, second = pulled(), game.fresh_session().box
    assert deals_and_signs.pk in runners.of_box(first) & runners.of_box(second)


def test_whoever_opened_the_table_ran_it_and_whoever_waived_a_fee_there(
    game, pulled, floor, manager, employ, cashier, dealer
):
    game.seat("Ann", "Bob")
    waives = employ("fay", "floor")
    reason = publish_waiver_reason(
        site=game.site, code="kind", text="Kindness", approval_reference="BGC-2",
        effective_from=game.rate.effective_from, act=Act(manager, game.now, "published"),
    )  # fmt: skip
    game.play()
    game.minute(41)
    waive_fee(sitting_id=game.sitting(1).pk, reason=reason, act=Act(waives, game.now, "waived"))
    box = pulled(chips=50_000)
    given = {"evidence": "clip 7"}
    assert code_of(box, cashier, game.now, second=floor, **given) == "ran_the_table"
    assert code_of(box, cashier, game.now, second=waives, **given) == "ran_the_table"
    assert {floor.pk, waives.pk, dealer.pk} <= ran_box(box)
    assert not {cashier.pk, manager.pk} & ran_box(box)
    act = Act(cashier, game.now, "by two", approver=manager)
    assert boxes.sign_off(box=box, cause="gone", **given, act=act).signed_with == manager


def test_the_page_offers_nobody_who_ran_the_table(game, pulled, at, cashier, employ, floor):
    employ("fay", "floor")
    box = pulled(chips=50_000)
    form = at(cashier).get(f"/cashier/boxes/{box.pk}/").context["form"]
    assert "fay" in form.offered
    assert floor.username not in form.offered


def test_whoever_took_a_fee_at_the_cage_alone_may_sign(game, pulled, cashier):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(25).buy_in("Eve", 5)
    game.pay(5, "cage", actor=cashier)
    assert cashier.pk not in ran_box(pulled())


def test_the_log_names_a_signer_who_dealt_there_unless_it_was_before_the_rule(
    game, pulled, deals_and_signs, dealer, cashier
):
    game.push(deals_and_signs)
    game.push(dealer)
    boxes.sign_off(box=pulled(), cause="", act=Act(cashier, game.now, "another"))

    def judged(change):
        check = SignedBy()
        texts = AuditRecord.objects.filter(site=game.site).order_by("pk").values_list("text", flat=True)
        bodies = [json.loads(text)[1] for text in texts]
        found = [check.take(change(body) if body["record"] == "sign_off" else body) for body in bodies]
        return [one[0] for one in found if one]

    assert judged(lambda body: body) == []
    assert judged(lambda body: {**body, "signed_by": deals_and_signs.pk}) == ["ran_the_table"]
    older = {"signed_by": deals_and_signs.pk}
    assert judged(lambda body: {k: v for k, v in {**body, **older}.items() if k != "evidence"}) == []
    assert DropSignOff.objects.get().evidence == ""


def test_the_log_names_who_ran_a_table_and_signed_that_its_fill_is_gone(
    game, floor, floor2, cashier, manager
):
    asked = banks.ask(
        session_id=game.session.pk,
        kind="fill",
        pieces=Pieces({500: 40}),
        dealer=game.dealer,
        act=Act(floor2, game.now, "asked"),
    )
    banks.take_step(document=asked, step="sent", act=Act(cashier, game.now, "sent"))
    signed = {"approver": manager, "reason": "gone", "evidence": "clip 7"}
    counted = Act(game.dealer, game.now, "received", **signed)
    banks.take_step(document=asked, step="received", pieces=Pieces({500: 20}), act=counted)
    texts = AuditRecord.objects.filter(site=game.site).order_by("pk").values_list("text", flat=True)

    def judged(**said):
        check = SignedBy()
        bodies = [json.loads(text)[1] for text in texts]
        found = [check.take(body | (said if body.get("step") == "differed" else {})) for body in bodies]
        return [one[0] for one in found if one]

    assert judged() == []
    assert judged(second=floor.pk) == ["ran_the_table"]  # who opened the table
    assert judged(second=floor.pk, threshold_cents=10_001) == []
