"""Audit records: the exact text of every event, written with it and rebuilt later from the rows it
describes. An app registers its insert-once rows and the content of their records. The same function serves
`keep`, when a row is written, and `rebuilt`, when row and record are compared."""

import json
from collections import defaultdict, namedtuple
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from django.core.checks import Error
from django.db.models import DateField, DateTimeField, DecimalField, ForeignKey, JSONField, Model

from ledger.db import keeping
from ledger.db.columns import columns_of, field_at
from ledger.db.compiled import adapted, executed, placeholders, vendor
from ledger.db.packed_text import stored, unpacked
from ledger.db.stored_rows import StoredRows
from ledger.models import AuditRecord, JournalEntry, Transfer, record_of as record_of
from ledger.records import canonical, declaring
from ledger.records.declaring import Field
from ledger.records.findings import UNREADABLE, name_of

ENTRY, ENTRY_VERSION = "entry", 1
AT_ONCE = 500  # records in memory
COLUMNS = "site_id, kind, subject, recorded_at, text"


@dataclass(frozen=True)
class Recorded:
    """One kind of record: its model, its version, and what it contains besides id, site and time. `related`
    are the related rows it reads, all insert-once. `borrowed` are the keys whose values come from those: if
    only these differ, the related row was changed. `free` are the keys whose values are free-form JSON."""

    kind: str
    model: type[Model]
    body: Callable[[Any], Mapping[str, Any]]
    version: int = 1
    related: tuple[str, ...] = ()
    borrowed: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()


class StoredRecord(NamedTuple):
    """An audit record as stored, with columns of `AuditRecord`; `subject` is the id of its row."""

    pk: int
    site_id: int
    kind: str
    subject: int
    recorded_at: datetime
    text: str

    def __str__(self) -> str:
        return name_of({"record": self.kind, "id": self.subject})


_kinds: dict[str, Recorded] = {}
_NO_TEXT = "no text of a record"
_models: dict[type[Model], Recorded] = {}


def register(recorded: Recorded) -> None:
    _kinds[recorded.kind] = _models[recorded.model] = recorded


def kinds() -> list[str]:
    return [ENTRY, *_kinds]


def rows_of(kind: str) -> Any:
    """Return all rows that must have a record of this kind."""
    return (JournalEntry if kind == ENTRY else _kinds[kind].model)._default_manager.all()


@lru_cache(maxsize=1024)
def moment(at: datetime | str) -> str:
    """Format a datetime, or SQLite's stored text of one, as records have it: UTC with microseconds."""
    if isinstance(at, str):
        return f"{at[:10]}T{at[11:]}{_NO_MICROSECONDS if len(at) == _WHOLE_SECONDS else ''}Z"
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"


_NO_MICROSECONDS, _WHOLE_SECONDS = ".000000", len("2026-03-07 20:00:00")


def moment_or_none(at: datetime | str | None) -> str | None:
    return None if at is None else moment(at)


def borrowed(kind: str) -> frozenset[str]:
    """Return the keys of a record whose values come from another recorded row."""
    return _kinds[kind].borrowed if kind in _kinds else frozenset()


def keep(site_id: int, now: datetime, *rows: Any) -> None:
    """Write the records of rows just written, in this order, in the same transaction."""
    texts = []
    for row in rows:
        recorded = _models[type(row)]
        body = _body(recorded, row, site_id, now)
        body |= {name: plain(body[name]) for name in recorded.free if name in body}
        texts.append((recorded.kind, row.pk, f"[{recorded.version},{canonical.text(body)}]"))
    insert(site_id, now, texts)


def insert(site_id: int, now: datetime, texts: Sequence[tuple[str, int, str]]) -> None:
    """Write records whose text is known: (kind, id of the row, text)."""
    at, database = adapted(now), vendor()
    rows = [(site_id, kind, subject, at, stored(text, database)) for kind, subject, text in texts]
    waiting = _waiting.get()
    if waiting is None:
        _write(rows)
    else:
        waiting += rows


_waiting: ContextVar[list[tuple[Any, ...]] | None] = ContextVar("waiting", default=None)


