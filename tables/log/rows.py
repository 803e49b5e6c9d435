"""What the floor brings to the verification of the books: the checks that know the game, and rows without a record.

Rounds, hands, sittings, settlements and collections have no record of their own: what they say follows from the events
and entries that do, and here they are held against them. Nothing is written.
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
from tables.log.round_rows import RoundRows, SettlementRows, held
from tables.models import (
    Collection,
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


def sheets(site: Any, told: SpooledRecords) -> Iterator[Finding]:
    """Kept game sheets: their bytes against their hash, and that against every opening with them."""
    kept = {}
    for version in SheetVersion.objects.order_by("pk"):
        kept[version.code, version.version] = version
        if sha256(bytes(version.raw)).hexdigest() != version.sha256:
            yield Finding(
                "sheet_changed", "its bytes are not those it was kept with.", None, f"sheet {version.code}"
            )
    for event in told.of(EVENT, Kind.OPENED):
        said = event["data"]["sheet"]
        sheet = kept.get((said["code"], said["version"]))
        if sheet is None or sheet.sha256 != said["sha256"]:
            name = f"sheet {said['code']} version {said['version']}"
            sentence = f"it is not the one that table event {event['id']} opened with."
            yield Finding("sheet_changed", sentence, None, name)


def sessions(site: Any, told: SpooledRecords) -> Iterator[Finding]:
    """Openings of tables, and the rates they have come to, against their events."""
    opened = {event["session"]: event["data"] for event in told.of(EVENT, Kind.OPENED)}
    rates = _rates_told(told)
    closed = {event["session"]: event["data"] for event in told.of(EVENT, Kind.CLOSED)}
    dealers = {event["session"]: event["data"]["dealer"] for event in told.of(EVENT, Kind.PUSHED)}
    set_to = told.of(EVENT, Kind.MUST_MOVE_SET)
    main_games = {event["session"]: event["data"]["to_session"] for event in set_to}
    for session in (
        TableSession.objects.filter(table__site=site).select_related("table", "sheet").order_by("pk")
    ):
        said = opened.get(session.pk)
        found = {
            "table": session.table.number,
            "limit_cents": session.limit_cents,
            "max_buy_in_cents": session.max_buy_in_cents,
            "announced": _rate(session.next_schedule_id, session.next_max_buy_in_cents),
            "opener_cents": session.opener_cents,
            "bank_chips": session.bank_chips_id,
            "bank_cash": session.bank_cash_id,
            "sheet": [session.sheet.code, session.sheet.version],
            "schedule": session.schedule_id,
            "dealer": session.dealer_id,
            "closer_cents": session.closer_cents,
            "must_move_to": session.must_move_to_id,
        }
        if said is not None:
            said = {**said, "sheet": [said["sheet"]["code"], said["sheet"]["version"]]}
            said |= rates.get(session.pk, {})
            said["schedule"] = said["schedule"]["id"]
            said["dealer"] = dealers.get(session.pk)
            said["must_move_to"] = main_games.get(session.pk)
            said["closer_cents"] = closed.get(session.pk, {}).get("closer_cents")
            said["announced"] = said.get("announced", _rate(None, None))
        yield from held(f"table session {session.pk}", found, said)
        if (session.closed_at is not None) != (session.pk in closed):
            yield Finding("row_differs", "its closing is not the log's.", None, f"table session {session.pk}")


def _rates_told(told: SpooledRecords) -> dict[int, dict[str, Any]]:
    """What the log says of the rate of tables since their opening, by session: the one in force, and the announced one."""
    said: dict[int, dict[str, Any]] = {}
    for event in heapq.merge(*(told.of(EVENT, kind) for kind in RATES), key=lambda event: event["id"]):
        table, data = said.setdefault(event["session"], {}), event["data"]
        if event["kind"] == Kind.RATE_ANNOUNCED:
            table["announced"] = _rate(data["schedule"]["id"], data["max_buy_in_cents"])
        else:
            table["announced"] = _rate(None, None)
        if event["kind"] == Kind.RATE_CHANGED:
            table |= {name: data[name] for name in ("schedule", "limit_cents", "max_buy_in_cents")}
    return said


def _rate(schedule: int | None, max_buy_in_cents: int | None) -> dict[str, int | None]:
    return {"schedule": schedule, "max_buy_in_cents": max_buy_in_cents}


def sittings(site: Any, told: SpooledRecords) -> Iterator[Finding]:
    """Sittings against the events of sitting down and leaving."""
    rows = Sitting.objects.filter(session__table__site=site)
    left = _named(told.of(EVENT, Kind.LEFT), "sitting")
    for sitting, said in _beside(rows, told.of(EVENT, Kind.SEATED), "sitting"):
        if isinstance(sitting, Finding):
            yield sitting
        else:
            found = {
                "seat": sitting.seat,
                "player": sitting.player_id,
                "stack": sitting.stack_id,
                "entered_at": moment(sitting.entered_at),
                "covered_by": sitting.covered_by_id,
                "from_sitting": sitting.moved_from_id,
            }
            yield from held(f"sitting {sitting.pk}", found, said)
            if (sitting.left_at is None) == (sitting.pk in left):
                yield Finding("row_differs", "its end is not the log's.", None, f"sitting {sitting.pk}")


def collections(site: Any) -> Iterator[Finding]:
    """Collections against the entries that took them."""
    rows = Collection.objects.filter(charge__session__table__site=site).order_by("entry_id")
    columns = ("pk", "charge_id", "method", "entry_id", "entry__kind", "entry__evidence")
    taken = 0
    for pk, charge_id, method, entry_id, kind, evidence in rows.values_list(*columns).iterator(AT_ONCE):
        taken += 1
        said = _evidence(evidence)
        right = "waiver" if method == Collection.Method.WAIVED else "collection"
        if kind != right or (said.get("charge"), said.get("method")) != (charge_id, method):
            yield Finding("row_differs", f"it is not what entry {entry_id} took.", None, f"collection {pk}")
    entries = site.entries.filter(kind__in=["collection", "waiver"])
    if entries.count() != taken:
        for pk in _without(entries, Collection.objects):
            yield Finding("row_missing", "its collection is gone.", None, f"entry {pk}")


def toke_accounts(site: Any) -> Iterator[Finding]:
    """Whose tokes an account has, against the entries that brought them (R52)."""
    entries = site.entries.filter(kind="toke").order_by("pk").values_list("evidence", flat=True)
    said = {data.get("account"): data.get("dealer") for data in map(_evidence, entries.iterator(AT_ONCE))}
    rows = dict(site.toke_accounts.order_by("pk").values_list("account", "dealer"))
    for account, dealer in said.items():
        if rows.get(account) != dealer:
            sentence = f"it is person {rows.get(account)}'s, by the log person {dealer}'s."
            yield Finding("row_differs", sentence, None, f"tokes in account {account}")


def waivers(site: Any) -> Iterator[Finding]:
    """Waivers against the entries that let fees go, and recoveries against those that took them after all."""
    rows = Waiver.objects.filter(collection__charge__session__table__site=site).select_related("reason")
    kept = {row.collection_id: row for row in rows}
    paid = Recovery.objects.filter(collection__charge__session__table__site=site)
    recovered = {row.collection_id: row for row in paid.select_related("uncollected")}
    told = Collection.objects.filter(charge__session__table__site=site)
    told = told.filter(Q(method=Collection.Method.WAIVED) | Q(entry__evidence__contains='"recovery":'))
    for pk, evidence, charge_id in told.values_list("pk", "entry__evidence", "charge_id"):
        said = _evidence(evidence)
        waiver, recovery = kept.pop(pk, None), recovered.pop(pk, None)
        if "waiver" in said:
            yield from _same(
                f"waiver of charge {charge_id}",
                waiver and (waiver.site_id, waiver.number, waiver.reason.code),
                (site.pk, *(said["waiver"].get(name) for name in ("number", "code"))),
            )
        if "recovery" in said:
            yield from _same(
                f"recovery of charge {charge_id}",
                recovery and (recovery.site_id, recovery.number, recovery.uncollected.charge_id),
                (site.pk, said["recovery"], charge_id),
            )
    for row in [*kept.values(), *recovered.values()]:
        yield Finding("no_record", "No entry says so: it was written past the log.", None, str(row).lower())


def uncollected(site: Any, told: SpooledRecords) -> Iterator[Finding]:
    """Fees that were not collected, against the events that say so."""
    rows = Uncollected.objects.filter(charge__session__table__site=site).order_by("pk")
    kept = {row.event_id: row for row in rows}
    for event in told.of(EVENT, Kind.FEE_UNCOLLECTED):
        row, said = kept.pop(event["id"], None), event["data"]
        names = ("number", "charge", "gaming_day")
        yield from _same(
            f"uncollected fee {said.get('number')}",
            row
            and (
                *(row.site_id, row.number, row.charge_id),
                *(row.gaming_day.isoformat(), moment(row.recorded_at)),
            ),
            (site.pk, *(said.get(name) for name in names), event["recorded_at"]),
        )
    for row in kept.values():
        yield Finding("no_record", "No event says so: it was written past the log.", None, str(row).lower())


def reasons(site: Any, told: SpooledRecords) -> Iterator[Finding]:
    """The published reasons for waiving fees, against the events of publishing and withdrawing them."""
    kept = {row.pk: row for row in WaiverReason.objects.filter(site=site)}
    withdrawn = {
        event["data"].get("reason"): event["data"].get("withdrawn_on") for event in told.of(*WITHDRAWN)
    }
    names = ("code", "text", "approval_reference", "effective_from")
    for event in told.of(*PUBLISHED):
        said = event["data"]
        row = kept.pop(said.get("reason"), None)
        until = row.withdrawn_on.isoformat() if row and row.withdrawn_on else None
        yield from _same(
            f"waiver reason {said.get('code')}",
            row and (row.code, row.text, row.approval_reference, row.effective_from.isoformat(), until),
            (*(said.get(name) for name in names), withdrawn.get(said.get("reason"))),
        )
    for row in kept.values():
        name = f"waiver reason {row.code}"
        yield Finding("no_record", "No event publishes it: it was written past the log.", None, name)


def _same(name: str, row: Any, said: tuple[Any, ...]) -> Iterator[Finding]:
    """One finding where a row is gone, or says otherwise than the log."""
    if row is None:
        yield Finding("row_missing", "the log has it, and its row is gone.", None, name)
    elif row != said:
        yield Finding("row_differs", f"it says {row}, by the log it is {said}.", None, name)


def _events(*kinds: str) -> list[tuple[str, str]]:
    return [(EVENT, kind) for kind in kinds]


QUESTIONS: tuple[tuple[str, Callable[[Any], RowCheck]], ...] = (
    ("game sheets against their hashes", at_end(sheets, *_events(Kind.OPENED))),
    ("openings against their events", at_end(sessions, *_events(*OF_SESSION))),
    ("sittings against their events", at_end(sittings, *_events(Kind.SEATED, Kind.LEFT))),
    ("rounds and hands against their events", RoundRows),
    ("settlements against their entries", SettlementRows),
    ("collections against their entries", at_end(collections)),
    ("waivers and recoveries against their entries", at_end(waivers)),
    ("uncollected fees against their events", at_end(uncollected, *_events(Kind.FEE_UNCOLLECTED))),
    ("reasons for waivers against their events", at_end(reasons, PUBLISHED, WITHDRAWN)),
    ("tokes against their entries", at_end(toke_accounts)),
)


def _named(events: Iterable[Mapping[str, Any]], key: str) -> set[Any]:
    """The ids that these events name."""
    return {event["data"].get(key) for event in events}


def _beside(
    rows: QuerySet[Any], events: Iterator[Mapping[str, Any]], key: str
) -> Iterator[tuple[Any, Mapping[str, Any] | None]]:
    """Every row with what its event says, None where no event names it, and a Finding for events whose row is gone.

    Both come in the order of their ids, which is nearly the same, so that few of them are in memory at a time.
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
            Finding("row_missing", f"the row of table event {pk} is gone.", None, f"{key} {data.get(key)}"),
            None,
        )


def _evidence(text: str) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _without(entries: Any, rows: Any) -> list[int]:
    """Ids of entries that none of these rows names."""
    return list(entries.exclude(pk__in=rows.values("entry_id")).order_by("pk").values_list("pk", flat=True))
