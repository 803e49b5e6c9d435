"""Chips that nobody claims: found by two, held at the cage, handed to their owner or released when due."""

from datetime import date, timedelta

import pytest
from django.db import IntegrityError, transaction

from ledger.cage import documents
from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.models import Account, Document, DocumentStep
from ledger.proof.log import sealing, verifying
from ledger.reports.trial_balance import sums_of, trial_balance
from ledger.rules.denominations import Pieces
from ledger.rules.documents import due_after, vouched_for, wrong_hand_over, wrong_pick_up
from tests.support.books_by_hand import run
from tests.support.cage import in_pockets
from tests.support.replayed import bodies

pytestmark = pytest.mark.both_databases

DAY = date(2026, 11, 21)
FIVE = Pieces({500: 5})
SEEN = "driver licence, and they say what lay where"


@pytest.fixture
def act(now):
    serial = iter(range(1_000))
    return lambda person, **more: Act(person, more.pop("now", now), f"an act {next(serial)}", **more)


@pytest.fixture
def take(act):
    def taken(document, step, person, pieces=None, *, player=None, reference="", **more):
        return documents.take(
            document=document,
            step=step,
            pieces=pieces,
            player=player,
            reference=reference,
            act=act(person, **more),
        )

    return taken


@pytest.fixture
def pockets(stocked, cashier, floor, now):
    in_pockets(stocked, 5_000, by=cashier, second=floor, now=now)
    return stocked


@pytest.fixture
def find(pockets, dealer, act):
    def found(where="under table 3", player=None, pieces=FIVE):
        left = documents.LeftBehind(where, player)
        return documents.begin(site=pockets, kind="unclaimed", place=left, pieces=pieces, act=act(dealer))

    return found


@pytest.fixture
def held(find, take, floor, cashier):
    """$25 that somebody lost under table 3, at the cage."""
    document = find()
    take(document, "sent", floor)
    take(document, "received", cashier, FIVE)
    return document


def refused(code, call, *args, **options):
    before = DocumentStep.objects.count(), Document.objects.count()
    with pytest.raises(Refusal) as found:
        call(*args, **options)
    assert found.value.code == code
    assert before == (DocumentStep.objects.count(), Document.objects.count())
    return found.value.message


def balance(site, kind):
    return Account.objects.get(site=site, kind=kind, asset="chips").balance_cents


def findings(site, now):
    sealing.seal(site, now=now)
    return {(one.code, one.record) for one in verifying.Verification(site).run()}


# The rule


def test_chips_are_due_so_many_years_after_they_came():
    assert due_after(DAY, 3) == date(2029, 11, 21)
    assert due_after(date(2028, 2, 29), 3) == date(2031, 3, 1)


def test_a_stack_of_another_amount_needs_a_reason():
    assert not wrong_pick_up(2_500, 2_500, "")
    assert wrong_pick_up(2_500, 2_400, " ")
    assert not wrong_pick_up(2_500, 2_400, "a chip fell on the floor and was not found")


@pytest.mark.parametrize(
    ("step", "owner", "claimed_by", "day", "code"),
    [
        ("claimed", 7, 7, "2026-11-21", None),
        ("claimed", 7, 8, "2026-11-21", "not_theirs"),
        ("claimed", 7, None, "2026-11-21", "not_theirs"),
        ("claimed", None, 8, "2026-11-21", None),
        ("released", 7, None, "2029-11-20", "not_due"),
        ("released", 7, None, "2029-11-21", None),
        ("received", 7, None, "2026-11-21", None),
    ],
)
def test_chips_go_to_their_owner_or_are_released_when_they_are_due(step, owner, claimed_by, day, code):
    wrong = wrong_hand_over(step, owner, claimed_by, "2029-11-21", day)
    assert (wrong and wrong[0]) == code


# The verb


def test_found_chips_are_held_at_the_cage_and_handed_to_whoever_shows_that_they_are_theirs(
    pockets, find, take, dealer, floor, cashier, now
):
    document = find()
    assert (str(document), document.place) == ("Unclaimed chips 1", "under table 3")
    assert balance(pockets, "patrons") == 5_000
    take(document, "sent", floor)
    assert balance(pockets, "patrons") == 2_500
    step = take(document, "received", cashier, FIVE)
    assert (step.due, balance(pockets, "unclaimed")) == (date(2029, 11, 21), 2_500)
    assert documents.held(pockets) == [document.pk]
    assert not documents.ended(pockets, "unclaimed")
    assert sums_of(trial_balance(pockets)) == {"chips": 0, "cash": 0}
    claimed = take(document, "claimed", cashier, approver=floor, reason=SEEN)
    assert (claimed.chips_cents, claimed.second, claimed.reason) == (2_500, floor, SEEN)
    assert (balance(pockets, "unclaimed"), balance(pockets, "patrons")) == (0, 5_000)
    assert documents.held(pockets) == []
    assert findings(pockets, now) == set()


