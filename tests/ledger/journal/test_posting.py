"""The one door into the journal: what it writes, what it refuses, and that a retry changes nothing."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import transaction

from ledger.errors import LedgerError
from ledger.journal.posting import (
    EntryDraft,
    close_account,
    earlier,
    house_account,
    open_account,
    post,
    post_all,
)
from ledger.models import Account, JournalEntry, Site
from tests.support.acting import acting, recorded_at
from tests.support.cage import in_pockets


def held(account) -> int:
    return Account.objects.get(pk=account.pk).balance_cents


def test_a_round_moves_chips_from_the_loser_to_the_winner(stacks, stocked, draft, now):
    ann, bob = stacks
    entry = post(site=stocked, draft=draft("r1", "round", (ann.pk, bob.pk, 4500)))
    assert (held(ann), held(bob)) == (95_500, 104_500)
    line = entry.transfers.get()
    assert (line.line, line.source, line.target, line.asset, line.cents) == (1, ann, bob, "chips", 4500)


def test_an_entry_keeps_everything_that_was_said_about_it(stacks, stocked, draft, floor, dealer, now):
    ann, bob = stacks
    occurred = now - timedelta(minutes=7)
    evidence = {"cards": ["As", "Kd"], "name": "Zoë", "rules": 1}
    given = draft(
        *("r1", "round", (ann.pk, bob.pk, 100), (bob.pk, ann.pk, 50)),
        occurred_at=occurred,
        approver=floor,
        reason="late",
        terminal="tablet 3",
        evidence=evidence,
    )
    returned = post(site=stocked, draft=given)
    kept = JournalEntry.objects.get(pk=returned.pk)
    for entry in (returned, kept):
        assert (entry.site, entry.key, entry.kind) == (stocked, "r1", "round")
        assert (entry.occurred_at, entry.recorded_at, entry.gaming_day) == (occurred, now, date(2026, 11, 21))
        assert (entry.actor, entry.approver, entry.reason, entry.terminal) == (
            dealer,
            floor,
            "late",
            "tablet 3",
        )
        assert entry.evidence == '{"cards":["As","Kd"],"name":"Zoë","rules":1}'
        assert entry.content_hash == given.content_hash
    assert [t.line for t in kept.transfers.order_by("line")] == [1, 2]


def test_the_gaming_day_is_that_of_the_event_unless_given(stacks, stocked, draft, now):
    late = draft("a", "round", occurred_at=datetime(2026, 11, 22, 15, 0, tzinfo=UTC))
    given = draft("b", "round", gaming_day=date(2026, 11, 1))
    days = [entry.gaming_day for entry in post_all(site=stocked, drafts=[late, given])]
    assert days == [date(2026, 11, 22), date(2026, 11, 1)]


def test_a_round_in_which_all_pushed_is_an_entry_without_transfers(stocked, draft, now):
    entry = post(site=stocked, draft=draft("push", "round"))
    assert entry.transfers.count() == 0
    assert post(site=stocked, draft=draft("push", "round")) == entry


def test_no_drafts_make_no_entries(stocked, now):
    assert post_all(site=stocked, drafts=[]) == []


def test_the_same_request_again_finds_the_first_entry(stacks, stocked, draft, now):
    ann, bob = stacks
    first = post(site=stocked, draft=draft("r1", "round", (ann.pk, bob.pk, 4500)))
    later = draft(
        "r1", "round", (ann.pk, bob.pk, 4500), occurred_at=now + timedelta(hours=1), terminal="other"
    )
    assert post(site=stocked, draft=recorded_at(later, now + timedelta(hours=1))) == first
    assert held(bob) == 104_500


def test_a_retry_is_recognised_even_if_the_money_has_gone_or_the_account_is_closed(
    stacks, stocked, house, draft, now
):
    ann, bob = stacks
    paid = draft("r1", "round", (ann.pk, bob.pk, 60_000))
    first = post(site=stocked, draft=paid)
    assert post(site=stocked, draft=paid) == first  # Ann no longer has 60,000
    post(site=stocked, draft=draft("out", "cash_out", (ann.pk, house("patrons"), 40_000)))
    close_account(ann, now)
    assert post(site=stocked, draft=paid) == first


@pytest.mark.parametrize("change", ["content", "actor", "kind"])
def test_a_key_with_another_request_behind_it_is_refused(change, stocked, draft, refused, floor, now):
    post(site=stocked, draft=draft("k", "round", content={"cards": "As"}))
    other = {"content": {"cards": "Ks"}, "actor": floor, "kind": "buy_in"}[change]
    again = {"key": "k", "kind": "round", "content": {"cards": "As"}, change: other}
    refused("key_reused", draft(again.pop("key"), again.pop("kind"), **again))
    with pytest.raises(LedgerError) as error:
        acting(
            earlier,
            **{
                "site": stocked,
                "key": "k",
                "kind": "round",
                "actor": draft("", "").act.actor,
                "now": now,
                "content": {"cards": "As"},
                change: other,
            },
        )
    assert error.value.code == "key_reused"


def test_earlier_finds_the_entry_of_the_same_request_alone(stocked, draft, dealer, now):
    asked = {"site": stocked, "kind": "round", "actor": dealer, "now": now, "content": {"b": 1, "a": [2]}}
    assert acting(earlier, key="k", **asked) is None
    entry = post(site=stocked, draft=draft("k", "round", content={"a": [2], "b": 1}))
    assert acting(earlier, key="k", **asked) == entry
    assert acting(earlier, key="K", **asked) is None


def test_another_site_has_keys_and_accounts_of_its_own(stacks, stocked, draft, floor, refused, now):
    other = Site.objects.create(name="Another room", licence="2")
    here = post(site=stocked, draft=draft("k", "round"))
    there = post(site=other, draft=draft("k", "round"))
    assert here != there
    assert there.site == other
    refused("unknown_account", draft("r", "round", (stacks[0].pk, stacks[1].pk, 1)), site=other)
    refused(
        "not_the_mirror", draft("x", "reversal", reverses=here, reason="misread", approver=floor), site=other
    )


def test_nobody_pays_more_than_they_have(stacks, draft, refused, stocked, now):
    ann, bob = stacks
    refused("insufficient_funds", draft("r", "round", (ann.pk, bob.pk, 100_001)))
    post(site=stocked, draft=draft("r", "round", (ann.pk, bob.pk, 100_000)))
    assert held(ann) == 0


def test_limits_are_looked_at_after_the_last_transfer(stacks, stocked, house, draft, now):
    ann, bob = stacks
    through = draft("r", "round", (ann.pk, bob.pk, 150_000), (bob.pk, ann.pk, 120_000))
    post(site=stocked, draft=through)
    assert (held(ann), held(bob)) == (70_000, 130_000)


def test_the_chip_maker_may_owe_but_the_cage_may_not(stocked, house, draft, refused, now):
    way = open_account(site=stocked, kind="transit", asset="chips", label="Fill 1, Table 3", now=now)
    assert held(house_account(stocked, "chip_maker", "chips")) == -5_000_000
    refused("insufficient_funds", draft("t", "document_sent", (house("vault"), way.pk, 5_000_001)))


def test_a_transfer_stays_within_one_asset(stocked, house, draft, refused):
    refused("asset_mismatch", draft("x", "chip_sale", (house("vault", "chips"), house("public", "cash"), 1)))


def test_a_transfer_needs_two_accounts(stacks, draft, refused):
    refused("same_account", draft("x", "round", (stacks[0].pk, stacks[0].pk, 1)))


@pytest.mark.parametrize("cents", [0, -1, 10**12 + 1, 1.0, True, "1", None])
def test_a_transfer_moves_whole_positive_cents(cents, stacks, draft, refused):
    refused("bad_amount", draft("x", "round", (stacks[0].pk, stacks[1].pk, cents)))


def test_an_account_that_nobody_opened_is_refused(stacks, draft, refused):
    refused("unknown_account", draft("x", "round", (stacks[0].pk, 10**9, 1)))


def test_a_kind_that_the_chart_does_not_list_is_refused(stacks, draft, refused):
    refused("unknown_kind", draft("x", "gift", (stacks[0].pk, stacks[1].pk, 1)))


def test_what_the_chart_does_not_allow_is_refused(stacks, house, draft, refused):
    ann, _ = stacks
    refused("not_in_chart", draft("x", "round", (ann.pk, house("vault"), 1)))
    refused("not_in_chart", draft("y", "collection", (ann.pk, house("patrons"), 1)))


@pytest.mark.parametrize("kind", ["chip_sale", "chip_redemption"])
def test_at_the_window_as_much_comes_as_goes(stocked, house, draft, refused, kind, cashier, floor, now):
    in_pockets(stocked, 20_000, by=cashier, second=floor, now=now)
    coming, going = ("cash", "chips") if kind == "chip_sale" else ("chips", "cash")
    others = {"chips": house("patrons"), "cash": house("public", "cash")}
    comes = (others[coming], house("drawer", coming), 10_000)
    goes = (house("drawer", going), others[going], 10_000)
    for moves in ((comes,), (goes,), (), (comes, (*goes[:2], 9_999)), (comes, goes, goes)):
        refused("not_in_chart", draft("one side", kind, *moves))
    post(site=stocked, draft=draft("whole", kind, comes, goes))
    in_two = (comes, (*goes[:2], 4_000), (*goes[:2], 6_000))
    post(site=stocked, draft=draft("in two", kind, *in_two))


def test_chips_of_the_table_bank_are_sold_for_as_much_cash(stacks, stocked, house, draft, refused, now):
    chips, cash = (
        open_account(site=stocked, kind="table_bank", asset=asset, label="Table 3", now=now)
        for asset in ("chips", "cash")
    )
    way = open_account(site=stocked, kind="transit", asset="chips", label="Fill 1, Table 3", now=now)
    post(site=stocked, draft=draft("sent", "document_sent", (house("vault"), way.pk, 50_000)))
    post(site=stocked, draft=draft("received", "document_received", (way.pk, chips.pk, 50_000)))
    paid, sold = (house("public", "cash"), cash.pk, 20_000), (chips.pk, stacks[0].pk, 20_000)
    for number, kind in enumerate(("buy_in", "add_on")):
        for moves in ((paid,), (sold,), (paid, (*sold[:2], 20_001)), ()):
            refused("not_in_chart", draft("one side", kind, *moves))
        post(site=stocked, draft=draft(f"whole {number}", kind, paid, sold))


@pytest.mark.parametrize(
    "kind",
    ["float_issue", "float_return", "document_sent", "document_received", "toke", "toke_payout"],
)
def test_nothing_is_stocked_sent_received_or_given_without_chips_or_cash(
    stocked, draft, floor, refused, kind
):
    refused("not_in_chart", draft("empty", kind, approver=floor, evidence={"dealer": floor.pk}))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"key": ""}, "key"),
        ({"key": "x" * 101}, "key"),
        ({"key": "a\x00b"}, "key"),
        ({"key": "  "}, "key"),
        ({"terminal": "x" * 101}, "terminal"),
        ({"reason": "x" * 2001}, "reason"),
        ({"reason": "\x07"}, "reason"),
    ],
)
def test_text_that_no_record_holds_is_refused(change, field, stocked, dealer, now):
    given = {
        "key": "k",
        "kind": "round",
        "now": now,
        "actor": dealer,
        "moves": (),
        "evidence": {},
        "content": {},
        **change,
    }
    with pytest.raises(LedgerError) as error:
        post(site=stocked, draft=acting(EntryDraft, **given))
    assert (error.value.code, error.value.field) == ("bad_text", field)


def test_half_a_character_is_refused_and_no_server_error(draft):
    with pytest.raises(LedgerError) as error:
        draft("k", "round", content={"note": "\ud800"})
    assert error.value.code == "bad_text"


def test_a_time_without_a_zone_is_a_mistake_of_the_program(stocked, draft, now):
    with pytest.raises(ValueError, match="time zone"):
        post(site=stocked, draft=draft("k", "round", occurred_at=datetime(2026, 1, 1)))  # noqa: DTZ001


def test_entries_posted_together_have_a_key_each(stocked, draft, refused):
    refused("key_reused", draft("k", "round"), draft("k", "round"))


def test_one_known_key_among_new_ones_is_refused(stocked, draft, refused, now):
    post(site=stocked, draft=draft("k1", "round"))
    with pytest.raises(LedgerError) as error, transaction.atomic():
        post_all(site=stocked, drafts=[draft("k1", "round"), draft("k2", "round")])
    assert error.value.code == "key_reused"
    assert JournalEntry.objects.filter(key="k2").count() == 0
