"""Two entries of one person made one: by two people, numbered, of nobody who sits or was merged before. Pure."""

from __future__ import annotations

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.sitting import Body


def merged(floor: Floor, body: Body) -> Problems:
    """A player's entry becomes another one: fees and chips taken away follow the person from now on (R52, R62)."""
    merged, into = body["merged"], body["into"]
    floor.count("merged players")
    yield from _wrong_number(floor, body["number"])
    if merged == into:
        yield Problem("same_player", "It merges an entry with itself.")
        return
    if body["actor"] == body["approver"]:
        yield Problem("second_person", "Nobody else approved it.")
    for player in (merged, into):
        if player in floor.persons:
            yield Problem("player_merged", f"Player {player} had been merged before.")
    seated = floor.players.get(merged)
    if seated is not None and seated.sure:
        yield Problem(
            "player_seated", f"Player {merged} sat in seat {seated.seat} of session {seated.session}."
        )
    if not body["reason"].strip():
        yield Problem("reason_required", "It has no reason.")
    floor.merge(merged, into)


def _wrong_number(floor: Floor, number: int) -> Problems:
    """The merges of a house are numbered from 1."""
    due = 1 if floor.merges is None and floor.whole else None if floor.merges is None else floor.merges + 1
    floor.merges = number
    if due is not None and number != due:
        yield Problem("number_gap", f"It is merge {number}; {due} comes next.")
