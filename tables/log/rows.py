"""The floor's checks for verifying the books: rows that have no audit record of their own.

Rounds, hands, sittings, settlements and fee payments follow from events and entries that have one, and are compared with
those here. Nothing is written.
"""

import heapq
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import Any

from django.db.models import Q, QuerySet

from ledger.audit.findings import Finding
from ledger.journal.records import moment
from ledger.log.row_checks import RowCheck, SpooledRecords, at_end
from tables.log import house_rows
from tables.log.player_rows import players
from tables.log.round_rows import RoundRows, SettlementRows, compared
from tables.models import (
    ClaimPayment,
    FeePayment,
    Recovery,
    SheetVersion,
    Sitting,
    TableEvent,
    TableSession,
    Uncollected,
    Waiver,
    WaiverReason,
)

AT_ONCE = 1000  # rows in memory
EVENT, HOUSE, Kind = "table_event", "house_event", TableEvent.Kind
RATES = (Kind.RATE_ANNOUNCED, Kind.RATE_WITHDRAWN, Kind.RATE_CHANGED)
OF_SESSION = (Kind.OPENED, Kind.CLOSED, Kind.PUSHED, Kind.MUST_MOVE_SET, *RATES)
PUBLISHED, WITHDRAWN = (HOUSE, "waiver_reason_published"), (HOUSE, "waiver_reason_withdrawn")


def sheets(site: Any, log: SpooledRecords) -> Iterator[Finding]:
    """Compare stored game sheets with their hash, and the hash with every opening that used them."""
    stored = {}
    for version in SheetVersion.objects.order_by("pk"):
        stored[version.code, version.version] = version
        if sha256(bytes(version.raw)).hexdigest() != version.sha256:
            yield Finding(
                "sheet_changed", "its bytes have changed since it was stored.", None, f"sheet {version.code}"
            )
    for event in log.of(EVENT, Kind.OPENED):
        opened = event["data"]["sheet"]
        sheet = stored.get((opened["code"], opened["version"]))
        if sheet is None or sheet.sha256 != opened["sha256"]:
            name = f"sheet {opened['code']} version {opened['version']}"
            sentence = f"is not the one in table event {event['id']}, which opened a table with it."
            yield Finding("sheet_changed", sentence, None, name)


def sessions(site: Any, log: SpooledRecords) -> Iterator[Finding]:
    """Compare table sessions and their rates with their events."""
    opened = {event["session"]: event["data"] for event in log.of(EVENT, Kind.OPENED)}
    rates = _rates_in(log)
    closed = {event["session"]: event["data"] for event in log.of(EVENT, Kind.CLOSED)}
    dealers = {event["session"]: event["data"]["dealer"] for event in log.of(EVENT, Kind.PUSHED)}
    set_to = log.of(EVENT, Kind.MUST_MOVE_SET)
    main_games = {event["session"]: event["data"]["to_session"] for event in set_to}
    for session in (
        TableSession.objects.filter(table__site=site).select_related("table", "sheet").order_by("pk")
    ):
        recorded = opened.get(session.pk)
        row = {
            "table": session.table.number,
            "limit_cents": session.limit_cents,
            "max_buy_in_cents": session.max_buy_in_cents,
            "announced": _rate(session.next_rate_id, session.next_max_buy_in_cents),
            "opener_cents": session.opener_cents,
            "bank_chips": session.bank_chips_id,
            "bank_cash": session.bank_cash_id,
            "sheet": [session.sheet.code, session.sheet.version],
            "rate": session.rate_id,
            "dealer": session.dealer_id,
            "closer_cents": session.closer_cents,
            "must_move_to": session.must_move_to_id,
        }
        if recorded is not None:
            recorded = {**recorded, "sheet": [recorded["sheet"]["code"], recorded["sheet"]["version"]]}
            recorded |= rates.get(session.pk, {})
            recorded["rate"] = recorded["rate"]["id"]
            recorded["dealer"] = dealers.get(session.pk)
            recorded["must_move_to"] = main_games.get(session.pk)
            recorded["closer_cents"] = closed.get(session.pk, {}).get("closer_cents")
            recorded["announced"] = recorded.get("announced", _rate(None, None))
        yield from compared(f"table session {session.pk}", row, recorded)
        if (session.closed_at is not None) != (session.pk in closed):
            yield Finding(
                "row_differs",
                "is closed in the log or in its row, but not in both.",
                None,
                f"table session {session.pk}",
            )


