"""The only way to write to the journal: entries, their transfers, and the balances they change.

It also opens and closes accounts, and hashes the content of a request. The calling verbs decide what an event
means and who may cause it. Every settled round passes here, hence plain SQL in a few multi-row statements.
The order is always the same: the verb's own locks, then accounts by id, then reading, then writing."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Max, QuerySet

from ledger import errors, lengths
from ledger.chart import (
    ALLOWED,
    BEYOND_THE_HOUSE,
    EVENTS,
    MAY_BE_NEGATIVE,
    OF_DOCUMENTS,
    ONE_PER_SITE,
    TITLES,
    AccountKind,
    Asset,
    EntryKind,
    wrong_signer,
    wrong_transfers,
)
from ledger.db.compiled import Compiled, executed, new, placeholders, vendor
from ledger.journal import keys
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day, is_closed
from ledger.journal.records import Line
from ledger.journal.writing import ExtraStatement, Posting, write
from ledger.models import Account, JournalEntry, Site
from ledger.money import MOST_CENTS, dollars
from ledger.records.canonical import text as canonical
from ledger.rules.bank_signing import COUNTED_BLIND

KEY_LENGTH = 100
LABEL_LENGTH = 100
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True)
class Move:
    source: int
    target: int
    cents: int


@dataclass(frozen=True)
class EntryDraft:
    """An entry to be posted by one act. `content` is what the client sent, to tell a retry from a different
    request; `evidence` is everything needed to recompute the entry. Both become canonical JSON. `occurred_at`
    is when the event happened, if before the act; `gaming_day` defaults to the day of `occurred_at`."""

    act: Act
    kind: str
    moves: tuple[Move, ...]
    evidence: Mapping[str, Any]
    content: Mapping[str, Any]
    occurred_at: datetime = None  # type: ignore[assignment]
    gaming_day: date | None = None
    reverses: JournalEntry | None = None
    content_hash: str = field(init=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "occurred_at", self.occurred_at or self.act.now)
        hashed = content_hash(kind=self.kind, actor=self.act.actor, content=self.content)
        object.__setattr__(self, "content_hash", hashed)


@dataclass(frozen=True)
class LockedAccount:
    id: int
    kind: str
    asset: str
    label: str
    balance_cents: int
    sealed: bool
    closed: bool


def content_hash(*, kind: str, actor: Any, content: Mapping[str, Any]) -> str:
    """Hash what makes two requests the same: kind of event, actor and content; never time or terminal."""
    text = canonical({"actor": actor.pk, "content": content, "kind": str(kind)})
    return hashlib.sha256(text.encode()).hexdigest()


def earlier(*, site: Site, kind: str, content: Mapping[str, Any], act: Act) -> JournalEntry | None:
    """Return the entry that this request made when it was sent before, or None. Call it right after taking
    locks. Raises KeyReused if the key was used for another kind, actor or content, or for a row that is not
    an entry."""
    checked_text(act.key, KEY_LENGTH, "key")
    if not keys.known(site.pk, [act.key]):
        return None
    entry = JournalEntry.objects.filter(site=site, key=act.key).first()
    if entry is None or entry.content_hash != content_hash(kind=kind, actor=act.actor, content=content):
        raise errors.KeyReused(keys.USED, field="key")
    return entry


def sent_before(site: Site, key: str) -> bool:
    """Return whether an entry has this key. Lets a verb skip checks that only the first sending needs."""
    return keys.used(site.pk, [key])[0]


def post(*, site: Site, draft: EntryDraft, extra: Sequence[ExtraStatement] = ()) -> JournalEntry:
    """Write one entry, or return the one that the same request made before. See post_all."""
    return post_all(site=site, drafts=[draft], extra=extra)[0]


def post_all(
    *, site: Site, drafts: Sequence[EntryDraft], extra: Sequence[ExtraStatement] = ()
) -> list[JournalEntry]:
    """Write entries together, in this order, or return those that the same request made before.

    Limits are checked after the last entry, so that a reversal and its correction count as one step. Joins
    the caller's transaction or opens its own. An entry without moves is written too: it records that nothing
    moved. The `extra` statements are executed together with the entries, or not at all.

    Raises KeyReused, UnknownKind, NotInChart, UnknownAccount, SameAccount, AssetMismatch, BadAmount, BadText,
    SecondPerson, ReasonRequired, NotTheMirror, ReversalOfReversal, AlreadyReversed, DayClosed, AccountClosed,
    BoxPulled, InsufficientFunds."""
    if not drafts:
        return []
    for draft in drafts:
        _check_draft(draft)
    if len({draft.act.key for draft in drafts}) < len(drafts):
        raise errors.KeyReused("Each entry needs a key of its own.", field="key")
    if not connection.in_atomic_block:
        with transaction.atomic():
            return _post_all(site, drafts, extra)
    return _post_all(site, drafts, extra)


def mirror(entry: JournalEntry) -> tuple[Move, ...]:
    lines = entry.transfers.order_by("line").values_list("target_id", "source_id", "cents")
    return tuple(Move(*line) for line in lines)


def open_account(*, site: Site, kind: str, asset: str, label: str, now: datetime) -> Account:
    """Open an empty account for a sitting, box or table; a site's own are in `house_account`."""
    if kind not in set(AccountKind) - ONE_PER_SITE or asset not in set(Asset):
        raise errors.UnknownKind(f"A {kind} account for {asset} cannot be opened.", field="kind")
    checked_text(label, LABEL_LENGTH, "label")
    return Account.objects.create(site=site, kind=kind, asset=asset, label=label, opened_at=now)


