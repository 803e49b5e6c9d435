"""Stocking the cage: two people count by denomination, each blind; only what they agree on is posted."""

import json
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from hypothesis import given, strategies as st

from ledger.cage import stocking
from ledger.errors import BadAmount, LedgerError
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.balances import asset_sums
from ledger.models import AuditRecord, CageSlip, CageSlipResult, Drawer, JournalEntry
from ledger.money import MOST_CENTS
from ledger.reports import cage_slips
from ledger.rules.denominations import Pieces, fewest_pieces, parse_values, pieces_of, value_of, value_text
from tests.support.acting import acting

FLOAT = Pieces(
    chips={100: 200, 500: 100, 2500: 40}, cash={25: 40, 2000: 50}
)  # $1,700 in chips, $1,010 in cash
SHORT = Pieces(chips={100: 199, 500: 100, 2500: 40}, cash={25: 40, 2000: 50})


@pytest.fixture
def first(site, cashier, now):
    """The cashier's count of FLOAT on a new slip, not yet counted again."""
    return stocking.count_first(
        site=site,
        way="opening",
        pieces=FLOAT,
        act=Act(actor=cashier, now=now, key="first", terminal="window 1"),
    )


@pytest.fixture
def second(first, cashier, floor, now):
    """`second(pieces, **changes)`: the second count of that slip, by floor."""

    def count(pieces=FLOAT, **changes):
        given = {"actor": cashier, "approver": floor, "now": now + timedelta(minutes=3), "key": "second"}
        return acting(stocking.count_second, slip=first, pieces=pieces, **given | changes)

    return count


@pytest.fixture
def take_out(stocked, cashier, floor, now):
    """`take_out(pieces)`: the slip of chips or cash that go into a drawer from a vault with $50,000 in chips
    and $20,000 in cash."""

    def take(pieces, key="out"):
        act = Act(actor=cashier, approver=floor, now=now, key=key)
        return stocking.stock_cage(
            site=stocked, way="to_drawer", drawer=Drawer.objects.get(), pieces=pieces, act=act
        )

    return take


def code_of(call, *args, **given):
    with pytest.raises(LedgerError) as error:
        call(*args, **given) if "act" in given else acting(call, *args, **given)
    return error.value.code


def test_a_first_count_alone_posts_nothing(first, site):
    assert (first.number, first.chips_cents, first.cash_cents) == (1, 170_000, 101_000)
    assert first.pieces == {"chips": [[2500, 40], [500, 100], [100, 200]], "cash": [[2000, 50], [25, 40]]}
    assert not JournalEntry.objects.exists()
    assert stocking.holds(site) == {"chips": 0, "cash": 0}
    assert [row.slip for row in cage_slips.waiting(site)] == [first]


def test_two_counts_that_agree_are_posted_with_both_names(first, second, site, cashier, floor):
    result = second()
    entry = result.entry
    assert (result.outcome, result.person) == ("posted", floor)
    assert (entry.kind, entry.actor, entry.approver) == ("float_issue", cashier, floor)
    assert stocking.holds(site) == {"chips": 170_000, "cash": 101_000}
    assert asset_sums(site) == {"chips": 0, "cash": 0}
    evidence = json.loads(entry.evidence)
    assert evidence["counted_by"] == [cashier.pk, floor.pk]
    assert evidence["pieces"]["chips"] == [[2500, 40], [500, 100], [100, 200]]
    assert cage_slips.waiting(site) == []


def test_two_counts_that_differ_are_kept_and_nothing_is_posted(first, second, site):
    result = second(SHORT)
    assert (result.outcome, result.entry, result.chips_cents) == ("differed", None, 169_900)
    assert not JournalEntry.objects.exists()
    kept = AuditRecord.objects.filter(kind__in=["cage_slip", "cage_slip_result"])
    assert kept.count() == 2
    assert code_of(second, FLOAT, key="again") == "slip_closed"


def test_the_same_sum_in_other_pieces_does_not_agree(second):
    assert second(Pieces({100: 195, 500: 101, 2500: 40}, FLOAT.cash)).outcome == "differed"


