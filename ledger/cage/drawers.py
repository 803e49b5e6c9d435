"""Cashiers' drawers (4 CCR 12386): one for each shift, opened empty. Slips that two people count bring chips
and cash into it and back to the vault, and the last of them closes it (stocking.py). Whatever a cashier does
at the window moves their own drawer and no other."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from django.db import transaction

from ledger.chart import AccountKind, Asset
from ledger.errors import DrawerClosed, DrawerOpen, NoDrawer
from ledger.journal import keys, posting, records
from ledger.journal.acts import Act
from ledger.journal.closing import open_drawers as open_drawers
from ledger.journal.days import gaming_day
from ledger.models import Drawer as Drawer, JournalEntry, Site
from ledger.rights import WORK_CAGE, require


def open_drawer(*, site: Site, act: Act) -> Drawer:
    """Open an empty drawer for the acting cashier under the next number. The same request again returns the
    first. Raises NotAllowed, DrawerOpen if they have one, KeyReused."""
    require(act.actor, WORK_CAGE)
    posting.check_texts(act)
    with transaction.atomic():
        posting.lock_house(site)
        if earlier := keys.made_before(Drawer, site.pk, act.key, cashier_id=act.actor.pk):
            return earlier
        if (own := drawer_of(site, act.actor)) is not None:
            raise DrawerOpen(f"{own} is yours and open. Close it before you open another.")
        number = posting.next_number(Drawer.objects.filter(site=site))
        kind, label = AccountKind.DRAWER, f"Drawer {number}"
        accounts = posting.open_accounts(site=site, kind=kind, label=label, now=act.now)
        drawer = Drawer.objects.create(
            site=site,
            number=number,
            cashier=act.actor,
            **accounts,
            gaming_day=gaming_day(site, act.now),
            opened_at=act.now,
            terminal=act.terminal,
            key=act.key,
        )
        records.keep(site.pk, act.now, drawer)
    return drawer


def drawer_of(site: Site, person: Any) -> Drawer | None:
    """Return the open drawer of a cashier, if they have one. One query."""
    return open_drawers(site).filter(cashier=person).first()


def require_drawer(site: Site, person: Any) -> Drawer:
    """Return the open drawer of a cashier. Raises NoDrawer."""
    drawer = drawer_of(site, person)
    if drawer is None:
        raise NoDrawer("Open your drawer first: what is done at the window moves it.")
    return drawer


def accounts_of(drawer: Drawer) -> Mapping[Asset, int]:
    return {Asset.CHIPS: drawer.chips_id, Asset.CASH: drawer.cash_id}


def house_accounts(site: Site, kinds: Mapping[Asset, AccountKind]) -> dict[Asset, int]:
    """Return the ids of the accounts of which a site has one of each kind and asset."""
    return {asset: posting.house_account(site, kind, asset).pk for asset, kind in kinds.items()}


def require_still_open(entries: Iterable[JournalEntry]) -> None:
    """Raise DrawerClosed for an entry that moved a drawer that has been counted and closed since."""
    moved = {
        end for entry in entries for line in entry.transfers.all() for end in (line.source_id, line.target_id)
    }
    closed = Drawer.objects.filter(chips__in=moved) | Drawer.objects.filter(cash__in=moved)
    drawer = closed.filter(chips__closed_at__isnull=False).first()
    if drawer is not None:
        raise DrawerClosed(f"{drawer}, which it moved, has been counted and closed: what it did stands.")


def drawers_of_day(site: Site, day: date) -> list[Drawer]:
    """Return the drawers that were opened on a gaming day, in order."""
    return list(
        Drawer.objects.filter(site=site, gaming_day=day).select_related("cashier", "chips").order_by("pk")
    )
