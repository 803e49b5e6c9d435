"""Openers, fills and credits: numbered, in steps, by three people, counted at the other end."""

import pytest
from django.contrib.auth import get_user_model

from ledger.cage import documents
from ledger.errors import Refusal
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.models import Account, AuditRecord, Document, DocumentStep, JournalEntry
from ledger.proof.log import sealing, verifying
from ledger.rules.denominations import Pieces
from tables.floor import banks

CHIPS = Pieces({500: 20, 2500: 4})
CENTS = 20_000


@pytest.fixture
def cage(game):
    return Account.objects.get(site=game.site, kind="vault", asset="chips")


@pytest.fixture
def ask(game):
    def asked(person, kind="fill", pieces=CHIPS, **options):
        act = Act(person, game.now, options.pop("key", None) or game.key())
        return banks.ask(session_id=game.session.pk, kind=kind, pieces=pieces, act=act, **options)

    return asked


@pytest.fixture
def take(game):
    def taken(document, step, person, pieces=None, *, key=None, **more):
        act = Act(person, game.now, key or game.key(), **more)
        return banks.take_step(document=document, step=step, pieces=pieces, act=act)

    return taken


def written():
    records = AuditRecord.objects.exclude(kind="struck_count").count()
    return DocumentStep.objects.count(), JournalEntry.objects.count(), records


def refused(code, call, *args, **options):
    """Refused counts are kept, and nothing else."""
    before = written()
    with pytest.raises(Refusal) as found:
        call(*args, **options)
    assert found.value.code == code
    assert before == written()
    return found.value


def held(account):
    account.refresh_from_db()
    return account.balance_cents


def test_a_fill_is_asked_for_authorised_sent_and_received(game, ask, take, cage, cashier, floor):
    bank, before = game.session.bank_chips, held(cage)
    fill = ask(game.dealer)
    assert str(fill) == "Fill 1"
    take(fill, "authorised", floor)
    assert (held(cage), held(bank)) == (before, 5_000_000)
    take(fill, "sent", cashier)
    assert (held(cage), held(fill.transit_chips), held(bank)) == (before - CENTS, CENTS, 5_000_000)
    take(fill, "received", game.dealer, CHIPS)
    assert (held(fill.transit_chips), held(bank)) == (0, 5_000_000 + CENTS)
    assert fill.transit_chips.closed_at
    assert held(fill.transit_cash) == 0
    assert [step.step for step in documents.trail_of(fill).steps] == [
        *("requested", "authorised", "sent", "received")
    ]


def test_the_floor_asks_with_the_dealer_in_one_act(game, ask, floor):
    fill = ask(floor, dealer=game.dealer)
    taken = documents.trail_of(fill).taken
    assert taken == [("requested", game.dealer.pk), ("authorised", floor.pk)]


def test_nobody_moves_chips_to_a_table_without_a_cashier(game, ask, take, floor, floor2):
    fill = ask(floor)
    take(fill, "authorised", floor2)
    for person in (floor, floor2, game.dealer):
        refused("not_allowed", take, fill, "sent", person)


def test_who_asked_does_not_authorise_and_who_sent_does_not_receive(
    game, ask, take, floor, floor2, cashier, employ
):
    fill = ask(floor)
    refused("second_person", take, fill, "authorised", floor)
    take(fill, "authorised", floor2)
    both = employ("both", "cashier", "dealer")
    game.push(both)
    take(fill, "sent", both)
    said = refused("second_person", take, fill, "received", both, CHIPS)
    assert said.message == "Fill 1: who took the step before cannot take this one."
    refused("not_allowed", take, fill, "received", cashier, CHIPS)


def test_a_cashier_who_asked_for_a_fill_does_not_send_it(game, ask, take, floor, employ):
    both = employ("both", "cashier", "dealer")
    game.push(both)
    fill = ask(both)
    take(fill, "authorised", floor)
    said = refused("second_person", take, fill, "sent", both)
    assert said.message == "Fill 1: who took a step of it before cannot take this one."


def test_steps_come_in_their_order_and_once(ask, take, floor, cashier, game):
    fill = ask(game.dealer)
    assert "requested" in refused("wrong_step", take, fill, "sent", cashier).message
    refused("wrong_step", take, fill, "received", game.dealer, CHIPS)
    take(fill, "authorised", floor)
    refused("wrong_step", take, fill, "authorised", floor)
    take(fill, "sent", cashier)
    refused("wrong_step", take, fill, "voided", floor, approver=game.dealer, reason="not needed")
    take(fill, "received", game.dealer, CHIPS)
    refused("document_ended", take, fill, "received", floor, CHIPS)