def open_accounts(*, site: Site, kind: str, label: str, now: datetime) -> dict[str, Account]:
    """Open an empty account of each asset for a place that has both, by asset."""
    named: dict[str, Any] = {"site": site, "kind": kind, "label": label, "now": now}
    return {asset.value: open_account(asset=asset, **named) for asset in Asset}


def house_account(site: Site, kind: str, asset: str) -> Account:
    """Return the site's only account of this kind and asset. Created on first use; safe under concurrency."""
    known = kind in ONE_PER_SITE and asset in set(Asset)
    if not known or BEYOND_THE_HOUSE.get(AccountKind(kind), asset) != asset:
        raise errors.UnknownKind(f"A site has no {kind} for {asset}, or more than one.", field="kind")
    account = next(iter(_house(str(kind), str(asset)).rows(site.pk)), None)
    if account is None:
        account, _ = Account.objects.get_or_create(
            site=site, kind=kind, asset=asset, defaults={"label": TITLES[AccountKind(kind)]}
        )
    return account


@cache
def _house(kind: str, asset: str) -> Compiled[Account]:
    return Compiled(lambda pk: Account.objects.filter(site=pk, kind=kind, asset=asset))


def lock_house(site: Site) -> None:
    """Lock the site's row until the transaction ends, for numbers without gaps and for new players."""
    Site.objects.select_for_update(no_key=True).get(pk=site.pk)


def next_number(rows: QuerySet[Any]) -> int:
    """Return the number after the highest of these rows, from 1. The caller has locked the house."""
    return (rows.aggregate(last=Max("number"))["last"] or 0) + 1


def close_account(account: Account, now: datetime) -> None:
    """Close an account for good; twice changes nothing. Raises AccountNotEmpty."""
    with transaction.atomic():
        locked = Account.objects.select_for_update(no_key=True).get(pk=account.pk)
        if locked.kind in ONE_PER_SITE:
            raise errors.AccountNotEmpty(f"{locked.label} is never closed.")
        if locked.balance_cents:
            raise errors.AccountNotEmpty(
                f"{locked.label} still has {dollars(locked.balance_cents)} in {locked.asset}."
            )
        if locked.closed_at is None:
            locked.closed_at = now
            locked.save(update_fields=["closed_at"])
    account.balance_cents, account.closed_at = 0, locked.closed_at


def checked_text(text: str, longest: int, name: str, *, empty: bool = False) -> str:
    """Return the text. Raises BadText if blank (unless `empty`), too long, or with control characters."""
    if not (empty or text.strip()):
        raise errors.BadText(f"The {name} is missing.", field=name)
    if len(text) > longest:
        raise errors.BadText(f"The {name} is longer than {longest} characters.", field=name)
    if _CONTROL.search(text):
        raise errors.BadText(f"The {name} contains a control character.", field=name)
    return text


def check_texts(act: Act) -> None:
    """Check the key and the terminal of an act. Raises BadText."""
    checked_text(act.key, KEY_LENGTH, "key")
    checked_text(act.terminal, LABEL_LENGTH, "terminal", empty=True)


