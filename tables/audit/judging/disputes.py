"""Disputes and complaints: each is decided once, by somebody who may. Pure."""

from __future__ import annotations

from typing import Any

from tables.audit.floor.floor import Floor
from tables.audit.judging.contradiction import Contradiction
from tables.rules.table.disputes import WHAT, Decided, wrong_decision


def changed(floor: Floor, body: Any) -> None:
    if body["record"] == "dispute_decision":
        _decided(floor, body)
        return
    floor.count("disputes and complaints")
    floor.disputes[body["id"]] = body
    if body["what"] not in WHAT:
        raise Contradiction("bad_record", f"Nothing is disputed as {body['what']!r}.")
    if body["session"] is None and not body["text"].strip():
        raise Contradiction("reason_required", "The complaint has no text.")


def _decided(floor: Floor, body: Any) -> None:
    taken = floor.disputes.pop(body["dispute"], None)
    if taken is None:
        if floor.whole:
            raise Contradiction("not_asked", "No dispute was open that it decides.")
        return
    if not body["text"].strip():
        raise Contradiction("reason_required", "It has no text.")
    at_table = taken["session"] is not None
    people = (body["decided_by"], at_table, taken["taken_by"], taken["entered_by"])
    wrong = wrong_decision(Decided(body["outcome"], body["entry"], *people))
    if wrong is not None:
        raise Contradiction(*wrong)