def test_a_count_that_is_not_what_was_sent_tells_no_figure_and_is_a_step_with_its_reason(
    game, ask, take, floor, cashier, cage
):
    fill = ask(floor, dealer=game.dealer)
    take(fill, "sent", cashier)
    short = Pieces({500: 20, 2500: 3})
    said = refused("not_as_sent", take, fill, "received", game.dealer, short)
    assert not set("0123456789$") & set(said.message)
    refused("second_person", take, fill, "received", game.dealer, short, reason="a chip is missing")
    step = take(
        *(fill, "received", game.dealer, short),
        reason="a chip is missing",
        approver=floor,
    )
    assert (step.step, step.second) == ("differed", floor)
    over = Account.objects.get(site=game.site, kind="over_short", asset="chips")
    assert (held(fill.transit_chips), held(over)) == (0, 2500)  # what is missing stands there
    assert held(game.session.bank_chips) == 5_000_000 + CENTS - 2500


@pytest.mark.parametrize("kind", ["fill", "credit"])
def test_who_sent_something_does_not_sign_that_something_else_came(
    game, ask, take, floor, floor2, cashier, kind
):
    sender, receiver = (cashier, game.dealer) if kind == "fill" else (floor, cashier)
    document = ask(floor, kind, dealer=game.dealer)
    if kind == "fill":
        take(document, "sent", cashier)
    nothing = {"pieces": Pieces(), "reason": "the rack was lost", "evidence": "clip 7"}
    refused("second_person", take, document, "received", receiver, approver=sender, **nothing)
    assert take(document, "received", receiver, approver=floor2, **nothing).step == "differed"


def test_nothing_at_all_may_have_arrived(game, ask, take, floor, floor2, cashier):
    fill = ask(floor, dealer=game.dealer)
    take(fill, "sent", cashier)
    refused("not_as_sent", take, fill, "received", game.dealer, Pieces())
    lost = {"reason": "the rack was lost", "evidence": "clip 7"}
    take(fill, "received", game.dealer, Pieces(), approver=floor2, **lost)
    assert held(game.session.bank_chips) == 5_000_000


RACK = Pieces({500: 1000})
GONE = {"reason": "gone", "evidence": "clip 7"}


@pytest.fixture
def rack_sent(ask, take, floor, floor2, cashier, game):
    """$5,000 to the table: the dealer asked, another of the floor than runs the table authorised it."""
    fill = ask(game.dealer, pieces=RACK)
    take(fill, "authorised", floor2)
    take(fill, "sent", cashier)
    return fill


@pytest.mark.parametrize(
    ("receiver", "second", "code"),
    [
        ("dealer", "floor", "ran_the_table"),
        ("dealer", "floor2", "counted_by_signer"),  # who authorised it
        ("dealer", "cashier", "second_person"),  # who sent it
        ("dealer", "dealer", "second_person"),
        ("dealer", "dealer2", "second_person"),  # of no such rank
        ("dealer", "counter1", "second_person"),
        ("dealer", None, "second_person"),
        ("floor", "dealer", "second_person"),
        ("floor", "floor2", "counted_by_signer"),
        ("floor", "cashier", "second_person"),
    ],
)
def test_nobody_involved_signs_that_five_thousand_dollars_are_gone(
    rack_sent, take, request, employ, receiver, second, code
):
    employ("dealer2", "dealer")
    people = {who.username: who for who in get_user_model().objects.all()}
    if second == "counter1":
        people[second] = request.getfixturevalue(second)
    came = {"pieces": Pieces({50: 1}), **GONE, "approver": second and people[second]}
    said = refused(code, take, rack_sent, "received", people[receiver], **came)
    assert said.message.endswith("Until then it stays under way.")
    assert (held(rack_sent.transit_chips), said.field) == (500_000, "second")


