"""The cage's window: chips for cash, and the cage's balance. Its float is in stocking.py."""

from collections.abc import Iterable, Mapping

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
"""Pairs of name and card number of one person."""
_EXCHANGES = {
    EntryKind.CHIP_SALE: ("selling chips", Asset.CASH, Asset.CHIPS),
    EntryKind.CHIP_REDEMPTION: ("redeeming chips", Asset.CHIPS, Asset.CASH),
}
"""For each kind: what the exclusion list is asked for, the asset that comes in, the asset that goes out."""

PATRONS_AND_PUBLIC = {Asset.CHIPS: AccountKind.PATRONS, Asset.CASH: AccountKind.PUBLIC}
MAKER_AND_BANK = {Asset.CHIPS: AccountKind.CHIP_MAKER, Asset.CASH: AccountKind.BANK}


def sell_chips(
    *, site: Site, cents: int, name: str = "", number: str = "", others: Names = (), act: Act
) -> JournalEntry:
    """Sell chips for cash, after the exclusion list. Raises SeeFloor."""
    return _exchange(EntryKind.CHIP_SALE, site, cents, [(name, number), *others], act)


def redeem_chips(
    *, site: Site, cents: int, name: str = "", number: str = "", others: Names = (), act: Act
) -> JournalEntry:
    """Redeem chips for cash, after the exclusion list. Raises SeeFloor, InsufficientFunds."""
    return _exchange(EntryKind.CHIP_REDEMPTION, site, cents, [(name, number), *others], act)


def _exchange(kind: EntryKind, site: Site, cents: int, names: Names, act: Act) -> JournalEntry:
    """Check the exclusion list, unless repeated, and post both sides. Neither name nor number is stored."""
    doing, comes, goes = _EXCHANGES[kind]
    require(act.actor, WORK_CAGE)
    if not posting.sent_before(site, act.key):
        for name, number in names:
            exclusions.require_welcome(site, name, number, act, doing)
    if not checked_cents(cents):
        raise BadAmount("The amount is zero.", field="amount")
    content = {"cents": cents}
    with transaction.atomic():
        moves = moves_of_cage(site, {comes: cents, goes: -cents}, PATRONS_AND_PUBLIC)
        draft = posting.EntryDraft(kind=kind, moves=moves, evidence=content, content=content, act=act)
        return posting.post(site=site, draft=draft)


def moves_of_cage(
    site: Site, amounts: Mapping[Asset, int], beyond: Mapping[Asset, AccountKind]
) -> tuple[posting.Move, ...]:
    """Return the moves of these amounts from `beyond` into the cage, or out of it where negative. `beyond`
    is who gives or takes each asset: PATRONS_AND_PUBLIC, MAKER_AND_BANK."""
    moves = []
    for asset, cents in amounts.items():
        other = posting.house_account(site, beyond[asset], asset).pk
        cage = posting.house_account(site, AccountKind.CAGE, asset).pk
        if cents:
            ends = (other, cage) if cents > 0 else (cage, other)
            moves.append(posting.Move(*ends, abs(cents)))
    return tuple(moves)


def holds(site: Site) -> dict[str, int]:
    """Return the cage's balance by the books, in cents by asset."""
    balances = dict(
        Account.objects.filter(site=site, kind=AccountKind.CAGE).values_list("asset", "balance_cents")
    )
    return {asset.value: balances.get(asset.value, 0) for asset in Asset}
