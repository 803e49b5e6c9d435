"""Correct a wrong buy-in, add-on, toke or cash-out by two people: reverse it and post it again.

Both entries are dated now. If the player has moved on or left, later amounts are posted again too. See
docs/decisions."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.errors import AlreadyReversed, BadAmount, InsufficientFunds, SecondPerson
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.balances import transfers_of
from ledger.journal.bank_differences import counts_of_banks
from ledger.money import checked_cents, dollars
from ledger.rights import require
from tables.errors import BuyInTooLarge, BuyInTooSmall, NotCorrectable, NothingChanges, StalePage
from tables.live import publish
from tables.models import Sitting, TableEvent, TableSession
from tables.rights import APPROVE_CORRECTIONS, ASK_CORRECTIONS
from tables.rules.table import buy_ins
from tables.seats.buying_in import chip_moves
from tables.seats.chip_entries import BROUGHT, REVERSAL, TOKE, ChipEntry, chip_entry, leaving_entry
from tables.state.clock import clock_kept
from tables.state.locks import lock_sessions, require_seated
from tables.state.persons import entries_then
from tables.state.requirements import require_not_dealt_in

Kind = TableEvent.Kind
SECOND = (APPROVE_CORRECTIONS,)
"""The right that the second person has."""


@dataclass(frozen=True, slots=True)
class EntryChange:
    """An entry to reverse, and the amounts to post in its place."""

    wrong: ChipEntry
    sitting: Sitting
    cents: int
    source: str = ""
    over_short_cents: int = 0


def correct_chips(*, entry: Any, cents: int, source: str = "", act: Act) -> Sitting:
    """Correct an entry: `cents` came from `source` (`cash` or `chips`), or were cashed out (no source). 0
    cents cancel an add-on or a toke. A cash-out's difference goes to over/short. Refuses `not_correctable`,
    `reason_required`, `second_person`, `already_reversed`, `round_running`, `nothing_changes`,
    `buy_in_too_small`, `buy_in_too_large`, `insufficient_funds`, `not_seated` for a toke of a player who has
    left, and `stale_page`."""
    require(act.actor, ASK_CORRECTIONS)
    wrong = chip_entry(entry)
    if wrong is None or wrong.kind == "table_move":
        raise NotCorrectable("Only buy-ins, add-ons, tokes and cash-outs can be corrected here.")
    act = act.stated("Enter what was wrong.")
    if checked_cents(cents) == 0 and wrong.kind == "buy_in":
        raise BadAmount("A buy-in must be above zero.", field="amount")
    if act.approver is None or act.approver.pk == act.actor.pk:
        raise SecondPerson("Somebody else has to approve a correction.", field="approver")
    source = source if cents else ""
    content = {"corrects": entry.pk, "cents": cents, "source": source, "reason": act.reason}
    with transaction.atomic():
        chain, act = _lock_chain(wrong.sitting_id, act)
        site = chain[0].session.table.site
        if posting.earlier(site=site, kind="correction", content=content, act=act):
            return chain[0]
        require(act.approver, *SECOND)
        if site.entries.filter(reverses=entry).exists():
            raise AlreadyReversed(
                f"Entry {entry.pk} has already been corrected: correct the entry that replaced it."
            )
        for sitting in chain:
            require_not_dealt_in(sitting)
        changes = _changes(site, chain, wrong, cents, source)
        with ExitStack() as clocks:
            for session in {sitting.session_id: sitting.session for sitting in chain}.values():
                if session.closed_at is None:
                    clocks.enter_context(clock_kept(session, act.now))
            posting.post_all(site=site, drafts=_drafts(changes, act, content))
        for change in changes:
            if change.wrong.kind not in (*BROUGHT, TOKE):
                change.sitting.taken_away_cents = change.cents
                change.sitting.save(update_fields=["taken_away_cents"])
        for sitting in chain:
            publish(sitting.session_id)
    return chain[0]


def _chain_of_sittings(sitting_id: int) -> list[Sitting]:
    sittings = Sitting.objects.select_related("player", "stack", "session")
    chain = [sittings.get(pk=sitting_id)]
    while (after := sittings.filter(moved_from=chain[-1]).first()) is not None:
        chain.append(after)
    return chain


def _lock_chain(sitting_id: int, act: Act) -> tuple[list[Sitting], Act]:
    """Return the chain of sittings, tables locked. Refuses `stale_page` if the player was just moved."""
    wanted = [sitting.session_id for sitting in _chain_of_sittings(sitting_id)]
    locked, act = lock_sessions(*wanted, act=act)
    sessions = dict(zip(wanted, locked, strict=True))
    chain = _chain_of_sittings(sitting_id)
    if any(sitting.session_id not in sessions for sitting in chain):
        raise StalePage(f"{chain[0].player} has just been moved: reload the page.")
    for sitting in chain:
        sitting.session = sessions[sitting.session_id]
    return chain, act


def _changes(
    site: Any, chain: Sequence[Sitting], wrong: ChipEntry, cents: int, source: str
) -> list[EntryChange]:
    """Return the entries to reverse and post again: this one, then the moves or cash-out."""
    sitting = chain[0]
    if wrong.kind == TOKE:
        require_seated(sitting)  # a player who has left has counted and carried away the rest
    if cents == wrong.cents and (source == wrong.source or wrong.kind not in BROUGHT):
        raise NothingChanges("This is what was entered.", field="amount")
    if wrong.kind == TOKE:
        return [EntryChange(wrong, sitting, cents)]
    if wrong.kind == "cash_out":
        return [EntryChange(wrong, sitting, cents, "", wrong.total_cents - cents)]
    _require_bounds(sitting, wrong, cents)
    changes = [EntryChange(wrong, sitting, cents, source)]
    more = cents - wrong.cents
    for one in chain if more else ():
        leaving = leaving_entry(site, one)
        if leaving is not None:
            changes.append(_adjusted_leaving(leaving, one, more))
    return changes


def _adjusted_leaving(leaving: ChipEntry, sitting: Sitting, more: int) -> EntryChange:
    """Return the cash-out or move with `more` cents; an amount already corrected by two people stays."""
    if leaving.over_short_cents:
        return EntryChange(leaving, sitting, leaving.cents, "", leaving.over_short_cents + more)
    if leaving.cents + more < 0:
        raise InsufficientFunds(
            f"{sitting.player} took {dollars(leaving.cents)} away from {sitting.session.table}, and cannot"
            f" have had {dollars(-more)} less.",
            field="amount",
        )
    return EntryChange(leaving, sitting, leaving.cents + more)


def _require_bounds(sitting: Sitting, wrong: ChipEntry, cents: int) -> None:
    """Check the corrected amount against R52 at the time the chips were first brought."""
    first = _original(sitting.session.table.site, wrong.entry)
    limit, most = _bounds_at(sitting.session, first.recorded_at)
    if wrong.kind == "add_on":
        before = _net(transfers_of([sitting.stack_id]).filter(entry__lt=first.pk), sitting.stack_id)
        if buy_ins.wrong_add_on(before, cents, most):
            raise BuyInTooLarge(
                f"The stack could be at most {dollars(most)} after adding on; it was {dollars(before)}"
                " before.",
                field="amount",
            )
        return
    bounds = buy_ins.buy_in_bounds(limit, most, _taken_away(sitting, first.recorded_at))
    match buy_ins.wrong_buy_in(cents, bounds):
        case "buy_in_too_small":
            raise BuyInTooSmall(f"The buy-in had to be at least {dollars(bounds.least)}.", field="amount")
        case "buy_in_too_large":
            raise BuyInTooLarge(f"The buy-in could be at most {dollars(bounds.most)}.", field="amount")


def _original(site: Any, entry: Any) -> Any:
    """Return the original entry, followed back through its corrections."""
    while entry.kind == "correction":
        entry = site.entries.get(key=f"{entry.key}{REVERSAL}").reverses
    return entry


def _bounds_at(session: TableSession, at: datetime) -> tuple[int, int]:
    """Return a table's limit and the most a stack could hold at a moment (R52, R64), in cents."""
    kinds = (Kind.OPENED, Kind.RATE_CHANGED, Kind.RATE_ANNOUNCED, Kind.RATE_WITHDRAWN)
    limit = most = announced = 0
    for event in session.events.filter(kind__in=kinds, recorded_at__lte=at).order_by("pk"):
        announced = event.data["max_buy_in_cents"] if event.kind == Kind.RATE_ANNOUNCED else 0
        if event.kind in (Kind.OPENED, Kind.RATE_CHANGED):
            limit, most = event.data["limit_cents"], event.data["max_buy_in_cents"]
    return limit, buy_ins.most_on_a_stack(most, announced)