@pytest.mark.parametrize("role", ["floor", "cashier", "manager"])
def test_somebody_uninvolved_signs_it_with_its_evidence(rack_sent, take, employ, game, role):
    signer, came = employ("night", role), Pieces({50: 1})
    signed = {"reason": "gone", "approver": signer}
    assert refused("evidence_required", take, rack_sent, "received", game.dealer, came, **signed).field == (
        "evidence"
    )
    step = take(rack_sent, "received", game.dealer, came, **signed, evidence=" clip 7 ")
    assert (step.step, step.evidence, step.threshold_cents) == ("differed", "clip 7", 10_000)
    sealing.seal(game.site, now=game.now, whole=True)
    assert [str(found) for found in verifying.Verification(game.site).run()] == []


def test_whoever_counted_it_before_has_had_a_hand_in_it(rack_sent, take, employ, game):
    night, manager, came = employ("night", "floor"), employ("mona", "manager"), Pieces({50: 1})
    refused("not_as_sent", take, rack_sent, "received", night, came)
    refused("counted_by_signer", take, rack_sent, "received", game.dealer, came, approver=night, **GONE)
    assert take(rack_sent, "received", game.dealer, came, approver=manager, **GONE).step == "differed"


def test_figures_tried_with_a_reason_leave_their_trace_too(rack_sent, take, game, floor):
    for attempt, chips in enumerate((1, 900, 950, 950), start=1):
        with pytest.raises(Refusal):
            take(rack_sent, "received", game.dealer, Pieces({500: chips}), reason="gone", approver=floor)
        assert rack_sent.struck.count() == min(attempt, 3)
    assert documents.trail_of(rack_sent).last.step == "sent"


def test_below_the_amount_the_floor_and_the_dealer_sign_as_before(rack_sent, take, game, floor):
    short = Pieces({500: 981})  # one chip more, and it were $100
    step = take(rack_sent, "received", game.dealer, short, reason="gone", approver=floor)
    assert (step.evidence, step.threshold_cents) == ("", 10_000)


def test_a_large_difference_in_slices_is_one(ask, take, game, floor, floor2, cashier, employ):
    """Each of them $60, received by another at the same table, or by the same at any."""

    def slice_of(receiver, signer, **more):
        fill = ask(game.dealer, pieces=RACK)
        take(fill, "authorised", floor2)
        take(fill, "sent", cashier)
        signed = {"reason": "a stack is missing", "approver": signer}
        return take(fill, "received", receiver, Pieces({500: 988}), **signed, **more)

    slice_of(game.dealer, floor)
    for receiver, signer in ((game.dealer, floor), (floor, game.dealer), (employ("f3", "floor"), floor)):
        with pytest.raises(Refusal) as refused_as:
            slice_of(receiver, signer, evidence="clip 7")
        assert refused_as.value.code == ("second_person" if signer == game.dealer else "ran_the_table")
        assert "with those before it of the gaming day" in refused_as.value.message
    night = employ("night", "cashier")
    with pytest.raises(Refusal, match="evidence"):
        slice_of(game.dealer, night)
    assert slice_of(game.dealer, night, evidence="clip 7").step == "differed"
    sealing.seal(game.site, now=game.now, whole=True)
    assert [str(found) for found in verifying.Verification(game.site).run()] == []


def test_a_fill_is_voided_by_two_before_it_is_sent(game, ask, take, floor, cashier):
    fill = ask(game.dealer)
    refused("reason_required", take, fill, "voided", floor, approver=cashier)
    refused("second_person", take, fill, "voided", floor, reason="not needed", approver=floor)
    take(fill, "voided", floor, reason="not needed", approver=cashier)
    refused("document_ended", take, fill, "authorised", floor)
    assert str(ask(game.dealer)) == "Fill 2"


def test_a_fill_larger_than_the_cage_is_not_sent(game, ask, take, floor, cashier):
    fill = ask(floor, pieces=Pieces({10_000: 1_000_000}, meant=True), dealer=game.dealer)
    refused("insufficient_funds", take, fill, "sent", cashier)


def test_a_credit_is_counted_by_two_at_the_table_and_by_a_cashier(game, ask, take, floor, cashier, cage):
    before = held(cage)
    credit = ask(game.dealer, "credit")
    refused("second_person", take, credit, "sent", game.dealer)
    take(credit, "sent", floor)
    assert held(game.session.bank_chips) == 5_000_000 - CENTS
    refused("not_allowed", take, credit, "received", floor, CHIPS)
    take(credit, "received", cashier, CHIPS)
    assert held(cage) == before + CENTS


