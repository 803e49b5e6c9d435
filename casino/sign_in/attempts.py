"""Wrong passwords, PINs and codes: counted in the database by name and by terminal, with waits that grow, then a lock.

An attempt is counted as wrong before it is looked at, so guesses made at the same moment all count. What is typed as a
name is kept as a hash: it may have been a password. Names that nobody has wait and lock like all others.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from casino.models import Attempts, Staff
from casino.sign_in import noting
from ledger.journal.acts import Act
from ledger.views.terminal import terminal_of
from tables.desk_errors import LockedOut
from tables.errors import TooManyAttempts

At = Attempts.At


@dataclass(frozen=True, slots=True)
class Patience:
    """How many wrong ones are free, at how many the lock falls, and after which quiet time a run is over."""

    free: int
    lock: int
    quiet: timedelta


OF_NAME = Patience(free=5, lock=20, quiet=timedelta(hours=24))
OF_TERMINAL = Patience(free=30, lock=100, quiet=timedelta(hours=1))
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=30), timedelta(minutes=15)
NOTED_AFTER = timedelta(minutes=2)
"""A run without an attempt for so long gets its row in the audit log; what comes later is another run there."""
KINDS = {
    At.PASSWORD: "sign_in_refused",
    At.PIN: "pin_refused",
    At.FACTOR: "sign_in_refused",
    At.TERMINAL: "sign_in_refused",
}


def patience_of(run: Attempts) -> Patience:
    """Return what a run of this kind is allowed; a terminal serves many people."""
    return OF_TERMINAL if run.at == At.TERMINAL else OF_NAME


def is_locked(run: Attempts) -> bool:
    """Whether nothing is looked at any more until a manager lifts the lock."""
    return run.judged >= patience_of(run).lock


def wait_after(judged: int, patience: Patience) -> timedelta:
    """Return how long to wait after so many wrong ones: nothing, then half a minute, doubled each time up to a quarter hour."""
    beyond = judged - patience.free
    if beyond < 0:
        return timedelta(0)
    return min(FIRST_WAIT * (1 << min(beyond, 16)), LONGEST_WAIT)


class Attempt:
    """One attempt at a name from where a request comes from, counted as wrong until it `succeeded`.

    Making one refuses `too_many_attempts` while the name or the terminal has to wait, and `locked_out` once it is locked.
    Without a name, only the terminal counts.
    """

    def __init__(self, at: str, name: str, request: HttpRequest | None) -> None:
        self.now = timezone.now()
        self.terminal = terminal_of(request, "") if request is not None else ""
        with transaction.atomic():
            # Always in this order, so that no two attempts wait for each other.
            self.runs = [self._begun(at, name)] if name else []
            self.runs.append(self._begun(At.TERMINAL, self.terminal))
            refusal = next(filter(None, map(self._refusal, self.runs)), None)
            # The log has each refusal once: with the person if there is one, else with the terminal.
            self.told = self.runs[0] if self.runs[0].person else self.runs[-1]
            for run in self.runs:
                self._count(run, judged=refusal is None)
        if refusal is not None:
            raise refusal

    def succeeded(self) -> None:
        """End the run at the name, and take this attempt off the terminal's; what was refused before is noted."""
        with transaction.atomic():
            for begun in self.runs:
                run = Attempts.objects.select_for_update().filter(pk=begun.pk).first()
                if run is None:  # it was lifted meanwhile
                    continue
                if begun is self.told and run.unnoted:
                    run.unnoted -= 1
                if run.at == At.TERMINAL:
                    run.judged, run.refused = max(0, run.judged - 1), max(0, run.refused - 1)
                    run.until = run.until if wait_after(run.judged, OF_TERMINAL) else None
                    run.save()
                else:
                    _end(run)

    def _count(self, run: Attempts, *, judged: bool) -> None:
        run.refused += 1
        run.last_at, run.terminal = self.now, self.terminal
        if run is self.told:
            run.unnoted += 1
            run.since = run.since or self.now
        if judged:
            run.judged += 1
            wait = wait_after(run.judged, patience_of(run))
            run.until = self.now + wait if wait else None
            if is_locked(run) and (run.person or run.at == At.TERMINAL):
                _note_run(run)
                act = Act(actor=None, now=self.now, terminal=self.terminal)
                noting.note("attempts_locked", act=act, **_known(run))
        run.save()

    def _begun(self, at: str, subject: str) -> Attempts:
        """The row of a run, locked; a run that has been quiet for long enough begins anew."""
        key = sha256(subject.casefold().encode()).hexdigest()
        run, _ = Attempts.objects.select_for_update().get_or_create(
            at=at,
            subject=key,
            defaults={
                "last_at": self.now,
                "person": None
                if at == At.TERMINAL
                else Staff.objects.filter(username__iexact=subject).first(),
            },
        )
        if not is_locked(run) and run.last_at < self.now - patience_of(run).quiet:
            _note_run(run)
            run.judged = run.refused = 0
            run.until = None
        return run

    def _refusal(self, run: Attempts) -> TooManyAttempts | LockedOut | None:
        if is_locked(run):
            what = "this terminal" if run.at == At.TERMINAL else "this name"
            return LockedOut(
                f"Locked: too many wrong attempts at {what}. A manager lifts the lock.", field="pin"
            )
        if run.until is not None and self.now < run.until:
            seconds = (run.until - self.now).total_seconds()
            wait = f"{seconds / 60:.0f} minutes" if seconds > 90 else "a minute"
            return TooManyAttempts(f"Too many wrong attempts. Try again in {wait}.", field="pin")
        return None


