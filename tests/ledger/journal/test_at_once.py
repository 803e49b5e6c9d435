"""Concurrency: one key makes one entry, nobody overspends, nobody deadlocks, numbers have no gaps."""

import pytest
from django.db import connection, transaction

from ledger.cage import boxes
from ledger.errors import AlreadyReversed, InsufficientFunds, KeyReused
from ledger.journal.acts import Act
from ledger.journal.posting import house_account, post
from ledger.models import Account, DropBox, JournalEntry
from tests.support.balances import differences
from tests.support.counting import begin_sheet

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 8


def held(account):
    return Account.objects.get(pk=account.pk).balance_cents


def test_eight_times_the_same_request_at_once_is_one_entry(stacks, stocked, draft, at_once, now):
    ann, bob = stacks
    paid = draft("r1", "round", (ann.pk, bob.pk, 4500))
    entries = at_once([lambda: post(site=stocked, draft=paid)] * MANY)
    assert {entry.pk for entry in entries} == {JournalEntry.objects.get(key="r1").pk}
    assert (held(ann), held(bob)) == (95_500, 104_500)


def test_eight_times_the_same_push_at_once_is_one_entry(stocked, draft, at_once, now):
    """No account is locked here: only the key tells."""
    entries = at_once([lambda: post(site=stocked, draft=draft("push", "round"))] * MANY)
    assert {entry.pk for entry in entries} == {JournalEntry.objects.get(key="push").pk}


def test_a_key_for_two_requests_at_once_makes_one_entry(stacks, stocked, draft, at_once, now):
    ann, bob = stacks
    drafts = [
        draft("k", "round", (ann.pk, bob.pk, cents), content={"cents": cents}) for cents in range(1, MANY + 1)
    ]
    results = at_once([lambda d=d: post(site=stocked, draft=d) for d in drafts])
    assert sum(isinstance(result, JournalEntry) for result in results) == 1
    assert sum(isinstance(result, KeyReused) for result in results) == MANY - 1


def test_what_is_there_once_is_not_spent_twice(stacks, stocked, draft, at_once, now):
    ann, bob = stacks  # $1,000 each; eight times five payments of $40 would be $1,600

    def spend(who):
        done = 0
        for number in range(5):
            try:
                post(site=stocked, draft=draft(f"{who} {number}", "round", (ann.pk, bob.pk, 4000)))
            except InsufficientFunds:
                continue
            done += 1
        return done

    done = at_once([lambda who=who: spend(who) for who in range(MANY)])
    assert sum(done) == 25
    assert (held(ann), held(bob)) == (0, 200_000)
    assert differences(stocked) == {}


def test_payments_in_both_directions_at_once_do_not_lock_each_other_out(stacks, stocked, draft, at_once, now):
    ann, bob = stacks

    def pay(who, source, target):
        for number in range(10):
            post(site=stocked, draft=draft(f"{who} {number}", "round", (source.pk, target.pk, 100)))
        return "paid"

    both = [(ann, bob), (bob, ann)] * (MANY // 2)
    assert at_once([lambda n=n, ends=ends: pay(n, *ends) for n, ends in enumerate(both)]) == ["paid"] * MANY
    assert (held(ann), held(bob)) == (100_000, 100_000)


def test_an_entry_is_reversed_once_though_many_try_at_once(stocked, draft, floor, at_once, now):
    """The entry moved nothing, so no account is locked: only the unique column tells."""
    wrong = post(site=stocked, draft=draft("r", "round"))
    back = {"reverses": wrong, "reason": "misdeal", "approver": floor}
    results = at_once(
        [lambda n=n: post(site=stocked, draft=draft(f"v{n}", "reversal", **back)) for n in range(MANY)]
    )
    assert sum(isinstance(result, JournalEntry) for result in results) == 1
    assert sum(isinstance(result, AlreadyReversed) for result in results) == MANY - 1


def test_a_place_of_the_house_is_made_once_though_many_ask_at_once(site, at_once):
    made = at_once([lambda: house_account(site, "over_short", "cash").pk] * MANY)
    assert len(set(made)) == 1


def test_boxes_installed_at_once_are_numbered_without_gaps(stocked, floor, at_once, now):
    floor.has_perm("tables.run_floor")
    at_once(
        [
            lambda n=n: boxes.install_box(site=stocked, place=f"Table {n}", act=Act(actor=floor, now=now))
            for n in range(MANY)
        ]
    )
    assert sorted(DropBox.objects.values_list("number", flat=True)) == list(range(1, MANY + 1))


def test_both_counters_at_once_make_one_attempt(pulled, counter1, counter2, count_of, at_once, now):
    begin_sheet(pulled, counter1, now)
    at_once([lambda: count_of(pulled, counter1, 2500, 1500), lambda: count_of(pulled, counter2, 2500, 1500)])
    assert boxes.agreed_count(pulled) == (2500, 1500)
    assert boxes.count_state(pulled).attempt == 1


def test_a_counter_who_presses_twice_counts_once(pulled, counter1, count_of, at_once):
    at_once([lambda: count_of(pulled, counter1, 2500, 1500, key="k")] * 4)
    assert pulled.counts.count() == 1


def test_installing_a_box_does_not_hold_up_a_settlement(stacks, stocked, draft, floor, at_once, now):
    """Numbers are assigned under the site's row, which every entry refers to."""
    ann, bob = stacks
    settle = [lambda: post(site=stocked, draft=draft("r", "round", (ann.pk, bob.pk, 1)))]
    with transaction.atomic():
        boxes.install_box(site=stocked, place="Table 3", act=Act(actor=floor, now=now))
        # SQLite's writers stand in line for each other anyway.
        settled = at_once(settle) if connection.vendor == "postgresql" else None
    (entry,) = settled or at_once(settle)
    assert isinstance(entry, JournalEntry)
