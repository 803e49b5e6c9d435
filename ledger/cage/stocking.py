"""The vault: its opening, and everything that goes between it and a drawer, is counted by two people, each
blind. Later, things come into the house or leave it on a document (documents.py).

A cage slip has a number. A cashier counts first; a second person counts without seeing that count. If both
agree by denomination, the slip is posted; if not, both counts are kept and nothing is posted. A waiting slip
can be withdrawn. `opening` comes from the house's bank and chip maker, once; other slips go between the vault
and a drawer. The slip that closes a drawer takes everything in it. A `count` is of everything in the vault,
`unclaimed` of all chips that wait for their owners, `reserve` of all sealed chips: only when both counts
agree do the books say what is over or short, and neither counter is told what they expect."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from ledger import errors, lengths
from ledger.cage import drawers
from ledger.cage.taking_back import SECOND
from ledger.chart import AccountKind, Asset
from ledger.journal import keys, posting, records, vault_counts
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.jurisdiction import jurisdiction
from ledger.models import Account, CageSlip as CageSlip, CageSlipResult, Drawer, JournalEntry, Site
from ledger.rights import WORK_CAGE, require
from ledger.rules.denominations import (
    Pieces,
    checked_count,
    checked_pieces,
    parse_values,
    pieces_of,
    require_meant,
)
from ledger.rules.refusals import DrawerMoved, NeedsDocument, SlipWaits
from ledger.rules.slip_ways import ON_DOCUMENT, POSTED_AS, STAYS, counted_at_once, needs_document, overtaken

_Way = CageSlip.Way
OPENING = _Way.OPENING
TO_DRAWER, FROM_DRAWER, CLOSING = _Way.TO_DRAWER, _Way.FROM_DRAWER, _Way.CLOSING
_VAULT = dict.fromkeys(Asset, AccountKind.VAULT)
_MAKER_AND_BANK = {Asset.CHIPS: AccountKind.CHIP_MAKER, Asset.CASH: AccountKind.BANK}


def denominations(site: Site) -> dict[str, tuple[int, ...]]:
    """Return the house's denominations in cents by asset, the smallest first."""
    usual = jurisdiction(site.jurisdiction)
    own = site.chip_values.strip()
    return {"chips": parse_values(own) if own else usual.chips, "cash": usual.cash}


def counted_in(site: Site, way: str) -> dict[str, tuple[int, ...]]:
    """Return what a slip of this way counts; unclaimed chips and the reserve have no cash."""
    return denominations(site) | ({"cash": ()} if way in (_Way.UNCLAIMED, _Way.RESERVE) else {})


def meant(pieces: Pieces, site: Site, place: AccountKind, *, prefix: str = "") -> Pieces:
    """Return a count made at this kind of place. One with very many pieces must be entered once more
    (`confirm_count`)."""
    require_meant(pieces, jurisdiction(site.jurisdiction).confirm_pieces[place], prefix=prefix)
    return pieces


def count_first(*, site: Site, way: str, pieces: Pieces, drawer: Drawer | None = None, act: Act) -> CageSlip:
    """Record the first count on a new slip of this way. A `drawer` is counted by its cashier or, to close it,
    by another cashier. An empty drawer or vault is counted as well. The same request again returns the first
    slip. Only at the second count, with two people, does the vault refuse more than it has. Raises BadAmount,
    KeyReused, NotYourDrawer, DrawerClosed, SlipWaits, NeedsDocument."""
    require(act.actor, WORK_CAGE)
    posting.check_texts(act)
    pieces = _checked(site, way, pieces)
    with transaction.atomic():
        posting.lock_house(site)
        same = {"way": way, "counted_by_id": act.actor.pk, "pieces": pieces.data}
        same["drawer_id"] = drawer and drawer.pk
        if earlier := keys.made_before(CageSlip, site.pk, act.key, **same):
            return earlier
        _require_way(site, way)
        if drawer is not None:
            _require_yours(drawer, way, act.actor)
            _require_none_waits(drawer, way)
        slip = CageSlip.objects.create(
            site=site,
            number=posting.next_number(CageSlip.objects.filter(site=site)),
            way=CageSlip.Way(way),
            drawer=drawer,
            gaming_day=gaming_day(site, act.now),
            **pieces.columns,
            counted_by=act.actor,
            counted_at=act.now,
            terminal=act.terminal,
            key=act.key,
        )
        records.keep(site.pk, act.now, slip)
    return slip


