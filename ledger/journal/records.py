"""Audit records: the exact text of every event, written with it, and made again from the rows that it was written for.

An app registers its insert-once rows with what their record says. Both ways lead through the same function: `keep` when
the row is written, `rebuilt` when somebody asks whether row and record still agree.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.db import connection

from ledger.audit.findings import name_of
from ledger.audit.tree import canonical
from ledger.models import (
    AuditRecord,
    ClosedDay,
    Count,
    DropSignOff,
    HouseEvent,
    JournalEntry,
    Transfer,
    Withheld,
)

ENTRY, ENTRY_VERSION = "entry", 1
AT_ONCE = 500  # records in memory
COLUMNS = "site_id, kind, subject, recorded_at, text"


@dataclass(frozen=True)
class Recorded:
    """One kind of record: of which rows, in which version, and what it says of one beside its id, site and time.

    `related` are the rows that it reads as well; only insert-once ones may be among them. `borrowed` are the keys of
    what these say: where nothing else differs, the related row was changed, and not this one. `free` are the keys of what
    has no form but that of a JSON column.
    """

    kind: str
    model: type
    body: Callable[[Any], Mapping[str, Any]]
    version: int = 1
    related: tuple[str, ...] = ()
    borrowed: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()


class Kept(NamedTuple):
    """A record as it is kept: of which row it is, and its text. Its names are columns of `AuditRecord`."""

    pk: int
    site_id: int
    kind: str
    subject: int
    recorded_at: datetime
    text: str

    def __str__(self) -> str:
        return name_of({"record": self.kind, "id": self.subject})


_kinds: dict[str, Recorded] = {}
_models: dict[type, Recorded] = {}


def register(recorded: Recorded) -> None:
    """Make a kind of record known. Called from AppConfig.ready."""
    _kinds[recorded.kind] = _models[recorded.model] = recorded


def kinds() -> list[str]:
    """Every kind of record there is."""
    return [ENTRY, *_kinds]


def rows_of(kind: str) -> Any:
    """All rows that must have a record of this kind."""
    return (JournalEntry if kind == ENTRY else _kinds[kind].model).objects.all()


@lru_cache(maxsize=1024)
def moment(at: datetime) -> str:
    """A moment as records write it: UTC, with six digits behind the second, whatever zone it came in."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"


def moment_or_none(at: datetime | None) -> str | None:
    """As `moment`; None where there is none."""
    return None if at is None else moment(at)


def borrowed(kind: str) -> frozenset[str]:
    """The keys of a record that repeat what another recorded row says."""
    return _kinds[kind].borrowed if kind in _kinds else frozenset()


def told(site: Any, record: str, kind: str) -> Iterator[dict[str, Any]]:
    """The bodies of the records of events of one kind, in the order in which they were written: what was told then."""
    texts = AuditRecord.objects.filter(site=site, kind=record, text__contains=f'"kind":"{kind}"')
    for text in texts.order_by("pk").values_list("text", flat=True).iterator(AT_ONCE):
        try:
            body = json.loads(text)[1]
        except (ValueError, IndexError, TypeError):
            continue  # whoever verifies names it by itself
        if isinstance(body, dict) and body.get("kind") == kind and isinstance(body.get("data"), dict):
            yield body


def keep(site_id: int, now: datetime, *rows: Any) -> None:
    """Write the records of rows that have just been written, in this order, in the same transaction."""
    texts = []
    for row in rows:
        recorded = _models[type(row)]
        body = _body(recorded, row, site_id, now)
        body |= {name: plain(body[name]) for name in recorded.free}
        texts.append((recorded.kind, row.pk, f"[{recorded.version},{canonical.text(body)}]"))
    insert(site_id, now, texts)


def insert(site_id: int, now: datetime, texts: Sequence[tuple[str, int, str]]) -> None:
    """Write records of which the text is known: (kind, id of the row, text)."""
    if not texts:
        return
    at = connection.ops.adapt_datetimefield_value(now)
    rows = ", ".join(["(%s, %s, %s, %s, %s)"] * len(texts))
    values = [value for kind, subject, text in texts for value in (site_id, kind, subject, at, text)]
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO ledger_auditrecord ({COLUMNS}) VALUES {rows}", values)  # noqa: S608


def rebuilt(records: Iterable[AuditRecord | Kept]) -> dict[int, str | None]:
    """Record id -> what its text has to be by the rows of today, None where its row is gone or its kind unknown."""
    by_kind: defaultdict[str, list[AuditRecord | Kept]] = defaultdict(list)
    for record in records:
        by_kind[record.kind].append(record)
    texts: dict[int, str | None] = {}
    for kind, alike in by_kind.items():
        texts |= _rebuilt_entries(alike) if kind == ENTRY else _rebuilt_rows(kind, alike)
    return texts


def _rebuilt_rows(kind: str, records: Sequence[AuditRecord | Kept]) -> dict[int, str | None]:
    texts: dict[int, str | None] = dict.fromkeys([record.pk for record in records])
    recorded = _kinds.get(kind)
    if recorded is not None:
        rows = _read(recorded.model, [record.subject for record in records], recorded.related)
        for record in records:
            if (row := rows.get(record.subject)) is not None:
                body = _body(recorded, row, record.site_id, record.recorded_at)
                texts[record.pk] = f"[{recorded.version},{canonical.unchecked(body)}]"
    return texts


