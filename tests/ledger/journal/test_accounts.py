"""Accounts: opened, closed, compared with their transfers; and what the database itself refuses."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from ledger.errors import LedgerError
from ledger.journal import balances
from ledger.journal.posting import close_account, house_account, open_account, post
from ledger.models import Account, JournalEntry, Transfer
from tests.support.acting import recorded_at
from tests.support.balances import balance_at, differences


def test_a_closed_account_takes_and_gives_nothing(stacks, stocked, house, draft, refused, now):
    ann, bob = stacks
    post(site=stocked, draft=draft("out", "cash_out", (bob.pk, house("patrons"), 100_000)))
    close_account(bob, now)
    assert bob.closed_at == now
    close_account(bob, now + timedelta(hours=1))
    assert Account.objects.get(pk=bob.pk).closed_at == now
    refused("account_closed", draft("r", "round", (ann.pk, bob.pk, 1)))


def test_an_account_that_holds_something_is_not_closed(stacks, now):
    with pytest.raises(LedgerError) as error:
        close_account(stacks[0], now)
    assert error.value.code == "account_not_empty"


def test_the_places_of_the_house_are_never_closed(site, now):
    with pytest.raises(LedgerError) as error:
        close_account(house_account(site, "vault", "cash"), now)
    assert error.value.code == "account_not_empty"


def test_a_place_of_the_house_is_made_once(site):
    assert house_account(site, "over_short", "cash") == house_account(site, "over_short", "cash")


@pytest.mark.parametrize(("kind", "asset"), [("vault", "chips"), ("purse", "chips"), ("stack", "gold")])
def test_only_kinds_of_the_chart_can_be_opened(kind, asset, site, now):
    with pytest.raises(LedgerError) as error:
        open_account(site=site, kind=kind, asset=asset, label="x", now=now)
    assert error.value.code == "unknown_kind"


@pytest.mark.parametrize(("kind", "asset"), [("stack", "chips"), ("vault", "gold")])
def test_only_places_of_the_house_come_by_themselves(kind, asset, site):
    with pytest.raises(LedgerError) as error:
        house_account(site, kind, asset)
    assert error.value.code == "unknown_kind"


def test_an_account_has_a_name(site, now):
    with pytest.raises(LedgerError) as error:
        open_account(site=site, kind="stack", asset="chips", label="", now=now)
    assert error.value.code == "bad_text"


@pytest.mark.parametrize(
    "change",
    [
        {"balance_cents": -1},
        {"kind": "purse"},
        {"asset": "gold"},
        {"closed_at": datetime(2026, 1, 1, tzinfo=UTC)},
    ],
)
def test_the_database_refuses_an_account_that_must_not_be(change, stacks):
    with pytest.raises(IntegrityError), transaction.atomic():
        Account.objects.filter(pk=stacks[0].pk).update(**change)


@pytest.mark.parametrize(
    "change",
    [{"kind": "reversal"}, {"kind": "correction"}, {"approver": "actor"}, {"reverses": "entry"}],
)
def test_the_database_refuses_an_entry_that_must_not_be(change, stocked, draft, dealer, now):
    entry = post(site=stocked, draft=draft("k", "round"))
    row = {
        "site": stocked,
        "key": "l",
        "content_hash": "",
        "kind": "round",
        "occurred_at": now,
        "recorded_at": now,
        "gaming_day": now.date(),
        "actor": dealer,
        "evidence": "{}",
    }
    row |= {name: {"actor": dealer, "entry": entry}.get(value, value) for name, value in change.items()}
    with pytest.raises(IntegrityError), transaction.atomic():
        JournalEntry.objects.create(**row)


@pytest.mark.parametrize(
    "change", [{"cents": 0}, {"cents": -1}, {"target": "source"}, {"asset": "gold"}, {"line": 1}]
)
def test_the_database_refuses_a_transfer_that_must_not_be(change, stacks, stocked, draft, now):
    ann, bob = stacks
    entry = post(site=stocked, draft=draft("k", "round", (ann.pk, bob.pk, 1)))
    row = {"entry": entry, "line": 2, "source": ann, "target": bob, "asset": "chips", "cents": 1}
    row |= {name: row["source"] if value == "source" else value for name, value in change.items()}
    with pytest.raises(IntegrityError), transaction.atomic():
        Transfer.objects.create(**row)


def test_stored_balances_are_the_sums_of_transfers(stacks, stocked, draft, now):
    ann, bob = stacks
    post(
        site=stocked,
        draft=recorded_at(draft("r", "round", (ann.pk, bob.pk, 300)), now + timedelta(minutes=1)),
    )
    assert differences(stocked) == {}
    assert balances.asset_sums(stocked) == {"chips": 0, "cash": 0}
    assert [balance_at(ann, now + timedelta(minutes=m)) for m in (-1, 0, 1)] == [0, 100_000, 99_700]


def test_a_balance_that_was_changed_by_another_door_is_named(stacks, stocked):
    Account.objects.filter(pk=stacks[0].pk).update(balance_cents=7)
    assert differences(stocked) == {stacks[0].pk: (7, 100_000)}
    assert balances.asset_sums(stocked)["chips"] == 7 - 100_000
