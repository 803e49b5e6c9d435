"""Places on waiting lists, and held seats: each change compared with the record before it. Pure."""

from typing import Any, Final

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.sitting import Body

_SAME: Final = ("number", "day", "player", "game", "limit_cents", "sitting")
_BEGINS, _OVER = frozenset(("waiting", "held")), frozenset(("seated", "left"))
_STATES: Final = _BEGINS | _OVER | {"called", "expired"}


def changed(floor: Floor, body: Body) -> Problems:
    data = body["data"]
    wrong = _wrong(floor, body, data)
    if data.get("state") in _OVER:
        floor.places.pop(data.get("place"), None)
    elif not wrong:
        floor.places[data["place"]] = tuple(data[name] for name in _SAME)
    if wrong:
        yield Problem("place_differs", wrong)


def _wrong(floor: Floor, body: Body, data: dict[str, Any]) -> str:
    state, known = data["state"], floor.places.get(data["place"])
    if state not in _STATES or (data["seat"] is not None and data["session"] is None):
        return "It says no state of a place, or a seat at no table."
    if state in ("called", "held") and data["until"] is None:
        return "It does not say until when the seat is held."
    if state == "left" and not data["reason"]:
        return "It does not say why the place was given up."
    if body["actor"] is None and state != "expired":
        return "It does not say who did that."
    if data["joined"]:
        return _joined(floor, data, state, taken=known is not None)
    if known is None:
        return f"Place {data['number']} had not been taken, or was over." if floor.whole else ""
    same = known == tuple(data[name] for name in _SAME)
    return "" if same else f"Place {data['number']} was otherwise before it than it says."


def _joined(floor: Floor, data: dict[str, Any], state: str, *, taken: bool) -> str:
    last = floor.place_numbers.get(data["day"], 0 if floor.whole else None)
    floor.place_numbers[data["day"]] = data["number"]
    if taken or state not in _BEGINS:
        return "A place begins on a list or with a held seat, once."
    if last is not None and data["number"] != last + 1:
        return f"It is place {data['number']} of the day; {last + 1} comes next."
    return ""
