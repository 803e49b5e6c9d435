"""Entries written and sealed as the program does, but unchecked: by somebody with access to the database."""

import hashlib
from datetime import date, datetime
from typing import Any

from django.db import transaction

from ledger.journal.days import gaming_day
from ledger.journal.writing import Posting, write
from ledger.models import Account, JournalEntry, Receipt
from ledger.records.canonical import text


def forged(
    site: Any,
    kind: str,
    *moves: tuple[int, int, int],
    actor: Any,
    now: datetime,
    evidence: Any,
    occurred_at: datetime | None = None,
    day: date | None = None,
    **columns: Any,
) -> JournalEntry:
    """Write an entry with these moves (source, target, cents), with consistent balances and record."""
    key = f"forged {JournalEntry.objects.count()}"
    entry = JournalEntry(
        site=site,
        key=key,
        content_hash=hashlib.sha256(key.encode()).hexdigest(),
        kind=kind,
        occurred_at=occurred_at or now,
        recorded_at=now,
        gaming_day=day or gaming_day(site, occurred_at or now),
        actor=actor,
        terminal="",
        reason="",
        **columns,
    )
    entry.evidence = text(evidence)
    accounts = Account.objects.in_bulk({pk for source, target, _ in moves for pk in (source, target)})
    changes = dict.fromkeys(accounts, 0)
    for source, target, cents in moves:
        changes[source] -= cents
        changes[target] += cents
    ends = [(accounts[source], accounts[target], cents) for source, target, cents in moves]
    lines = [(one.asset, cents, one.pk, one.kind, other.pk, other.kind) for one, other, cents in ends]
    with transaction.atomic():
        write(Posting(site.pk, now, [entry], [lines], changes))
        if "receipt" in evidence:
            Receipt.objects.create(site=site, number=evidence["receipt"], entry=entry)
    return entry
