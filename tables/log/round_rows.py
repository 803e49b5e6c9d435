"""Rounds, hands and settlements, held against the events and entries that they follow from, a few hundred at a time.

There are as many of them as of everything else at the tables together, so nothing is kept of each but that it was met.
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


def held(name: str, found: Mapping[str, Any], said: Mapping[str, Any] | None) -> Iterator[Finding]:
    """One finding where a row is not what its event says, with the first thing that differs."""
    if said is None:
        yield Finding("no_record", "there is a row, and no event: it was written past the log.", None, name)
        return
    for key, value in found.items():
        if said.get(key) != value:
            yield Finding(
                "row_differs", f"its {key} is {value}, by the log it is {said.get(key)}.", None, name
            )
            return


class RoundRows:
    """Rounds and their hands against the events of their start and their end."""

    kinds = (STARTED, VOIDED)

    def __init__(self, site: Any) -> None:
        self._rows = Round.objects.filter(session__table__site=site)
        self._started: list[tuple[int, int | None, Mapping[str, Any]]] = []
        self._met = Seen()
        self._void: set[int] = set()
        self._voided: set[int] = set()

    def take(self, body: Mapping[str, Any]) -> Iterable[Finding]:
        """A start, or that a round was voided."""
        if body["kind"] == VOIDED[1]:
            self._voided.add(body["data"]["round_id"])
            return ()
        number = body["data"].get("round_id")
        self._started.append((body["id"], number if type(number) is int else None, body["data"]))
        return self._compare() if len(self._started) >= AT_ONCE else ()

    def finish(self) -> Iterator[Finding]:
        """The last ones, rounds that were never started, and those that are void by only one of both."""
        yield from self._compare()
        if self._rows.count() != self._met.count:
            for pk in self._rows.order_by("pk").values_list("pk", flat=True).iterator(AT_ONCE):
                if pk not in self._met:
                    yield from held(f"round {pk}", {}, None)
        for pk in sorted(self._void ^ {pk for pk in self._voided if pk in self._met}):
            yield Finding("row_differs", "whether it is void is not the log's.", None, f"round {pk}")

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
                yield Finding("row_missing", f"the row of table event {event} is gone.", None, name)
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
            yield from held(f"round {pk}", found, data)


class SettlementRows:
    """Settlements, and that their rounds are settled, against the entries that paid them."""

    kinds = (("entry", "round"), ("entry", BY_HAND), ("entry", "correction"))

    def __init__(self, site: Any) -> None:
        self._site = site
        self._paid: list[tuple[int, int, Any, bool]] = []
        self._met = Seen()
        self._first = 0

    def take(self, body: Mapping[str, Any]) -> Iterable[Finding]:
        """An entry; a correction may be of something else than a round."""
        said = body["evidence"]
        if type(said.get("round_id")) is not int:
            return ()
        self._first += said.get("ordinal") == 1
        self._paid.append((body["id"], said["round_id"], said.get("ordinal"), said.get("by_hand") is True))
        return self._compare() if len(self._paid) >= AT_ONCE else ()

    def finish(self) -> Iterator[Finding]:
        """The last ones, settlements that no entry paid, and rounds that are settled without any."""
        yield from self._compare()
        paid = Settlement.objects.filter(round__session__table__site=self._site)
        if paid.count() != self._met.count:
            for pk in paid.order_by("pk").values_list("pk", flat=True).iterator(AT_ONCE):
                if pk not in self._met:
                    sentence = "no entry paid it: it was written past the log."
                    yield Finding("no_record", sentence, None, f"settlement {pk}")
        settled = Round.objects.filter(session__table__site=self._site, state=Round.State.SETTLED)
        if settled.count() != self._first:
            for pk in settled.filter(settlements__isnull=True).values_list("pk", flat=True):
                yield Finding("row_differs", "it is settled, and no entry paid it.", None, f"round {pk}")

    def _compare(self) -> Iterator[Finding]:
        some, self._paid = self._paid, []
        columns = ("entry", "pk", "round", "ordinal", "by_hand")
        found = Settlement.objects.filter(entry__in=[entry for entry, *_ in some]).order_by()
        kept = {entry: (pk, said) for entry, pk, *said in found.values_list(*columns)}
        rounds = Round.objects.filter(pk__in=[round_id for _, round_id, *_ in some])
        states = dict(rounds.values_list("pk", "state"))
        for entry, *said in some:
            pk, row = kept.get(entry, (None, None))
            if pk is None:
                yield Finding("row_missing", "its settlement is gone.", None, f"entry {entry}")
            else:
                self._met.add(pk)
                if row != said:
                    sentence = f"it is not what entry {entry} paid."
                    yield Finding("row_differs", sentence, None, f"settlement {pk}")
            if states.get(said[0]) != Round.State.SETTLED:
                sentence = f"it is not settled, though entry {entry} paid it."
                yield Finding("row_differs", sentence, None, f"round {said[0]}")
