"""What a dealer's tablet works out by itself while the house is out of reach: a round's answer, and the next
round after it. The tablet runs this file as it is, with the rules; it knows no row and no clock, and what it
says is settled by nobody. What the house told last goes in, in the form of its API."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Any, Final

from ledger.money import amount_text, exact_cents, net_cents_of
from ledger.rules.phrasebook import Phrasebook, texts_of
from tables.rounds.checked import check_hands, score_hands
from tables.rules.game.rounds import Library, Sheet, parse_sheet
from tables.rules.table import buy_ins, dealing, eligibility

Json = dict[str, Any]
KEPT: Final = ("sitting_out", "fee_due")
"""Why a seat waits that only the house can change."""


@dataclass(frozen=True, slots=True)
class TabletHand:
    seat: int
    position: int
    stack_cents: int
    fantasy_land: bool


def check(sheet: Sheet, round_: Json, entered: Sequence[Mapping[str, Any]]) -> Json:
    """Return what the house's check of a draft returns, of a round as the API shows it."""
    hands = [
        TabletHand(one["seat"], one["position"], exact_cents(one["stack"]), one["fantasy_land"])
        for one in round_["hands"]
    ]
    about = {
        "sheet": sheet.code,
        "version": sheet.version,
        "limit": round_["limit"],
        "button": round_["button"],
        **({"pair_stakes": round_["pair_stakes"]} if round_["pair_stakes"] else {}),
    }
    own = Library.of(sheet)
    checked = check_hands(hands, entered, sheet, lambda whole: score_hands(about, hands, whole, own)[1])
    return checked.as_json(0)


def plan(sheet: Sheet, before: Json, declined: Collection[int]) -> Json:
    """Return the next round as it would start with these players declining: the house's plan of before, or
    one that `after` made (R35, R50, R51, R53). `first` is the seat from which the button goes on."""
    limit = exact_cents(before["limit"])
    seats = sorted((*before["dealt_in"], *before["waiting"]), key=lambda seat: int(seat["seat"]))
    waits = {seat["seat"]: _why_it_waits(seat, limit, declined) for seat in seats}
    eligible = [seat for seat, reason in waits.items() if reason is None]
    problem = eligibility.why_no_round(eligibility.TableNow(), len(eligible))
    first = before.get("first") or before["button"]
    button, order, turn = None, [], None
    if problem is None:
        button = dealing.button_seat(eligible, dealing.LastButton(first or min(eligible), voided=True))
        order = dealing.dealt_in(eligible, button, sheet.hands_per_player)
        turn = eligibility.waits_its_turn(sheet.hands_per_player)
    by_seat = {seat["seat"]: _plain(seat) for seat in seats}
    left = {seat: reason or turn for seat, reason in waits.items() if seat not in order}
    return {
        **before,
        "round": None,
        "first": button or first,
        "button": button,
        "dealt_in": [by_seat[seat] for seat in order],
        "waiting": [_waiting(by_seat[seat], reason, limit) for seat, reason in left.items()],
        "pair_stakes": [one for one in before["pair_stakes"] if set(one["seats"]) <= set(order)],
        "can_start": problem is None,
        "why_not": eligibility.NO_ROUND[problem] if problem else None,
        "two_hands": bool(order) and sheet.hands_per_player == 2,
        "two_hands_possible": False,
        "reserved_possible": False,
    }


def _why_it_waits(seat: Json, limit_cents: int, declined: Collection[int]) -> eligibility.Wait | None:
    reason: eligibility.Wait | None = seat.get("reason")
    if reason in KEPT:
        return reason
    short = buy_ins.is_short(exact_cents(seat["stack"]), limit_cents)
    return eligibility.why_it_waits(eligibility.SeatNow(is_short=short, declines=seat["seat"] in declined))


def _plain(seat: Json) -> Json:
    return {name: value for name, value in seat.items() if name not in ("reason", "badge", "sentence")}