def test_the_next_slip_has_the_next_number(second, site, cashier, now):
    second(SHORT)
    more = Act(actor=cashier, now=now, key="more")
    assert stocking.count_first(site=site, way="opening", pieces=FLOAT, act=more).number == 2


@pytest.mark.parametrize("way", ["opening", "in", "out"])
def test_nothing_comes_into_a_vault_that_is_open_or_leaves_the_house_on_a_slip(stocked, cashier, now, way):
    act = Act(actor=cashier, now=now, key="another")
    assert code_of(stocking.count_first, site=stocked, way=way, pieces=FLOAT, act=act) == "needs_document"


def test_a_vault_is_opened_by_one_of_two_slips_that_wait(first, second, site, cashier, floor, now):
    other = stocking.count_first(site=site, way="opening", pieces=SHORT, act=Act(cashier, now, "other"))
    assert second().outcome == "posted"
    again = Act(cashier, now, "again", approver=floor)
    assert code_of(stocking.count_second, slip=other, pieces=SHORT, act=again) == "needs_document"


def test_chips_and_cash_go_into_a_drawer_the_same_way(take_out, stocked):
    entry = take_out(Pieces(chips={500: 10}, cash={100: 3}))
    assert entry.kind == "drawer_issue"
    assert stocking.holds(stocked) == {"chips": 3_995_000, "cash": 999_700}


def test_more_than_the_cage_has_does_not_leave_it(take_out, stocked):
    assert code_of(take_out, Pieces(chips={100_000: 41})) == "insufficient_funds"
    assert code_of(take_out, Pieces(cash={10_000: 101}), "cash") == "insufficient_funds"
    assert not JournalEntry.objects.filter(kind="drawer_issue", key__in=["out", "cash"]).exists()


def test_what_was_taken_since_the_first_count_cannot_leave(stocked, cashier, floor, now):
    act = Act(actor=cashier, now=now, key="first")
    drawer = Drawer.objects.get()
    given = {"site": stocked, "way": "to_drawer", "drawer": drawer}
    slip = stocking.count_first(**given, pieces=Pieces({100_000: 40}), act=act)
    taken = Act(actor=cashier, approver=floor, now=now, key="taken")
    stocking.stock_cage(**given, pieces=Pieces({100: 1}), act=taken)
    second = Act(actor=cashier, approver=floor, now=now, key="second")
    given = {"slip": slip, "pieces": Pieces({100_000: 40}), "act": second}
    assert code_of(stocking.count_second, **given) == "insufficient_funds"
    assert [row.slip for row in cage_slips.waiting(stocked)] == [slip]


# -- two people ----------------------------------------------------------------------------------------------


def test_nobody_counts_both_times(second, cashier, first, employ):
    assert code_of(second, approver=cashier) == "second_person"
    assert code_of(second, approver=None) == "second_person"
    other = employ("cashier2", "cashier")
    assert code_of(second, actor=other, approver=cashier) == "second_person"
    assert code_of(second, actor=other, approver=other) == "second_person"


@pytest.mark.parametrize("role", ["counter", "regulator", "dealer", "manager", "compliance"])
def test_who_neither_works_the_cage_nor_runs_the_floor_counts_nothing(role, site, second, employ, now):
    person = employ("somebody", role)
    assert code_of(second, approver=person) == "not_allowed"
    given = {"site": site, "way": "opening", "pieces": FLOAT, "actor": person, "now": now, "key": "s"}
    assert code_of(stocking.count_first, **given) == "not_allowed"


def test_the_floor_counts_second_and_never_first(site, floor, now, second):
    given = {"site": site, "way": "opening", "pieces": FLOAT, "now": now, "key": "s"}
    for person in (floor, None, AnonymousUser()):
        assert code_of(stocking.count_first, actor=person, **given) == "not_allowed"
    assert second().outcome == "posted"


def test_who_no_longer_works_here_counts_nothing(second, floor):
    floor.is_active = False
    assert code_of(second) == "not_allowed"


