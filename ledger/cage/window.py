"""The cage's window: chips for cash, out of the acting cashier's drawer. The vault is in stocking.py."""

from collections.abc import Iterable, Mapping

from django.db import transaction

from ledger.cage import drawers, exclusions, receipts
from ledger.chart import AccountKind, Asset, EntryKind
from ledger.errors import BadAmount
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.models import JournalEntry, Site
from ledger.money import checked_cents
from ledger.rights import WORK_CAGE, require

Names = Iterable[tuple[str, str]]
"""Pairs of name and card number of one person."""
_EXCHANGES = {
    EntryKind.CHIP_SALE: ("selling chips", Asset.CASH, Asset.CHIPS),
    EntryKind.CHIP_REDEMPTION: ("redeeming chips", Asset.CHIPS, Asset.CASH),
}
"""For each kind: what the exclusion list is asked for, the asset that comes in, the asset that goes out."""

_PATRONS_AND_PUBLIC = {Asset.CHIPS: AccountKind.PATRONS, Asset.CASH: AccountKind.PUBLIC}


def sell_chips(
    *, site: Site, cents: int, name: str = "", number: str = "", others: Names = (), act: Act
) -> JournalEntry:
    """Sell chips for cash, after the exclusion list. Raises SeeFloor, NoDrawer, InsufficientFunds."""
    return _exchange(EntryKind.CHIP_SALE, site, cents, [(name, number), *others], act)


def redeem_chips(
    *, site: Site, cents: int, name: str = "", number: str = "", others: Names = (), act: Act
) -> JournalEntry:
    """Redeem chips for cash, after the exclusion list. Raises SeeFloor, NoDrawer, InsufficientFunds."""
    return _exchange(EntryKind.CHIP_REDEMPTION, site, cents, [(name, number), *others], act)


def _exchange(kind: EntryKind, site: Site, cents: int, names: Names, act: Act) -> JournalEntry:
    """Check the exclusion list, unless repeated, and post both sides under the next receipt. Neither name
    nor number is stored."""
    doing, comes, goes = _EXCHANGES[kind]
    require(act.actor, WORK_CAGE)
    asked = [(name, card) for name, card in names if name.strip() or card.strip()]
    if asked and not posting.sent_before(site, act.key):
        for name, card in asked:
            exclusions.require_welcome(site, name, card, act, doing)
    if not checked_cents(cents):
        raise BadAmount("The amount is zero.", field="amount")
    content = {"cents": cents}
    with transaction.atomic():
        number = receipts.next_number(site)
        if earlier := posting.earlier(site=site, kind=kind, content=content, act=act):
            return earlier
        drawer = drawers.accounts_of(drawers.require_drawer(site, act.actor))
        beyond = accounts(site, _PATRONS_AND_PUBLIC)
        moves = (
            posting.Move(beyond[comes], drawer[comes], cents),
            posting.Move(drawer[goes], beyond[goes], cents),
        )
        evidence = content | {"receipt": number}
        draft = posting.EntryDraft(kind=kind, moves=moves, evidence=evidence, content=content, act=act)
        posted = posting.post(site=site, draft=draft)
        receipts.write(site, [posted], number)
        return posted


def accounts(site: Site, kinds: Mapping[Asset, AccountKind]) -> dict[Asset, int]:
    """Return the ids of accounts that a site has once, one of a kind for each asset."""
    return {asset: posting.house_account(site, kind, asset).pk for asset, kind in kinds.items()}