def test_an_act_sent_twice_is_one_and_with_another_content_none(game, ask, take, floor, cashier):
    key = game.key()
    assert ask(floor, key=key) == ask(floor, key=key)
    refused("key_reused", ask, floor, key=key, pieces=Pieces({500: 1}))
    refused("key_reused", ask, floor, "credit", key=key)
    fill, sent, came = ask(floor, dealer=game.dealer), game.key(), game.key()
    assert take(fill, "sent", cashier, key=sent) == take(fill, "sent", cashier, key=sent)
    first = take(fill, "received", game.dealer, CHIPS, key=came)
    assert take(fill, "received", game.dealer, CHIPS, key=came) == first
    refused("key_reused", take, fill, "received", game.dealer, Pieces({500: 1}), key=came)
    refused("key_reused", take, fill, "voided", game.dealer, key=came)


def test_pieces_are_those_of_the_house_and_some(ask, floor):
    for pieces in (Pieces({777: 1}), Pieces(), Pieces({500: -1})):
        refused("bad_amount", ask, floor, pieces=pieces)


def test_each_kind_has_numbers_of_its_own_without_gaps(game, ask, floor):
    asked = [ask(floor, kind) for kind in ("fill", "credit", "fill", "credit", "fill")]
    assert [str(one) for one in asked] == ["Fill 1", "Credit 1", "Fill 2", "Credit 2", "Fill 3"]
    assert str(Document.objects.get(kind="opener")) == "Opener 1"


def test_a_dealer_asks_at_the_own_table_alone(game, ask, employ):
    refused("not_your_table", ask, employ("del", "dealer"))


def test_a_table_does_not_close_while_a_document_of_it_waits(game, ask, take, floor, floor2, cashier):
    fill = ask(floor)
    assert "Fill 1" in refused("document_under_way", game.close, floor2).message
    take(fill, "voided", floor, reason="closing", approver=cashier)
    game.close(floor2)
    refused("table_closed", ask, floor)


# Past the steps


def test_what_is_under_way_is_neither_taken_back_nor_corrected(game, ask, take, floor, floor2, cashier, cage):
    fill = ask(floor, dealer=game.dealer)
    sent = take(fill, "sent", cashier)
    two = Act(floor, game.now, game.key(), approver=floor2, reason="it never left")
    said = {"evidence": {}, "content": {}, "act": two}
    back = posting.EntryDraft(kind="reversal", moves=posting.mirror(sent.entry), reverses=sent.entry, **said)
    refused("not_in_chart", posting.post, site=game.site, draft=back)
    bank, way = game.session.bank_chips, fill.transit_chips
    for source, target in ((way, bank), (way, cage), (cage, way), (bank, way)):
        draft = posting.EntryDraft(
            kind="correction", moves=(posting.Move(source.pk, target.pk, 500),), **said
        )
        refused("not_in_chart", posting.post, site=game.site, draft=draft)
    assert held(way) == CENTS


def test_a_signature_that_no_step_needs_is_not_in_the_books(game, ask, take, floor, cashier, regulator):
    fill = ask(floor, dealer=game.dealer)
    take(fill, "sent", cashier, approver=regulator, reason="in a hurry")
    step = take(fill, "received", game.dealer, CHIPS, approver=regulator)
    for entry in (documents.trail_of(fill).sent.entry, step.entry):
        assert (entry.approver, entry.reason) == (None, "")


def test_accounts_of_what_is_under_way_are_held_against_the_log(game, ask, take, floor, cashier):
    def findings():
        return {(one.code, one.record) for one in verifying.Verification(game.site).run()}

    fill, other = ask(floor, dealer=game.dealer), ask(floor)
    take(other, "voided", floor, reason="not needed", approver=cashier)
    sealing.seal(game.site, now=game.now)
    assert findings() == set()
    hidden = Account.objects.filter(pk=fill.transit_chips_id)  # so that it is not found, and the table closes
    hidden.update(closed_at=game.now)
    assert not documents.waiting_at(game.session.bank_chips).exists()
    assert findings() == {("row_differs", f"account {fill.transit_chips_id}")}
    hidden.update(closed_at=None)
    again = Account.objects.filter(pk=other.transit_cash_id)
    again.update(closed_at=None)
    assert findings() == {("row_differs", f"account {other.transit_cash_id}")}
    again.update(closed_at=game.now)
    past = Account.objects.create(site=game.site, kind="transit", asset="chips", label="Fill 9, Table 1")
    assert findings() == {("no_record", f"account {past.pk}")}