def test_who_picked_chips_up_does_not_receive_them(find, take, dealer, floor, cashier, employ):
    both = employ("both", "dealer", "cashier")
    document = find()
    refused("second_person", take, document, "sent", dealer)
    refused("not_allowed", take, document, "sent", cashier)
    take(document, "sent", both)
    refused("second_person", take, document, "received", both, FIVE)
    refused("not_allowed", take, document, "received", floor, FIVE)
    said = refused("not_as_sent", take, document, "received", cashier, Pieces({500: 4}))
    assert not set("0123456789$") & set(said)
    take(document, "received", cashier, FIVE)


def test_chips_are_claimed_once_and_by_two(held, take, floor, cashier, dealer):
    refused("reason_required", take, held, "claimed", cashier, approver=floor)
    refused("second_person", take, held, "claimed", cashier, reason=SEEN)
    refused("second_person", take, held, "claimed", cashier, approver=cashier, reason=SEEN)
    refused("not_allowed", take, held, "claimed", floor, approver=cashier, reason=SEEN)
    take(held, "claimed", cashier, approver=floor, reason=SEEN)
    refused("document_ended", take, held, "claimed", cashier, approver=floor, reason=SEEN)
    refused("document_ended", take, held, "received", cashier, FIVE)


def test_chips_of_a_player_go_to_no_other(find, take, floor, cashier, manager, now):
    document = find("Table 3, seat 4", player=7)
    take(document, "sent", floor)
    take(document, "received", cashier, FIVE)
    refused("not_theirs", take, document, "claimed", cashier, player=8, approver=floor, reason=SEEN)
    refused("not_theirs", take, document, "claimed", cashier, approver=floor, reason=SEEN)
    take(document, "claimed", cashier, player=7, approver=floor, reason=SEEN)


MANY = Pieces({2_500: 4})  # from so much on it is vouched for
CLIP = {"reason": SEEN, "evidence": "clip 7"}


@pytest.fixture
def many(pockets, find, take, dealer, floor, cashier, now):
    """$100 that somebody lost under table 3, at the cage."""
    in_pockets(pockets, 10_000, by=cashier, second=floor, now=now, key="many")
    document = find(pieces=MANY)
    take(document, "sent", floor)
    take(document, "received", cashier, MANY)
    return document


@pytest.mark.parametrize(
    ("second", "more", "code"),
    [
        ("dealer", {}, "second_person"),  # who found them, and is of neither the cage nor the floor
        ("floor", {}, "counted_by_signer"),  # who picked them up
        ("dealer2", {}, "second_person"),
        ("cashier", {}, "second_person"),
        ("floor2", {"evidence": " "}, "evidence_required"),
    ],
)
def test_words_do_not_hand_many_chips_without_an_owner_to_anybody(
    many, take, cashier, employ, request, second, more, code
):
    night = {"dealer2": ("dealer",), "floor2": ("floor",)}
    person = employ(second, *night[second]) if second in night else request.getfixturevalue(second)
    said = refused(code, take, many, "claimed", cashier, approver=person, **CLIP | more)
    assert said.endswith("Until then the cage keeps it.")


def test_many_chips_without_an_owner_are_handed_out_with_evidence_by_somebody_uninvolved(
    pockets, many, take, cashier, employ, now
):
    step = take(many, "claimed", cashier, approver=employ("night", "floor"), **CLIP)
    assert (step.evidence, step.threshold_cents, balance(pockets, "unclaimed")) == ("clip 7", 10_000, 0)
    assert findings(pockets, now) == set()
    for more, code in (({"evidence": ""}, "evidence_required"), ({"second": 0}, "counted_by_signer")):
        records = bodies()
        record = next(one for one in records if one["record"] == "document_step" and one["step"] == "claimed")
        picked_up = next(one for one in records if one["record"] == "document_step" and one["step"] == "sent")
        record |= more if "evidence" in more else {"second": picked_up["person"]}
        assert code in {one.code for one in run(records)[0]}


def test_few_chips_and_those_of_a_player_are_handed_out_as_before(held, find, take, floor, cashier):
    step = take(held, "claimed", cashier, approver=floor, reason=SEEN)
    assert (step.evidence, step.threshold_cents) == ("", 10_000)
    document = find("Table 3, seat 4", player=7)
    take(document, "sent", floor)
    take(document, "received", cashier, FIVE)
    step = take(document, "claimed", cashier, player=7, approver=floor, **CLIP)
    assert (step.evidence, step.threshold_cents) == (None, None)


