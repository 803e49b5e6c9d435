"""Tokes: tips for dealers (R52). One account per dealer, paid out at the cage; never the box or the bank."""

from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.cage import window
from ledger.cage.taking_back import CASH_OF_TOKES
from ledger.chart import AccountKind, Asset, EntryKind
from ledger.errors import BadAmount, SecondPerson
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.models import Account, JournalEntry, TokeAccount
from ledger.rights import WORK_CAGE, require
from ledger.rules.denominations import Pieces


def account_of(*, site: Any, dealer: Any, now: datetime) -> Account:
    """Return a dealer's account of tokes, created with the first toke; safe under concurrency."""
    tokes = _existing(site, dealer)
    if tokes is None:
        with transaction.atomic():
            posting.lock_house(site)
            tokes = _existing(site, dealer)
            if tokes is None:
                account = posting.open_account(
                    site=site,
                    kind=AccountKind.TOKES,
                    asset=Asset.CHIPS,
                    label=f"Tokes of {dealer.get_username()}"[: posting.LABEL_LENGTH],
                    now=now,
                )
                tokes = TokeAccount.objects.create(site=site, dealer=dealer, account=account)
    return tokes.account


def _existing(site: Any, dealer: Any) -> TokeAccount | None:
    return TokeAccount.objects.filter(site=site, dealer=dealer).select_related("account").first()


def to_pay_out(site: Any) -> list[TokeAccount]:
    accounts = TokeAccount.objects.filter(site=site, account__balance_cents__gt=0)
    return list(accounts.select_related("dealer", "account").order_by("dealer__username"))


def pay_out(*, site: Any, dealer: Any, cents: int, pieces: Pieces | None, act: Act) -> JournalEntry:
    """Pay a dealer's tokes out in cash at the cage: they leave the account, and the chips are redeemed.
    `pieces` are the chips of `cents` that both have counted, and the act's approver is the dealer. Raises
    PiecesMissing, PiecesDiffer, NoDrawer, InsufficientFunds if the account or the drawer has less,
    SecondPerson for a cashier's own tokes and for anybody who signs in the dealer's place, KeyReused."""
    require(act.actor, WORK_CAGE)
    if dealer.pk == act.actor.pk:
        raise SecondPerson("Somebody else must pay out your own tokes.")
    if cents <= 0:
        raise BadAmount("The amount is zero.", field="amount")
    content = {"dealer": dealer.pk, "cents": cents}
    with transaction.atomic():
        posting.lock_house(site)  # for the receipt, and before any account
        account = account_of(site=site, dealer=dealer, now=act.now)
        patrons = posting.house_account(site, AccountKind.PATRONS, Asset.CHIPS)
        paid = posting.post(
            site=site,
            draft=posting.EntryDraft(
                kind=EntryKind.TOKE_PAYOUT,
                moves=(posting.Move(account.pk, patrons.pk, cents),),
                evidence={**content, "account": account.pk},
                content=content,
                act=act,
            ),
        )
        cash = act.under(f"{act.key}{CASH_OF_TOKES}")
        window.redeem_tokes(site=site, cents=cents, pieces=pieces, act=cash)
    return paid