def _check_draft(draft: EntryDraft) -> None:
    check_texts(draft.act)
    checked_text(draft.act.reason, lengths.POSTED_REASON, "reason", empty=True)
    if draft.kind not in EVENTS:
        raise errors.UnknownKind(f"There is no kind of entry called {draft.kind}.", field="kind")
    if draft.occurred_at.tzinfo is None:
        raise ValueError("occurred_at needs its time zone")
    event = EVENTS[EntryKind(draft.kind)]
    if event.mirror != (draft.reverses is not None):
        raise errors.NotTheMirror(
            "A reversal must name the entry it reverses, and no other kind of entry may.", field="reverses"
        )
    if event.approved and draft.act.approver is None:
        raise errors.SecondPerson("A second person must approve this.", field="approver")
    if event.counted and draft.act.approver is None:
        raise errors.SecondPerson("A second person must count this.", field="approver")
    if event.approved and not draft.act.reason.strip():
        raise errors.ReasonRequired("Give a reason.", field="reason")
    if draft.act.approver is not None and draft.act.approver.pk == draft.act.actor.pk:
        raise errors.SecondPerson("You cannot approve your own request.", field="approver")
    approver = draft.act.approver and draft.act.approver.pk
    if wrong := wrong_signer(draft.kind, approver, draft.evidence):
        raise errors.SecondPerson(wrong, field="approver")
    for move in draft.moves:
        if type(move.cents) is not int or not 0 < move.cents <= MOST_CENTS:
            raise errors.BadAmount("A transfer must move a positive whole number of cents.")
        if move.source == move.target:
            raise errors.SameAccount("A transfer needs two different accounts.")


def _post_all(
    site: Site, drafts: Sequence[EntryDraft], extra: Sequence[ExtraStatement]
) -> list[JournalEntry]:
    accounts = _lock(site, {a for d in drafts for move in d.moves for a in (move.source, move.target)})
    # SQLite queues writers, so no key can appear after this check; on PostgreSQL the writing statement
    # checks.
    if vendor() == "sqlite":
        by_entry, by_other = keys.used(site.pk, [draft.act.key for draft in drafts])
        if by_entry:
            return _posted_before(site, drafts)
        if by_other:
            raise errors.KeyReused(keys.USED, field="key")
    try:
        _refuse_closed_days(site, drafts)
        changes = _checked_changes(site, drafts, accounts)
    except errors.LedgerError:
        # A repeated request changes nothing, whatever has happened to its accounts since.
        if posted := _posted_before(site, drafts):
            return posted
        raise
    entries = [_entry(site, draft) for draft in drafts]
    with transaction.atomic(savepoint=False):
        try:
            lines = [_lines(draft, accounts) for draft in drafts]
            written = write(Posting(site.pk, drafts[0].act.now, entries, lines, changes, extra))
        except IntegrityError as error:
            if any(entry.reverses_id for entry in entries):
                raise errors.AlreadyReversed(
                    "This entry has already been reversed.", field="reverses"
                ) from error
            raise
        if 0 < written < len(entries):
            raise errors.KeyReused("One of these keys was used for something else.", field="key")
    return entries if written else _posted_before(site, drafts)


def _lock(site: Site, ids: Iterable[int]) -> dict[int, LockedAccount]:
    """Lock these accounts in id order, then read them. Raises UnknownAccount, also for other sites'."""
    wanted = sorted(ids)
    if not wanted:
        return {}
    # An array is a single parameter whatever its length, so that PostgreSQL can reuse the plan.
    asked = [wanted] if vendor() == "postgresql" else wanted
    rows = executed(_locking(len(wanted)), [site.pk, *asked])
    accounts = {row[0]: LockedAccount(*row) for row in rows}
    if len(accounts) < len(wanted):
        raise errors.UnknownAccount("A transfer names an account that this house does not have.")
    return accounts


@cache
def _locking(count: int) -> str:
    on_postgresql = vendor() == "postgresql"
    return (
        "SELECT id, kind, asset, label, balance_cents, sealed_at IS NOT NULL, closed_at IS NOT"  # noqa: S608
        " NULL FROM ledger_account WHERE site_id = %s AND id "
        f"{'= ANY(%s)' if on_postgresql else f'IN {placeholders(1, count)}'} ORDER BY id "
        f"{'FOR NO KEY UPDATE' if on_postgresql else ''}"
    )


def _refuse_closed_days(site: Site, drafts: Sequence[EntryDraft]) -> None:
    for day, now in sorted({(_day_of(site, draft), draft.act.now) for draft in drafts}):
        if is_closed(site, day, now):
            raise errors.DayClosed(f"Gaming day {day} is closed. Date the entry in a later day.")


def _day_of(site: Site, draft: EntryDraft) -> date:
    return draft.gaming_day or gaming_day(site, draft.occurred_at)


