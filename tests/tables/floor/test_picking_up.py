"""A departed player's stack: counted and picked up by two, held at the cage, handed to that player alone."""

import re

import pytest

from ledger.cage import documents
from ledger.errors import Refusal
from ledger.models import Account, Document, JournalEntry, StruckCount
from ledger.proof.log import sealing, verifying
from ledger.rules.denominations import Pieces
from tables.floor import banks, picking_up
from tables.models import Sitting
from tables.seats.players import Person
from tests.support.acting import acting
from tests.support.books_by_hand import run
from tests.support.cage import fields_of, pieces
from tests.support.cast import PIN
from tests.support.kept import kept
from tests.support.replayed import bodies, replayed

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SEEN = {"reason": "driver licence"}


@kept
def table(game):
    game.seat("Ann", "Bob", "Cat")
    return game


@pytest.fixture
def pick_up(table):
    def picked(seat=1, cents=None, second_cents=None, **options):
        cents = table.stack(seat) if cents is None else cents
        count = pieces(table.site, chips=cents)
        second = count if second_cents is None else pieces(table.site, chips=second_cents)
        said = {"second": table.dealer, "actor": table.floor, "now": table.now, "key": table.key()}
        sitting = options.pop("sitting_id", None) or table.sitting(seat).pk
        asked = {"sitting_id": sitting, "count": count, "second_count": second}
        return acting(picking_up.pick_up, **asked | said | options)

    return picked


@pytest.fixture
def act(table):
    """`act(picking_up.claim, document, cashier, ...)`"""

    def acted(verb, document, person, **options):
        said = {"actor": person, "now": table.now, "key": table.key()}
        return acting(verb, document=document, **said | options)

    return acted


@pytest.fixture
def held(pick_up, act, cashier):
    """Ann's stack at the cage."""
    document = pick_up()
    act(banks.take_step, document, cashier, step="received", pieces=documents.trail_of(document).pieces)
    return document


def refused(code, call, *args, **options):
    before = JournalEntry.objects.count(), Document.objects.count()
    with pytest.raises(Refusal) as found:
        call(*args, **options)
    assert found.value.code == code
    assert before == (JournalEntry.objects.count(), Document.objects.count())
    return found.value.message


def test_two_counts_of_a_stack_that_differ_stay_struck_and_the_third_calls_a_supervisor(pick_up, table):
    cents = table.stack(1)
    for attempt in (1, 2, 3):
        said = refused("counts_differ", pick_up, cents=cents, second_cents=cents - 500 * attempt)
        assert ("call a supervisor" in said) is (attempt == 3)
    kept_counts = list(StruckCount.objects.order_by("attempt"))
    assert [(one.place, one.person, one.second) for one in kept_counts] == [
        ("Table 1, seat 1", table.floor, table.dealer)
    ] * 3
    pick_up()
    sealing.seal(table.site, now=table.now, whole=True)
    assert [str(found) for found in verifying.Verification(table.site).run()] == []
    other = [body | {"place": "Table 9, seat 1"} if body["record"] == "struck_count" else body
             for body in bodies()]  # fmt: skip
    assert {one.code for one in run(other)[0]} == {"no_document"}


def balance(site, kind):
    return sum(Account.objects.filter(site=site, kind=kind).values_list("balance_cents", flat=True))


def live(site, now):
    sealing.seal(site, now=now)
    return {(one.code, one.record) for one in verifying.Verification(site).run()}


def named(records):
    """What the check of the books and the replay of the tables name: each finding's code and record."""
    found, _ = run(records)
    wrong, _ = replayed(records)
    return [(one.code, one.record) for one in (*found, *wrong)]


# The verb


def test_an_absent_players_stack_goes_to_the_cage_and_back_to_the_player(
    table, pick_up, act, cashier, floor2
):
    patrons = balance(table.site, "patrons")
    document = pick_up()
    assert (str(document), document.place) == ("Unclaimed chips 1", "Table 1, seat 1")
    sitting = Sitting.objects.get(player__name="Ann")
    assert (sitting.left_at, sitting.taken_away_cents) == (table.now, 30_000)
    assert [step.person for step in documents.trail_of(document).steps] == [table.dealer, table.floor]
    assert (balance(table.site, "transit"), balance(table.site, "patrons")) == (30_000, patrons)
    counted = documents.trail_of(document).pieces
    act(banks.take_step, document, cashier, step="received", pieces=counted)
    assert balance(table.site, "unclaimed") == 30_000
    claimed = act(picking_up.claim, document, cashier, who=Person("Ann"), approver=floor2, **SEEN)
    assert (claimed.step, claimed.player) == ("claimed", sitting.player_id)
    assert (balance(table.site, "unclaimed"), balance(table.site, "patrons")) == (0, patrons + 30_000)
    assert live(table.site, table.now) == set()
    assert named(bodies()) == []