def _taken_away(sitting: Sitting, at: datetime) -> buy_ins.TakenAway:
    """Return what a player who came back at that time had taken away before (R52)."""
    since = buy_ins.came_back_since(at, sitting.session.table.site.return_minutes)
    theirs = entries_then(sitting.player_id, at)
    left = Sitting.objects.filter(
        session=sitting.session_id, player__in=theirs, left_at__gte=since, left_at__lte=at
    )
    before = left.exclude(pk=sitting.pk).order_by("-left_at", "-pk").first()
    if before is None:
        return buy_ins.NOTHING
    carried = Sitting.objects.filter(moved_from=before).exists()
    return buy_ins.taken_away_then(before.taken_away_cents or 0, carried=carried)


# -- what is posted ------------------------------------------------------------------------------------------


def _drafts(changes: Sequence[EntryChange], act: Act, content: dict[str, Any]) -> list[posting.EntryDraft]:
    """Return reversals from last to first, then corrections from first to last: no stack ends below zero."""
    keys = [act.key, *(f"{act.key}/{number}" for number in range(2, len(changes) + 1))]
    named = list(zip(changes, keys, strict=True))
    reversals = [_reversal(change, key, act) for change, key in reversed(named)]
    return [*reversals, *(_correction(change, key, act, content) for change, key in named)]