def _checked_changes(
    site: Site, drafts: Sequence[EntryDraft], accounts: Mapping[int, LockedAccount]
) -> dict[int, int]:
    """Check every rule and return account id -> change in cents. Reads only; the accounts are locked."""
    changes: defaultdict[int, int] = defaultdict(int)
    for draft in drafts:
        if draft.reverses is not None:
            _check_reversal(site, draft.reverses, draft.moves)
        allowed = ALLOWED[draft.kind]
        for move in draft.moves:
            source, target = accounts[move.source], accounts[move.target]
            if source.asset != target.asset:
                raise errors.AssetMismatch(
                    f"{source.label} is for {source.asset}, {target.label} is for {target.asset}."
                )
            if draft.reverses is None and (source.kind, target.kind, source.asset) not in allowed:
                raise errors.NotInChart(
                    f"The chart has no {draft.kind} of {source.asset} from {source.kind} to {target.kind}."
                )
            changes[move.source] -= move.cents
            changes[move.target] += move.cents
        if lack := wrong_transfers(draft.kind, _transfers(draft, accounts)):
            raise errors.NotInChart(lack)
    correcting = any(draft.reverses is not None for draft in drafts)
    dropping = all(draft.kind == EntryKind.DROP for draft in drafts)
    for account in accounts.values():
        change = changes[account.id]
        # A reversal and its correction may pass through a closed account if its balance ends unchanged.
        untouched = correcting and change == 0
        if account.closed and not untouched:
            raise errors.AccountClosed(f"{account.label} is closed.")
        if account.sealed and not (dropping or untouched):
            raise errors.BoxPulled(f"{account.label} has been pulled.")
        if account.balance_cents + change < 0 and account.kind not in MAY_BE_NEGATIVE:
            if account.kind == AccountKind.PATRONS:
                raise errors.ChipsBeyondBooks(
                    f"By the books patrons hold {dollars(account.balance_cents)} in chips; this needs"
                    f" {dollars(-change)}. Two people can accept chips beyond the books at the cage."
                )
            if account.kind in COUNTED_BLIND:
                # They are counted by people who must not know what the books expect, nor try it out unseen.
                place = account.label
                if account.kind == AccountKind.TABLE_BANK:
                    place = f"The bank of {account.label}"
                refused = errors.InsufficientFunds(
                    f"{place} has not so much in {account.asset}. Bring more first, or call a"
                    " supervisor; this attempt is noted."
                )
                refused.asked = account.label, account.asset, -change
                raise refused
            raise errors.InsufficientFunds(
                f"{account.label} has {dollars(account.balance_cents)} in {account.asset};"
                f" this needs {dollars(-change)}."
            )
    return {account: change for account, change in changes.items() if change}


def _transfers(
    draft: EntryDraft, accounts: Mapping[int, LockedAccount]
) -> Iterator[tuple[str, str, str, int]]:
    for move in draft.moves:
        source = accounts[move.source]
        yield source.kind, accounts[move.target].kind, source.asset, move.cents


def _check_reversal(site: Site, reversed_entry: JournalEntry, moves: tuple[Move, ...]) -> None:
    if reversed_entry.site_id != site.pk or moves != mirror(reversed_entry):
        raise errors.NotTheMirror("A reversal must move back exactly what the entry moved.", field="reverses")
    if reversed_entry.kind in OF_DOCUMENTS:
        raise errors.NotInChart(
            "What was sent under a document is received first, and sent back under another."
        )
    if reversed_entry.kind in (EntryKind.REVERSAL, EntryKind.UNDO):
        raise errors.ReversalOfReversal(
            "A reversal cannot be reversed. Post a correction instead.", field="reverses"
        )
    if JournalEntry.objects.filter(reverses=reversed_entry).exists():
        raise errors.AlreadyReversed("This entry has already been reversed.", field="reverses")


def _posted_before(site: Site, drafts: Sequence[EntryDraft]) -> list[JournalEntry]:
    """Return the entries of these drafts if posted before, none if new. Raises KeyReused if only some."""
    by_key = {
        entry.key: entry
        for entry in JournalEntry.objects.filter(site=site, key__in=[draft.act.key for draft in drafts])
    }
    if not by_key:
        return []
    if any(
        draft.act.key not in by_key or by_key[draft.act.key].content_hash != draft.content_hash
        for draft in drafts
    ):
        raise errors.KeyReused(keys.USED, field="key")
    return [by_key[draft.act.key] for draft in drafts]


def _entry(site: Site, draft: EntryDraft) -> JournalEntry:
    entry = new(
        JournalEntry,
        site_id=site.pk,
        key=draft.act.key,
        content_hash=draft.content_hash,
        kind=str(draft.kind),
        occurred_at=draft.occurred_at,
        recorded_at=draft.act.now,
        gaming_day=_day_of(site, draft),
        actor_id=draft.act.actor.pk,
        terminal=draft.act.terminal,
        approver_id=draft.act.approver.pk if draft.act.approver else None,
        reason=draft.act.reason,
        reverses_id=draft.reverses.pk if draft.reverses else None,
    )
    entry.evidence = canonical(draft.evidence)
    return entry


def _lines(draft: EntryDraft, accounts: Mapping[int, LockedAccount]) -> list[Line]:
    ends = ((accounts[move.source], accounts[move.target], move.cents) for move in draft.moves)
    return [(one.asset, cents, one.id, one.kind, other.id, other.kind) for one, other, cents in ends]
