"""The cage's window: chips for cash, and what the cage holds. Its float is in stocking.py; the floor's verbs fill table banks."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from ledger.cage import exclusions
from ledger.chart import AccountKind, Asset, EntryKind
from ledger.errors import BadAmount
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.models import Account, JournalEntry, Site
from ledger.money import checked_cents
from ledger.rights import WORK_CAGE, require

Names = Iterable[tuple[str, str]]
"""Names, each with its card number, by which one person is known."""


def sell_chips(
    *, site: Site, cents: int, name: str = "", number: str = "", others: Names = (), act: Act
) -> JournalEntry:
    """A patron pays cash at the window and takes the chips. If the name or card number is known, the exclusion list is
    checked first (`see_floor`)."""
    _require_welcome(site, [(name, number), *others], act, "selling chips")
    checked_cents(cents)
    moves = {Asset.CASH: ("in", cents), Asset.CHIPS: ("out", cents)}
    return _at_the_window(site, EntryKind.CHIP_SALE, moves, {"cents": cents}, act)


def redeem_chips(
    *, site: Site, cents: int, name: str = "", number: str = "", others: Names = (), act: Act
) -> JournalEntry:
    """A patron hands chips in and is paid in cash. If the name or card number is known, the exclusion list is checked
    first (`see_floor`). Raises InsufficientFunds if the cage lacks the cash."""
    _require_welcome(site, [(name, number), *others], act, "redeeming chips")
    checked_cents(cents)
    moves = {Asset.CHIPS: ("in", cents), Asset.CASH: ("out", cents)}
    return _at_the_window(site, EntryKind.CHIP_REDEMPTION, moves, {"cents": cents}, act)


def _require_welcome(site: Site, names: Names, act: Act, doing: str) -> None:
    """Check the exclusion list, unless the act is a repeat of one already done. The books store neither name nor number."""
    require(act.actor, WORK_CAGE)
    if not posting.sent_before(site, act.key):
        for name, number in names:
            exclusions.require_welcome(site, name, number, act, doing)


def holds(site: Site) -> dict[str, int]:
    """Return what the cage has by the books, in cents by asset."""
    balances = dict(
        Account.objects.filter(site=site, kind=AccountKind.CAGE).values_list("asset", "balance_cents")
    )
    return {asset.value: balances.get(asset.value, 0) for asset in Asset}


def _at_the_window(
    site: Site,
    kind: EntryKind,
    amounts: Mapping[Asset, tuple[str, int]],
    content: Mapping[str, Any],
    act: Act,
) -> JournalEntry:
    """Post what goes into or out of the cage, by asset, against outside."""
    require(act.actor, WORK_CAGE)
    if not any(cents for _, cents in amounts.values()):
        raise BadAmount("The amount is zero.", field="amount")
    with transaction.atomic():
        moves = []
        for asset, (direction, cents) in amounts.items():
            outside = posting.house_account(site, AccountKind.OUTSIDE, asset).pk
            cage = posting.house_account(site, AccountKind.CAGE, asset).pk
            if cents:
                ends = (outside, cage) if direction == "in" else (cage, outside)
                moves.append(posting.Move(*ends, cents))
        draft = posting.EntryDraft(kind=kind, moves=tuple(moves), evidence=content, content=content, act=act)
        return posting.post(site=site, draft=draft)