def _rates_in(log: SpooledRecords) -> dict[int, dict[str, Any]]:
    """Return each table's rate in force and announced rate as logged since its opening, by session."""
    rates: dict[int, dict[str, Any]] = {}
    for event in heapq.merge(*(log.of(EVENT, kind) for kind in RATES), key=lambda event: event["id"]):
        table, data = rates.setdefault(event["session"], {}), event["data"]
        if event["kind"] == Kind.RATE_ANNOUNCED:
            table["announced"] = _rate(data["rate"]["id"], data["max_buy_in_cents"])
        else:
            table["announced"] = _rate(None, None)
        if event["kind"] == Kind.RATE_CHANGED:
            table |= {name: data[name] for name in ("rate", "limit_cents", "max_buy_in_cents")}
    return rates


def _rate(rate: int | None, max_buy_in_cents: int | None) -> dict[str, int | None]:
    return {"rate": rate, "max_buy_in_cents": max_buy_in_cents}


def sittings(site: Any, log: SpooledRecords) -> Iterator[Finding]:
    """Compare sittings with the events of sitting down and leaving."""
    rows = Sitting.objects.filter(session__table__site=site)
    left = _named(log.of(EVENT, Kind.LEFT), "sitting")
    changed = {
        event["data"].get("sitting"): event["data"].get("to_seat")
        for event in log.of(EVENT, Kind.SEAT_CHANGED)
    }
    for sitting, recorded in _with_events(rows, log.of(EVENT, Kind.SEATED), "sitting"):
        if isinstance(sitting, Finding):
            yield sitting
        else:
            row = {
                "seat": sitting.seat,
                "player": sitting.player_id,
                "stack": sitting.stack_id,
                "entered_at": moment(sitting.entered_at),
                "covered_by": sitting.covered_by_id,
                "from_sitting": sitting.moved_from_id,
            }
            if recorded is not None and sitting.pk in changed:
                recorded = {**recorded, "seat": changed[sitting.pk]}
            yield from compared(f"sitting {sitting.pk}", row, recorded)
            if (sitting.left_at is None) == (sitting.pk in left):
                yield Finding(
                    "row_differs",
                    "has ended in the log or in its row, but not in both.",
                    None,
                    f"sitting {sitting.pk}",
                )


def fee_payments(site: Any) -> Iterator[Finding]:
    """Compare fee payments with the entries that took them, and each with the reversal of the one before it."""
    rows = FeePayment.objects.filter(charge__session__table__site=site).order_by("entry_id")
    columns = ("charge_id", "method", "sitting_id", "pk", "entry_id", "entry__kind", "entry__evidence")
    orders = ("after_id", "after__reverses__fee_payment__charge_id")
    taken = 0
    for *row, pk, entry_id, kind, evidence, after, charge_before in rows.values_list(
        *columns, *orders
    ).iterator(AT_ONCE):
        taken += 1
        if after is not None and charge_before != row[0]:
            sentence = f"comes after entry {after}, which did not take back a payment of its charge."
            yield Finding("row_differs", sentence, None, f"fee payment {pk}")
        recorded = _evidence(evidence)
        right = "waiver" if FeePayment.Method.WAIVED in row else "collection"
        if kind != right or row != [recorded.get(name) for name in ("charge", "method", "sitting")]:
            yield Finding("row_differs", f"does not match entry {entry_id}.", None, f"fee payment {pk}")
    entries = site.entries.filter(kind__in=["collection", "waiver"])
    if entries.count() != taken:
        for pk in _without(entries, FeePayment.objects):
            yield Finding("row_missing", "its fee payment is missing.", None, f"entry {pk}")


