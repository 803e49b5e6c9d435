"""The chips of a made-up house piece by piece: in the vault, in the drawers, and out of the cage, at tables
and in pockets. Sales, fills, redemptions and counts take from them, so that each denomination adds up."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ledger.cage import beyond, boxes, drawers, stocking
from ledger.journal.vault_counts import last_count
from ledger.reports.denominations import of_drawer, of_house, of_place
from ledger.rules.denominations import fewest_pieces, pieces_of, value_of

TRAY = 20
"""How many chips stand in one row of a tray."""


class Trays:
    """`short` counts the amounts for which a place did not have the right chips."""

    def __init__(self, site: Any) -> None:
        self.values = stocking.denominations(site)["chips"]
        self.vault, self.out = Counter(of_place(site, "count")), Counter(of_house(site).elsewhere)
        self.drawer, self.short = Counter[int](), 0
        for drawer in drawers.open_drawers(site):
            self.drawer.update(of_drawer(site, drawer) or {})
        last = last_count(site)
        since = 0 if last is None else last.result.entry_id
        for box in boxes.DropBox.objects.filter(site=site, sign_off__entry__gt=since):
            came = _chips(box.counts.latest("pk").pieces)  # its entry has an amount and no denominations
            self.vault.update(came)
            self.out.subtract(came)
        for _, entry in beyond.accepted(site):
            if not hasattr(entry, "reversed_by"):
                self.out.update(fewest_pieces(sum(one.cents for one in entry.transfers.all()), self.values))

    def take(self, held: Counter[int], cents: int, most: int = 0) -> dict[int, int]:
        """Take `cents` out of `held` in the largest chips; above `most` only if the smaller do not do."""
        found = exactly(held, cents, most)
        if found is None and most:
            found = exactly(held, cents)
        if found is None:
            self.short += 1
            found = fewest_pieces(cents, self.values)
        held.subtract(found)
        return found

    def take_trays(self, held: Counter[int], cents: int) -> dict[int, int]:
        """Take `cents` out of `held` as a cage sends a fill: a row of each chip, the rest in large ones."""
        most, left, found = max(cents // TRAY, self.values[0]), cents, Counter[int]()
        for value in (one for one in self.values if one <= most):
            if held[value] >= TRAY and TRAY * value <= left:
                found[value] = TRAY
                left -= TRAY * value
        held.subtract(found)
        found.update(self.take(held, left, most))
        return dict(found)


def counted(held: Mapping[int, int], cents: int, values: tuple[int, ...]) -> dict[int, int]:
    """Return the pieces counted at a place: its chips if they make up `cents`, else the fewest that do."""
    there = {value: number for value, number in held.items() if number}
    right = value_of(there) == cents and all(number > 0 for number in there.values())
    return there if right else fewest_pieces(cents, values)


def exactly(held: Mapping[int, int], cents: int, most: int = 0) -> dict[int, int] | None:
    """Return the largest chips of `held` that make up `cents`, none above `most`; None if they cannot.
    Each chip is worth several of the next smaller one, so taking the largest first never fails needlessly."""
    found, left = {}, cents
    for value in sorted((one for one in held if not most or one <= most), reverse=True):
        if number := min(left // value, held[value]) if held[value] > 0 else 0:
            found[value] = number
            left -= number * value
    return None if left else found


def _chips(pieces: Mapping[str, Any]) -> Mapping[int, int]:
    return pieces_of(pieces).chips
