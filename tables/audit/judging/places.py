"""Places on waiting lists, and held seats: each change compared with the record before it. Pure."""

from __future__ import annotations

from typing import Final

from tables.audit.floor.floor import Floor
from tables.audit.judging.contradiction import Contradiction
from tables.audit.records.house_events import PlaceChanged

_BEGINS, _OVER = frozenset(("waiting", "held")), frozenset(("seated", "left"))
_STATES: Final = _BEGINS | _OVER | {"called", "expired"}


def changed(floor: Floor, actor: int | None, data: PlaceChanged) -> None:
    """Judge a change of a place. A contradicted change leaves the place as it was."""
    wrong = _wrong(floor, actor, data)
    if data["state"] in _OVER:
        floor.places.pop(data["place"], None)
    elif not wrong:
        floor.places[data["place"]] = data
    if wrong:
        raise Contradiction("place_differs", wrong)


def _wrong(floor: Floor, actor: int | None, data: PlaceChanged) -> str:
    state, known = data["state"], floor.places.get(data["place"])
    if state not in _STATES or (data["seat"] is not None and data["session"] is None):
        return "It says no state of a place, or a seat at no table."
    if state in ("called", "held") and data["until"] is None:
        return "It does not say until when the seat is held."
    if state == "left" and not data["reason"]:
        return "It does not say why the place was given up."
    if actor is None and state != "expired":
        return "It does not say who did that."
    if data["joined"]:
        return _wrong_beginning(floor, data, taken=known is not None)
    if known is None:
        return f"Place {data['number']} had not been taken, or was over." if floor.whole else ""
    same = _whose(known) == _whose(data)
    return "" if same else f"Place {data['number']} had other values before it than it says."


def _whose(data: PlaceChanged) -> tuple[object, ...]:
    """Return what stays as it is while a place lasts."""
    return data["number"], data["day"], data["player"], data["game"], data["limit_cents"], data["sitting"]


def _wrong_beginning(floor: Floor, data: PlaceChanged, *, taken: bool) -> str:
    last = floor.place_numbers.get(data["day"], 0 if floor.whole else None)
    floor.place_numbers[data["day"]] = data["number"]
    if taken or data["state"] not in _BEGINS:
        return "A place begins on a list or with a held seat, once."
    if last is not None and data["number"] != last + 1:
        return f"It is place {data['number']} of the day; {last + 1} comes next."
    return ""