@contextmanager
def together() -> Iterator[None]:
    """Write the records of the whole block in one statement at its end, in the same order. For a verb that
    writes rows of several kinds in one transaction, and reads none of their records."""
    token = _waiting.set([])
    try:
        yield
        write_waiting()
    finally:
        _waiting.reset(token)


def write_waiting() -> None:
    """Write the records that wait for the end of `together`, before others that are written without it."""
    waiting = _waiting.get()
    if waiting:
        _write(waiting)
        waiting.clear()


def _write(rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        sql = f"INSERT INTO ledger_auditrecord ({COLUMNS}) VALUES {placeholders(len(rows), 5)}"  # noqa: S608
        executed(sql, [value for row in rows for value in row])


def kept_last(site_id: int, kind: str, most: int) -> dict[int, datetime]:
    """Return when the newest records of a kind were written, by the id of their row."""
    records = AuditRecord.objects.filter(site=site_id, kind=kind).order_by("-pk")
    return dict(records.values_list("subject", "recorded_at")[:most])


def rebuilt(records: Iterable[AuditRecord | StoredRecord]) -> dict[int, str | None]:
    """Return record id -> the text that today's rows give; None if the row is gone or the kind unknown. If
    rows cannot be read together, each is read alone; an unreadable one gives a text that no record has."""
    by_kind: defaultdict[str, list[AuditRecord | StoredRecord]] = defaultdict(list)
    for record in records:
        by_kind[record.kind].append(record)
    texts: dict[int, str | None] = {}
    for kind, alike in by_kind.items():
        try:
            texts |= _rebuilt_alike(kind, alike)
        except UNREADABLE:
            for record in alike:
                texts[record.pk] = _rebuilt_alone(record)
    return texts


def _rebuilt_alike(kind: str, records: Sequence[AuditRecord | StoredRecord]) -> dict[int, str | None]:
    return _rebuilt_entries(records) if kind == ENTRY else _rebuilt_rows(kind, records)


def _rebuilt_alone(record: AuditRecord | StoredRecord) -> str | None:
    try:
        return _rebuilt_alike(record.kind, [record])[record.pk]
    except UNREADABLE:
        return _NO_TEXT


def _rebuilt_rows(kind: str, records: Sequence[AuditRecord | StoredRecord]) -> dict[int, str | None]:
    texts: dict[int, str | None] = dict.fromkeys([record.pk for record in records])
    recorded = _kinds.get(kind)
    if recorded is not None:
        rows = _read(recorded.model, [record.subject for record in records], recorded.related)
        for record in records:
            if (row := rows.get(record.subject)) is not None:
                texts[record.pk] = _text_of_row(recorded, row, record)
    return texts


def _text_of_row(recorded: Recorded, row: Any, record: AuditRecord | StoredRecord) -> str:
    """Return the text that a row gives; for an unreadable column, one that no record has."""
    try:
        body = _body(recorded, row, record.site_id, record.recorded_at)
        return f"[{recorded.version},{canonical.unchecked(body)}]"
    except UNREADABLE:
        return _NO_TEXT


def _read(model: type[Model], ids: Collection[int], related: tuple[str, ...] = ()) -> dict[int, Any]:
    """Return rows by id as named tuples with related rows; a row that lacks one is left out."""
    make, stored, others = _reader(model, related)
    rows = {values[0]: values for values in stored.of(ids)}
    for other, at in others:
        there = _read(other, {values[at] for values in rows.values()})
        rows = {pk: (*values, there[values[at]]) for pk, values in rows.items() if values[at] in there}
    return {pk: make(values) for pk, values in rows.items()}


@cache
def _reader(model: Any, related: tuple[str, ...]) -> tuple[Any, StoredRows, list[tuple[Any, int]]]:
    names = ["pk", *(column.attname for column in columns_of(model))]
    keys = [model._meta.get_field(name) for name in related]
    others = [(key.related_model, names.index(key.attname)) for key in keys]
    row: Any = namedtuple(model.__name__, [*names, *related])  # type: ignore[misc]
    return row._make, StoredRows(model, names), others


def _body(recorded: Recorded, row: Any, site_id: int, recorded_at: datetime) -> dict[str, Any]:
    return {
        "record": recorded.kind,
        "id": row.pk,
        "site": getattr(row, "site_id", site_id),
        "recorded_at": moment(getattr(row, "recorded_at", recorded_at)),
        **recorded.body(row),
    }


# -- entries -------------------------------------------------------------------------------------------------

Line = tuple[str, int, int, str, int, str]
"""A transfer as its record contains it: asset, cents, source, kind of source, target, kind of target."""


_EVIDENCE = "\0"  # a placeholder that no record's text contains


def entry_text(entry: JournalEntry, lines: Iterable[Line], recorded: str) -> str:
    """Return the record of an entry and its transfers. Evidence has no row, so it comes from `recorded`."""
    before, after = entry_text_around(entry, _EVIDENCE, lines)
    before, after = f"{before}{entry.pk}{after}".split(_EVIDENCE)
    if recorded.startswith(before) and recorded.endswith(after):
        return recorded
    try:
        evidence = canonical.unchecked(evidence_in(recorded))
    except (ValueError, LookupError, TypeError):
        evidence = "null"
    return f"{before}{evidence}{after}"


def evidence_in(recorded: str | bytes) -> dict[str, Any]:
    """Return the evidence in the text of an entry's record, which may be packed as stored."""
    evidence: dict[str, Any] = json.loads(unpacked(recorded))[1]["evidence"]
    return evidence


def entry_text_around(entry: JournalEntry, evidence: str, lines: Iterable[Line]) -> tuple[str, str]:
    """Return the record of an entry as the text before and after its id, which it may not have yet. Built by
    string formatting because every settled round passes here."""
    transfers = ",".join(
        f'{{"asset":"{asset}","cents":{cents},"from":{source},"from_kind":"{source_kind}",'
        f'"to":{target},"to_kind":"{target_kind}"}}'
        for asset, cents, source, source_kind, target, target_kind in lines
    )
    text = canonical.text
    return (
        f'[{ENTRY_VERSION},{{"actor":{entry.actor_id},"approver":{_or_null(entry.approver_id)}'
        f',"content_hash":"{entry.content_hash}","evidence":{evidence}'
        f',"gaming_day":"{entry.gaming_day.isoformat()}","id":'
    ), (
        f',"key":{text(entry.key)}'
        f',"kind":"{entry.kind}","occurred_at":"{moment(entry.occurred_at)}","reason":{text(entry.reason)}'
        f',"record":"{ENTRY}","recorded_at":"{moment(entry.recorded_at)}"'
        f',"reverses":{_or_null(entry.reverses_id)}'
        f',"site":{entry.site_id},"terminal":{text(entry.terminal)},"transfers":[{transfers}]}}]'
    )


def _or_null(number: int | None) -> str:
    return "null" if number is None else str(number)


def _rebuilt_entries(records: Sequence[AuditRecord | StoredRecord]) -> dict[int, str | None]:
    entries = _read(JournalEntry, [record.subject for record in records])
    lines: defaultdict[int, list[Line]] = defaultdict(list)
    for row in _transfers().of(entries):
        before, number = lines[row[0]], row[1]
        # A missing or misplaced line must give a different text than the record has.
        if number != len(before) + 1:
            before.append(_NO_LINE)
        before.append(row[2:])
    return {
        record.pk: entry_text(entries[record.subject], lines[record.subject], record.text)
        if record.subject in entries
        else None
        for record in records
    }


@cache
def _transfers() -> StoredRows:
    columns = ("asset", "cents", "source_id", "source__kind", "target_id", "target__kind")
    return StoredRows(Transfer, ("entry_id", "line", *columns), by="entry_id", order=("entry_id", "line"))


_NO_LINE: Line = ("", 0, 0, "", 0, "")


# -- the other rows of the books -----------------------------------------------------------------------------


def plain(data: Any) -> Any:
    """Return data as a JSON column returns it: numeric keys become strings, tuples become lists."""
    return json.loads(json.dumps(data))


def of_row(kind: str, model: type[Model], **texts: Callable[[Any], Any]) -> Recorded:
    """Return a kind of record with the declared content: related rows by id; times, days and choices as
    texts. `texts` converts other columns, by name. A field that may be absent is left out for NULL."""
    declared = declaring.own_fields(kind)
    leaves = list(_leaves(model, declared))
    may_be_absent = [one.name for one in declared if not one.required]
    read = attrgetter(*(leaf.attribute for leaf in leaves))
    keys = [leaf.key for leaf in leaves]
    of_texts = {leaf.key: leaf.text for leaf in leaves if leaf.text is not None}
    of_texts |= {(name,): text for name, text in texts.items()}
    several = [(key, of_texts.get(key)) for key in keys]
    reached = [leaf for leaf in leaves if "." in leaf.attribute]

    def body(row: Any) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for ((first, *rest), text), value in zip(several, read(row), strict=True):
            inside = data.setdefault(first, {}) if rest else data
            inside[rest[0] if rest else first] = value if text is None else text(value)
        for name in may_be_absent:
            if data[name] is None:
                del data[name]
        return data

    return Recorded(
        kind,
        model,
        body if len(leaves) > 1 else lambda row: {keys[0][0]: read(row)},
        related=tuple(dict.fromkeys(leaf.attribute.partition(".")[0] for leaf in reached)),
        borrowed=frozenset(leaf.key[0] for leaf in reached),
        free=frozenset(leaf.key[0] for leaf in leaves if leaf.is_free),
    )


class _Leaf(NamedTuple):
    """A value of a record: its path, the row's attribute, and what converts it to text, if anything."""

    key: tuple[str, ...]
    attribute: str
    text: Callable[[Any], Any] | None
    is_free: bool


def _leaves(
    model: Any, declared: Iterable[Field], above: str = "", key: tuple[str, ...] = ()
) -> Iterator[_Leaf]:
    for one in declared:
        path = next((column.path for column in one.columns if not column.of), one.name)
        column = field_at(model, path)
        if isinstance(column, ForeignKey) and one.look.forms:
            (inside,) = one.look.forms
            yield from _leaves(column.related_model, inside.fields.values(), f"{path}.", (one.name,))
            continue
        attribute = ".".join([*path.split("__")[:-1], column.attname])
        yield _Leaf((*key, one.name), above + attribute, _text_of(column), isinstance(column, JSONField))


def _text_of(field: Any) -> Callable[[Any], Any] | None:
    if isinstance(field, DateTimeField):
        return moment_or_none if field.null else moment
    if isinstance(field, DecimalField):
        places = field.decimal_places
        return lambda number: None if number is None else f"{Decimal(number):.{places}f}"
    if isinstance(field, DateField):
        return (lambda day: day and day.isoformat()) if field.null else date.isoformat
    return str if field.choices else None


def _parsed(text: str) -> Any:
    """Read the totals or balances of a closed day; other text is returned, which no record has."""
    try:
        return json.loads(text)
    except ValueError:
        return text


_TEXTS: dict[str, dict[str, Callable[[Any], Any]]] = {"closed_day": {"totals": _parsed, "balances": _parsed}}


def register_own(app: str) -> None:
    """Register the rows of an app that have a record of their own, by `keeping` on each model."""
    for kind, model in keeping.recorded_in(app):
        register(of_row(kind, model, **_TEXTS.get(kind, {})))


# -- how every model is kept ---------------------------------------------------------------------------------


def check_models(app_configs: Any = None, **_: Any) -> list[Error]:
    """Return an error for each model that does not say how it is kept, or names unknown records."""
    known, errors = set(kinds()), []
    for model in keeping.models():
        declared = vars(model).get("keeping")
        if not isinstance(declared, keeping.Keeping):
            errors.append(_error(model, "does not say how its rows are kept.", "ledger.E010"))
        elif not declared.records and not declared.why:
            errors.append(_error(model, "names no audit record, and no reason for that.", "ledger.E011"))
        elif unknown := set(declared.records) - known:
            errors.append(
                _error(model, f"names records that nobody writes: {sorted(unknown)}.", "ledger.E012")
            )
        elif declared.once and keeping.numbered_from_one(model._meta.db_table) not in model._meta.constraints:
            errors.append(_error(model, "lets a row be numbered 0 or less.", "ledger.E013"))
    return errors


def _error(model: Any, what: str, code: str) -> Error:
    hint = (
        "Give the class a `keeping`: written_once(...), with numbered_from_one(...) among its constraints,"
        " or mutable(...), from ledger/db/keeping.py."
    )
    return Error(f"{model.__name__} {what}", hint=hint, obj=model, id=code)