def count_second(*, slip: CageSlip, pieces: Pieces, act: Act) -> CageSlipResult:
    """Record the count of `act.approver`, and post the slip if both counts agree. If they differ, both are
    kept, nothing is posted, and the slip has ended. The same request again returns the first result. Raises
    SecondPerson, NotAllowed, NotYourSlip unless the first counter acts, SlipClosed, DrawerClosed, VaultMoved,
    DrawerMoved, NeedsDocument, KeyReused, BadAmount, InsufficientFunds."""
    require(act.actor, WORK_CAGE)
    second = act.approver
    if second is None or second.pk in (act.actor.pk, slip.counted_by_id):
        raise errors.SecondPerson("Somebody else must make the second count.", field="second")
    require(second, *SECOND)
    pieces = _checked(slip.site, slip.way, pieces)
    with transaction.atomic():
        posting.lock_house(slip.site)
        if earlier := _result(slip):
            return _same_result(earlier, pieces, second, act)
        if act.actor.pk != slip.counted_by_id:
            raise errors.NotYourSlip(
                f"{slip} was counted first by {slip.counted_by}, who must be signed in for it."
            )
        keys.require_new(slip.site_id, act.key)
        _require_way(slip.site, slip.way)
        if slip.drawer is not None:
            _require_open(slip.drawer)
        _require_unmoved(slip)
        agreed = pieces == pieces_of(slip.pieces)
        entry = _posted(slip, pieces, act) if agreed else None
        outcome = CageSlipResult.Outcome.POSTED if agreed else CageSlipResult.Outcome.DIFFERED
        result = _end(slip, outcome, pieces, entry, second, act)
        if agreed and slip.way == CLOSING and slip.drawer is not None:
            for other in _waiting(slip.drawer):
                ended = act.under(f"{act.key}/{other.pk}").because("Its drawer has been counted and closed.")
                _end(other, CageSlipResult.Outcome.WITHDRAWN, Pieces(), None, act.actor, ended)
        return result


def withdraw_slip(*, slip: CageSlip, act: Act) -> CageSlipResult:
    """End a waiting slip without posting. Raises ReasonRequired, SlipClosed, KeyReused."""
    require(act.actor, WORK_CAGE)
    act = act.stated("Give the reason for withdrawing the slip.")
    posting.checked_text(act.reason, lengths.POSTED_REASON, "reason")
    with transaction.atomic():
        posting.lock_house(slip.site)
        if earlier := _result(slip):
            return _same_result(earlier, Pieces(), act.actor, act)
        keys.require_new(slip.site_id, act.key)
        return _end(slip, CageSlipResult.Outcome.WITHDRAWN, Pieces(), None, act.actor, act)


def stock_cage(
    *, site: Site, way: str = OPENING, pieces: Pieces, drawer: Drawer | None = None, act: Act
) -> JournalEntry:
    """Count a slip twice with the same result, by `act.actor` and `act.approver`, and return its entry."""
    first = act.under(f"{act.key}/first")
    slip = count_first(site=site, way=way, pieces=pieces, drawer=drawer, act=first)
    count_second(slip=slip, pieces=pieces, act=act)
    return JournalEntry.objects.get(cage_slip__slip=slip)


def _checked(site: Site, way: str, pieces: Pieces) -> Pieces:
    checked = checked_count if way in (CLOSING, *STAYS) else checked_pieces
    place = AccountKind.VAULT if way in (OPENING, *STAYS) else AccountKind.DRAWER
    return meant(checked(pieces, **counted_in(site, way)), site, place)


def on_document(site: Site, way: str) -> str:
    """Return why this must go on a document and not on a slip of this way; empty if a slip is right."""
    stocked = way == OPENING and vault_counts.was_moved(site)
    return ON_DOCUMENT if needs_document(way, stocked=stocked) else ""


def _require_way(site: Site, way: str) -> None:
    if why := on_document(site, way):
        raise NeedsDocument(why)


def _require_yours(drawer: Drawer, way: str, person: Any) -> None:
    """Raise unless the drawer is open and this cashier's; another cashier may close it in their place."""
    if drawer.cashier_id != person.pk and way != CLOSING:
        raise errors.NotYourDrawer(
            f"{drawer} is that of {drawer.cashier}. Another cashier can only close it."
        )
    _require_open(drawer)


def _waiting(drawer: Drawer) -> list[CageSlip]:
    return list(CageSlip.objects.filter(drawer=drawer, result__isnull=True).order_by("pk"))


def _require_none_waits(drawer: Drawer, way: str) -> None:
    waiting = {slip.way: slip for slip in _waiting(drawer)}
    if counted_at_once(way, waiting):
        raise SlipWaits(f"{waiting[way]} waits for its second count. Have it made, or withdraw the slip.")


def _require_unmoved(slip: CageSlip) -> None:
    moved = (slip.way in STAYS or slip.way == CLOSING) and vault_counts.moved_after(slip)
    if code := overtaken(slip.way, moved=moved):
        refusal = DrawerMoved if code == DrawerMoved.code else errors.VaultMoved
        raise refusal(f"Something moved after the first count of {slip}. Withdraw it and count again.")


def _require_open(drawer: Drawer) -> None:
    if Account.objects.filter(pk=drawer.chips_id, closed_at__isnull=False).exists():
        raise errors.DrawerClosed(f"{drawer} has been counted and closed.")


