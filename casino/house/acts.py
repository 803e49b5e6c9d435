"""Who did what, from the events of the audit log, in sentences."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model

from ledger.cage.names import isolated
from ledger.journal import records
from ledger.money import dollars
from tables.models import Rate

ROWS = 100
GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "sign-ins": ("Sign-ins", ("signed_in", "signed_out", "session_ended", "code_used")),
    "refusals": (
        "Refusals",
        (
            *("sign_in_refused", "pin_refused", "attempts_locked", "attempts_lifted", "asked_for_more"),
            "token_refused",
        ),
    ),
    "people": (
        "People and how they sign in",
        (
            *("staff_changed", "access_reviewed", "code_made", "password_set", "pin_set", "mail_set"),
            *("factor_added", "factor_removed", "factors_reset", "token_made", "token_revoked"),
        ),
    ),
    "terminals": ("Terminals", ("terminal_enrolled", "terminal_revoked")),
    "downloads": (
        "What left the house",
        (
            *("exported", "downloaded", "paper_asked", "paper_kept", "paper_not_made"),
            *("checkpoint_taken", "backed_up", "withheld_opened"),
        ),
    ),
    "program": (
        "The program and its checks",
        (
            *("program_started", "system_stated", "verified", "monitored", "sealing_refused"),
            *("archive_verified", "controls_tested"),
        ),
    ),
    "lists": ("Waiting lists", ("place_changed",)),
    "line": ("The dealers' line-up, needs and handovers", ("line_ordered", "need_changed", "handed_over")),
    "house": (
        "The house itself",
        (
            "sheet_offered",
            "house_opened",
            "house_changed",
            "audit_key",
            "clock_doubted",
            "time_confirmed",
            "restored",
            "checkpoints_set_aside",
        ),
    ),
}
SENTENCES = {
    "signed_in": "Signed in.",
    "signed_out": "Signed out.",
    "session_ended": "Ended {count} sessions of {staff}.",
    "code_used": "Came by a one-time code.",
    "handed_over": "Handed the floor over: handover {number}.",
    "access_reviewed": "Reviewed everybody's rights: review {number}, {quarter}.",
    "code_made": "Made a one-time code for {staff}.",
    "password_set": "Set the password of {staff}.",
    "pin_set": "Set the PIN of {staff}.",
    "mail_set": "Set the address of {staff} for notices.",
    "factor_added": "Set up {factor} of {staff}.",
    "factor_removed": "Removed {factor} of {staff}.",
    "factors_reset": "Reset the second steps of {staff}, who had lost them.",
    "terminal_enrolled": "Enrolled the terminal {name}.",
    "terminal_revoked": "Revoked the terminal {name}.",
    "token_made": "Made token {number} for {staff}: {name}.",
    "token_revoked": "Revoked token {number} of {staff}: {name}.",
    "token_refused": "Token {number} of {staff} was refused ({code}): {address}.",
    "attempts_lifted": "Lifted the lock of {staff}.",
    "attempts_locked": "Too many wrong attempts: {staff} is locked.",
    "asked_for_more": "Asked {place} for more {asset} than it has.",
    "checkpoint_taken": "Took the checkpoint at {size} records.",
    "paper_asked": "Asked for paper {number}: {paper} as {form}.",
    "paper_kept": "Paper {number} was made and is kept: {file}.",
    "paper_not_made": "Paper {number} was not made: {sentence}",
    "downloaded": "Downloaded {file}, {rows} rows.",
    "withheld_opened": "Opened record {record} of what the log withholds: {reason}.",
    "program_started": "Version {version} of the program started ({process}).",
    "verified": "Verified the books up to {size} records, as {by}: {findings} wrong.",
    "controls_tested": "Tested controls, test {number}: {from_day} to {to_day}.",
    "system_stated": "Stated what the house runs on.",
    "archive_verified": "Verified {papers} kept papers and exports, as {by}: {findings} wrong.",
    "sealing_refused": "Sealing was refused: {sentence}",
    "sheet_offered": "The house offers a game of its own, {code} in version {version}.",
    "backed_up": "A backup was made: {folder}.",
    "restored": "The house was restored from the backup of {made_at}, at {checkpoint} records.",
    "checkpoints_set_aside": "{lines} kept checkpoints, over up to {to_size} records, were set aside: "
    "{reason}.",
    "audit_key": "The log has a new signing key.",
    "clock_doubted": "The clock of {host} jumped to {clock}; {expected} was expected.",
    "time_confirmed": "Confirmed that the clock, which showed {clock}, is right.",
}

FACTORS = {"totp": "an authenticator app", "webauthn": "a passkey", "recovery_codes": "the recovery codes"}
PLACES = {
    "waiting": "waits",
    "called": "was called",
    "held": "has a seat held",
    "seated": "was seated",
    "left": "was given up",
    "expired": "ran out",
}
ON_PAGE = {
    "page_at": "got a page for its player",
    "coming_at": "is on the way",
    "more_at": "asks for more time",
}
LINE = {
    "line": "put in the line-up",
    "first": "first in the line-up",
    "break": "sent on a break",
    "off": "off for the day",
}
NEED = {"take": "Took", "release": "Released", "dismiss": "Dismissed", "recall": "Recalled"}
GUESSED = {"password": "password", "pin": "PIN", "factor": "second step", "terminal": "attempt"}
# The number of changes shown on the desk.
SHOWN = 12
LABELS = {
    "name": "Name",
    "licence": "Licence",
    "jurisdiction": "Jurisdiction",
    "time_zone": "Time zone",
    "day_starts_at": "Hour at which a gaming day starts",
    "shifts": "Shifts of a gaming day",
    "box_seals": "Drop boxes carry numbered seals",
    "drop_times": "Times at which boxes are pulled",
    "confirm_from_cents": "The window asks once more from",
    "patron_from_cents": "The patron is named from",
    "authorised_tables": "Tables authorised",
    "return_minutes": "Minutes a buy-in is remembered",
    "hold_minutes": "Minutes a seat is held",
    "chip_values": "Chips",
}
CHANGES = {
    "house_opened": "The house was set up: {name}, licence {licence}.",
    "table_added": "Table {number} was entered.",
    "table_turned": "Seat 1 of table {number} is now at the dealer's {seat_one}.",
    "table_retired": "Table {number} was retired.",
    "table_restored": "Table {number} was brought back.",
    "waiver_reason_published": "A reason for waivers was published: {text}.",
    "waiver_reason_withdrawn": "The reason for waivers {code} was withdrawn.",
}
PERSON = {
    "roles": "roles",
    "full_name": "name",
    "badge": "badge",
    "badge_expires": "badge until",
    "is_active": "works here",
}
SET_UP = "set-up"
"""First word of the terminal label of events from the set-up pages."""
KINDS = (*CHANGES, "house_changed", "games_offered", "staff_changed")


@dataclass(frozen=True)
class Deed:
    """An event in words. `actor` is a person, words, or None if unknown; `pk` is the event's."""

    at: datetime
    actor: Any
    sentence: str
    terminal: str = ""
    pk: int = 0