def test_a_table_closes_once_absent_players_stacks_are_picked_up(table, pick_up, floor2):
    refused("table_open", table.close, floor2)
    for seat in (1, 2, 3):
        pick_up(seat)
    assert table.close(floor2).closed_at is not None
    assert live(table.site, table.now) == set()


def test_the_same_request_again_is_one(table, pick_up):
    sitting = table.sitting(1)
    count = pieces(table.site, chips=30_000)
    asked = {"sitting_id": sitting.pk, "count": count, "second_count": count, "second": table.dealer}
    asked |= {"actor": table.floor, "now": table.now, "key": "once"}
    first = acting(picking_up.pick_up, **asked)
    assert acting(picking_up.pick_up, **asked) == first
    assert Document.objects.filter(kind="unclaimed").count() == 1


def test_who_ran_the_table_does_not_sign_that_its_stack_is_gone(
    table, pick_up, act, cashier, floor2, manager
):
    table.push(None, actor=floor2)
    table.push(table.dealer)
    document = pick_up()
    gone = {"step": "received", "pieces": Pieces({500: 1}), "reason": "gone", "evidence": "clip 7"}
    refused("ran_the_table", act, banks.take_step, document, cashier, approver=floor2, **gone)
    act(banks.take_step, document, cashier, approver=manager, **gone)
    assert live(table.site, table.now) == set()
    records = bodies()
    step = next(body for body in records if body.get("step") == "differed")
    step["second"] = floor2.pk
    assert ("ran_the_table", f"document step {step['id']}") in named(records)


def test_who_may_not_pick_a_stack_up(table, pick_up, cashier, floor2, employ):
    stranger = employ("stranger", "dealer")
    other = table.push(stranger)
    assert other == stranger
    refused("not_your_table", pick_up, second=table.dealer)
    table.push(table.dealer)
    refused("second_person", pick_up, second=table.floor)
    refused("not_allowed", pick_up, second=cashier)
    refused("not_allowed", pick_up, actor=table.dealer, second=floor2)
    assert pick_up(second=floor2)


def test_no_stack_is_picked_up_in_a_running_round_or_after_its_cash_out(table, pick_up):
    sitting = table.sitting(1).pk
    table.start()
    refused("round_running", pick_up)
    table.void(table.session.rounds.get())
    table.cash_out(1)
    refused("not_seated", pick_up, cents=30_000, sitting_id=sitting)


def test_another_amount_than_the_books_have_needs_a_reason_and_stays_with_patrons(table, pick_up):
    patrons = balance(table.site, "patrons")
    refused("counts_differ", pick_up, cents=30_000, second_cents=29_500)
    refused("stack_differs", pick_up, cents=29_500)
    refused("bad_amount", pick_up, cents=0, reason="nothing was there")
    pick_up(cents=29_500, reason="Bob says that he took a chip")
    assert balance(table.site, "patrons") == patrons + 500
    assert live(table.site, table.now) == set()
    assert named(bodies()) == []


def test_fees_due_are_taken_before_the_stack_is_counted(table, pick_up):
    table.play()
    table.minute(41).start()
    table.void(table.session.rounds.latest("pk"))
    stack = table.stack(1)
    pick_up(cents=stack)
    assert live(table.site, table.now) == set()


def test_a_stack_goes_to_its_player_alone(table, held, act, cashier, floor2):
    signed = {"approver": floor2, **SEEN}
    refused("not_theirs", act, picking_up.claim, held, cashier, who=Person("Bob"), **signed)
    refused("not_theirs", act, picking_up.claim, held, cashier, who=Person(), **signed)
    refused("player_unknown", act, picking_up.claim, held, cashier, who=Person("Nobody"), **signed)
    refused("not_allowed", act, picking_up.claim, held, floor2, who=Person("Ann"), **signed)
    act(picking_up.claim, held, cashier, who=Person("Ann"), **signed)
    refused("document_ended", act, picking_up.claim, held, cashier, who=Person("Ann"), **signed)


# The verifiers


@pytest.mark.parametrize(
    ("step", "change", "code"),
    [
        ("requested", {"player": 999_999}, "not_cashed_out"),
        ("sent", {"player": 1}, "wrong_step"),
        ("received", {"due": None}, "wrong_step"),
        ("claimed", {"player": 999_999}, "not_theirs"),
        ("claimed", {"chips_cents": 29_500}, "wrong_sum"),
        ("claimed", {"second": None}, "second_person"),
        ("claimed", {"reason": ""}, "reason_required"),
    ],
)
def test_the_offline_check_names_a_changed_step(table, held, act, cashier, floor2, step, change, code):
    act(picking_up.claim, held, cashier, who=Person("Ann"), approver=floor2, **SEEN)
    records = bodies()
    record = next(
        one
        for one in records
        if one["record"] == "document_step" and one["document"] == held.pk and one["step"] == step
    )
    record |= change
    for name in [name for name in ("player", "due") if record.get(name, 0) is None]:
        del record[name]
    assert code in {one for one, _ in named(records)}