def locked_runs() -> list[Attempts]:
    """Return every run that only a manager can end, newest first. Of names that nobody has there is nothing to lift."""
    limits = Q(at=At.TERMINAL, judged__gte=OF_TERMINAL.lock) | Q(
        person__isnull=False, judged__gte=OF_NAME.lock
    )
    return list(Attempts.objects.filter(limits).select_related("person").order_by("-last_at"))


def lift(run: Attempts, act: Act) -> None:
    """End a lock by hand, so that its person or terminal starts from nothing."""
    _end(run)
    noting.note("attempts_lifted", act=act, **_known(run), origin=run.terminal)


def forget(person: Staff) -> None:
    """End every run at this person, who has been given another way to sign in."""
    with transaction.atomic():
        for run in Attempts.objects.select_for_update().filter(person=person).order_by("pk"):
            _end(run)


def tend(now: datetime) -> None:
    """Note the runs that are over, and remove those that have been quiet for long and hold nobody up."""
    with transaction.atomic():
        over = Attempts.objects.select_for_update().filter(unnoted__gt=0, last_at__lt=now - NOTED_AFTER)
        for run in over.order_by("pk"):
            _note_run(run)
            run.save(update_fields=["unnoted", "since"])
    locked = {run.pk for run in locked_runs()}
    Attempts.objects.filter(unnoted=0, last_at__lt=now - OF_NAME.quiet).exclude(pk__in=locked).delete()


def _end(run: Attempts) -> None:
    _note_run(run)
    Attempts.objects.filter(pk=run.pk).delete()


def _known(run: Attempts) -> dict[str, Any]:
    """What the audit log keeps of a lock."""
    return {"guessed": run.at, "staff": run.person_id, "count": run.refused}


def _note_run(run: Attempts) -> None:
    """Note what was refused since the last time, in one row of the audit log."""
    if run.unnoted:
        noting.note(
            KINDS[At(run.at)],
            act=Act(actor=None, now=run.last_at, terminal=run.terminal),
            username=run.person.username if run.person else "",
            count=run.unnoted,
            since=run.since.isoformat() if run.since else "",
        )
    run.unnoted, run.since = 0, None