@dataclass(frozen=True)
class Sought:
    """A query: group of GROUPS, person, time of recording, and the event before which to look."""

    group: str = ""
    person: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: int | None = None


def deeds(site: Any, asked: Sought) -> list[Deed]:
    """Return the newest deeds, latest first: ROWS, and one more if there are more; two queries."""
    kinds = [kind for name, (_, of) in GROUPS.items() if asked.group in ("", name) for kind in of]
    events = site.events.filter(kind__in=kinds).select_related("actor").order_by("-pk")
    limits = {
        "actor": asked.person,
        "recorded_at__gte": asked.since,
        "recorded_at__lt": asked.until,
        "pk__lt": asked.before,
    }
    found = list(
        events.filter(**{name: value for name, value in limits.items() if value is not None})[: ROWS + 1]
    )
    named = {event.data.get(name) for event in found for name in ("staff", "approver", "dealer")}
    people = get_user_model().objects.in_bulk(named - {None})
    return [
        Deed(
            event.at,
            event.actor or _by_nobody(event),
            (_sentence(event, people) or event.get_kind_display()) + _signed(event, people),
            event.terminal,
            event.pk,
        )
        for event in found
    ]


def _by_nobody(event: Any) -> str:
    if event.kind == "place_changed" and event.data.get("state") != "expired":
        return "the player"
    return "nobody known" if event.kind in GROUPS["refusals"][1] else "the program"


def _signed(event: Any, people: Mapping[int, Any]) -> str:
    """Return who signed beside the actor; for a code or reset, also that nobody could."""
    approver = event.data.get("approver")
    if approver is not None:
        return f" {people.get(approver, 'Somebody')} signed beside them."
    alone = event.kind in ("code_made", "factors_reset") and event.actor is not None
    return " Nobody else could sign yet." if alone else ""


