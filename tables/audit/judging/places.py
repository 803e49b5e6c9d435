"""Places on waiting lists, and held seats: each change compared with the record before it. Pure."""

from typing import Final

from tables.audit.floor.floor import Floor
from tables.audit.floor.house import moment
from tables.audit.judging.contradiction import Contradiction
from tables.audit.records.house_events import PlaceChanged
from tables.rules.table.waits import COMING, MORE, OFF, PAGE_LASTS, TAKEN_OFF, may_say

_BEGINS, _OVER = frozenset(("waiting", "held")), frozenset(("seated", "left"))
_STATES: Final = _BEGINS | _OVER | {"called", "expired"}


def changed(floor: Floor, actor: int | None, data: PlaceChanged, at: str) -> None:
    """Judge a change of a place. A contradicted change leaves the place as it was."""
    wrong = _wrong(floor, actor, data) or _wrong_words(floor.places.get(data["place"]), actor, data, at)
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
    if data["joined"]:
        return _wrong_beginning(floor, data, taken=known is not None)
    if known is None:
        return f"Place {data['number']} had not been taken, or was over." if floor.whole else ""
    same = _whose(known) == _whose(data)
    return "" if same else f"Place {data['number']} had other values before it than it says."


def _wrong_words(known: PlaceChanged | None, actor: int | None, data: PlaceChanged, at: str) -> str:
    """Say what is wrong with what a player said on the page of a place; staff make that page."""
    made, words = data.get("page_at"), (data.get("coming_at"), data.get("more_at"))
    before = (known.get("page_at"), known.get("coming_at"), known.get("more_at")) if known else (None,) * 3
    if actor is None and data["state"] != "expired":
        by_player = made and not data["joined"]
        return _wrong_answer(known, data, at) if by_player else "It does not say who did that."
    if known is None and not data["joined"]:
        return ""
    if made != before[0] and (actor is None or made != at):
        return "A player's page was made at another time than it says."
    if words not in ((None, None), before[1:]):
        return "Nobody but the player says that they come, or asks for more time."
    return ""


def _wrong_answer(known: PlaceChanged | None, data: PlaceChanged, at: str) -> str:
    made = moment(data.get("page_at") or at)
    if not made <= moment(at) < made + PAGE_LASTS:
        return "The player's page was over."
    if known is None:
        return ""
    words = {COMING: {"coming_at": at}, MORE: {"more_at": at}, OFF: {"state": "left", "reason": TAKEN_OFF}}
    until, state = known["until"], known["state"]
    if state in ("called", "held") and until is not None and moment(until) <= moment(at):
        state = "expired"
    coming, more = known.get("coming_at") is not None, known.get("more_at") is not None
    may = [{**known, "joined": False, **words[one]} for one in may_say(state, coming=coming, more=more)]
    return "" if data in may else "That is nothing a player may say of a place as it was."


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
