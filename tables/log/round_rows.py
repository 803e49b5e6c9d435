"""Compare rounds, hands and settlements with the events and entries they come from, a few hundred at a time.

They are as many as all other rows of the tables together, so only the ids of those already seen stay in memory.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ledger.audit.findings import Finding
from ledger.log.row_checks import Seen
from tables.models import Hand, Round, Settlement, TableEvent

AT_ONCE = 500  # rounds in memory
STARTED = ("table_event", str(TableEvent.Kind.ROUND_STARTED))
VOIDED = ("table_event", str(TableEvent.Kind.ROUND_VOIDED))
BY_HAND = "hand_settlement"

_OF_ROUND = ("number", "button_seat", "down_id", "limit_cents", "state")
_OF_HAND = ("position", "seat", "sitting_id", "stack_cents", "fantasy_land")


def compared(name: str, row: Mapping[str, Any], recorded: Mapping[str, Any] | None) -> Iterator[Finding]:
    """Yield a finding if a row differs from its event, naming the first difference, or has no event."""
    if recorded is None:
        yield Finding("no_record", "has a row but no event: it was written outside the log.", None, name)
        return
    for key, value in row.items():
        if recorded.get(key) != value:
            sentence = f"{key} is {value}, but {recorded.get(key)} in the log."
            yield Finding("row_differs", sentence, None, name)
            return


class RoundRows:
    """Compares rounds and their hands with the events of their start and their end."""

    kinds = (STARTED, VOIDED)

    def __init__(self, site: Any) -> None:
        self._rows = Round.objects.filter(session__table__site=site)
        self._started: list[tuple[int, int | None, Mapping[str, Any]]] = []
        self._met = Seen()
        self._void: set[int] = set()
        self._voided: set[int] = set()

    def take(self, body: Mapping[str, Any]) -> Iterable[Finding]:
        """Take the event of a round's start or voiding."""
        if body["kind"] == VOIDED[1]:
            self._voided.add(body["data"]["round_id"])
            return ()
        number = body["data"].get("round_id")
        self._started.append((body["id"], number if type(number) is int else None, body["data"]))
        return self._compare() if len(self._started) >= AT_ONCE else ()

    def finish(self) -> Iterator[Finding]:
        """Compare the last ones; report rounds without a start, and rounds void only in the row or only in the log."""
        yield from self._compare()
        if self._rows.count() != self._met.count:
            for pk in self._rows.order_by("pk").values_list("pk", flat=True).iterator(AT_ONCE):
                if pk not in self._met:
                    yield from compared(f"round {pk}", {}, None)
        for pk in sorted(self._void ^ {pk for pk in self._voided if pk in self._met}):
            yield Finding(
                "row_differs", "is void in the log or in its row, but not in both.", None, f"round {pk}"
            )

    def _compare(self) -> Iterator[Finding]:
        started, self._started = self._started, []
        ids = [pk for _, pk, _ in started if pk is not None]
        rows = {row[0]: row for row in self._rows.filter(pk__in=ids).values_list("pk", *_OF_ROUND)}
        hands = defaultdict(list)
        dealt = Hand.objects.filter(round__in=ids).order_by("round", "position")
        for pk, position, seat, sitting, stack_cents, fantasy_land in dealt.values_list("round", *_OF_HAND):
            hands[pk].append(
                {
                    "position": position,
                    "seat": seat,
                    "sitting": sitting,
                    "stack_cents": stack_cents,
                    "fantasy_land": fantasy_land,
                }
            )
        for event, named, data in started:
            row = None if named is None else rows.get(named)
            if row is None:
                name = f"round_id {data.get('round_id')}"
                yield Finding("row_missing", f"the row of table event {event} is missing.", None, name)
                continue
            pk, number, button, down, limit_cents, state = row
            self._met.add(pk)
            if state == Round.State.VOID:
                self._void.add(pk)
            found = {
                "round": number,
                "button": button,
                "down_id": down,
                "limit_cents": limit_cents,
                "hands": hands[pk],
            }
            yield from compared(f"round {pk}", found, data)


class SettlementRows:
    """Compares settlements and the state of their rounds with the entries that paid them."""

    kinds = (("entry", "round"), ("entry", BY_HAND), ("entry", "correction"))

    def __init__(self, site: Any) -> None:
        self._site = site
        self._paid: list[tuple[int, int, Any, bool]] = []
        self._met = Seen()
        self._first = 0

    def take(self, body: Mapping[str, Any]) -> Iterable[Finding]:
        """Take an entry; a correction may not be of a round."""
        evidence = body["evidence"]
        if type(evidence.get("round_id")) is not int:
            return ()
        ordinal, by_hand = evidence.get("ordinal"), evidence.get("by_hand") is True
        self._first += ordinal == 1
        self._paid.append((body["id"], evidence["round_id"], ordinal, by_hand))
        return self._compare() if len(self._paid) >= AT_ONCE else ()

    def finish(self) -> Iterator[Finding]:
        """Compare the last ones; report settlements that no entry paid, and settled rounds without a settlement."""
        yield from self._compare()
        paid = Settlement.objects.filter(round__session__table__site=self._site)
        if paid.count() != self._met.count:
            for pk in paid.order_by("pk").values_list("pk", flat=True).iterator(AT_ONCE):
                if pk not in self._met:
                    sentence = "no entry paid it: it was written outside the log."
                    yield Finding("no_record", sentence, None, f"settlement {pk}")
        settled = Round.objects.filter(session__table__site=self._site, state=Round.State.SETTLED)
        if settled.count() != self._first:
            for pk in settled.filter(settlements__isnull=True).values_list("pk", flat=True):
                yield Finding("row_differs", "is settled, but no entry paid it.", None, f"round {pk}")

    def _compare(self) -> Iterator[Finding]:
        some, self._paid = self._paid, []
        columns = ("entry", "pk", "round", "ordinal", "by_hand")
        found = Settlement.objects.filter(entry__in=[entry for entry, *_ in some]).order_by()
        rows = {entry: (pk, row) for entry, pk, *row in found.values_list(*columns)}
        rounds = Round.objects.filter(pk__in=[round_id for _, round_id, *_ in some])
        states = dict(rounds.values_list("pk", "state"))
        for entry, *recorded in some:
            pk, row = rows.get(entry, (None, None))
            if pk is None:
                yield Finding("row_missing", "its settlement is missing.", None, f"entry {entry}")
            else:
                self._met.add(pk)
                if row != recorded:
                    sentence = f"does not match entry {entry}."
                    yield Finding("row_differs", sentence, None, f"settlement {pk}")
            if states.get(recorded[0]) != Round.State.SETTLED:
                sentence = f"is not settled, but entry {entry} paid it."
                yield Finding("row_differs", sentence, None, f"round {recorded[0]}")
