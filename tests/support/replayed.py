"""The records of a test's house, and the findings of replaying them."""

import json
from functools import cache
from importlib import resources

from ledger.models import AuditRecord
from tables.audit.replay import Replay
from tables.rules.game.sheet import parse_sheet


def bodies():
    return [json.loads(text)[1] for text in AuditRecord.objects.order_by("pk").values_list("text", flat=True)]


@cache
def sheets():
    """Return the built-in game sheets: {(code, version): bytes}."""
    found = {}
    for path in resources.files("tables.rules").joinpath("sheets").iterdir():
        raw = path.read_bytes()
        sheet = parse_sheet(raw, path.name)
        found[sheet.code, sheet.version] = raw
    return found


def replay(*, whole=True):
    return Replay(sheets(), whole=whole)


def judged(records, *, whole=True, first=0):
    """Return what is wrong, what is not judged for it, and what was checked."""
    asked = replay(whole=whole)
    found = [wrong for leaf, body in enumerate(records, first) for wrong in asked.take(leaf, body)]
    found += asked.finish()
    unjudged = [one for one in found if one.code == "not_judged"]
    return [one for one in found if one.code != "not_judged"], unjudged, asked.checked


def replayed(records, *, whole=True, first=0):
    """Return what is wrong in these records, and what was checked."""
    wrong, unjudged, checked = judged(records, whole=whole, first=first)
    assert bool(unjudged) <= bool(wrong), "nothing is left unjudged but for something that is named"
    return wrong, checked