def toke_accounts(site: Any) -> Iterator[Finding]:
    """Compare the dealer of each toke account with the entries that brought tokes to it (R52)."""
    entries = site.entries.filter(kind="toke").order_by("pk").values_list("evidence", flat=True)
    recorded = {data.get("account"): data.get("dealer") for data in map(_evidence, entries.iterator(AT_ONCE))}
    rows = dict(site.toke_accounts.order_by("pk").values_list("account", "dealer"))
    for account, dealer in recorded.items():
        if rows.get(account) != dealer:
            sentence = f"belongs to person {rows.get(account)}, but to person {dealer} in the log."
            yield Finding("row_differs", sentence, None, f"tokes in account {account}")


def waivers(site: Any) -> Iterator[Finding]:
    """Compare waivers with the entries that waived fees, and recoveries with the entries that took them later."""
    rows = Waiver.objects.filter(payment__charge__session__table__site=site).select_related("reason")
    waived = {row.payment_id: row for row in rows}
    paid = Recovery.objects.filter(payment__charge__session__table__site=site)
    recovered = {row.payment_id: row for row in paid.select_related("uncollected")}
    taken = FeePayment.objects.filter(charge__session__table__site=site)
    taken = taken.filter(Q(method=FeePayment.Method.WAIVED) | Q(entry__evidence__contains='"recovery":'))
    for pk, evidence, charge_id in taken.values_list("pk", "entry__evidence", "charge_id"):
        recorded = _evidence(evidence)
        waiver, recovery = waived.pop(pk, None), recovered.pop(pk, None)
        if "waiver" in recorded:
            yield from _same(
                f"waiver of charge {charge_id}",
                waiver and (waiver.site_id, waiver.number, waiver.reason.code),
                (site.pk, *(recorded["waiver"].get(name) for name in ("number", "code"))),
            )
        if "recovery" in recorded:
            yield from _same(
                f"recovery of charge {charge_id}",
                recovery and (recovery.site_id, recovery.number, recovery.uncollected.charge_id),
                (site.pk, recorded["recovery"], charge_id),
            )
    for row in [*waived.values(), *recovered.values()]:
        yield Finding(
            "no_record", "has a row but no entry: it was written outside the log.", None, str(row).lower()
        )


def uncollected(site: Any, log: SpooledRecords) -> Iterator[Finding]:
    """Compare uncollected fees with their events."""
    rows = Uncollected.objects.filter(charge__session__table__site=site).order_by("pk")
    unmatched = {row.event_id: row for row in rows}
    for event in log.of(EVENT, Kind.FEE_UNCOLLECTED):
        row, data = unmatched.pop(event["id"], None), event["data"]
        names = ("number", "charge", "player", "gaming_day")
        yield from _same(
            f"uncollected fee {data.get('number')}",
            row
            and (
                *(row.site_id, row.number, row.charge_id, row.player_id),
                *(row.gaming_day.isoformat(), moment(row.recorded_at)),
            ),
            (site.pk, *(data.get(name) for name in names), event["recorded_at"]),
        )
    for row in unmatched.values():
        yield Finding(
            "no_record", "has a row but no event: it was written outside the log.", None, str(row).lower()
        )


def claim_payments(site: Any, log: SpooledRecords) -> Iterator[Finding]:
    """Compare the payments of claims with their events."""
    rows = ClaimPayment.objects.filter(claim__site=site).order_by("pk")
    unmatched = {row.event_id: row for row in rows}
    for event in log.of(EVENT, Kind.CLAIM_PAID):
        row, data = unmatched.pop(event["id"], None), event["data"]
        yield from _same(
            f"payment of claim {data.get('number')}",
            row and (row.claim_id, row.seen_by_id, moment(row.seen_at)),
            (data.get("claim"), event["actor"], event["recorded_at"]),
        )
    for row in unmatched.values():
        yield Finding(
            "no_record", "has a row but no event: it was written outside the log.", None, str(row).lower()
        )


