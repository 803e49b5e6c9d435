"""The alerts that `manage.py audit monitor` raises by the policy of the house."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from statistics import median

from ledger.models import AuditLog, Checkpoint, HouseEvent, Leaf, Site
from ledger.proof.audit.policy import Policy, witnessed
from ledger.proof.log import keys, sealing, witnessing
from ledger.records.findings import Finding

DAY = timedelta(days=1)
LOST_AFTER = timedelta(hours=2)  # a witness is asked once an hour at least
DAYS_BEFORE = 14
TOO_MUCH = 5  # times the records of a usual day
USUAL = 1_000  # a day with fewer records never raises an alert


def alerts(site: Site, *, now: datetime) -> Iterator[Finding]:
    """Yield every breach of the policy. Raises BadPolicy."""
    log = sealing.log_of(site)
    policy = witnessing.policy_of_the_house() or Policy((), (), {}, "none")
    yield from _no_checkpoint(log, policy, now)
    yield from _new_key(log, policy, now)
    yield from _lost_witnesses(log, policy, now)
    yield from _growth(log, now)


def is_news(site: Site, codes: list[str], *, now: datetime) -> bool:
    """Return whether these alerts differ from the last recorded ones, or a day has passed since."""
    last = site.events.filter(kind=HouseEvent.Kind.MONITORED).order_by("-pk").first()
    return last is None or last.data.get("alerts") != codes or not timedelta() <= now - last.recorded_at < DAY


def _no_checkpoint(log: AuditLog, policy: Policy, now: datetime) -> Iterator[Finding]:
    since = policy.due_since(now)
    if policy.is_met_by(set()):
        met = Checkpoint.objects.filter(log=log, signed_at__gt=since).exists()
    else:
        met = policy.is_met_by(_signers_since(log, policy, since))
    if not met:
        what = "witnessed by a quorum" if policy.witnesses else "signed"
        yield Finding("no_checkpoint", f"No checkpoint has been {what} since {since:%Y-%m-%d %H:%M} UTC.")


def _signers_since(log: AuditLog, policy: Policy, since: datetime) -> set[str]:
    """Return who cosigned since then, for the checkpoint that most witnesses cosigned."""
    names = (
        {name for name, at in witnessed(note.encode(), policy, keys.ARITHMETIC).at.items() if at > since}
        for note in map(witnessing.cosigned, witnessing.cosigned_last(log, signed_at__gt=since))
    )
    return max(names, key=len, default=set())


def _new_key(log: AuditLog, policy: Policy, now: datetime) -> Iterator[Finding]:
    """Yield keys that the policy does not name; if it names none, replacements of the last day."""
    for _, key, at in keys.history(log)[0 if policy.logs else 1 :]:
        if key not in policy.logs if policy.logs else now - at < DAY:
            sentence = f"The log has the key {key.fingerprint[:16]} since {at:%Y-%m-%d %H:%M} UTC"
            yield Finding("new_key", f"{sentence}, which the policy does not name.")


def _lost_witnesses(log: AuditLog, policy: Policy, now: datetime) -> Iterator[Finding]:
    troubles = witnessing.troubles(log.site)
    for witness in policy.witnesses:
        last = witnessing.last_of(log, witness)
        if not witness.address or (last is not None and now - last.signed_at < LOST_AFTER):
            continue
        since = "yet" if last is None else f"since {last.signed_at:%Y-%m-%d %H:%M} UTC"
        why = troubles.get(witness.name, "the log of the server says why.")
        yield Finding("lost_witness", f"The witness {witness.name} has not signed {since}: {why}")


def _growth(log: AuditLog, now: datetime) -> Iterator[Finding]:
    counts = [
        Leaf.objects.filter(log=log, recorded_at__gt=end - DAY, recorded_at__lte=end).count()
        for end in (now - number * DAY for number in range(DAYS_BEFORE + 1))
    ]
    today, usual = counts[0], median([count for count in counts[1:] if count] or [0])
    if usual and today > max(USUAL, TOO_MUCH * usual):
        yield Finding("growth", f"{today:,} records in a day, where {usual:,.0f} are usual.")
