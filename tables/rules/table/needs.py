"""How the floor treats a need: how pressing it is, whose it is, and when it goes to the manager. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

URGENT, SOON, LATER = 1, 2, 3
PRIORITY: Final[Mapping[str, int]] = {
    **dict.fromkeys(("log", "clock_doubted", "excluded", "is_it_this_person"), URGENT),
    **dict.fromkeys(("clock_stopped", "no_dealer"), URGENT),
    **dict.fromkeys(("variance", "correction", "by_hand", "discrepancy", "tablet_away", "round_long"), SOON),
    "counts_differ": SOON,
    **dict.fromkeys(("sheet_refused", "document_refused", "bank_refused", "slip_refused"), SOON),
    **dict.fromkeys(("unconfirmed", "document", "fee_due"), SOON),
    **dict.fromkeys(("busted", "free_seat", "rate_soon", "more_time", "place_over", "bank_low"), LATER),
    **dict.fromkeys(("box_due", "bank_uncounted", "day_over"), LATER),
}
"""How pressing each kind of need is."""
ESCALATES: Final = {URGENT: timedelta(minutes=5), SOON: timedelta(minutes=15)}
"""After how long a need goes to the manager; what can wait never does."""
DISMISSED: Final = frozenset({"busted", "free_seat", "rate_soon", "more_time", "place_over", "tablet_away"})
"""The kinds that may be dismissed: nothing is owed, and nobody has to sign."""
TAKE, RELEASE, DISMISS, RECALL = "take", "release", "dismiss", "recall"
DEEDS: Final = (TAKE, RELEASE, DISMISS, RECALL)
SIGNS: Final = "Who comes signs with their own PIN."


@dataclass(frozen=True)
class NeedStanding:
    """Who took a need, or dismissed it, and when. Without a person, it waits."""

    owner: int | None = None
    since: datetime | None = None
    dismissed: bool = False


NOBODY: Final = NeedStanding()


def need_after(
    deeds: Iterable[tuple[str, int, datetime]], settled_at: datetime | None = None
) -> NeedStanding:
    """Return the standing of a need after these deeds (what, by whom, when), in their order. Deeds before it
    was last settled belong to an earlier need: one that arises again is nobody's."""
    standing = NeedStanding()
    for does, who, at in deeds:
        if settled_at is not None and at <= settled_at:
            continue
        stays = does in (TAKE, DISMISS)
        standing = NeedStanding(who, at, does == DISMISS) if stays else NeedStanding()
    return standing


def may_do(standing: NeedStanding, kind: str, does: str) -> bool:
    """Return whether somebody may do this to a need; a taken one must be released before another person takes
    it."""
    if standing.dismissed:
        return does == RECALL
    taken = standing.owner is not None
    return {TAKE: not taken, RELEASE: taken, DISMISS: kind in DISMISSED}.get(does, False)


def wrong_signers(goes: int | None, comes: int | None) -> str:
    """Return why these two cannot sign a handover of the floor, or ""."""
    return "" if goes is not None and comes is not None and goes != comes else SIGNS


def is_escalated(kind: str, raised_at: datetime | None, standing: NeedStanding, now: datetime) -> bool:
    """Return whether a need goes to the manager: too long since it arose or since somebody took it."""
    since, after = standing.since or raised_at, ESCALATES.get(PRIORITY[kind])
    return since is not None and after is not None and now - since >= after
