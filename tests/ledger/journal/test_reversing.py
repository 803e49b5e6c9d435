"""Corrections take an entry back and post it again, with a reason and a second person."""

import pytest

from ledger.journal.posting import Move, close_account, mirror, post, post_all
from ledger.models import Account


def held(account) -> int:
    return Account.objects.get(pk=account.pk).balance_cents


def test_a_correction_takes_back_and_makes_anew_in_one_step(stacks, stocked, draft, floor, now):
    ann, bob = stacks
    wrong = post(site=stocked, draft=draft("r1", "round", (ann.pk, bob.pk, 100_000)))
    assert mirror(wrong) == (Move(bob.pk, ann.pk, 100_000),)
    drafts = [
        draft(
            "r1/rev", "reversal", (bob.pk, ann.pk, 100_000), reverses=wrong, reason="misread", approver=floor
        ),
        draft("r1/cor", "correction", (ann.pk, bob.pk, 10_000), reason="misread", approver=floor),
    ]
    back, anew = post_all(site=stocked, drafts=drafts)
    assert (held(ann), held(bob)) == (90_000, 110_000)
    assert wrong.reversed_by == back
    assert post_all(site=stocked, drafts=drafts) == [back, anew]


def test_a_correction_may_pass_through_less_than_nothing(stacks, stocked, house, draft, floor, now):
    ann, bob = stacks
    wrong = post(site=stocked, draft=draft("r1", "round", (ann.pk, bob.pk, 50_000)))
    post(site=stocked, draft=draft("out", "cash_out", (bob.pk, house("patrons"), 150_000)))
    approved = {"reason": "misread", "approver": floor}
    back = draft(
        "v", "reversal", *[(m.source, m.target, m.cents) for m in mirror(wrong)], reverses=wrong, **approved
    )
    post_all(site=stocked, drafts=[back, draft("c", "correction", (ann.pk, bob.pk, 50_000), **approved)])
    assert (held(ann), held(bob)) == (50_000, 0)


def test_a_correction_may_pass_through_a_closed_stack_and_leave_it_empty(
    stacks, stocked, house, draft, floor, refused, now
):
    ann, bob = stacks
    wrong = post(site=stocked, draft=draft("r1", "round", (ann.pk, bob.pk, 50_000)))
    post(site=stocked, draft=draft("out", "cash_out", (bob.pk, house("patrons"), 150_000)))
    close_account(bob, now)
    approved = {"reason": "misread", "approver": floor}
    back = draft("v", "reversal", (bob.pk, ann.pk, 50_000), reverses=wrong, **approved)
    less = draft("c", "correction", (ann.pk, bob.pk, 40_000), **approved)
    refused("account_closed", back, less)
    post_all(site=stocked, drafts=[back, draft("c", "correction", (ann.pk, bob.pk, 50_000), **approved)])
    assert held(bob) == 0


def test_a_correction_gives_as_much_in_chips_as_it_takes_in_cash(
    stacks, stocked, house, draft, floor, refused
):
    """Otherwise two people could take cash out of a drawer for chips that nobody brings."""
    ann, _ = stacks
    cash, chips = house("drawer", "cash"), house("drawer")
    wrong = post(site=stocked, draft=draft("r1", "round", (ann.pk, stacks[1].pk, 100)))
    approved = {"reason": "misread", "approver": floor}
    back = draft("v", "reversal", (stacks[1].pk, ann.pk, 100), reverses=wrong, **approved)
    public, patrons = house("public", "cash"), house("patrons")
    for moves in (
        [(cash, public, 100)],
        [(public, cash, 100)],
        [(cash, public, 100), (patrons, chips, 90)],
        [(public, cash, 100), (patrons, chips, 100)],
    ):
        refused("not_in_chart", back, draft("c", "correction", *moves, **approved))
    post_all(
        site=stocked,
        drafts=[back, draft("c", "correction", (public, cash, 100), (chips, patrons, 100), **approved)],
    )


