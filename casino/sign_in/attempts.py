"""Wrong passwords, PINs and codes, counted by name and device and by terminal: growing waits, then a lock.

An attempt counts as wrong before it is judged, so simultaneous guesses all count. The name is stored as a
hash, because people type passwords there. Unknown names wait and lock like known ones. Terminals of the
house, and browsers that the name has signed in with, have runs of their own, so nobody locks a colleague out
from elsewhere, and such a browser does not wait with its address. A run over all terminals together does not
end with a success: enrolling terminals gains no guesses.
"""

from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any, Self

from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from casino.models import Attempts, Staff
from casino.sign_in import browsers, noting
from casino.sign_in.errors import LockedOut, TooManyAttempts
from casino.sign_in.hashing import digest
from ledger.journal.acts import Act
from ledger.views.terminal import terminal_of

At = Attempts.At


@dataclass(frozen=True, slots=True)
class Patience:
    """The limits of a run: free wrong attempts, attempts until the lock, and the quiet time that ends the
    run. `forgets` is the quiet time after which one wrong attempt is dropped: a terminal is never quiet for
    long, and many people mistype there in a week."""

    free: int
    lock: int
    quiet: timedelta
    forgets: timedelta | None = None


OF_NAME = Patience(free=5, lock=20, quiet=timedelta(hours=24))
OF_TERMINAL = Patience(free=30, lock=100, quiet=timedelta(hours=1), forgets=timedelta(minutes=10))
OF_TERMINALS = Patience(free=30, lock=100, quiet=timedelta(hours=24), forgets=timedelta(hours=1))
ALL_TERMINALS = "terminals"
"""The `device` of a name's run over all terminals together."""
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=30), timedelta(minutes=15)
NOTED_AFTER = timedelta(minutes=2)
"""A run that has been quiet for so long gets its row in the audit log; later attempts get another row."""


def patience_of(run: Attempts) -> Patience:
    if run.device == ALL_TERMINALS:
        return OF_TERMINALS
    return OF_TERMINAL if run.at == At.TERMINAL else OF_NAME


def is_locked(run: Attempts) -> bool:
    """Return whether nothing is judged until a manager lifts the lock."""
    return run.judged >= patience_of(run).lock


def wait_after(judged: int, patience: Patience) -> timedelta:
    """Return the wait after so many wrong attempts: none, then 30 s, doubling up to 15 minutes."""
    beyond = judged - patience.free
    if beyond < 0:
        return timedelta(0)
    return min(FIRST_WAIT * (1 << min(beyond, 16)), LONGEST_WAIT)


class Attempt:
    """One attempt at a name: wrap the check in `with Attempt(...) as attempt:`.

    It counts as wrong unless `succeeded` is called. An exception takes it back: nothing was judged. The
    constructor refuses `too_many_attempts` during a wait and `locked_out` under a lock. Without a name, only
    the terminal counts.
    """

    def __init__(self, at: str, name: str, request: HttpRequest | None) -> None:
        self.now = timezone.now()
        self.terminal = terminal_of(request, "") if request is not None else ""
        self.place = place_of(self.terminal)
        device = browsers.device_of(request, name)
        self.is_right = False
        with transaction.atomic():
            # Always in this order, to avoid deadlocks.
            devices = [device, ALL_TERMINALS] if getattr(request, "terminal", None) else [device]
            self.runs = [self._run(at, name, one) for one in devices] if name else []
            if not browsers.is_browser(device):
                self.runs.append(self._run(At.TERMINAL, self.place))
            self.before = [copy(run) for run in self.runs]
            for run in self.runs:
                _forget_old(run, self.now)
            refusal = next(filter(None, map(self._refusal, self.runs)), None)
            # Log each refusal once: in the run with a person if there is one, else in the terminal's.
            self.told = self.runs[0] if self.runs[0].person else self.runs[-1]
            for run in self.runs:
                self._count(run, judged=refusal is None)
        if refusal is not None:
            raise refusal

    def succeeded(self) -> None:
        """End the name's run on this device; what was refused before goes into the log."""
        self.is_right = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None or self.is_right:
            self._take_back(ends=error is None)
        else:
            self._note_locks()

    @transaction.atomic
    def _take_back(self, *, ends: bool) -> None:
        for before, counted in zip(self.before, self.runs, strict=True):
            run = Attempts.objects.select_for_update().filter(pk=counted.pk).first()
            if run is None:  # lifted meanwhile
                continue
            self._uncount(run, before, counted)
            if ends and run.at != At.TERMINAL and run.device != ALL_TERMINALS:
                _end(run)
            else:
                run.save()

    def _count(self, run: Attempts, *, judged: bool) -> None:
        run.refused += 1
        run.last_at, run.terminal = self.now, self.place if run.at == At.TERMINAL else self.terminal
        if run is self.told:
            run.unnoted += 1
            run.since = run.since or self.now
        if judged:
            run.judged += 1
            wait = wait_after(run.judged, patience_of(run))
            run.until = self.now + wait if wait else None
        run.save()

    def _uncount(self, run: Attempts, before: Attempts, counted: Attempts) -> None:
        """Subtract what this attempt added, keeping what others counted meanwhile."""
        run.judged = max(0, run.judged + before.judged - counted.judged)
        run.refused = max(0, run.refused + before.refused - counted.refused)
        if run.last_at == counted.last_at:
            run.last_at, run.terminal = before.last_at, before.terminal
        if run.until == counted.until:
            run.until = before.until
        if counted is self.told and run.unnoted:
            run.unnoted -= 1
            run.since = run.since if run.unnoted else None

    def _note_locks(self) -> None:
        locked = [run.pk for run in self.runs if is_locked(run) and (run.person or run.at == At.TERMINAL)]
        if not locked:
            return
        with transaction.atomic():
            for pk in locked:  # in the order of `__init__`
                run = Attempts.objects.select_for_update().filter(pk=pk).first()
                if run is None:  # lifted meanwhile
                    continue
                _note_run(run)
                run.save(update_fields=["unnoted", "since"])
                act = Act(actor=None, now=self.now, terminal=self.terminal)
                noting.note("attempts_locked", act=act, **_known(run))

    def _run(self, at: str, subject: str, device: str = "") -> Attempts:
        """Return the locked row of a run, created at need, with the person who has the name by now."""
        which = {"at": at, "subject": _key(subject), "device": device}
        found = Attempts.objects.select_for_update().filter(**which)
        # Two requests may insert at once: the second waits. If the first was right, its run is deleted again;
        # retry.
        while (run := found.first()) is None:
            Attempts.objects.bulk_create([Attempts(**which, last_at=self.now)], ignore_conflicts=True)
        if run.person is None and at != At.TERMINAL:
            run.person = Staff.objects.filter(username__iexact=subject).first()
        return run

    def _refusal(self, run: Attempts) -> TooManyAttempts | LockedOut | None:
        if is_locked(run):
            what = "this terminal" if run.at == At.TERMINAL else "this name"
            where = (
                ""
                if run.device or run.at == At.TERMINAL
                else " Signing in on a terminal of the house still works."
            )
            return LockedOut(
                f"Locked: too many wrong attempts at {what}. A manager lifts the lock.{where}", field="pin"
            )
        if run.until is not None and self.now < run.until:
            seconds = (run.until - self.now).total_seconds()
            wait = f"{seconds / 60:.0f} minutes" if seconds > 90 else "a minute"
            return TooManyAttempts(f"Too many wrong attempts. Try again in {wait}.", field="pin")
        return None


