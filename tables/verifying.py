"""What the floor brings to the verification of the books: the checks that know the game, and rows without a record.

Rounds, hands, sittings, settlements and collections have no record of their own: what they say follows from the events
and entries that do, and here they are held against them. Nothing is written.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import Any

from django.db.models import QuerySet

from ledger.audit.findings import Check, Finding
from ledger.records import moment, told
from tables.models import (
    Collection,
    Hand,
    Round,
    Schedule,
    Settlement,
    SheetVersion,
    Sitting,
    TableEvent,
    TableSession,
)
from tables.rules.errors import RuleError
from tables.rules.proof.charges import ChargesCheck
from tables.rules.proof.main import checks

AT_ONCE = 1000  # rows in memory
EVENT, Kind = "table_event", TableEvent.Kind


def sheets(site: Any) -> Iterator[Finding]:
    """Kept game sheets: their bytes against their hash, and that against every opening with them."""
    kept = {}
    for sheet in SheetVersion.objects.order_by("pk"):
        kept[sheet.code, sheet.version] = sheet
        if sha256(bytes(sheet.raw)).hexdigest() != sheet.sha256:
            yield Finding(
                "sheet_changed", "its bytes are not those it was kept with.", None, f"sheet {sheet.code}"
            )
    for event in told(site, EVENT, Kind.OPENED):
        said = event["data"]["sheet"]
        sheet = kept.get((said["code"], said["version"]))
        if sheet is None or sheet.sha256 != said["sha256"]:
            name = f"sheet {said['code']} version {said['version']}"
            sentence = f"it is not the one that table event {event['id']} opened with."
            yield Finding("sheet_changed", sentence, None, name)


def sessions(site: Any) -> Iterator[Finding]:
    """Openings of tables against their events."""
    opened = {event["session"]: event["data"] for event in told(site, EVENT, Kind.OPENED)}
    closed = {event["session"] for event in told(site, EVENT, Kind.CLOSED)}
    for session in (
        TableSession.objects.filter(table__site=site).select_related("table", "sheet").order_by("pk")
    ):
        said = opened.get(session.pk)
        found = {
            "table": session.table.number,
            "limit_cents": session.limit_cents,
            "max_buy_in_cents": session.max_buy_in_cents,
            "opener_cents": session.opener_cents,
            "bank_chips": session.bank_chips_id,
            "bank_cash": session.bank_cash_id,
            "sheet": [session.sheet.code, session.sheet.version],
            "schedule": session.schedule_id,
        }
        if said is not None:
            said = {**said, "sheet": [said["sheet"]["code"], said["sheet"]["version"]]}
            said["schedule"] = said["schedule"]["id"]
        yield from _held(f"table session {session.pk}", found, said)
        if (session.closed_at is not None) != (session.pk in closed):
            yield Finding("row_differs", "its closing is not the log's.", None, f"table session {session.pk}")


def sittings(site: Any) -> Iterator[Finding]:
    """Sittings against the events of sitting down and leaving."""
    rows = Sitting.objects.filter(session__table__site=site)
    left = _named(told(site, EVENT, Kind.LEFT), "sitting")
    for sitting, said in _beside(rows, told(site, EVENT, Kind.SEATED), "sitting"):
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
            yield from _held(f"sitting {sitting.pk}", found, said)
            if (sitting.left_at is None) == (sitting.pk in left):
                yield Finding("row_differs", "its end is not the log's.", None, f"sitting {sitting.pk}")


def rounds(site: Any) -> Iterator[Finding]:
    """Rounds and their hands against the events of their start and their end."""
    voided = _named(told(site, EVENT, Kind.ROUND_VOIDED), "round_id")
    rows = Round.objects.filter(session__table__site=site).prefetch_related("hands")
    for round_, said in _beside(rows, told(site, EVENT, Kind.ROUND_STARTED), "round_id"):
        if isinstance(round_, Finding):
            yield round_
        else:
            found = {
                "round": round_.number,
                "button": round_.button_seat,
                "down_id": round_.down_id,
                "hands": [_hand(hand) for hand in round_.hands.all()],
            }
            yield from _held(f"round {round_.pk}", found, said)
            if (round_.state == Round.State.VOID) != (round_.pk in voided):
                yield Finding(
                    "row_differs", "whether it is void is not the log's.", None, f"round {round_.pk}"
                )


def settlements(site: Any) -> Iterator[Finding]:
    """Settlements, and that their rounds are settled, against the entries that paid them."""
    entries = site.entries.filter(kind__in=["round", "correction"], evidence__contains='"round_id"')
    every = entries.order_by("pk").values_list("pk", "evidence").iterator(AT_ONCE)
    first = 0
    while some := [(pk, _evidence(evidence)) for pk, evidence in islice(every, AT_ONCE)]:
        kept = {row.entry_id: row for row in Settlement.objects.filter(entry__in=[pk for pk, _ in some])}
        states = dict(
            Round.objects.filter(pk__in=[said.get("round_id") for _, said in some]).values_list("pk", "state")
        )
        for pk, said in some:
            first += said.get("ordinal") == 1
            row = kept.get(pk)
            if row is None:
                yield Finding("row_missing", "its settlement is gone.", None, f"entry {pk}")
            elif (row.round_id, row.ordinal) != (said.get("round_id"), said.get("ordinal")):
                yield Finding("row_differs", f"it is not what entry {pk} paid.", None, f"settlement {row.pk}")
            if states.get(said.get("round_id")) != Round.State.SETTLED:
                name = f"round {said.get('round_id')}"
                yield Finding("row_differs", f"it is not settled, though entry {pk} paid it.", None, name)
    paid = Settlement.objects.filter(round__session__table__site=site)
    for pk in paid.exclude(entry__in=entries.values("pk")).order_by("pk").values_list("pk", flat=True):
        yield Finding("no_record", "no entry paid it: it was written past the log.", None, f"settlement {pk}")
    settled = Round.objects.filter(session__table__site=site, state=Round.State.SETTLED)
    if settled.count() != first:
        for pk in settled.filter(settlements__isnull=True).values_list("pk", flat=True):
            yield Finding("row_differs", "it is settled, and no entry paid it.", None, f"round {pk}")


def collections(site: Any) -> Iterator[Finding]:
    """Collections against the entries that took them."""
    rows = Collection.objects.filter(charge__session__table__site=site).order_by("entry_id")
    columns = ("pk", "charge_id", "method", "entry_id", "entry__kind", "entry__evidence")
    taken = 0
    for pk, charge_id, method, entry_id, kind, evidence in rows.values_list(*columns).iterator(AT_ONCE):
        taken += 1
        said = _evidence(evidence)
        if kind != "collection" or (said.get("charge"), said.get("method")) != (charge_id, method):
            yield Finding("row_differs", f"it is not what entry {entry_id} took.", None, f"collection {pk}")
    entries = site.entries.filter(kind="collection")
    if entries.count() != taken:
        for pk in _without(entries, Collection.objects):
            yield Finding("row_missing", "its collection is gone.", None, f"entry {pk}")


QUESTIONS: tuple[tuple[str, Callable[[Any], Iterable[Finding]]], ...] = (
    ("game sheets against their hashes", sheets),
    ("openings against their events", sessions),
    ("sittings against their events", sittings),
    ("rounds and hands against their events", rounds),
    ("settlements against their entries", settlements),
    ("collections against their entries", collections),
)


def _hand(hand: Hand) -> dict[str, Any]:
    return {
        "position": hand.position,
        "seat": hand.seat,
        "sitting": hand.sitting_id,
        "stack_cents": hand.stack_cents,
        "fantasy_land": hand.fantasy_land,
    }


def _held(name: str, found: Mapping[str, Any], said: Mapping[str, Any] | None) -> Iterator[Finding]:
    """One finding where a row is not what its event says, with the first thing that differs."""
    if said is None:
        yield Finding("no_record", "there is a row, and no event: it was written past the log.", None, name)
        return
    for key, value in found.items():
        if said.get(key) != value:
            yield Finding(
                "row_differs", f"its {key} is {value}, by the log it is {said.get(key)}.", None, name
            )
            return


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


def game_checks(site: Any, *, whole: bool) -> list[Check]:
    """The checks that know the game: rounds worked out from their cards, fees from their times."""
    try:
        return checks(kept_sheets(site), whole=whole)
    except (
        RuleError
    ):  # a sheet that is none any more is named by `sheets`, and no round can be worked out from it
        return [ChargesCheck(whole=whole)]


# -- what goes into an export ---------------------------------------------------------------------------------


def kept_sheets(site: Any) -> dict[tuple[str, int], bytes]:
    """The game sheets that tables of this house were opened with: {(code, version): bytes}."""
    used = SheetVersion.objects.filter(pk__in=TableSession.objects.filter(table__site=site).values("sheet"))
    return {(sheet.code, sheet.version): bytes(sheet.raw) for sheet in used}


def published_schedules(site: Any) -> Iterator[dict[str, Any]]:
    """Every rate that the house has published, in the order of publishing."""
    for schedule in Schedule.objects.filter(site=site).order_by("pk"):
        yield {
            "id": schedule.pk,
            "option": schedule.option,
            "version": schedule.version,
            "limit_cents": schedule.limit_cents,
            "fee_cents": schedule.fee_cents,
            "approval_reference": schedule.approval_reference,
            "effective_from": schedule.effective_from.isoformat(),
        }
