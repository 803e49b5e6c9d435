"""The places that are in use now: what is there, who holds it, since when, and who counted it last. Reads
only."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ledger.cage import documents
from ledger.cage.boxes import receipts
from ledger.chart import AccountKind, Asset
from ledger.journal import conserved
from ledger.journal.closing import open_drawers, unsigned_boxes
from ledger.journal.vault_counts import last_count
from ledger.models import Account, CageSlip, Count, Site, TokeAccount
from ledger.reports.denominations import of_house
from ledger.rules.by_denomination import ChipsNow
from ledger.rules.places import Equation, identities, place_of, tree
from ledger.rules.slip_ways import STAYS

Holders = Mapping[int, tuple[Any, ...]]
"""Account -> who holds what stands there."""


@dataclass(frozen=True)
class HeldAt:
    """A place, by its accounts of one name; `account` is the first of them. `counted` is the slip of its last
    count, `drawer` the drawer whose page it has."""

    account: int
    name: str
    since: datetime | None
    cents: Mapping[str, int]
    holders: tuple[Any, ...] = ()
    drawer: int | None = None
    counted: CageSlip | None = None


@dataclass(frozen=True)
class PlaceRow:
    """A kind of places with their total, or a single place; an `outer` kind is directly within the house, or
    outside everything. Over/short is counted minus expected."""

    outer: bool
    depth: int
    title: str
    chips: int
    cash: int
    place: HeldAt | None = None


@dataclass(frozen=True)
class PlacesNow:
    """`folds` are the outer kinds, each with the rows inside of it."""

    folds: tuple[tuple[PlaceRow, tuple[PlaceRow, ...]], ...]
    identities: tuple[Equation, ...]
    chips: ChipsNow

    @property
    def rows(self) -> tuple[PlaceRow, ...]:
        return tuple(row for head, inside in self.folds for row in (head, *inside))


def places_now(site: Site, at_tables: Holders) -> PlacesNow:
    """Return the tree of places. The books do not know who holds banks and stacks: the caller passes them."""
    held = conserved.held(site)
    return PlacesNow(
        folds=_folded(_rows(_places(site, at_tables))),
        identities=identities(held, conserved.taken(site, held)),
        chips=of_house(site),
    )


def _folded(rows: Iterable[PlaceRow]) -> tuple[tuple[PlaceRow, tuple[PlaceRow, ...]], ...]:
    folds: list[tuple[PlaceRow, list[PlaceRow]]] = []
    for row in rows:
        if row.outer:
            folds.append((row, []))
        else:
            folds[-1][1].append(row)
    return tuple((head, tuple(inside)) for head, inside in folds)


def _rows(found: Mapping[str, list[HeldAt]]) -> Iterator[PlaceRow]:
    below = {kind.code: _sum(found.get(kind.code, ())) for _, kind in tree()}
    for _, kind in reversed(list(tree())):
        if kind.inside:
            below[kind.inside] += below[kind.code]
    for depth, kind in tree():
        own = sorted(found.get(kind.code, ()), key=_numbers)
        alone = len(own) == 1 and own[0].name == kind.title
        sign = -1 if kind.code == AccountKind.OVER_SHORT else 1
        chips, cash = (sign * below[kind.code][asset] for asset in Asset)
        outer = kind.inside in ("", "house")
        yield PlaceRow(outer, depth, kind.title, chips, cash, own[0] if alone else None)
        for place in () if alone else own:
            chips, cash = (place.cents.get(asset, 0) for asset in Asset)
            yield PlaceRow(False, depth + 1, place.name, chips, cash, place)


def _numbers(place: HeldAt) -> list[int]:
    """Sort seat 2 of Table 1 before Table 10."""
    return [int(number) for number in re.findall("[0-9]+", place.name)]


def _sum(places: Iterable[HeldAt]) -> Counter[str]:
    held: Counter[str] = Counter()
    for place in places:
        for asset, cents in place.cents.items():
            held[asset] += cents
    return held


def _places(site: Site, at_tables: Holders) -> dict[str, list[HeldAt]]:
    """Return the places in use by code. Unsent documents, and dealers without tokes, have none."""
    drawers = {drawer.chips_id: drawer.pk for drawer in open_drawers(site)}
    boxes = _pulled(site)
    holders = {**_holders(site), **{account: box.people for account, box in boxes.items()}, **at_tables}
    counted = {place: last_count(site, way) for way, place in STAYS.items()}
    found: dict[tuple[str, str], list[Account]] = {}
    for account in Account.objects.filter(site=site, closed_at__isnull=True).order_by("pk"):
        found.setdefault((account.kind, account.label), []).append(account)
    places: dict[str, list[HeldAt]] = {}
    for (kind, name), accounts in found.items():
        cents = {account.asset: account.balance_cents for account in accounts}
        if any(cents.values()) or kind not in (AccountKind.TRANSIT, AccountKind.TOKES):
            first = accounts[0]
            box = boxes.get(first.pk)
            since = first.opened_at if box is None else box.since
            place = HeldAt(
                *(first.pk, name, since, cents, holders.get(first.pk, ()), drawers.get(first.pk)),
                counted.get(AccountKind(kind)),
            )
            code = place_of(kind, pulled=box is not None, received=box.received if box else "")
            places.setdefault(code, []).append(place)
    return places


@dataclass(frozen=True)
class _Pulled:
    """A box that was pulled and not signed off: who has it, since when, and where its last receipt was: in
    storage, in the count room, or that of its contents by a cashier; "" while the people who pulled it have
    it."""

    people: tuple[Any, ...]
    since: datetime | None
    received: str = ""


def _pulled(site: Site) -> dict[int, _Pulled]:
    """Return the boxes that were pulled and not signed off, by their account. Three queries."""
    boxes = unsigned_boxes().filter(chips__site=site, pulled_at__isnull=False)
    found: dict[int, _Pulled] = {}
    for box in boxes.select_related("pulled_by", "pulled_with").prefetch_related(receipts()):
        found[box.chips_id] = _Pulled((box.pulled_by, box.pulled_with), box.pulled_at)
        for one in box.receipts.all():
            found[box.chips_id] = _Pulled((one.person,), one.at, one.place)
    counted = Count.objects.filter(box__chips__in=found, sheet__receipt__isnull=False)
    for count in counted.select_related("box", "sheet__receipt__received_by"):
        receipt = count.sheet.receipt
        found[count.box.chips_id] = _Pulled((receipt.received_by,), receipt.received_at, "received")
    return found


def _holders(site: Site) -> dict[int, tuple[Any, ...]]:
    """Return who holds drawers, tokes and what is under way. Five queries."""
    holders: dict[int, tuple[Any, ...]] = {one.chips_id: (one.cashier,) for one in open_drawers(site)}
    for tokes in TokeAccount.objects.filter(site=site).select_related("dealer"):
        holders[tokes.account_id] = (tokes.dealer,)
    for trail in documents.trails(documents.open_documents(site)):
        if trail.sent is not None:
            holders[trail.document.transit_chips_id] = (trail.sent.reference or trail.sent.person,)
    return holders