def test_an_entry_is_reversed_once(stacks, stocked, draft, floor, refused, now):
    ann, bob = stacks
    wrong = post(site=stocked, draft=draft("r1", "round", (ann.pk, bob.pk, 100)))
    back = {"reverses": wrong, "reason": "misread", "approver": floor}
    first = post(site=stocked, draft=draft("v1", "reversal", (bob.pk, ann.pk, 100), **back))
    refused("already_reversed", draft("v2", "reversal", (bob.pk, ann.pk, 100), **back))
    assert post(site=stocked, draft=draft("v1", "reversal", (bob.pk, ann.pk, 100), **back)) == first


def test_a_reversal_is_not_reversed_but_a_correction_is(stacks, stocked, draft, floor, refused, now):
    ann, bob = stacks
    approved = {"reason": "misread", "approver": floor}
    wrong = post(site=stocked, draft=draft("r1", "round", (ann.pk, bob.pk, 100)))
    drafts = [
        draft("v1", "reversal", (bob.pk, ann.pk, 100), reverses=wrong, **approved),
        draft("c1", "correction", (ann.pk, bob.pk, 300), **approved),
    ]
    back, anew = post_all(site=stocked, drafts=drafts)
    refused("reversal_of_reversal", draft("v2", "reversal", (ann.pk, bob.pk, 100), reverses=back, **approved))
    post(site=stocked, draft=draft("v3", "reversal", (bob.pk, ann.pk, 300), reverses=anew, **approved))
    assert (held(ann), held(bob)) == (100_000, 100_000)


def test_what_was_undone_within_seconds_is_not_brought_back_by_a_reversal(
    stacks, stocked, draft, floor, refused, now
):
    ann, bob = stacks
    wrong = post(site=stocked, draft=draft("r1", "round", (ann.pk, bob.pk, 100)))
    undone = post(site=stocked, draft=draft("u1", "undo", (bob.pk, ann.pk, 100), reverses=wrong))
    approved = {"reason": "misread", "approver": floor}
    refused(
        "reversal_of_reversal", draft("v1", "reversal", (ann.pk, bob.pk, 100), reverses=undone, **approved)
    )


def test_a_reversal_moves_back_exactly_what_was_moved(stacks, stocked, draft, floor, refused, now):
    ann, bob = stacks
    wrong = post(site=stocked, draft=draft("r1", "round", (ann.pk, bob.pk, 100)))
    back = {"reverses": wrong, "reason": "misread", "approver": floor}
    refused("not_the_mirror", draft("v", "reversal", (bob.pk, ann.pk, 99), **back))
    refused("not_the_mirror", draft("v", "reversal", (ann.pk, bob.pk, 100), **back))
    refused("not_the_mirror", draft("v", "reversal", **back))


def test_a_reversal_and_nothing_else_names_what_it_reverses(stocked, draft, floor, refused, now):
    entry = post(site=stocked, draft=draft("r1", "round"))
    refused("not_the_mirror", draft("v", "reversal", reason="x", approver=floor))
    refused("not_the_mirror", draft("v", "correction", reason="x", approver=floor, reverses=entry))


@pytest.mark.parametrize("kind", ["reversal", "correction"])
def test_corrections_have_a_reason_and_a_second_person(kind, stocked, draft, dealer, floor, refused, now):
    entry = post(site=stocked, draft=draft("r1", "round"))
    named = {"reverses": entry} if kind == "reversal" else {}
    refused("second_person", draft("v", kind, reason="misread", **named))
    refused("second_person", draft("v", kind, reason="misread", approver=dealer, **named))
    refused("reason_required", draft("v", kind, reason="  ", approver=floor, **named))


def test_nobody_approves_their_own_entry_of_any_kind(stocked, draft, dealer, refused):
    refused("second_person", draft("r", "round", approver=dealer))
