"""The places that are in use now: what stands there, who holds it, since when, and who counted it last. Reads
only."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Sum

from ledger.cage import documents
from ledger.chart import ONE_PER_SITE, AccountKind, Asset, EntryKind
from ledger.journal.closing import open_drawers, unsigned_boxes
from ledger.journal.vault_counts import last_count
from ledger.models import Account, CageSlip, DropSignOff, Site, TokeAccount, Transfer
from ledger.rules.denominations import Compared, Pieces, compared, pieces_of
from ledger.rules.documents import COUNTED
from ledger.rules.places import Equation, FeesTaken, identities, tree

Holders = Mapping[int, tuple[Any, ...]]
"""Account -> who holds what stands there."""


@dataclass(frozen=True)
class HeldAt:
    """A place by its accounts of one name, of which `account` is the first. `counted` is the slip of its last
    count, `drawer` whose page it has."""

    account: int
    name: str
    since: datetime | None
    cents: Mapping[str, int]
    holders: tuple[Any, ...] = ()
    drawer: int | None = None
    counted: CageSlip | None = None


@dataclass(frozen=True)
class PlaceRow:
    """A line of the tree: a kind of places with what they hold together, or one of them."""

    depth: int
    title: str
    chips: int
    cash: int
    place: HeldAt | None = None


@dataclass(frozen=True)
class PlacesNow:
    """`denominations` compares the chips that were made with those of the vault's last count."""

    rows: tuple[PlaceRow, ...]
    identities: tuple[Equation, ...]
    denominations: tuple[Compared, ...]
    counted: CageSlip | None


def places_now(site: Site, at_tables: Holders) -> PlacesNow:
    """Return the tree of places, with the holders of banks and stacks that the books do not know."""
    counted = last_count(site)
    found = _places(site, {**_holders(site), **at_tables}, counted)
    held = Counter(
        {
            (kind, asset.value): sum(place.cents.get(asset, 0) for place in of_kind)
            for kind, of_kind in found.items()
            for asset in Asset
        }
    )
    in_vault = Pieces(pieces_of(counted.pieces).chips if counted is not None else {})
    return PlacesNow(
        rows=tuple(_rows(found)),
        identities=identities(held, taken(site, held)),
        denominations=tuple(compared(Pieces(chips_made(site)), in_vault)),
        counted=counted,
    )


def taken(site: Site, held: Mapping[tuple[str, str], int]) -> FeesTaken:
    """Return what no balance tells, by other rows than those of the accounts: the fees from what boxes were
    expected to have and from receipts, the rest from transfers. Six queries."""
    signed = DropSignOff.objects.filter(box__site=site).aggregate(
        cents=Sum(F("expected_chips") + F("expected_cash"))
    )
    in_boxes = sum(held.get((AccountKind.DROP_BOX, asset), 0) for asset in Asset)
    at_window = Transfer.objects.filter(
        entry__receipt__site=site, entry__kind=EntryKind.COLLECTION, entry__reversed_by__isnull=True
    ).aggregate(cents=Sum("cents"))
    return FeesTaken(
        fees=(signed["cents"] or 0) + in_boxes + (at_window["cents"] or 0),
        beyond=_net(site, AccountKind.CHIP_MAKER, AccountKind.PATRONS),
        corrected=_net(site, AccountKind.OVER_SHORT, AccountKind.STACK),
    )


def chips_made(site: Site) -> dict[int, int]:
    """Return the chips that came into the float by denomination, less those that left it. Two queries."""
    made: Counter[int] = Counter()
    slips = CageSlip.objects.filter(site=site, way__in=("in", "out"), result__entry__isnull=False)
    for slip in slips:
        _add(made, pieces_of(slip.pieces), 1 if slip.way == CageSlip.Way.IN else -1)
    signs = {"chip_purchase": 1, "destruction": -1}
    of_maker = documents.DocumentStep.objects.filter(site=site, document__kind__in=signs, step__in=COUNTED)
    for step in of_maker.select_related("document"):
        _add(made, pieces_of(step.pieces), signs[step.document.kind])
    return {value: number for value, number in made.items() if number}


