"""Differences in tables' banks, cashiers' drawers and the vault: each is signed off before its day is closed,
by people who neither counted nor worked from it. Pure. Only those counted in the given records can be
judged."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ledger.records.findings import Body, Problem
from ledger.rules.bank_signing import BANKS, barred_by, lacks_evidence, needs_two, wrong_signers


class _Difference(NamedTuple):
    day: str
    over: dict[str, int]
    barred: tuple[int, ...]


class EvidenceGiven:
    """The evidence of sign-offs and of arrivals with a difference. Records from before version 0.3.0 have no
    such field; once one has it, all later ones must."""

    def __init__(self) -> None:
        self._asked = False

    def wrong(self, body: Body, *, needs_two: bool) -> Problem | None:
        return lacks_evidence(body.get("evidence") or "", needs_two=needs_two and self.asked_of(body))

    def asked_of(self, body: Body) -> bool:
        """Return whether a record is to have it."""
        self._asked = self._asked or body.get("evidence") is not None
        return self._asked


class Banks:
    """The differences that wait for their sign-off. `whole`: the log is read from its first leaf."""

    def __init__(self, evidence: EvidenceGiven, *, whole: bool) -> None:
        self._whole, self._evidence = whole, evidence
        self._open: dict[int, _Difference] = {}
        self.signed = self.older = 0

    def entry(self, body: Body, cashier: int | None) -> None:
        """Take a count; `cashier` is the cashier of the drawer that an entry closes, if known."""
        if body["kind"] not in BANKS:
            return
        over: dict[str, int] = {"chips": 0, "cash": 0}
        for line in body["transfers"]:
            sign = (line["from_kind"] == "over_short") - (line["to_kind"] == "over_short")
            over[line["asset"]] += sign * line["cents"]
        evidence: dict[str, Any] = body["evidence"]
        if any(over.values()):
            barred = barred_by(evidence, cashier)
            known = tuple(one for one in barred if type(one) is int)
            self._open[body["id"]] = _Difference(body["gaming_day"], over, known)

    def take(self, body: Body) -> Iterator[Problem]:
        found = self._open.pop(body["entry"], None)
        if found is None:
            self.older += not self._whole
            if self._whole:
                yield "no_difference", "It signs off what had no difference, or was signed off before."
            return
        self.signed += 1
        over = {"chips": body["over_chips"], "cash": body["over_cash"]}
        if over != found.over:
            yield "wrong_total", "It signs off another difference than was counted."
        two = needs_two(over["chips"], over["cash"], body["threshold_cents"])
        signer, second = body["signed_by"], body["signed_with"]
        if wrong := wrong_signers(signer=signer, second=second, barred=found.barred, needs_two=two):
            yield wrong
        if wrong := self._evidence.wrong(body, needs_two=two):
            yield wrong
        if not body["cause"].strip():
            yield "no_cause", "It gives no cause."

    def unsigned(self, day: str) -> Iterator[Problem]:
        """Judge the closing of a day: all differences up to it have been signed off."""
        for entry in [number for number, one in self._open.items() if one.day <= day]:
            del self._open[entry]
            yield "no_cause", f"The difference was never given a cause (entry {entry})."
