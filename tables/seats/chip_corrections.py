"""Correcting a buy-in, an add-on or a cash-out that was entered wrongly: taken back and made anew, by two people at once.

Both entries are dated now and stay in the books. Where the player has moved on or left since, what was carried along or taken
away follows from the right amount, and is made anew with it. What the rules leave open is in docs/decisions.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.errors import AlreadyReversed, BadAmount, InsufficientFunds, SecondPerson
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.balances import transfers_of
from ledger.money import checked_cents, dollars
from ledger.rights import require
from tables.errors import (
    BuyInTooLarge,
    BuyInTooSmall,
    NotCorrectable,
    NothingChanges,
    StalePage,
)
from tables.live import publish
from tables.models import Sitting, TableEvent, TableSession
from tables.rights import APPROVE_CORRECTIONS, ASK_CORRECTIONS
from tables.rules.table import buy_ins
from tables.seats.buying_in import chip_moves
from tables.seats.chip_entries import BROUGHT, REVERSAL, ChipEntry, chip_entry, went_with
from tables.state.clock import clock_kept
from tables.state.locks import lock_sessions
from tables.state.requirements import require_not_dealt_in

Kind = TableEvent.Kind


@dataclass(frozen=True, slots=True)
class Anew:
    """An entry that is taken back, and what it says when it is made anew."""

    found: ChipEntry
    sitting: Sitting
    cents: int
    source: str = ""
    over_short_cents: int = 0


def correct_chips(*, entry: Any, cents: int, source: str = "", act: Act) -> Sitting:
    """Put right what an entry says: `cents` were brought from `source` (`cash` or `chips`), or were taken away (no source).

    `entry` is a buy-in, an add-on or a cash-out, or what was made anew for one; 0 cents of an add-on say that there was none.
    What a cash-out says beyond or below what left the stack goes to over/short. Refuses `not_correctable`, `reason_required`,
    `second_person`, `already_reversed`, `round_running`, `nothing_changes`, `buy_in_too_small`, `buy_in_too_large`,
    `insufficient_funds` where a stack would end below zero, `stale_page`.
    """
    require(act.actor, ASK_CORRECTIONS)
    found = chip_entry(entry)
    if found is None or found.kind == "table_move":
        raise NotCorrectable("Buy-ins, add-ons and cash-outs are corrected here.")
    act = act.stated("Say what was wrong.")
    if checked_cents(cents) == 0 and found.kind == "buy_in":
        raise BadAmount("A buy-in is above zero.", field="amount")
    if act.approver is None or act.approver.pk == act.actor.pk:
        raise SecondPerson("Somebody else has to approve a correction.", field="approver")
    source = source if cents else ""
    content = {"corrects": entry.pk, "cents": cents, "source": source, "reason": act.reason}
    with transaction.atomic():
        path = _lock_path(found.sitting_id)
        site = path[0].session.table.site
        if posting.earlier(site=site, kind="correction", content=content, act=act):
            return path[0]
        require(act.approver, APPROVE_CORRECTIONS)
        _require_standing(site, found)
        for sitting in path:
            require_not_dealt_in(sitting)
        changes = _changes(site, path, found, cents, source)
        with ExitStack() as clocks:
            for session in {sitting.session_id: sitting.session for sitting in path}.values():
                if session.closed_at is None:
                    clocks.enter_context(clock_kept(session, act.now))
            posting.post_all(site=site, drafts=_drafts(changes, act, content))
        for change in changes:
            if change.found.kind not in BROUGHT:
                change.sitting.taken_away_cents = change.cents
                change.sitting.save(update_fields=["taken_away_cents"])
        for sitting in path:
            publish(sitting.session_id)
    return path[0]


def _path(sitting_id: int) -> list[Sitting]:
    """A sitting and those that its chips were carried to, in order, each with its session."""
    found = Sitting.objects.select_related("player", "stack", "session")
    path = [found.get(pk=sitting_id)]
    while (after := found.filter(moved_from=path[-1]).first()) is not None:
        path.append(after)
    return path


def _lock_path(sitting_id: int) -> list[Sitting]:
    """The same with the tables locked; refuses `stale_page` where the player was moved just now."""
    wanted = [sitting.session_id for sitting in _path(sitting_id)]
    sessions = dict(zip(wanted, lock_sessions(*wanted), strict=True))
    path = _path(sitting_id)
    if any(sitting.session_id not in sessions for sitting in path):
        raise StalePage(f"{path[0].player} has just been moved: look again.")
    for sitting in path:
        sitting.session = sessions[sitting.session_id]
    return path


def _require_standing(site: Any, found: ChipEntry) -> None:
    """Refuse an entry in whose place another one stands (`already_reversed`)."""
    if site.entries.filter(reverses=found.entry).exists():
        raise AlreadyReversed(
            f"Entry {found.entry.pk} was corrected before: correct the entry that stands in its place."
        )


def _changes(site: Any, path: Sequence[Sitting], found: ChipEntry, cents: int, source: str) -> list[Anew]:
    """What has to be made anew, in the order of the chips: the entry itself, and what took its chips along."""
    sitting = path[0]
    if found.kind == "cash_out":
        if cents == found.cents:
            raise NothingChanges("This is what was entered.", field="amount")
        return [Anew(found, sitting, cents, "", found.total_cents - cents)]
    if (cents, source) == (found.cents, found.source):
        raise NothingChanges("This is what was entered.", field="amount")
    _require_bounds(sitting, found, cents)
    changes = [Anew(found, sitting, cents, source)]
    more = cents - found.cents
    for one in path if more else ():
        gone = went_with(site, one)
        if gone is not None:
            changes.append(_gone(gone, one, more))
    return changes


def _gone(gone: ChipEntry, sitting: Sitting, more: int) -> Anew:
    """What a player took away or along, with so many cents more on the stack; what two have said was taken away stays."""
    if gone.over_short_cents:
        return Anew(gone, sitting, gone.cents, "", gone.over_short_cents + more)
    if gone.cents + more < 0:
        raise InsufficientFunds(
            f"{sitting.player} took {dollars(gone.cents)} away from {sitting.session.table}, and cannot have had"
            f" {dollars(-more)} less.",
            field="amount",
        )
    return Anew(gone, sitting, gone.cents + more)


def _require_bounds(sitting: Sitting, found: ChipEntry, cents: int) -> None:
    """Hold the right amount to the bounds of R52 as they were when the chips were first brought."""
    first = _first(sitting.session.table.site, found.entry)
    limit, most = _terms_at(sitting.session, first.recorded_at)
    if found.kind == "add_on":
        before = _stack_before(sitting, first)
        if buy_ins.wrong_add_on(before, cents, most):
            raise BuyInTooLarge(
                f"The stack could be at most {dollars(most)} after adding on; it was {dollars(before)} before.",
                field="amount",
            )
        return
    bounds = buy_ins.buy_in_bounds(limit, most, _taken_away(sitting, first.recorded_at))
    match buy_ins.wrong_buy_in(cents, bounds):
        case "buy_in_too_small":
            raise BuyInTooSmall(f"The buy-in had to be at least {dollars(bounds.least)}.", field="amount")
        case "buy_in_too_large":
            raise BuyInTooLarge(f"The buy-in could be at most {dollars(bounds.most)}.", field="amount")


def _first(site: Any, entry: Any) -> Any:
    """The entry that this one, and those it was made anew for, go back to."""
    while entry.kind == "correction":
        entry = site.entries.get(key=f"{entry.key}{REVERSAL}").reverses
    return entry


def _terms_at(session: TableSession, at: datetime) -> tuple[int, int]:
    """The limit of a table at a moment, and the most that a stack could then hold after buying (R52, R64), in cents."""
    kinds = (Kind.OPENED, Kind.RATE_CHANGED, Kind.RATE_ANNOUNCED, Kind.RATE_WITHDRAWN)
    limit = most = announced = 0
    for event in session.events.filter(kind__in=kinds, recorded_at__lte=at).order_by("pk"):
        announced = event.data["max_buy_in_cents"] if event.kind == Kind.RATE_ANNOUNCED else 0
        if event.kind in (Kind.OPENED, Kind.RATE_CHANGED):
            limit, most = event.data["limit_cents"], event.data["max_buy_in_cents"]
    return limit, buy_ins.most_on_a_stack(most, announced)


def _taken_away(sitting: Sitting, at: datetime) -> buy_ins.TakenAway:
    """What somebody who came back then had taken away before (R52)."""
    since = buy_ins.came_back_since(at, sitting.session.table.site.return_minutes)
    left = Sitting.objects.filter(
        session=sitting.session_id, player=sitting.player_id, left_at__gte=since, left_at__lte=at
    )
    before = left.exclude(pk=sitting.pk).order_by("-left_at", "-pk").first()
    if before is None:
        return buy_ins.NOTHING
    carried = Sitting.objects.filter(moved_from=before).exists()
    return buy_ins.taken_away_then(before.taken_away_cents or 0, carried=carried)


def _stack_before(sitting: Sitting, entry: Any) -> int:
    """What the stack held when an entry came, as the books had it then."""
    earlier = transfers_of([sitting.stack_id]).filter(entry__lt=entry.pk)
    return sum(one.cents if one.target_id == sitting.stack_id else -one.cents for one in earlier)


# -- what is posted ---------------------------------------------------------------------------------------------


def _drafts(changes: Sequence[Anew], act: Act, content: dict[str, Any]) -> list[posting.EntryDraft]:
    """Reversals from the last entry back to the first, corrections the other way: no stack is overdrawn but in between."""
    keys = [act.key, *(f"{act.key}/{number}" for number in range(2, len(changes) + 1))]
    named = list(zip(changes, keys, strict=True))
    reversals = [_reversal(change, key, act) for change, key in reversed(named)]
    return [*reversals, *(_correction(change, key, act, content) for change, key in named)]


def _reversal(change: Anew, key: str, act: Act) -> posting.EntryDraft:
    entry = change.found.entry
    return posting.EntryDraft(
        kind="reversal",
        moves=posting.mirror(entry),
        reverses=entry,
        evidence={"reverses": entry.pk, **_place(change)},
        content={"reverses": entry.pk},
        act=act.under(f"{key}{REVERSAL}"),
    )


def _correction(change: Anew, key: str, act: Act, content: dict[str, Any]) -> posting.EntryDraft:
    says: dict[str, Any] = {"corrects": change.found.entry.pk, "cents": change.cents, **_place(change)}
    if change.found.kind in BROUGHT:
        says |= {"source": change.source}
    elif change.found.kind == "cash_out":
        says |= {"over_short_cents": change.over_short_cents}
    return posting.EntryDraft(
        kind="correction",
        moves=_moves(change),
        evidence=says,
        content=content,
        act=act.under(key),
    )


def _place(change: Anew) -> dict[str, Any]:
    """What both entries say of what they are about."""
    sitting = change.sitting
    return {
        "of": change.found.kind,
        "session": sitting.session_id,
        "sitting": sitting.pk,
        "seat": sitting.seat,
    }


def _moves(change: Anew) -> tuple[posting.Move, ...]:
    """What an entry moves that is made anew."""
    sitting, cents = change.sitting, change.cents
    site, stack = sitting.session.table.site, sitting.stack_id
    if change.found.kind in BROUGHT:
        brought = chip_moves(sitting.session, stack, cents, change.source) if cents else ()
        return (*brought, *_bank_count(change))
    if change.found.kind == "table_move":
        return (posting.Move(stack, sitting.moved_to.stack_id, cents),) if cents else ()
    outside = posting.house_account(site, "outside", "chips").pk
    moves = (posting.Move(stack, outside, cents),) if cents else ()
    return (*_between(stack, _over_short(site, "chips"), change.over_short_cents), *moves)


def _bank_count(change: Anew) -> tuple[posting.Move, ...]:
    """What the count of a bank that has gone back to the cage put to over/short for this entry, taken from there again."""
    session = change.sitting.session
    if session.closed_at is None:
        return ()
    site, sold = session.table.site, change.cents if change.source == "cash" else 0
    banks = ((session.bank_cash_id, "cash", sold), (session.bank_chips_id, "chips", -sold))
    return tuple(
        move
        for bank, asset, cents in banks
        for move in _between(bank, _over_short(site, asset), cents - _net(change.found.entry, bank))
    )


def _net(entry: Any, account: int) -> int:
    """What an entry brought to an account, less what it took."""
    lines = entry.transfers.all()
    return sum(
        one.cents if one.target_id == account else -one.cents
        for one in lines
        if account in (one.source_id, one.target_id)
    )


def _over_short(site: Any, asset: str) -> int:
    return int(posting.house_account(site, "over_short", asset).pk)


def _between(account: int, other: int, cents: int) -> tuple[posting.Move, ...]:
    """So many cents from one account to the other, or, below zero, the other way."""
    if cents == 0:
        return ()
    return (posting.Move(account, other, cents) if cents > 0 else posting.Move(other, account, -cents),)
