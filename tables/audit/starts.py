"""Rounds begin: who may be dealt in, who waits and why, where the buttons go, and what two players agreed on (R50-R54). Pure."""

from __future__ import annotations

from typing import Final

from ledger.money import cents_of
from tables.audit.seatings import Body, Floor, Problem, Problems, Sitting, Start, Table
from tables.rules.table.dealing import LastButton, button_seat, dealt_in

_IN_TURN: Final = ("fifth", "two_only")  # who could be dealt in, and waits because others are
_OWN: Final = ("declined", *_IN_TURN)


def round_started(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """A round begins. Its number, hands, stacks and match are not asked about here."""
    data = body["data"]
    wrong = list(_wrong_start(table, body))
    yield from wrong
    floor.count("rounds begun")
    sittings, sure = {}, table.sure
    for hand in data["hands"]:
        sitting = table.sittings.get(hand["sitting"])
        if sitting is None or sitting.seat != hand["seat"] or sitting.left_at is not None:
            sure = False
            table.doubt()
        else:
            sittings[hand["seat"]] = sitting
            sitting.cents, sitting.counted = hand["stack_cents"], True
    table.running = table.last = Start(
        data["round"],
        data["round_id"],
        data["button"],
        sittings,
        data["hands_each"],
        "reserved_from" in data,
        data.get("match"),
        not wrong,
    )
    table.last_voided = table.last_by_hand = False
    match = data.get("match")
    if match is not None and (table.match_over or table.match is None):
        table.match, table.match_over = match, False
        table.in_match[match] = sittings
    table.begun += 1
    table.round_ids[table.begun] = data["round_id"]
    if sure:
        own = table.in_match.get(match, {}) if match is not None else {}
        table.played[table.begun] = {**sittings, **own}
        table.claims[table.begun] = {}


def _wrong_start(table: Table, body: Body) -> Problems:
    data = body["data"]
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    if table.down is not None and table.down[0] != data["down_id"]:
        yield Problem("wrong_down", "It does not name the newest down.")
    if table.stops and table.stops[-1].end is None:
        yield Problem("clock_stopped", "The clock stood still (R65).")
    least = table.nine_points
    if any(hand["stack_cents"] < least for hand in data["hands"]):
        yield Problem("short_stack", "Somebody is dealt in with less than nine points (R53).")
    waiting = {int(seat): reason for seat, reason in data["waiting"].items()}
    yield from _wrong_places(table, body, waiting)
    if table.sure:
        yield from _wrong_company(table, data["dealt_in"], waiting)
    yield from _wrong_agreements(table, body)


def _wrong_places(table: Table, body: Body, waiting: dict[int, str]) -> Problems:
    data, last, sheet = body["data"], table.last, table.sheet
    order, button, hands_each = data["dealt_in"], data["button"], data["hands_each"]
    eligible = [*order, *(seat for seat, reason in waiting.items() if reason in _IN_TURN)]
    if not 2 <= len(set(order)) == len(order):
        yield Problem("too_few_players", "Fewer than two are dealt in.")
        return
    if hands_each not in (1, 2) or (hands_each == 2 and len(order) != 2) or len(order) * hands_each > 4:
        yield Problem("wrong_places", f"{len(order)} players cannot have {hands_each} hands each (R51, R54).")
    if last is None or last.sure:
        before = None if last is None else LastButton(last.button, table.last_voided)
        if button != (found := button_seat(eligible, before)):
            yield Problem("wrong_button", f"The buttons lie at seat {button}; they go to seat {found} (R50).")
    if sheet is None:
        return
    if order != dealt_in(eligible, button, sheet.hands_per_player):
        yield Problem("wrong_places", "Others are to be dealt in, clockwise from the buttons (R51).")
    if hands_each < sheet.hands_per_player or (hands_each == 2 and sheet.race_to):
        yield Problem("wrong_places", f"The game does not give {hands_each} hands each (R35).")
    if any(
        reason in _IN_TURN and reason != _IN_TURN[sheet.hands_per_player - 1] for reason in waiting.values()
    ):
        yield Problem("wrong_reason", "Who waits for a turn waits for another reason.")


def _wrong_company(table: Table, order: list[int], waiting: dict[int, str]) -> Problems:
    """Everybody at the table is dealt in, or waits for a reason."""
    if {*order, *waiting} != table.seats.keys() or len(order) + len(waiting) != len(table.seats):
        yield Problem("other_seats", "Those dealt in and those who wait are not those who sit there.")
        return
    for seat, sitting in table.seats.items():
        reason, must = waiting.get(seat), _must_wait(table, sitting)
        if must is not None and reason != must and (must != "match" or reason != "declined"):
            yield Problem("wrong_reason", f"Seat {seat} had to wait: {must}.")
        elif must is None and reason is not None and reason not in _OWN and sitting.counted:
            yield Problem("wrong_reason", f"Seat {seat} did not have to wait: {reason}.")


def _must_wait(table: Table, sitting: Sitting) -> str | None:
    """Why a player cannot be dealt in, as far as it is no choice."""
    if sitting.out:
        return "sitting_out"
    if sitting.counted and sitting.cents < table.nine_points:
        return "short"
    if table.fees and table.fees_of(sitting.player):
        return "fee_due"
    return None if table.match_over or table.plays_match(sitting) else "match"


def _wrong_agreements(table: Table, body: Body) -> Problems:
    """Stakes between two players (R32), and hands that were kept from the round before (R43)."""
    data, sheet, last = body["data"], table.sheet, table.last
    if sheet is None:
        return
    stakes = data.get("pair_stakes", [])
    if stakes and (not sheet.pair_stakes or sheet.race_to):
        yield Problem("no_pair_stakes", "The game has no stakes between two players (R32).")
    pairs = [tuple(stake["seats"]) for stake in stakes]
    if pairs != sorted(set(pairs)) or any(not {one, other} <= set(data["dealt_in"]) for one, other in pairs):
        yield Problem("bad_seat", "A stake is between two players who are dealt in, once (R32).")
    if any(not cents_of(stake["limit"]) for stake in stakes):
        yield Problem("bad_limit", "A stake between two players is above zero (R32).")
    if "reserved_from" in data and (last is None or last.sure):
        kept = (
            last is not None
            and not (last.reserved or table.last_voided or table.last_by_hand)
            and last.hands_each == 1
        )
        if not kept or data["hands_each"] != 1 or len(data["hands"]) != 2 or sheet.dealing != "closed":
            yield Problem(
                "no_reserved_hands", "No hands were left from the round before for these two (R43)."
            )


def round_voided(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """A round is voided: buttons and stacks stay as they were (R58)."""
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    if not str(body["data"]["reason"]).strip():
        yield Problem("reason_required", "It has no reason (R58).")
    table.running, table.last_voided = None, True
