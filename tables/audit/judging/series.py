"""Numbers without gaps in the house: of waivers, recoveries, merges, handovers and others. Pure."""

from collections.abc import Callable
from typing import Any, Final

from ledger.records.findings import Body
from tables.audit.floor.floor import Floor, kind_of

_MERGE: Final = "merge"
_SERIES: Final[dict[str, tuple[str, Callable[[Body], Any]]]] = {
    "entry waiver": ("waiver", lambda body: body["evidence"]["waiver"]["number"]),
    "entry collection": ("recovery", lambda body: body["evidence"].get("recovery", ...)),
    "table_event fee_uncollected": ("uncollected fee", lambda body: body["data"]["number"]),
    "player_merge": (_MERGE, lambda body: body["number"]),
    "dispute": ("dispute or complaint", lambda body: body["number"]),
    "house_event": (
        "handover",
        lambda body: body["data"]["number"] if body["kind"] == "handed_over" else ...,
    ),
}
"""The series of a kind of record, and how to read its number; `...` if this record has none."""


def wrong_number(floor: Floor, body: Body) -> str:
    """Return why the number of a record is not the next in its series, or "". After a gap, the number that
    should have come and the one after it are both right; among merges only the latter is."""
    found = _SERIES.get(kind_of(body))
    number = ... if found is None else found[1](body)
    if found is None or number is ...:
        return ""
    if type(number) is not int:
        raise TypeError("a number is a whole number")
    series = found[0]
    awaited = floor.numbers.get(series) or ({1} if floor.whole else {number})
    fits = number in awaited
    floor.numbers[series] = {number + 1} if fits or series == _MERGE else {number + 1, min(awaited) + 1}
    return "" if fits else f"It is {series} {number}; {min(awaited)} comes next."