@pytest.mark.parametrize(
    ("step", "owner", "vouched"),
    [
        ("differed", None, (-100, 0)),
        ("differed", 7, (-100, 0)),
        ("claimed", None, (400, 0)),
        ("claimed", 7, None),
        ("released", None, None),
    ],
)
def test_a_difference_and_what_nobody_owned_are_vouched_for(step, owner, vouched):
    assert vouched_for(step, owner, (500, 0), (400, 0)) == vouched


def test_chips_are_released_by_a_manager_and_a_second_person_when_they_are_due(
    pockets, held, take, floor, cashier, manager, now
):
    law = {"approver": floor, "reason": "three years are over", "reference": "report 7 to the Controller"}
    said = refused("not_due", take, held, "released", manager, **law)
    assert "2029-11-21" in said
    later = now + timedelta(days=3 * 366)
    refused("not_allowed", take, held, "released", cashier, now=later, **law)
    refused("reference_required", take, held, "released", manager, now=later, **law | {"reference": ""})
    vault = balance(pockets, "vault")
    take(held, "released", manager, now=later, **law)
    assert (balance(pockets, "unclaimed"), balance(pockets, "vault")) == (0, vault + 2_500)
    assert findings(pockets, later) == set()


def test_what_arrives_otherwise_is_over_short_and_what_arrived_is_held(
    pockets, find, take, floor, cashier, dealer, now
):
    document = find()
    take(document, "sent", floor)
    four = Pieces({500: 4})
    step = take(document, "received", cashier, four, approver=dealer, reason="a chip is gone")
    assert step.step == "differed"
    assert (balance(pockets, "unclaimed"), balance(pockets, "over_short")) == (2_000, 500)
    take(document, "claimed", cashier, approver=floor, reason=SEEN)
    assert (balance(pockets, "unclaimed"), balance(pockets, "patrons")) == (0, 4_500)
    assert findings(pockets, now) == set()


def test_nothing_is_claimed_where_nothing_arrived(pockets, find, take, floor, cashier, dealer, now):
    document = find()
    take(document, "sent", floor)
    take(document, "received", cashier, Pieces(), approver=dealer, reason="the bag was empty")
    assert documents.held(pockets) == []
    refused("wrong_step", take, document, "claimed", cashier, approver=floor, reason=SEEN)


def test_found_chips_have_a_place_and_no_more_than_patrons_hold(pockets, find, take, floor, act, dealer):
    refused("reference_required", find, " ")
    refused("bad_text", find, "x" * 61)
    more = documents.begin(
        site=pockets,
        kind="unclaimed",
        place=documents.LeftBehind("the bar"),
        pieces=Pieces({500: 11}),
        act=act(dealer),
    )
    refused("chips_beyond_books", take, more, "sent", floor)


def test_chips_under_way_keep_the_day_open_and_chips_that_are_held_do_not(pockets, held, find):
    assert [str(one) for one in documents.open_documents(pockets)] == []
    find()
    assert [str(one) for one in documents.open_documents(pockets)] == ["Unclaimed chips 2"]


# Past the program


def test_the_database_itself_refuses_a_wrong_claim_and_a_release_before_its_time(
    find, take, floor, cashier, manager
):
    document = find("Table 3, seat 4", player=7)
    take(document, "sent", floor)
    received = take(document, "received", cashier, FIVE)
    row = {
        name: getattr(received, name)
        for name in ("site_id", "document_id", "at", "gaming_day", "pieces", "chips_cents", "cash_cents")
    } | {"ordinal": 3, "after_id": received.pk, "reason": "mine", "second": floor, "key": "past the program"}
    for more in (
        {"step": "claimed", "person": cashier, "player": 8},
        {"step": "claimed", "person": cashier, "player": None},
        {"step": "released", "person": manager, "reference": "report 7"},
    ):
        with pytest.raises(IntegrityError, match="goes to its owner, or is due"), transaction.atomic():
            DocumentStep.objects.create(**row, **more)


@pytest.mark.parametrize(
    "wrong", [{"evidence": ""}, {"second": 1}, {"evidence": None, "threshold_cents": None}]
)
def test_the_database_itself_asks_for_evidence_and_somebody_uninvolved(
    many, take, floor, cashier, employ, wrong
):
    row = claim_of(many, take, cashier, employ("night", "floor"))
    wrong = {"second": floor} if "second" in wrong else wrong
    with pytest.raises(IntegrityError, match="handed out with evidence"), transaction.atomic():
        DocumentStep.objects.create(**row | wrong)


def claim_of(document, take, cashier, second):
    """Return the row of a claim in order, of which no step is written."""
    with transaction.atomic():
        step = take(document, "claimed", cashier, approver=second, **CLIP)
        transaction.set_rollback(True)
    said = {field.attname: getattr(step, field.attname) for field in DocumentStep._meta.fields}
    entry = document.steps.get(step="received").entry
    return {name: value for name, value in said.items() if name not in ("id", "second_id", "entry_id")} | {
        "second": second,
        "entry": entry,
    }
