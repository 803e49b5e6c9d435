"""Corrected buy-ins, add-ons and cash-outs are worked out again from the log,
and whatever they say otherwise is named."""

from datetime import timedelta

import pytest

from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import JournalEntry
from ledger.proof.audit.checks.books import BooksCheck
from ledger.proof.log import sealing, verifying
from tables.collection import rates
from tables.errors import BuyInTooLarge, BuyInTooSmall
from tables.seats.chip_corrections import correct_chips
from tables.seats.tokes import give_toke
from tests.support.acting import acting
from tests.support.changed_records import changed, leaves, other
from tests.support.game import OPENING
from tests.support.kept import kept
from tests.support.replayed import bodies, replay
from tests.tables.log.test_exporting import exported, rewritten, verify


def check(records, *, whole=True, first=0):
    """What the books and the replay find in these records."""
    asked = [BooksCheck(whole=whole), replay(whole=whole)]
    found = [
        wrong for leaf, body in enumerate(records, first) for one in asked for wrong in one.take(leaf, body)
    ]
    return [*found, *(wrong for one in asked for wrong in one.finish())]


def newest(kind):
    return JournalEntry.objects.filter(kind=kind).order_by("-pk")[0]


@kept
def night(game, beside, floor2, cashier):
    """Corrections of every kind: of a stack that plays on, of a source, to nothing, twice, of tokes, of a
    cash-out that had gone, of chips that were carried to another table and cashed out there, and of a table
    that has closed; with rounds between."""
    sealing.seal(game.site, now=game.now)

    def correct(entry, cents, source="cash"):
        said = {"reason": "read off the wrong stack", "approver": floor2, "actor": game.floor}
        acting(correct_chips, entry=entry, cents=cents, source=source, key=game.key(), now=game.now, **said)

    game.seat("Ann", "Bob", "Cat")
    correct(newest("buy_in"), 40_000)
    game.sell(35_000, cashier)
    correct(newest("correction"), 35_000, "chips")
    game.play()
    game.minute(5).add_on(1, 1000)
    correct(newest("add_on"), 0)
    game.minute(7)
    for cents in (500, 700):
        acting(
            give_toke,
            sitting_id=game.sitting(3).pk,
            cents=cents,
            key=game.key(),
            actor=game.dealer,
            now=game.now,
        )
        correct(newest("toke"), 200, "")
    correct(newest("correction"), 0, "")
    game.minute(10).cash_out(2)
    correct(newest("cash_out"), 20_000, "")
    correct(JournalEntry.objects.filter(kind="buy_in").order_by("pk")[1], 31_000)
    game.minute(15).buy_in("Bob", 2, 90)
    correct(newest("buy_in"), 30_000)
    game.play()
    beside.now = game.minute(20).now
    beside.buy_in("Dan", 4, 50)
    moving = game.buy_in("Eve", 4, 80)
    wrong = newest("buy_in")
    assert wrong.transfers.filter(target=moving.stack_id).exists()
    game.move(4, beside, 1, ordered=True)
    correct(wrong, 30_000)
    beside.play()
    beside.now = game.minute(25).now
    beside.cash_out(1)
    correct(first_of(wrong), 31_000)
    for seat in (1, 2, 3):
        game.cash_out(seat)
    game.close(floor2, chips_over=500, cash_over=-500)
    correct(JournalEntry.objects.filter(kind="buy_in").order_by("pk")[0], 29_500)
    sealing.seal(game.site, now=game.now)
    return game


def first_of(wrong):
    """What stands for an entry that was corrected once."""
    return JournalEntry.objects.get(key=wrong.reversed_by.key.removesuffix("/reversal"))


def test_the_night_is_right(night):
    assert [str(finding) for finding in check(bodies())] == []
    assert [str(finding) for finding in verifying.Verification(night.site).run()] == []


@pytest.mark.parametrize("first", [8, 15, 30, 45, 60, 75])
def test_records_that_begin_in_the_middle_of_it_accuse_nobody(night, first):
    records = bodies()
    assert first < len(records)
    assert [str(finding) for finding in check(records[first:], whole=False, first=first)] == []


def corrected(records):
    for at, body in enumerate(records):
        if body.get("kind") in ("reversal", "correction"):
            yield at, body


def test_whatever_a_correction_says_otherwise_is_named(night):
    records, tried = bodies(), set()
    for at, body in corrected(records):
        said = {
            name: body[name] for name in ("evidence", "transfers", "reason", "actor", "approver", "reverses")
        }
        for path, value in leaves(said):
            shape = (body["kind"], body["evidence"]["of"], path)
            if shape in tried or (path == ("reverses",) and value is None):
                continue
            tried.add(shape)
            found = check(changed(records, at, path, other(value)))
            # By whom and why, it is the correction that says otherwise than its reversal.
            by = body["kind"] == "reversal" and path[0] in ("actor", "approver", "reason")
            right = {*range(at, at + 6)} if by else {at}
            # The first transfer of an account says what it is; the second one contradicts that.
            first_met = path[0] == "transfers" and path[-1] in ("from", "to")
            right = {wrong.leaf for wrong in found} if first_met else right
            assert right & {wrong.leaf for wrong in found}, (body["kind"], path, value, [*map(str, found)])
    assert len(tried) > 20


