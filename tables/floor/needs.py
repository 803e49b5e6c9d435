"""Needs that somebody takes, releases, dismisses or recalls: each deed is a record of the log."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q

from ledger.db.compiled import Compiled, after
from ledger.journal import house_events, posting
from ledger.journal.acts import Act
from ledger.journal.house_events import HouseEvent
from ledger.rights import require
from tables.errors import NothingChanges
from tables.floor.attention import KINDS, waiting_now
from tables.live import HOUSE, publish
from tables.models import Attention
from tables.rights import MANAGE_HOUSE, RUN_FLOOR
from tables.rules.table.needs import DEEDS, NOBODY, NeedStanding, may_do, need_after

CHANGED = "need_changed"
TAKERS = (RUN_FLOOR, MANAGE_HOUSE)
"""Who takes needs: the floor, and the manager to whom they go after a while."""
KEPT_FOR = timedelta(days=1)
LAST, AMONG = 10, 200
Which = tuple[str, str]
"""A need's kind and subject."""


def change_need(*, site: Any, which: Which, does: str, act: Act) -> None:
    """Take, release, dismiss or recall a need. Refuses `nothing_changes` where it is settled, where somebody
    else has it, and where its kind is not to be dismissed; `key_reused`."""
    require(act.actor, *TAKERS)
    posting.check_texts(act)
    kind, subject = which
    data: dict[str, Any] = {"need": kind, "subject": subject, "does": does}
    with transaction.atomic():
        posting.lock_house(site)
        if house_events.noted_before(site, CHANGED, act, data):
            return
        item = next((one for one in waiting_now(site, act.now) if (one.kind, one.subject) == which), None)
        if item is None or does not in DEEDS:
            raise NothingChanges("Nobody is needed there any more.")
        standing = need_standings(site, act.now).get(which, NOBODY)
        if not may_do(standing, kind, does):
            raise NothingChanges(_why(standing))
        session = item.session.pk if item.session else None
        house_events.note(site, CHANGED, act=act, session=session, key=act.key, **data)
        publish(HOUSE)


def _why(standing: NeedStanding) -> str:
    if standing.owner is None:
        return "Nobody has taken it, and it cannot be dismissed: somebody has to see to it."
    person = get_user_model().objects.get(pk=standing.owner)
    if standing.dismissed:
        return f"{person} has dismissed it already."
    return f"{person} has taken it already."


class NeedTimes(NamedTuple):
    """What the scheduler saw of a day's needs: since when each is there, and when each was last settled."""

    raised: Mapping[Which, datetime]
    settled: Mapping[Which, datetime]


_TOLD: Compiled[Attention] = Compiled(
    lambda site: Attention.objects.filter(
        Q(cleared_at__isnull=True) | after("cleared_at"), site=site
    ).order_by("pk")
)
_CHANGES: Compiled[Any] = Compiled(
    lambda site: HouseEvent.objects.filter(after("recorded_at"), site=site, kind=CHANGED).order_by("pk")
)


def told(site: Any, now: datetime) -> NeedTimes:
    """Return what the scheduler saw; one query."""
    raised, settled = dict[Which, datetime](), dict[Which, datetime]()
    for row in _TOLD.rows(site.pk, now - KEPT_FOR):
        if row.cleared_at is None:
            raised[row.kind, row.subject] = row.raised_at
        else:
            settled[row.kind, row.subject] = row.cleared_at
    return NeedTimes(raised, settled)


def need_standings(
    site: Any, now: datetime, settled: Mapping[Which, datetime] | None = None
) -> dict[Which, NeedStanding]:
    """Return whose each need is that somebody took or dismissed within a day. `settled`: when each was last
    settled, if already read; one query more without it."""
    if settled is None:
        settled = told(site, now).settled
    deeds = defaultdict(list)
    for one in _CHANGES.rows(site.pk, now - KEPT_FOR):
        deeds[one.data["need"], one.data["subject"]].append((one.data["does"], one.actor_id, one.at))
    return {which: need_after(said, settled.get(which)) for which, said in deeds.items()}


@dataclass(frozen=True)
class Done:
    """A need that is settled or was dismissed: by whom (whoever had taken it), and when."""

    sentence: str
    at: datetime
    who: Any
    dismissed: bool
    which: Which


def last_done(site: Any, now: datetime) -> list[Done]:
    """Return the last ten needs that were settled or dismissed, the latest first."""
    standings, ever = need_standings(site, now), need_standings(site, now, {})
    rows = Attention.objects.filter(site=site, raised_at__gte=now - KEPT_FOR).order_by("-pk")[:AMONG]
    people = get_user_model().objects.in_bulk({one.owner for one in ever.values()} - {None})
    found: dict[Which, Done] = {}
    for row in rows:
        which = (row.kind, row.subject)
        standing = (standings if row.cleared_at is None else ever).get(which, NOBODY)
        at = row.cleared_at or (standing.since if standing.dismissed else None)
        if at is not None and row.kind in KINDS and which not in found:
            dismissed = standing.dismissed and row.cleared_at is None
            found[which] = Done(row.sentence, at, _owner(people, standing, row), dismissed, which)
    return sorted(found.values(), key=lambda one: one.at, reverse=True)[:LAST]


def _owner(people: Mapping[int, Any], standing: NeedStanding, row: Attention) -> Any:
    mine = standing.since is not None and (row.cleared_at is None or standing.since <= row.cleared_at)
    return people.get(standing.owner) if mine and standing.owner is not None else None
