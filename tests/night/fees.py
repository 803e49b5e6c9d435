"""What a table's players owe (R60-R65), worked out a second time from the rows: what happened, and when.

Written apart from tables/rules/downs.py, and knowing nothing of it; the night's charges are held against this.
"""

from datetime import datetime, timedelta

from ledger.models import Transfer
from tables.models import TableEvent

FORTY, TWENTY = timedelta(minutes=40), timedelta(minutes=20)


def down_starts(session) -> list[datetime]:
    """When each down of a session began: every 40 minutes of its clock, unless fewer than two could play (R61)."""
    stops = [(stop.stopped_at, stop.started_at) for stop in session.stops.order_by("stopped_at")]
    rounds = [started for (started,) in session.rounds.order_by("number").values_list("started_at")]
    if not rounds:
        return []
    stacks = {sitting.stack_id: 0 for sitting in session.sittings.all()}
    by_sitting = {sitting.pk: sitting.stack_id for sitting in session.sittings.all()}
    out, stopped = set(), [False]
    starts = [rounds[0]]

    def may_begin():
        playing = [s for s, cents in stacks.items() if s not in out and cents >= 9 * session.limit_cents]
        return len(playing) >= 2 and not stopped[0]

    for at, change in changes(session, stacks, by_sitting, out, stopped, stops, rounds[-1]):
        while may_begin() and starts[0] < at and forty_later(starts[-1], stops) <= at:
            starts.append(forty_later(starts[-1], stops))
        change()
        if at > starts[0] and may_begin() and forty_later(starts[-1], stops) < at:
            starts.append(at)
    return starts


def changes(session, stacks, by_sitting, out, stopped, stops, last):
    """Everything that changes who could play, in order of time: (when, what to do)."""
    found = []
    for end, sign in (("source", -1), ("target", 1)):
        moved = Transfer.objects.filter(**{f"{end}__in": stacks}).values_list(
            "entry__recorded_at", f"{end}_id", "cents"
        )
        found += [
            (at, 0, lambda a=account, c=sign * cents: stacks.update({a: stacks[a] + c}))
            for at, account, cents in moved
        ]
    for event in session.events.filter(kind__in=[TableEvent.Kind.SAT_OUT, TableEvent.Kind.RETURNED]):
        act = out.add if event.kind == TableEvent.Kind.SAT_OUT else out.discard
        found.append((event.at, 1, lambda act=act, who=by_sitting[event.data["sitting"]]: act(who)))
    for stop, start in stops:
        found.append((stop, 1, lambda: stopped.__setitem__(0, True)))
        found.append((start, 1, lambda: stopped.__setitem__(0, False)))
    found.append((last, 2, lambda: None))
    for at in sorted({at for at, _, _ in found}):
        now = [change for when, _, change in sorted(found, key=lambda row: row[:2]) if when == at]
        yield at, lambda now=now: [change() for change in now]


def forty_later(start, stops):
    """The moment at which the clock has run for forty minutes since `start` (R65)."""
    end = start + FORTY
    for stop, again in stops:
        if start < again and stop < end:
            end += again - max(stop, start)
    return end


def owed(session) -> dict[tuple[int, datetime], tuple[str, int]]:
    """(player, start of the down) -> rule and cents: who was seated when a round started in it, or paid ahead (R61, R62)."""
    starts = down_starts(session)
    stops = [(stop.stopped_at, stop.started_at) for stop in session.stops.order_by("stopped_at")]
    sittings = list(session.sittings.order_by("entered_at"))
    moments = [(started, None) for (started,) in session.rounds.values_list("started_at")]
    moments += session.charges.filter(round=None).values_list("charged_at", "sitting")
    found = {}
    for at, payer in sorted(moments, key=lambda moment: moment[0]):
        down = max(start for start in starts if start <= at)
        for sitting in sittings:
            here = sitting.entered_at <= at and (sitting.left_at is None or at < sitting.left_at)
            if here and payer in (None, sitting.pk):
                ran = sitting.entered_at - down
                for stop, again in stops:
                    ran -= max(min(again, sitting.entered_at) - max(stop, down), timedelta())
                half = sitting.entered_at >= down and ran >= TWENTY
                fee = session.schedule.fee_cents
                found.setdefault((sitting.player_id, down), ("half", fee // 2) if half else ("full", fee))
    return found
