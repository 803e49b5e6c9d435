"""Checks for a second process, which imports nothing of the house: they say something of every entry, or break off."""

import os

from ledger.audit.findings import Finding, name_of


class SaysAll:
    """A check that has something to say of every entry, and of the whole."""

    def __init__(self):
        self.checked = {"entries again": 0}

    def take(self, leaf, body):
        if body["record"] != "entry":
            return []
        self.checked["entries again"] += 1
        return [Finding("said", f"It is a {body['kind']}.", leaf, name_of(body))]

    def finish(self):
        return [Finding("said", "That was all.")]


def says_all(sheets):
    return [SaysAll()]


class BreaksOff(SaysAll):
    """A check whose process is gone in the middle of the night."""

    def take(self, leaf, body):
        if leaf == 20:
            os._exit(3)
        return super().take(leaf, body)


def breaks_off(sheets):
    return [BreaksOff()]