def _reversal(change: EntryChange, key: str, act: Act) -> posting.EntryDraft:
    entry = change.wrong.entry
    return posting.EntryDraft(
        kind="reversal",
        moves=posting.mirror(entry),
        reverses=entry,
        evidence={"reverses": entry.pk, **_subject(change)},
        content={"reverses": entry.pk},
        act=act.under(f"{key}{REVERSAL}"),
    )


def _correction(change: EntryChange, key: str, act: Act, content: dict[str, Any]) -> posting.EntryDraft:
    evidence: dict[str, Any] = {"corrects": change.wrong.entry.pk, "cents": change.cents, **_subject(change)}
    if change.wrong.kind in BROUGHT:
        evidence |= {"source": change.source}
    elif change.wrong.kind == "cash_out":
        evidence |= {"over_short_cents": change.over_short_cents}
    elif change.wrong.kind == TOKE:
        evidence |= {"dealer": change.wrong.dealer, "account": change.wrong.account}
    return posting.EntryDraft(
        kind="correction", moves=_moves(change), evidence=evidence, content=content, act=act.under(key)
    )


def _subject(change: EntryChange) -> dict[str, Any]:
    sitting = change.sitting
    return {
        "of": change.wrong.kind,
        "session": sitting.session_id,
        "sitting": sitting.pk,
        "seat": sitting.seat,
        "player": sitting.player_id,
    }


def _moves(change: EntryChange) -> tuple[posting.Move, ...]:
    sitting, cents = change.sitting, change.cents
    site, stack = sitting.session.table.site, sitting.stack_id
    if change.wrong.kind in BROUGHT:
        brought = chip_moves(sitting.session, stack, cents, change.source) if cents else ()
        return (*brought, *_bank_count(change))
    if change.wrong.kind == TOKE and change.wrong.account is not None:
        return _between(stack, change.wrong.account, cents)
    if change.wrong.kind == "table_move":
        return _between(stack, sitting.moved_to.stack_id, cents)
    patrons = posting.house_account(site, "patrons", "chips").pk
    found = _between(stack, _over_short(site, "chips"), change.over_short_cents)
    return (*found, *_between(stack, patrons, cents))


def _bank_count(change: EntryChange) -> tuple[posting.Move, ...]:
    """Return the transfers that undo what this error put to over/short when the bank was counted since."""
    session = change.sitting.session
    site, sold = session.table.site, change.cents if change.source == "cash" else 0
    first = _original(site, change.wrong.entry)
    since = counts_of_banks(site, first.gaming_day, pk__gt=first.pk)
    if not any(count["session"] == session.pk for _, count in since):
        return ()
    banks = ((session.bank_cash_id, "cash", sold), (session.bank_chips_id, "chips", -sold))
    return tuple(
        move
        for bank, asset, cents in banks
        for move in _between(
            bank, _over_short(site, asset), cents - _net(change.wrong.entry.transfers.all(), bank)
        )
    )


def _net(lines: Iterable[Any], account: int) -> int:
    return sum(line.cents * ((line.target_id == account) - (line.source_id == account)) for line in lines)


def _over_short(site: Any, asset: str) -> int:
    return int(posting.house_account(site, "over_short", asset).pk)


def _between(account: int, other: int, cents: int) -> tuple[posting.Move, ...]:
    """Return a transfer of `cents`; the other way if negative, none if zero."""
    if cents == 0:
        return ()
    return (posting.Move(account, other, cents) if cents > 0 else posting.Move(other, account, -cents),)
