"""The chips of a made-up house piece by piece: in the vault, in the drawers, and out of the cage, at tables
and in pockets. What is sold, sent, redeemed and counted is taken from them, so that each denomination adds
up. What happened before is read from its papers."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ledger.cage import beyond, boxes, documents, drawers, stocking
from ledger.chart import AccountKind, EntryKind
from ledger.journal.records import evidence_in, record_of
from ledger.journal.vault_counts import last_count
from ledger.reports.places import chips_made
from ledger.rules.denominations import fewest_pieces, pieces_of, value_of
from ledger.rules.documents import HANDED_ON, KINDS, Step
from ledger.rules.window import AT_THE_WINDOW

TRAY = 20
"""So many chips stand in one row of a tray."""
FROM_VAULT = {"in": 1, "out": -1, "to_drawer": -1, "from_drawer": 1, "closing": 1, "count": 0, "unclaimed": 0}
"""What a slip of this way adds to the vault."""
NOTHING: dict[str, list[Any]] = {"cash": [], "chips": []}


class Trays:
    """`short` counts the amounts for which there were no chips where they should have been."""

    def __init__(self, site: Any) -> None:
        self.values = stocking.denominations(site)["chips"]
        self.vault, self.drawer, self.unclaimed = _in_vault(site), _in_drawers(site), _unclaimed(site)
        self.out = Counter(chips_made(site))
        for held in (self.vault, self.drawer, self.unclaimed):
            self.out.subtract(held)
        for _, entry in beyond.accepted(site):
            if not hasattr(entry, "reversed_by"):
                self.out.update(fewest_pieces(sum(one.cents for one in entry.transfers.all()), self.values))
        self.short = 0

    def take(self, held: Counter[int], cents: int, most: int = 0) -> dict[int, int]:
        """Take so much out of `held`, in the largest chips that it has (of at most this value, if those do),
        and return it."""
        found = exactly(held, cents, most)
        if found is None and most:
            found = exactly(held, cents)
        if found is None:
            self.short += 1
            found = fewest_pieces(cents, self.values)
        held.subtract(found)
        return found

    def take_trays(self, held: Counter[int], cents: int) -> dict[int, int]:
        """Take so much out of `held` as a house sends it: a row of each chip, the rest in few of them."""
        most, left, found = max(cents // TRAY, self.values[0]), cents, Counter[int]()
        for value in (one for one in self.values if one <= most):
            if held[value] >= TRAY and TRAY * value <= left:
                found[value] = TRAY
                left -= TRAY * value
        held.subtract(found)
        found.update(self.take(held, left, most))
        return dict(found)


def counted(held: Mapping[int, int], cents: int, values: tuple[int, ...]) -> dict[int, int]:
    """Return the count of a place that has so much by the books: what stands there, if that comes to it."""
    there = {value: number for value, number in held.items() if number}
    right = value_of(there) == cents and all(number > 0 for number in there.values())
    return there if right else fewest_pieces(cents, values)


def exactly(held: Mapping[int, int], cents: int, most: int = 0) -> dict[int, int] | None:
    """Return the largest chips of `held`, of at most a value, that come to so much; None if none do. A chip
    is worth several of the next smaller one, so nothing is gained by taking fewer of the larger."""
    found, left = {}, cents
    for value in sorted((one for one in held if not most or one <= most), reverse=True):
        if number := min(left // value, held[value]) if held[value] > 0 else 0:
            found[value] = number
            left -= number * value
    return None if left else found


def _in_vault(site: Any) -> Counter[int]:
    """Return the chips of its last count, with what came and went since."""
    last = last_count(site)
    since = 0 if last is None else last.result.entry_id
    held = Counter({} if last is None else pieces_of(last.pieces).chips)
    for slip in stocking.CageSlip.objects.filter(site=site, result__entry__gt=since):
        _add(held, slip.pieces, FROM_VAULT[slip.way])
    steps = documents.DocumentStep.objects.filter(entry__site=site, entry__gt=since)
    for step in steps.select_related("document"):
        kind = KINDS[step.document.kind]
        leaves = step.step == Step.SENT and kind.source == AccountKind.VAULT
        comes = HANDED_ON.get(Step(step.step), kind.target) == AccountKind.VAULT
        _add(held, step.pieces, -leaves or int(comes and step.step != Step.SENT))
    for box in boxes.DropBox.objects.filter(site=site, sign_off__entry__gt=since):
        _add(held, box.counts.latest("pk").pieces, 1)
    return held


def _in_drawers(site: Any) -> Counter[int]:
    held = Counter[int]()
    for drawer in drawers.open_drawers(site):
        for slip in stocking.CageSlip.objects.filter(drawer=drawer, result__entry__isnull=False):
            _add(held, slip.pieces, -FROM_VAULT[slip.way])
        done = site.entries.filter(actor=drawer.cashier, kind__in=AT_THE_WINDOW, reversed_by=None)
        done = done.filter(recorded_at__gte=drawer.opened_at)
        for kind, record in done.values_list("kind", record_of("pk")):
            evidence = evidence_in(record)
            _add(held, evidence["pieces"], -1 if kind == EntryKind.CHIP_SALE else 1)
            _add(held, evidence.get("given", NOTHING), -1)
    return held


def _unclaimed(site: Any) -> Counter[int]:
    held = Counter[int]()
    for trail in documents.trails(documents.Document.objects.filter(pk__in=documents.held(site))):
        if trail.received is not None:
            _add(held, trail.received.pieces, 1)
    return held


def _add(held: Counter[int], pieces: Mapping[str, Any], sign: int) -> None:
    for value, number in pieces_of(pieces).chips.items():
        held[value] += sign * number