def _waiting(seat: Json, reason: eligibility.Wait | None, limit_cents: int) -> Json:
    words = eligibility.WAITS[reason or "ready"]
    said = {"name": seat["player"], "stack": f"${seat['stack']}", "due": "a fee"}
    nine = f"${amount_text(buy_ins.nine_points(limit_cents))}"
    return {
        **seat,
        "reason": reason,
        "badge": words.badge if reason else "",
        "sentence": words.sentence.format(nine=nine, **said),
    }


def begin(sheet: Sheet, planned: Json, pair_stakes: list[Json]) -> Json:
    """Return the planned round as the API would show it, dealt. A fee from the stack is taken first (R63)."""
    seats = {seat["seat"]: seat for seat in planned["dealt_in"]}
    order = dealing.by_position(seats, planned["button"], sheet.first, 2 if planned["two_hands"] else 1)
    hands = [
        {
            "seat": seat,
            "position": position,
            "player": seats[seat]["player"],
            "stack": _after_fee(seats[seat]),
            "fantasy_land": seats[seat]["fantasy_land"] and position <= len(seats),
        }
        for position, seat in enumerate(order, 1)
    ]
    nothing: Json = dict.fromkeys(("reserved_from", "match", "settlement"))
    dealt: Json = nothing | {
        **{name: planned[name] for name in ("session", "table", "number", "limit", "button", "sheet")},
        "state": "dealt",
        "pair_stakes": pair_stakes,
        "draft_version": 0,
        "hands": hands,
        "draft": {"hands": []},
        "times": [],
        "corrections": [],
    }
    return dealt | {"check": check(sheet, dealt, ())}


def _after_fee(seat: Json) -> str:
    fee = seat["fee"]
    paid = exact_cents(fee["amount"]) if fee and fee["how"] == "stack" else 0
    return amount_text(exact_cents(seat["stack"]) - paid)


def after(sheet: Sheet, planned: Json, round_: Json, answer: Json) -> Json:
    """Return the plan that follows a round which came to this `answer`; `planned` was the plan before it, or
    the house's while it ran. Fees of a down that begins meanwhile are the house's."""
    stacks = {hand["seat"]: hand["stack"] for hand in round_["hands"]}
    land = {hand["seat"] for hand in answer["hands"] if hand["fantasy_land_next"]}
    seats = []
    for seat in (*planned["dealt_in"], *planned["waiting"]):
        number, stack, next_land = seat["seat"], _after_fee(seat), seat["fantasy_land"]
        if number in stacks:
            stack = amount_text(exact_cents(stacks[number]) + net_cents_of(answer["net"][str(number)]))
            next_land = number in land
        seats.append({**seat, "stack": stack, "fantasy_land": next_land, "fee": None})
    following = {
        **planned,
        "number": round_["number"] + 1,
        "first": round_["button"] % len(dealing.SEATS) + 1,
        "dealt_in": [seat for seat in seats if seat.get("reason") not in KEPT],
        "waiting": [seat for seat in seats if seat.get("reason") in KEPT],
        "pair_stakes": round_["pair_stakes"],
    }
    return plan(sheet, following, ())


WORK: Final[dict[str, Callable[..., Json]]] = {"check": check, "plan": plan, "begin": begin, "after": after}
_sheets: dict[str, Sheet] = {}
CATALOGS: Final = Path(__file__).resolve().parents[2] / "locale"
"""Where a tablet has the compiled catalogs, by language: `vi.mo`."""


@cache
def _saying(language: str) -> Phrasebook:
    file = CATALOGS / f"{language}.mo"
    if not file.exists():
        return Phrasebook({})
    with file.open("rb") as opened:
        return Phrasebook(texts_of(GNUTranslations(opened)))


def answer(name: str, given: str, language: str = "en") -> str:
    """Do one piece of work; `given` is JSON: the game's sheet as it is written, then what the work takes.
    What people read in the answer is in the `language` of the page."""
    raw, *rest = json.loads(given)
    if raw not in _sheets:
        _sheets[raw] = parse_sheet(raw.encode(), "sheet.toml")
    return json.dumps(_saying(language).said_in(WORK[name](_sheets[raw], *rest)))