def _posted(slip: CageSlip, pieces: Pieces, act: Act) -> JournalEntry:
    evidence = {
        "slip": slip.pk,
        "number": slip.number,
        "way": str(slip.way),
        "pieces": pieces.data,
        "counted_by": [slip.counted_by_id, act.approver.pk],
    }
    if slip.drawer is not None:
        evidence |= {"drawer": slip.drawer_id, "drawer_number": slip.drawer.number}
    closes = slip.drawer if slip.way == CLOSING else None
    if closes is not None:
        counted = _locked(drawers.accounts_of(closes), pieces)
        moves = tuple(move for one, cents in counted for move in moves_as_counted(slip.site, one, cents))
    else:
        moves = _difference(slip, pieces) if slip.way in STAYS else _moves(slip, pieces)
    kind = POSTED_AS[slip.way]
    draft = posting.EntryDraft(kind=kind, moves=moves, evidence=evidence, content=evidence, act=act)
    entry = posting.post(site=slip.site, draft=draft)
    if closes is not None:
        for account in (closes.chips, closes.cash):
            posting.close_account(account, act.now)
    return entry


def _moves(slip: CageSlip, pieces: Pieces) -> tuple[posting.Move, ...]:
    """Return the moves of this slip: those that open the vault, or go between it and a drawer, as counted."""
    vault = drawers.house_accounts(slip.site, _VAULT)
    if slip.drawer is not None:
        other: Mapping[Asset, int] = drawers.accounts_of(slip.drawer)
    else:
        other = drawers.house_accounts(slip.site, _MAKER_AND_BANK)
    source, target = (other, vault) if slip.way in (OPENING, FROM_DRAWER) else (vault, other)
    return tuple(
        posting.Move(source[asset], target[asset], cents) for asset, cents in _cents(pieces).items() if cents
    )


def _difference(slip: CageSlip, pieces: Pieces) -> tuple[posting.Move, ...]:
    """Return the moves between the counted place and over/short, with its accounts locked."""
    assets = [asset for asset in Asset if counted_in(slip.site, slip.way)[asset]]
    counted = _locked(drawers.house_accounts(slip.site, dict.fromkeys(assets, STAYS[slip.way])), pieces)
    moves = (moves_of_difference(slip.site, account, cents, into=account.pk) for account, cents in counted)
    return tuple(move for several in moves for move in several)


def _locked(accounts: Mapping[Asset, int], pieces: Pieces) -> list[tuple[Account, int]]:
    """Lock accounts, and return each with the cents that were counted in it."""
    rows = Account.objects.select_for_update(no_key=True).order_by("pk").in_bulk(accounts.values())
    return [(rows[accounts[asset]], cents) for asset, cents in _cents(pieces).items() if asset in accounts]


def _end(
    slip: CageSlip, outcome: str, pieces: Pieces, entry: JournalEntry | None, person: Any, act: Act
) -> CageSlipResult:
    result = CageSlipResult.objects.create(
        site=slip.site,
        slip=slip,
        outcome=outcome,
        **pieces.columns,
        person=person,
        at=act.now,
        reason=act.reason,
        entry=entry,
        key=act.key,
    )
    records.keep(slip.site_id, act.now, result)
    return result


def holds(site: Site) -> dict[str, int]:
    """Return what the vault has by the books, in cents by asset."""
    balances = dict(
        Account.objects.filter(site=site, kind=AccountKind.VAULT).values_list("asset", "balance_cents")
    )
    return {asset.value: balances.get(asset.value, 0) for asset in Asset}


def _cents(pieces: Pieces) -> dict[Asset, int]:
    return {Asset.CHIPS: pieces.chips_cents, Asset.CASH: pieces.cash_cents}


def _result(slip: CageSlip) -> CageSlipResult | None:
    return CageSlipResult.objects.filter(slip=slip).select_related("slip", "person").first()


def _same_result(earlier: CageSlipResult, pieces: Pieces, person: Any, act: Act) -> CageSlipResult:
    """Return the result that the same request made. Any other request is refused: the slip is closed."""
    if earlier.key != act.key:
        raise errors.SlipClosed(f"{earlier.slip} has ended: {earlier.get_outcome_display().lower()}.")
    if (earlier.person_id, pieces_of(earlier.pieces)) != (person.pk, pieces):
        raise errors.KeyReused(keys.USED, field="key")
    return earlier


def moves_as_counted(site: Site, account: Account, cents: int) -> list[posting.Move]:
    """Return the moves that empty an account in which `cents` were counted."""
    vault = posting.house_account(site, AccountKind.VAULT, account.asset).pk
    held = account.balance_cents
    out = [posting.Move(account.pk, vault, min(cents, held))] if cents and held else []
    return [*out, *moves_of_difference(site, account, cents, into=vault)]


def moves_of_difference(site: Site, account: Account, cents: int, *, into: int) -> list[posting.Move]:
    """Return the move between an account and over/short if the `cents` counted in it differ from the books.
    An overage goes to the account `into`."""
    over_short = posting.house_account(site, AccountKind.OVER_SHORT, account.asset).pk
    over = cents - account.balance_cents
    if over < 0:
        return [posting.Move(account.pk, over_short, -over)]
    return [posting.Move(over_short, into, over)] if over else []
