"""Rows that can no longer change, compared in blocks of thousands with digests made when they were
verified. PostgreSQL computes the digests itself; on SQLite the rows are read as stored. That takes
microseconds a row, where comparing it with its record takes hundreds."""

import marshal
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from django.apps import apps
from django.db import OperationalError
from django.db.models import Max, Min

from ledger.db import keeping
from ledger.db.columns import columns_of
from ledger.proof.log.following import FollowingRows

BLOCK = 2048  # ids
LATE = 1000  # a row may still be committed so many ids before the last one


class Kept(NamedTuple):
    """What is kept of a table: the last id, the ids up to it that are in no digest, and the blocks. A block
    is its last id and its digest, and begins after the block before it. The first has no lower bound, and
    gaps in the ids belong to a block, so a row inserted later always falls into one."""

    table: str
    columns: list[str]
    last: int
    without: list[int]
    blocks: list[list[Any]]


@dataclass
class Digests:
    connection: Any
    _made: dict[tuple[Any, ...], str] = field(default_factory=dict)

    def keep(self, model: Any, columns: Sequence[str], but: Iterable[int] = ()) -> Kept:
        """Digest a table except the rows `but`. Missing ids near the end may be committed later."""
        last = model._base_manager.aggregate(last=Max("pk"))["last"] or 0
        newest = model._base_manager.filter(pk__gt=last - LATE).values_list("pk", flat=True)
        missing = {*range(max(last - LATE, 0) + 1, last + 1)}.difference(newest)
        table = Kept(model._meta.db_table, list(columns), last, sorted(missing.union(but)), [])
        return table._replace(blocks=[*self._blocks(model, table)])

    def changed(self, rows: dict[str, Any]) -> str:
        """Return the first row that could no longer change but did, in words, or an empty text."""
        for table in map(Kept._make, rows["tables"]):
            begin = None
            for end, before in table.blocks:
                if before != self._as_it_is(table, begin, end):
                    return f"a row of {table.table} {'up' if begin is None else f'from {begin + 1}'} to {end}"
                begin = end
        return ""

    def _as_it_is(self, table: Kept, begin: int | None, end: int) -> str | None:
        try:
            return self._of(table, begin, end)
        except OperationalError:
            return None

    def _blocks(self, model: Any, table: Kept) -> Iterator[list[Any]]:
        """Yield the blocks up to the last id; one without rows reaches to the next row."""
        begin, rows = None, model._base_manager
        while begin is None or begin < table.last:
            end = min((begin or 0) + BLOCK, table.last)
            digest = self._of(table, begin, end)
            if not digest:
                following = rows.filter(pk__gt=end, pk__lte=table.last).aggregate(first=Min("pk"))["first"]
                end = table.last if following is None else following - 1
                digest = self._of(table, begin, end)
            yield [end, digest]
            begin = end

    def _of(self, table: Kept, begin: int | None, end: int) -> str:
        """Return the digest of the rows after `begin` up to `end`, or "" without any."""
        first = bisect_right(table.without, begin) if begin is not None else 0
        but = tuple(table.without[first : bisect_right(table.without, end)])
        key = table.table, *table.columns, begin, end, but
        if key not in self._made:
            self._made[key] = self._digest(table, begin, end, but)
        return self._made[key]

    def _digest(self, table: Kept, begin: int | None, end: int, but: tuple[int, ...]) -> str:
        where = f'"id" <= {end}' if begin is None else f'"id" > {begin} AND "id" <= {end}'
        if but:
            where += f' AND "id" NOT IN ({", ".join(map(str, but))})'
        with self.connection.cursor() as cursor:
            if self.connection.vendor == "postgresql":
                row = ", ".join(f'"{column}"' for column in table.columns)
                text = f"string_agg(ROW({row})::text, E'\\n' ORDER BY \"id\")"
                digest = f"encode(sha256(convert_to({text}, 'UTF8')), 'hex')"
                cursor.execute(f'SELECT {digest} FROM "{table.table}" WHERE {where}')  # noqa: S608
                return cursor.fetchone()[0] or ""
            row = ", ".join(f'+"{column}"' for column in table.columns)  # as it is stored, whatever its type
            cursor.execute(f'SELECT {row} FROM "{table.table}" WHERE {where} ORDER BY "id"')  # noqa: S608
            rows = cursor.fetchall()
            return sha256(marshal.dumps(rows, 2)).hexdigest() if rows else ""


def kept_rows(comparisons: dict[str, FollowingRows], digests: Digests) -> dict[str, Any]:
    """Return what is kept of all rows: digests of those that can no longer change, the others one by one."""
    once = [model for model in keeping.models() if (table := vars(model).get("keeping")) and table.once]
    tables = [digests.keep(model, [column.column for column in columns_of(model)]) for model in once]
    open_rows: dict[str, Any] = {}
    for question, comparison in comparisons.items():
        model = apps.get_model(comparison.follows.model)
        if model in once:
            continue
        rows = comparison.open_rows()
        open_rows[question] = [[pk, values] for pk, values in rows.items()]
        names = comparison.holds[comparison.follows.model] - {"pk"}
        local = (model._meta.get_field(name.removesuffix("_id")).column for name in names)
        columns = sorted({"id", *local})
        tables.append(digests.keep(model, columns, rows))
    return {"tables": [list(table) for table in tables], "open": open_rows}