def test_the_offline_check_names_a_claim_that_moves_another_amount(table, held, act, cashier, floor2):
    step = act(picking_up.claim, held, cashier, who=Person("Ann"), approver=floor2, **SEEN)
    records = bodies()
    entry = next(one for one in records if one["record"] == "entry" and one["id"] == step.entry_id)
    entry["transfers"][0]["cents"] = 29_500
    assert ("wrong_sum", f"entry {entry['id']}") in named(records)


def test_the_offline_check_names_chips_released_before_they_are_due(
    table, held, act, manager, cashier, floor2
):
    act(picking_up.claim, held, cashier, who=Person("Ann"), approver=floor2, **SEEN)
    records = bodies()
    records[-1] |= {"step": "released", "person": manager.pk, "reference": "report 7"}
    del records[-1]["player"]
    assert ("not_due", f"document step {records[-1]['id']}") in named(records)


def test_the_offline_check_names_a_stack_of_another_amount_without_a_reason(held):
    records = bodies()
    taken = next(one for one in records if one["record"] == "entry" and one["kind"] == "cash_out")
    taken["transfers"][0]["cents"] -= 500
    assert "reason_required" in {code for code, _ in named(records)}


# The pages


def text(answer):
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def test_the_stack_goes_its_way_on_the_pages(screen, table, cashier, floor, floor2):
    sitting = table.sitting(1)
    page = screen.as_(floor).get(f"/sittings/{sitting.pk}/pick-up/")
    assert "Goes to the cage $300.00" in text(page)
    count = pieces(table.site, chips=30_000)
    signed = {"second": table.dealer.username, "second_pin": PIN}
    wrong = fields_of(count, pieces(table.site, chips=29_500)) | signed
    assert "counts_differ" in text(screen.post(f"/sittings/{sitting.pk}/pick-up/", **wrong))
    assert screen.post(f"/sittings/{sitting.pk}/pick-up/", **fields_of(count) | signed).status_code == 302
    document = Document.objects.get(kind="unclaimed")
    address = f"/documents/{document.pk}/"
    assert "$300.00" not in text(screen.as_(cashier).get(address))
    received = {f"chips_{value}": str(number) for value, number in count.chips.items()}
    assert screen.post(address, step="received", **received).status_code == 302
    said = text(screen.get("/cashier/unclaimed/"))
    assert "Unclaimed chips 1 Ann Table 1, seat 1 $300.00" in said
    assert "Held for Ann. Who claims them?" in text(screen.get(address))
    claim = {"step": "claimed", "reason": "driver licence", "second": "floor2", "second_pin": PIN}
    assert "not_theirs" in text(screen.post(address, name="Bob", **claim))
    assert screen.post(address, name="Ann", **claim).status_code == 302
    assert "Handed to their owner" in text(screen.get(address))
    assert "Held" not in text(screen.get("/cashier/unclaimed/"))


def test_found_chips_are_noted_on_the_page_of_unclaimed_chips(screen, table, floor, dealer, cashier):
    table.cash_out(1)
    screen.as_(floor)
    assert "reference" not in screen.get("/cashier/unclaimed/").context["form"].fields
    assert screen.post("/cashier/unclaimed/", chips_500="2").status_code == 400
    found = screen.post("/cashier/unclaimed/", chips_500="2", where="at the bar")
    assert found.status_code == 302
    assert Document.objects.get(kind="unclaimed").pieces == Pieces({500: 2}).data
    assert screen.as_(cashier).post("/cashier/unclaimed/", chips_500="2", where="x").status_code == 403


def test_the_page_of_many_chips_without_an_owner_asks_for_evidence(
    screen, table, act, floor, cashier, employ
):
    table.cash_out(1)
    employ("night", "floor")
    left, count = documents.LeftBehind("at the bar"), Pieces({2_500: 4})
    begun = {"actor": table.dealer, "now": table.now, "key": table.key()}
    found = acting(documents.begin, site=table.site, kind="unclaimed", place=left, pieces=count, **begun)
    act(banks.take_step, found, floor, step="sent")
    act(banks.take_step, found, cashier, step="received", pieces=count)
    claim = {"step": "claimed", "reason": "they say so", "second": "night", "second_pin": PIN}
    address = f"/documents/{found.pk}/"
    answer = screen.as_(cashier).post(address, **claim)
    assert answer.context["form"].errors["evidence"]
    assert "evidence_required" in text(answer)
    assert screen.post(address, evidence="clip 7", **claim).status_code == 302
    assert "Evidence: clip 7" in text(screen.get(address))