def test_the_verifier_of_an_export_understands_the_night_and_finds_a_changed_correction(night, tmp_path):
    data, _ = exported(night)
    status, said = verify(tmp_path, data)
    assert status == 0, said
    assert "chips corrected" in said
    wrong = rewritten(
        data,
        "records.jsonl",
        lambda held: held.replace(b'"cents":30000,"corrects"', b'"cents":30001,"corrects"', 1),
    )
    assert wrong != data
    status, said = verify(tmp_path, wrong)
    assert status == 1
    assert "leaf" in said


@pytest.mark.parametrize("forged", [{"cents": -1000}, {"over_short_cents": -1000}])
def test_a_cash_out_says_nowhere_but_in_its_transfers_how_much_left(night, forged):
    """A correction that lets $10 stay on the stack is wrong,
    whatever is added to the evidence of its cash-out."""
    records = bodies()
    at, body = next(one for one in corrected(records) if one[1]["evidence"].get("of") == "cash_out")
    at, body = at + 1, records[at + 1]
    left = next(at for at, one in enumerate(records) if one.get("id") == body["evidence"]["corrects"])
    total = sum(line["cents"] for line in records[left]["transfers"])
    said = {name: cents + total if name == "cents" else cents for name, cents in forged.items()}
    records[left]["evidence"] |= said
    body["evidence"]["over_short_cents"] -= 1000
    body["transfers"][0]["cents"] -= 1000
    assert ("wrong_amount", at) in [(one.code, one.leaf) for one in check(records)]


@pytest.mark.parametrize("kind", ["reversal", "correction"])
def test_a_correction_of_which_one_half_is_gone_is_named(night, kind):
    records = bodies()
    at = [at for at, body in corrected(records) if body["kind"] == kind][-1]
    found = {wrong.code for wrong in check([*records[:at], *records[at + 1 :]])}
    assert found & ({"not_reversed"} if kind == "reversal" else {"not_posted_again"})


@pytest.mark.parametrize("wrong", [None, [], -1])
def test_no_correction_however_wrong_makes_a_check_raise(night, wrong):
    records = bodies()
    numbers = [at for at, _ in corrected(records)]
    for name in {name for at in numbers for name in records[at]["evidence"]}:
        spoilt = records
        for at in numbers:
            if name in records[at]["evidence"]:
                spoilt = changed(spoilt, at, ("evidence", name), wrong)
        assert {finding.leaf for finding in check(spoilt)} & {*numbers}, name


@kept
def terms(game, manager, floor2):
    """A table that goes from $5 to $10, with corrections by the bounds of either,
    and of somebody who came back."""
    house_events.note_particulars(
        game.site, act=Act(actor=None, now=OPENING - timedelta(hours=9)), opened=False
    )
    sealing.seal(game.site, now=game.now)
    ten = rates.publish_rate(
        site=game.site,
        entry=rates.RateEntry(1000, 1200, "BGC-7", OPENING.date()),
        act=Act(actor=manager, now=OPENING),
    )
    said = {"reason": "read off the wrong stack", "approver": floor2, "actor": game.floor}

    def correct(entry, cents):
        acting(correct_chips, entry=entry, cents=cents, source="cash", key=game.key(), now=game.now, **said)

    game.seat("Ann", "Bob", points=100)
    first = JournalEntry.objects.filter(kind="buy_in").order_by("pk")[0]
    game.play()
    game.minute(10).cash_out(2)
    game.minute(20).buy_in("Bob", 2, 100)
    came_back = newest("buy_in")
    game.minute(30)
    announced = {"rate": ten, "max_buy_in_cents": 100_000, "actor": game.floor}
    acting(rates.announce_rate, session_id=game.session.pk, key=game.key(), now=game.now, **announced)
    game.minute(45).play()
    with pytest.raises(BuyInTooSmall):
        correct(came_back, 20_000)
    with pytest.raises(BuyInTooLarge):
        correct(first, 50_001)
    correct(first, 45_000)
    correct(came_back, 49_500)
    game.minute(50).buy_in("Cat", 3, 70)
    correct(newest("buy_in"), 100_000)
    return game


def test_r52_bounds_are_those_of_the_moment_when_the_chips_were_brought(terms):
    assert [str(finding) for finding in check(bodies())] == []


@pytest.mark.parametrize(
    ("which", "cents", "code"), [(0, 50_001, "large"), (1, 20_000, "small"), (2, 29_999, "small")]
)
def test_r52_a_corrected_amount_outside_of_them_is_named(terms, which, cents, code):
    records = bodies()
    at = [at for at, body in corrected(records) if body["kind"] == "correction"][which]
    wrong = changed(records, at, ("evidence", "cents"), cents)
    for line in (0, 1):
        wrong = changed(wrong, at, ("transfers", line, "cents"), cents)
    assert f"buy_in_too_{code}" in {finding.code for finding in check(wrong) if finding.leaf == at}