def place_of(terminal: str) -> str:
    """Return the origin of attempts: a terminal, an IPv4 address, or the /64 network of one customer."""
    try:
        address = ip_address(terminal.partition("%")[0])
    except ValueError:
        return terminal
    if isinstance(address, IPv4Address):
        return terminal
    return str(address.ipv4_mapped or ip_network((address, 64), strict=False))


def is_held_up(run: Attempts, now: datetime) -> bool:
    """Return whether a manager can lift the run. A person's wait is not lifted: a code is made instead."""
    waits = run.at == At.TERMINAL and run.until is not None and now < run.until
    return waits or is_locked(run)


def held_up(now: datetime) -> list[Attempts]:
    """Return every run that a manager can lift, newest first; runs of unknown names are left out."""
    limits = (
        Q(at=At.TERMINAL, judged__gte=OF_TERMINAL.lock)
        | Q(at=At.TERMINAL, until__gt=now)
        | Q(person__isnull=False, judged__gte=OF_NAME.lock) & ~Q(device=ALL_TERMINALS)
        | Q(person__isnull=False, judged__gte=OF_TERMINALS.lock)
    )
    return list(Attempts.objects.filter(limits).select_related("person").order_by("-last_at"))


def name_of(run: Attempts) -> str:
    """Return the username or terminal of a run; empty for an unknown name."""
    if run.at == At.TERMINAL:
        return run.terminal
    return run.person.username if run.person else ""


def lift(run: Attempts, act: Act) -> None:
    _end(run)
    noting.note("attempts_lifted", act=act, **_known(run), origin=run.terminal)


def forget(person: Staff) -> None:
    """End all runs of a person who got another way to sign in, even those from before they were hired."""
    own = Q(person=person) | Q(subject=_key(person.username)) & ~Q(at=At.TERMINAL)
    with transaction.atomic():
        # in the same order as `Attempt`, to avoid deadlocks
        for run in Attempts.objects.select_for_update().filter(own).order_by("at", "device", "pk"):
            _end(run)


def tend(now: datetime) -> None:
    """Note runs that are over, and delete long quiet ones that hold nobody up."""
    with transaction.atomic():
        over = Attempts.objects.select_for_update().filter(unnoted__gt=0, last_at__lt=now - NOTED_AFTER)
        for run in over.order_by("pk"):
            _note_run(run)
            run.save(update_fields=["unnoted", "since"])
    held = {run.pk for run in held_up(now)}
    Attempts.objects.filter(unnoted=0, last_at__lt=now - OF_NAME.quiet).exclude(pk__in=held).delete()
    browsers.forget_old(now)


def _key(subject: str) -> str:
    return digest(subject.casefold())


def _forget_old(run: Attempts, now: datetime) -> None:
    """Reset or reduce a run that was quiet long enough. Enforced waits do not count as quiet."""
    if is_locked(run):
        return
    patience = patience_of(run)
    if run.last_at < now - patience.quiet:
        _note_run(run)
        run.judged = run.refused = 0
        run.until = None
    elif patience.forgets is not None:
        quiet = now - max(run.last_at, run.until or run.last_at)
        run.judged = max(0, run.judged - max(0, quiet // patience.forgets))


def _end(run: Attempts) -> None:
    _note_run(run)
    Attempts.objects.filter(pk=run.pk).delete()


def _known(run: Attempts) -> dict[str, Any]:
    return {"guessed": run.at, "staff": run.person_id, "count": run.refused}


def _note_run(run: Attempts) -> None:
    """Write the refusals since the last note as one row of the audit log."""
    if run.unnoted:
        noting.note(
            "pin_refused" if run.at == At.PIN else "sign_in_refused",
            act=Act(actor=None, now=run.last_at, terminal=run.terminal),
            guessed=run.at,
            username=run.person.username if run.person else "",
            count=run.unnoted,
            since=run.since.isoformat() if run.since else "",
        )
    run.unnoted, run.since = 0, None