def _read(model: type, ids: Sequence[int], related: Sequence[str] = ()) -> dict[int, Any]:
    """Rows by id. Those that need no others come as plain tuples with the names of their columns, which is quicker."""
    found = model._default_manager.filter(pk__in=ids)  # type: ignore[attr-defined]
    if related:
        return {row.pk: row for row in found.select_related(*related)}
    names = [column.attname for column in model._meta.concrete_fields]  # type: ignore[attr-defined]
    return {row.pk: row for row in found.values_list("pk", *names, named=True)}


def _body(recorded: Recorded, row: Any, site_id: int, recorded_at: datetime) -> dict[str, Any]:
    return {
        "record": recorded.kind,
        "id": row.pk,
        "site": getattr(row, "site_id", site_id),
        "recorded_at": moment(getattr(row, "recorded_at", recorded_at)),
        **recorded.body(row),
    }


# -- entries --------------------------------------------------------------------------------------------------

Line = tuple[str, int, int, str, int, str]
"""A transfer as its record has it: asset, cents, from, its kind of account, to, its kind."""


def entry_text(entry: JournalEntry, lines: Iterable[Line]) -> str:
    """The record of an entry and its transfers."""
    before, after = entry_text_around(entry, lines)
    return f"{before}{entry.pk}{after}"


def entry_text_around(entry: JournalEntry, lines: Iterable[Line]) -> tuple[str, str]:
    """What stands before and after the id in the record of an entry, which may have none yet.

    Assembled from texts: every settled round passes through here.
    """
    transfers = ",".join(
        f'{{"asset":"{asset}","cents":{cents},"from":{source},"from_kind":"{source_kind}",'
        f'"to":{target},"to_kind":"{target_kind}"}}'
        for asset, cents, source, source_kind, target, target_kind in lines
    )
    text = canonical.text
    return (
        f'[{ENTRY_VERSION},{{"actor":{entry.actor_id},"approver":{_or_null(entry.approver_id)}'
        f',"content_hash":"{entry.content_hash}","evidence":{entry.evidence}'
        f',"gaming_day":"{entry.gaming_day.isoformat()}","id":'
    ), (
        f',"key":{text(entry.key)}'
        f',"kind":"{entry.kind}","occurred_at":"{moment(entry.occurred_at)}","reason":{text(entry.reason)}'
        f',"record":"{ENTRY}","recorded_at":"{moment(entry.recorded_at)}","reverses":{_or_null(entry.reverses_id)}'
        f',"site":{entry.site_id},"terminal":{text(entry.terminal)},"transfers":[{transfers}]}}]'
    )


def _or_null(number: int | None) -> str:
    return "null" if number is None else str(number)


def _rebuilt_entries(records: Sequence[AuditRecord | Kept]) -> dict[int, str | None]:
    entries = _read(JournalEntry, [record.subject for record in records])
    lines: defaultdict[int, list[Line]] = defaultdict(list)
    found = Transfer.objects.filter(entry__in=list(entries)).order_by("entry_id", "line")
    columns = ("asset", "cents", "source_id", "source__kind", "target_id", "target__kind")
    for row in found.values_list("entry_id", "line", *columns):
        before, number = lines[row[0]], row[1]
        # A line that is missing, or stands elsewhere, makes another record than the one that was written.
        if number != len(before) + 1:
            before += [_NO_LINE] * (number - 1 - len(before))
        before.append(row[2:])
    return {
        record.pk: entry_text(entries[record.subject], lines[record.subject])
        if record.subject in entries
        else None
        for record in records
    }


_NO_LINE: Line = ("", 0, 0, "", 0, "")


# -- the other rows of the books ------------------------------------------------------------------------------


def plain(data: Any) -> Any:
    """Data as its JSON column gives it back: numbers that are keys become texts, tuples lists."""
    return json.loads(json.dumps(data))


def _house_event(event: HouseEvent) -> dict[str, Any]:
    return {
        "kind": str(event.kind),
        "at": moment(event.at),
        "actor": event.actor_id,
        "terminal": event.terminal,
        "data": event.data,
    }


def _count(count: Count) -> dict[str, Any]:
    return {
        "box": count.box_id,
        "counter": count.counter_id,
        "attempt": count.attempt,
        "chips_cents": count.chips_cents,
        "cash_cents": count.cash_cents,
        "key": count.key,
        "counted_at": moment(count.counted_at),
    }


def _sign_off(signed: DropSignOff) -> dict[str, Any]:
    return {
        "box": signed.box_id,
        "entry": signed.entry_id,
        "expected_chips": signed.expected_chips,
        "expected_cash": signed.expected_cash,
        "counted_chips": signed.counted_chips,
        "counted_cash": signed.counted_cash,
        "cause": signed.cause,
        "signed_by": signed.signed_by_id,
        "signed_at": moment(signed.signed_at),
    }


def _closed_day(closed: ClosedDay) -> dict[str, Any]:
    return {
        "gaming_day": closed.gaming_day.isoformat(),
        "closed_at": moment(closed.closed_at),
        "closed_by": closed.closed_by_id,
        "key": closed.key,
        "terminal": closed.terminal,
        "entries": closed.entries,
        "totals": json.loads(closed.totals),
    }


def _withheld(withheld: Withheld) -> dict[str, Any]:
    return {"what": str(withheld.what), "commitment": withheld.commitment}


def register_books() -> None:
    """Make the kinds of record known that the books themselves write."""
    register(Recorded("house_event", HouseEvent, _house_event, free=frozenset({"data"})))
    register(Recorded("count", Count, _count))
    register(Recorded("sign_off", DropSignOff, _sign_off))
    register(Recorded("withheld", Withheld, _withheld))
    register(Recorded("closed_day", ClosedDay, _closed_day))
