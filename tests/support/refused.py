"""Every class of refusal, and which of them each door is tried with."""

import os
import re
from functools import cache
from zlib import crc32

from django.conf import settings

from casino.management.commands.errors import refusals
from tests.support.lengths import LONG

EVERY = sorted(refusals(), key=lambda one: one.code)
PARTS = 1 if LONG else 12
CATCHES = re.compile(r"except \(?([\w.,\s]+)|isinstance\([\w.]+, \(?([\w.,\s]+)|case ([\w.]+)\(")


@cache
def told_apart():
    """Return the classes that some code of the product names where it catches, and one of each status and
    kind."""
    named = {
        name
        for room in ("casino", "ledger", "tables")
        for path in (settings.BASE_DIR / room).rglob("*.py")
        for found in CATCHES.findall(path.read_text())
        for name in re.findall(r"[A-Z]\w+", " ".join(found))
    }
    kinds = {(refusal.status, refusal.__bases__): refusal for refusal in EVERY}
    return {refusal for refusal in EVERY if refusal.__name__ in named} | {*kinds.values()}


def answers(door, refuse_with):
    """Return the status that `door` answers for each class, where it is not the class's own. In the short
    form each door has those that are told apart, and its test's part of the others."""
    found, part = {}, crc32(os.environ["PYTEST_CURRENT_TEST"].encode()) % PARTS
    for number, refusal in enumerate(EVERY):
        if number % PARTS != part and refusal not in told_apart():
            continue
        refuse_with(refusal("As if.", field="amount"))
        status = door().status_code
        if status != refusal.status:
            found[refusal.code] = status
    return found