def test_another_cashier_makes_the_second_count_and_only_the_first_has_it_made(second, employ, floor):
    other = employ("cashier2", "cashier")
    assert code_of(second, actor=other, approver=floor) == "not_your_slip"
    assert second(approver=other).person == other


@pytest.mark.parametrize("kind", ["float_issue", "float_return"])
def test_the_books_take_no_float_that_one_person_counted(kind, stocked, house, draft, cashier):
    ends = [house("patrons"), house("vault")]
    move = (*(ends if kind == "float_issue" else ends[::-1]), 100)
    assert code_of(posting.post, site=stocked, draft=draft("alone", kind, move)) == "second_person"


def test_the_database_takes_none_either(second):
    second()
    entry = JournalEntry.objects.get(kind="float_issue")
    entry.pk, entry.key, entry.approver = None, "past the verb", None
    with pytest.raises(IntegrityError), transaction.atomic():
        entry.save(force_insert=True)


# -- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pieces",
    [
        Pieces(),
        Pieces({500: 0}, {100: 0}),
        Pieces({500: -1}),
        Pieces({500: 1.0}),
        Pieces({500: True}),
        Pieces({500: 10**19}),
        Pieces({100_000: MOST_CENTS // 100_000 + 1}),
        Pieces({300: 1}),
        Pieces({}, {700: 1}),
    ],
)
def test_a_count_is_of_whole_pieces_that_the_house_has(pieces, site, cashier, now):
    given = {"site": site, "way": "opening", "pieces": pieces, "actor": cashier, "now": now, "key": "s"}
    assert code_of(stocking.count_first, **given) == "bad_amount"
    assert not CageSlip.objects.exists()


def test_a_house_may_have_other_chips(site, cashier, now):
    site.chip_values = "3 20 0.50"
    assert stocking.denominations(site)["chips"] == (50, 300, 2000)
    given = {"site": site, "way": "opening", "actor": cashier, "now": now, "key": "s"}
    assert code_of(stocking.count_first, pieces=Pieces({500: 1}), **given) == "bad_amount"
    assert acting(stocking.count_first, pieces=Pieces({300: 1}), **given).chips_cents == 300


@pytest.mark.parametrize("text", ["", "five", "5 5", "0 5", "-5", "5,", " ".join(map(str, range(1, 22)))])
def test_what_are_no_denominations(text):
    with pytest.raises(BadAmount):
        parse_values(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("25 twenty 5", "twenty is no denomination"),
        ("1 0", "0 is no denomination"),
        ("1 0.505", "0.505 is no denomination"),
        ("1 5 $1.00", "$1.00 is there twice"),
    ],
)
def test_a_wrong_denomination_is_named_with_what_is_wanted(text, words):
    with pytest.raises(BadAmount, match=re.escape(words) + r".*as 0\.50 1 5 25\.$"):
        parse_values(text)


def test_a_slip_that_waits_can_be_withdrawn_for_a_reason(first, second, cashier, now):
    act = Act(actor=cashier, now=now, key="withdraw")
    assert code_of(stocking.withdraw_slip, slip=first, act=act) == "reason_required"
    ended = stocking.withdraw_slip(slip=first, act=act.because("The van was late"))
    assert (ended.outcome, ended.person, ended.entry) == ("withdrawn", cashier, None)
    assert stocking.withdraw_slip(slip=first, act=act.because("The van was late")) == ended
    assert code_of(second) == "slip_closed"


def test_a_posted_slip_is_not_withdrawn(first, second, cashier, now):
    second()
    act = Act(actor=cashier, now=now, key="withdraw", reason="Too late")
    assert code_of(stocking.withdraw_slip, slip=first, act=act) == "slip_closed"


def test_sent_twice_is_counted_once(first, second, site, cashier, now):
    again = {"site": site, "way": "opening", "actor": cashier, "now": now, "key": "first"}
    assert acting(stocking.count_first, pieces=FLOAT, **again) == first
    assert code_of(stocking.count_first, pieces=SHORT, **again) == "key_reused"
    assert second() == second()
    assert code_of(second, SHORT) == "key_reused"
    assert JournalEntry.objects.count() == CageSlip.objects.count() == 1