def _sentence(event: Any, people: Mapping[int, Any]) -> str:
    """Return an event as a sentence; empty for an unknown kind."""
    kind, data = event.kind, event.data
    if kind in ("sign_in_refused", "pin_refused"):
        what = GUESSED[data.get("guessed") or ("pin" if kind == "pin_refused" else "password")]
        count, name = data.get("count", 1), data.get("username") or "a name that nobody has"
        return f"{count} wrong {what}{'' if count == 1 else 's'} for {name}."
    if kind == "exported":
        along = {"players": "players' names", "opened": "looks at the exclusion list"}
        named = " and ".join(words for name, words in along.items() if data.get(name))
        return f"Exported the log, {data.get('count', 'some')} records{named and f', with {named}'}."
    if kind == "monitored":
        alerts = ", ".join(map(str, data.get("alerts") or ())) or "nothing to be seen to"
        return f"Monitored the log, as {data.get('by', 'somebody')}: {alerts}."
    if kind == "place_changed":
        now, became = records.moment(event.recorded_at), PLACES.get(data.get("state", ""), "changed")
        what = next((words for name, words in ON_PAGE.items() if data.get(name) == now), became)
        return f"Place {data.get('number')} on the waiting list {what}."
    if kind == "need_changed":
        what = str(data.get("need", "")).replace("_", " ")
        return f"{NEED.get(data.get('does', ''), 'Changed')} a need of the floor: {what}."
    if kind == "line_ordered":
        return f"{people.get(data.get('dealer', 0), 'A dealer')}: {LINE.get(data.get('does', ''), 'moved')}."
    who = people.get(data.get("staff", 0), "a terminal" if kind.startswith("attempts") else "somebody")
    if kind in SENTENCES:
        try:
            factor = FACTORS.get(data.get("factor", ""), "a second step")
            return SENTENCES[kind].format_map({**data, "staff": who, "factor": factor})
        except KeyError:
            return ""
    return words_of(kind, data)


def last_changes(site: Any) -> list[Deed]:
    """Return the newest changes, the latest first; three queries."""
    events = site.events.filter(kind__in=KINDS).select_related("actor").order_by("-pk")[:SHOWN]
    changes = [
        Deed(event.at, _by(event), words_of(event.kind, event.data) or event.get_kind_display())
        for event in events
    ]
    return sorted([*changes, *_rates(site)], key=lambda change: change.at, reverse=True)[:SHOWN]


def _by(event: Any) -> Any:
    """Return the actor; before anybody was known, the set-up address."""
    set_up = event.actor is None and event.terminal.split(" ")[0] == SET_UP
    return "the set-up address" if set_up else event.actor


def _rates(site: Any) -> list[Deed]:
    """Return the rates published last. Only a rate's audit record says when it was published."""
    published = records.kept_last(site.pk, "rate", SHOWN)
    rates = Rate.objects.filter(pk__in=published).select_related("published_by")
    return [
        Deed(
            published[rate.pk],
            rate.published_by,
            f"{rate} was published: fee {dollars(rate.fee_cents)} at limit {dollars(rate.limit_cents)},"
            f" from {rate.effective_from:%Y-%m-%d}.",
        )
        for rate in rates
    ]


def words_of(kind: str, data: Mapping[str, Any]) -> str:
    """Return what an event changed, before and after where it says so; empty for an unknown kind."""
    if kind == "house_changed":
        before = data.get("before") or {}
        return " ".join(
            f"{label}: {_given(name, before[name])} → {_given(name, data.get(name))}."
            for name, label in LABELS.items()
            if name in before
        )
    if kind == "games_offered":
        return _games(data)
    if kind == "staff_changed":
        return _person(data)
    try:
        return CHANGES[kind].format_map(data)
    except KeyError:
        return ""


def _given(name: str, value: Any) -> Any:
    if name.endswith("_cents"):
        return dollars(value) if value else "the law's amount"
    return "the usual ones" if value == "" else value


def _games(data: Mapping[str, Any]) -> str:
    before, after = set(data["before"]["offered"]), set(data["offered"])
    changes = [(after - before, "put on offer"), (before - after, "taken off")]
    return " ".join(f"{', '.join(sorted(codes)).capitalize()} {what}." for codes, what in changes if codes)


def _person(data: Mapping[str, Any]) -> str:
    before, after = data.get("before") or {}, data.get("after") or {}
    name = isolated(after.get("username") or "")
    if not before:
        return f"{name} works here: {_plain(after.get('roles'))}."
    changed = [
        f"{label} {_plain(before.get(key))} → {_plain(after.get(key))}"
        for key, label in PERSON.items()
        if before.get(key) != after.get(key)
    ]
    return f"{name}: {', '.join(changed)}." if changed else ""


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "no role"
    return {True: "yes", False: "no", None: "none", "": "none"}.get(value, isolated(str(value)))