def _add(made: Counter[int], pieces: Pieces, sign: int) -> None:
    for value, number in pieces.chips.items():
        made[value] += sign * number


def _net(site: Site, source: AccountKind, target: AccountKind) -> int:
    """Return what went from accounts of one kind to those of another, less what came back, in chips."""
    come = 0
    for one, other, sign in ((source, target, 1), (target, source, -1)):
        house = "source" if one in ONE_PER_SITE else "target"
        ends = {f"{house}__site": site, "source__kind": one, "target__kind": other, "asset": Asset.CHIPS}
        come += sign * (Transfer.objects.filter(**ends).aggregate(cents=Sum("cents"))["cents"] or 0)
    return come


def _rows(found: Mapping[str, list[HeldAt]]) -> Iterator[PlaceRow]:
    below = {kind.code: _sum(found.get(kind.code, ())) for _, kind in tree()}
    for _, kind in reversed(list(tree())):
        if kind.inside:
            below[kind.inside] += below[kind.code]
    for depth, kind in tree():
        own = sorted(found.get(kind.code, ()), key=_numbers)
        alone = len(own) == 1 and own[0].name == kind.title
        sums = below[kind.code]
        yield PlaceRow(depth, kind.title, sums["chips"], sums["cash"], own[0] if alone else None)
        for place in () if alone else own:
            cents = place.cents
            yield PlaceRow(depth + 1, place.name, cents.get("chips", 0), cents.get("cash", 0), place)


def _numbers(place: HeldAt) -> list[int]:
    """Sort seat 2 of Table 1 before Table 10."""
    return [int(number) for number in re.findall("[0-9]+", place.name)]


def _sum(places: Iterable[HeldAt]) -> Counter[str]:
    held: Counter[str] = Counter()
    for place in places:
        for asset, cents in place.cents.items():
            held[asset] += cents
    return held


def _places(site: Site, holders: Holders, counted: CageSlip | None) -> dict[str, list[HeldAt]]:
    """Return the places in use by kind. A document that is not sent and a dealer without tokes have none."""
    drawers = {drawer.chips_id: drawer.pk for drawer in open_drawers(site)}
    found: dict[tuple[str, str], list[Account]] = {}
    for account in Account.objects.filter(site=site, closed_at__isnull=True).order_by("pk"):
        found.setdefault((account.kind, account.label), []).append(account)
    places: dict[str, list[HeldAt]] = {}
    for (kind, name), accounts in found.items():
        cents = {account.asset: account.balance_cents for account in accounts}
        if any(cents.values()) or kind not in (AccountKind.TRANSIT, AccountKind.TOKES):
            first = accounts[0]
            place = HeldAt(
                *(first.pk, name, first.opened_at, cents),
                *(holders.get(first.pk, ()), drawers.get(first.pk)),
                counted if kind == AccountKind.VAULT else None,
            )
            places.setdefault(kind, []).append(place)
    return places


def _holders(site: Site) -> dict[int, tuple[Any, ...]]:
    """Return who holds drawers, boxes, tokes and what is under way. Six queries."""
    holders: dict[int, tuple[Any, ...]] = {one.chips_id: (one.cashier,) for one in open_drawers(site)}
    boxes = unsigned_boxes().filter(chips__site=site, pulled_at__isnull=False)
    for box in boxes.select_related("pulled_by", "pulled_with"):
        holders[box.chips_id] = (box.pulled_by, box.pulled_with)
    for tokes in TokeAccount.objects.filter(site=site).select_related("dealer"):
        holders[tokes.account_id] = (tokes.dealer,)
    for trail in documents.trails(documents.open_documents(site)):
        if trail.sent is not None:
            holders[trail.document.transit_chips_id] = (trail.sent.reference or trail.sent.person,)
    return holders