# -- at once, and for good -----------------------------------------------------------------------------------


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_two_slips_begun_at_once_have_two_numbers(site, cashier, now, at_once):
    calls = [
        lambda key=key: stocking.count_first(
            site=site, way="opening", pieces=FLOAT, act=Act(actor=cashier, now=now, key=key)
        )
        for key in ("one", "two", "three")
    ]
    assert sorted(slip.number for slip in at_once(calls)) == [1, 2, 3]


def test_a_key_ends_one_slip_of_the_house_whether_it_is_withdrawn_or_counted(stocked, cashier, floor, now):
    first, other, third = (
        stocking.count_first(
            site=stocked, way="count", pieces=FLOAT, act=Act(actor=cashier, now=now, key=key)
        )
        for key in ("slip 1", "slip 2", "slip 3")
    )
    act = Act(actor=cashier, approver=floor, now=now, key="an end", reason="counted again tomorrow")
    ended = stocking.withdraw_slip(slip=first, act=act)
    assert stocking.withdraw_slip(slip=first, act=act) == ended
    assert code_of(stocking.withdraw_slip, slip=other, act=act) == "key_reused"
    for pieces in (FLOAT, SHORT):
        assert code_of(stocking.count_second, slip=other, pieces=pieces, act=act) == "key_reused"
    assert code_of(stocking.count_first, site=stocked, way="count", pieces=FLOAT, act=act) == "key_reused"
    differed = stocking.count_second(slip=other, pieces=SHORT, act=act.under("other"))
    assert differed.outcome == "differed"
    assert code_of(stocking.count_second, slip=third, pieces=FLOAT, act=act.under("other")) == "key_reused"
    assert not JournalEntry.objects.filter(key__in=["an end", "other"]).exists()


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_two_second_counts_at_once_post_one_entry(first, second, at_once, site):
    results = at_once([lambda key=key: second(key=key) for key in ("one", "two")])
    codes = sorted(getattr(result, "code", "posted") for result in results)
    assert codes == ["posted", "slip_closed"]
    assert stocking.holds(site) == {"chips": 170_000, "cash": 101_000}


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("model", [CageSlip, CageSlipResult])
def test_slips_and_their_results_are_written_once(model, second):
    second()
    with pytest.raises(Exception, match=r"written once|append"), transaction.atomic():
        model.objects.update(chips_cents=1)
    with pytest.raises(Exception, match=r"written once|append"), transaction.atomic():
        model.objects.all()._raw_delete("default")


# -- pieces --------------------------------------------------------------------------------------------------

PIECES = st.dictionaries(st.integers(1, 10**6), st.integers(1, 10**6), max_size=8)


@given(PIECES, PIECES)
def test_pieces_come_back_from_what_records_contain(chips, cash):
    pieces = Pieces(chips, cash)
    assert pieces_of(pieces.data) == pieces
    assert pieces.chips_cents == sum(value * number for value, number in pieces.data["chips"])


@pytest.mark.parametrize(
    "chips", [[[5, 1], [5, 2]], [[1, 1], [5, 1]], [[5, 0]], [[5, "1"]], [[True, 1]], [[5]], [5], None]
)
def test_records_of_pieces_have_one_form(chips):
    with pytest.raises((KeyError, TypeError, ValueError)):
        pieces_of({"chips": chips, "cash": []})


@given(st.integers(0, 10**9), st.sets(st.integers(1, 10**5), min_size=1, max_size=8))
def test_the_fewest_pieces_come_to_at_least_the_amount(cents, values):
    pieces = fewest_pieces(cents, {1, *values})
    assert value_of(pieces) == cents
    assert 0 <= value_of(fewest_pieces(cents, values)) - cents < min(values) or len(values) > 1


def test_a_denomination_reads_as_it_stands_on_the_chip():
    assert [value_text(cents) for cents in (50, 500, 100_000)] == ["$0.50", "$5", "$1000"]
