"""Custody of a pulled box and its contents: seals, times of a pull, who receives it, and how a cashier's
count of a whole sheet is divided among its boxes. Pure."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta

from ledger.rules.denominations import Pieces

Wrong = tuple[str, str]
"""The code of a refusal, and its sentence."""

AROUND_MINUTES = 30
"""How long before or after a filed time a pull still counts as on time."""
TABLE_CLOSED = "The table closed"
"""The reason for a pull outside the filed times when a table closes."""
COUNT_ROOM = "count_room"
RECEIVED_BY_COUNTER: Wrong = ("counted_by_signer", "Nobody who counted the boxes receives their contents.")
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])", re.ASCII)
_DAY = 24 * 60


def drop_times(text: str) -> tuple[int, ...]:
    """Return the minutes of the day that `06:00 14:00` names, in order. Raises ValueError."""
    found = [_TIME.fullmatch(one) for one in text.split()]
    if None in found:
        raise ValueError("Times are written as 06:00 14:00 22:00.")
    return tuple(sorted({int(one[1]) * 60 + int(one[2]) for one in found if one}))


def is_emergency(local: datetime, times: Collection[int]) -> bool:
    """Return whether a pull at this local time is outside the filed ones; without any, none is."""
    minute = local.hour * 60 + local.minute
    apart = [abs(minute - one) for one in times]
    return bool(apart) and min(min(one, _DAY - one) for one in apart) > AROUND_MINUTES


def due_since(installed: datetime, now: datetime, times: Collection[int]) -> datetime | None:
    """Return the last filed time that has come since a box was installed, all local; None: it is not due."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    filed = (midnight - timedelta(days=back, minutes=-one) for back in (0, 1) for one in sorted(times)[::-1])
    return next((at for at in filed if installed < at <= now), None)


def wrong_seal(noted: str, read: str, reason: str) -> Wrong | None:
    """Return why a box may not be passed on. `noted` is the number of its seal and `read` the one found,
    empty for none. Another number needs a reason; a missing or an unexpected seal is refused."""
    if bool(noted) != bool(read):
        said = "Read the number of its seal." if noted else "This box has no seal."
        return "seal_differs", said
    if noted != read and not reason:
        said = "This is not the seal of the box. Read it again; if it stays so, give the reason."
        return "seal_differs", said
    return None


def wrong_bringers(place: str, person: int, second: int | None, pulled_by: Collection[int]) -> Wrong | None:
    """Return why these two may not bring a box to this place. One of those who pulled it brings it
    (`pulled_by`, nobody if it comes from storage); in the count room somebody else receives it."""
    if second in (None, person):
        return "second_person", "Two different people bring a box."
    if pulled_by and not {person, second} & {*pulled_by}:
        return "second_person", "One of the two who pulled the box brings it."
    if place == COUNT_ROOM and person in pulled_by:
        return "second_person", "A box is received in the count room by somebody who did not pull it."
    return None


def wrong_receipt(
    counted: Pieces, received: Pieces, person: int, second: int | None, reason: str, counters: Collection[int]
) -> Wrong | None:
    """Return why `person` may not receive what the `counters` have `counted` in all boxes of a sheet."""
    if person in counters:
        return RECEIVED_BY_COUNTER
    if (counted == received) and (second is not None or reason):
        said = "Your count agrees with the count sheet: no second person and no reason are needed."
        return "counts_differ", said
    if counted != received and not (second and reason):
        said = "Your count differs from the count sheet. Count again. If it stays so, a second person signs"
        return "counts_differ", f"{said} with you, and the reason is given."
    if second == person:
        return "second_person", "Somebody else must sign this too."
    return None


def together(found: Iterable[Pieces]) -> Pieces:
    sums: dict[str, dict[int, int]] = {"chips": {}, "cash": {}}
    for pieces in found:
        for asset, sum_ in sums.items():
            for value, number in pieces.of(asset).items():
                sum_[value] = sum_.get(value, 0) + number
    return Pieces(sums["chips"], sums["cash"])


def shares(counted: Mapping[int, int], received: int) -> dict[int, int]:
    """Return the `received` cents divided among the boxes of `counted`, in cents by box number. The fullest
    box bears the difference, and the next fullest a shortage beyond its contents; of equally full ones the
    lower number comes first."""
    found, over = dict(counted), received - sum(counted.values())
    for box in sorted(found, key=lambda one: (-counted[one], one)):
        found[box], over = max(found[box] + over, 0), min(found[box] + over, 0)
    return found
