"""Checks for a second process, without imports of the house."""

import os

from ledger.records.findings import Finding, name_of


class SaysAll:
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
    """Kills its process in the middle of the night."""

    def take(self, leaf, body):
        if leaf == 20:
            os._exit(3)
        return super().take(leaf, body)


def breaks_off(sheets):
    return [BreaksOff()]