def reasons(site: Any, log: SpooledRecords) -> Iterator[Finding]:
    """Compare the published waiver reasons with the events of publishing and withdrawing them."""
    unmatched = {row.pk: row for row in WaiverReason.objects.filter(site=site)}
    withdrawn = {
        event["data"].get("reason"): event["data"].get("withdrawn_on") for event in log.of(*WITHDRAWN)
    }
    names = ("code", "text", "approval_reference", "effective_from")
    for event in log.of(*PUBLISHED):
        data = event["data"]
        row = unmatched.pop(data.get("reason"), None)
        until = row.withdrawn_on.isoformat() if row and row.withdrawn_on else None
        yield from _same(
            f"waiver reason {data.get('code')}",
            row and (row.code, row.text, row.approval_reference, row.effective_from.isoformat(), until),
            (*(data.get(name) for name in names), withdrawn.get(data.get("reason"))),
        )
    for row in unmatched.values():
        name = f"waiver reason {row.code}"
        yield Finding("no_record", "has a row but no event: it was written outside the log.", None, name)


def _same(name: str, row: Any, recorded: tuple[Any, ...]) -> Iterator[Finding]:
    """Yield a finding if a row is missing or differs from the log."""
    if row is None:
        yield Finding("row_missing", "is in the log, but its row is missing.", None, name)
    elif row != recorded:
        yield Finding("row_differs", f"its row is {row}, but {recorded} in the log.", None, name)


def _events(*kinds: str) -> list[tuple[str, str]]:
    return [(EVENT, kind) for kind in kinds]


QUESTIONS: tuple[tuple[str, Callable[[Any], RowCheck]], ...] = (
    ("game sheets against their hashes", at_end(sheets, *_events(Kind.OPENED))),
    ("openings against their events", at_end(sessions, *_events(*OF_SESSION))),
    ("sittings against their events", at_end(sittings, *_events(Kind.SEATED, Kind.LEFT, Kind.SEAT_CHANGED))),
    ("players against what was entered", at_end(players)),
    ("rounds and hands against their events", RoundRows),
    ("settlements against their entries", SettlementRows),
    ("fee payments against their entries", at_end(fee_payments)),
    ("waivers and recoveries against their entries", at_end(waivers)),
    ("uncollected fees against their events", at_end(uncollected, *_events(Kind.FEE_UNCOLLECTED))),
    ("payments of claims against their events", at_end(claim_payments, *_events(Kind.CLAIM_PAID))),
    ("reasons for waivers against their events", at_end(reasons, PUBLISHED, WITHDRAWN)),
    ("tokes against their entries", at_end(toke_accounts)),
    ("tables against their events", at_end(house_rows.tables, *house_rows.OF_TABLES)),
    ("games on offer against their events", at_end(house_rows.offers, house_rows.CHOSEN)),
    ("the house's clock against its events", at_end(house_rows.clock, *house_rows.CLOCK)),
)


def _named(events: Iterable[Mapping[str, Any]], key: str) -> set[Any]:
    """Return the ids that these events have under `key`."""
    return {event["data"].get(key) for event in events}


def _with_events(
    rows: QuerySet[Any], events: Iterator[Mapping[str, Any]], key: str
) -> Iterator[tuple[Any, Mapping[str, Any] | None]]:
    """Yield every row with its event's data, or None without one, and a Finding for each event whose row is missing.

    Both are read in the order of their ids, which is nearly the same order, so few are in memory at a time.
    """
    ordered = ((event["id"], event["data"]) for event in events)
    known: dict[Any, tuple[int, Mapping[str, Any]]] = {}
    every = rows.order_by("pk").iterator(AT_ONCE)
    while some := list(islice(every, AT_ONCE)):
        for row in some:
            while row.pk not in known:
                event = next(ordered, None)
                if event is None:
                    break
                known[event[1].get(key)] = event
            yield row, known.pop(row.pk, (0, None))[1]
    for pk, data in [*known.values(), *ordered]:
        yield (
            Finding(
                "row_missing", f"the row of table event {pk} is missing.", None, f"{key} {data.get(key)}"
            ),
            None,
        )


def _evidence(text: str) -> dict[str, Any]:
    try:
        evidence = json.loads(text)
    except ValueError:
        return {}
    return evidence if isinstance(evidence, dict) else {}


def _without(entries: Any, rows: Any) -> list[int]:
    """Return the ids of entries that none of these rows refers to."""
    return list(entries.exclude(pk__in=rows.values("entry_id")).order_by("pk").values_list("pk", flat=True))
