"""Who did what, from the events of the audit log: who came, who was refused, what changed about people, what left the house."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model

from casino.house.changes import words_of

ROWS = 100
GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "sign-ins": ("Sign-ins", ("signed_in", "signed_out", "session_ended", "code_used")),
    "refusals": ("Refusals", ("sign_in_refused", "pin_refused", "attempts_locked", "attempts_lifted")),
    "people": (
        "People and how they sign in",
        (
            *("staff_changed", "code_made", "password_set", "pin_set", "mail_set"),
            *("factor_added", "factor_removed"),
        ),
    ),
    "terminals": ("Terminals", ("terminal_enrolled", "terminal_revoked")),
    "downloads": ("What left the house", ("exported", "downloaded", "checkpoint_taken", "backed_up")),
    "house": (
        "The house itself",
        ("house_opened", "house_changed", "audit_key", "clock_doubted", "time_confirmed", "restored"),
    ),
}
SENTENCES = {
    "signed_in": "Signed in.",
    "signed_out": "Signed out.",
    "session_ended": "Ended {count} sessions of {staff}.",
    "code_used": "Came by a one-time code.",
    "code_made": "Made a one-time code for {staff}.",
    "password_set": "Set the password of {staff}.",
    "pin_set": "Set the PIN of {staff}.",
    "mail_set": "Set the address of {staff} for notices.",
    "factor_added": "Set up {factor} of {staff}.",
    "factor_removed": "Removed {factor} of {staff}.",
    "terminal_enrolled": "Enrolled the terminal {name}.",
    "terminal_revoked": "Revoked the terminal {name}.",
    "attempts_lifted": "Lifted the lock of {staff}.",
    "attempts_locked": "Too many wrong attempts: {staff} is locked.",
    "checkpoint_taken": "Took the checkpoint at {size} records.",
    "downloaded": "Downloaded {file}, {rows} rows.",
    "backed_up": "A backup was made: {folder}.",
    "restored": "The house was restored from the backup of {made_at}, at {checkpoint} records.",
    "audit_key": "The log has a new signing key.",
    "clock_doubted": "The clock of {host} jumped to {clock}; {expected} was expected.",
    "time_confirmed": "Confirmed that the clock, which showed {clock}, is right.",
}

FACTORS = {"totp": "an authenticator app", "webauthn": "a passkey", "recovery_codes": "the recovery codes"}
GUESSED = {"password": "password", "pin": "PIN", "factor": "second step", "terminal": "attempt"}


@dataclass(frozen=True)
class Deed:
    """One thing that was done: when, by whom (a person, or in words), where, and what."""

    pk: int
    at: datetime
    actor: Any
    terminal: str
    sentence: str


@dataclass(frozen=True)
class Sought:
    """What to look for: a group of GROUPS, a person, moments between which it was recorded, and before which event."""

    group: str = ""
    person: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: int | None = None


def deeds(site: Any, asked: Sought) -> list[Deed]:
    """Return the newest deeds, the latest first, one more than a page shows if there are more; two queries."""
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
    people = get_user_model().objects.in_bulk({event.data.get("staff") for event in found} - {None})
    return [
        Deed(
            event.pk,
            event.at,
            event.actor or ("nobody known" if event.kind in GROUPS["refusals"][1] else "the program"),
            event.terminal,
            _sentence(event.kind, event.data, people) or event.get_kind_display(),
        )
        for event in found
    ]


def _sentence(kind: str, data: Mapping[str, Any], people: Mapping[int, Any]) -> str:
    """Return what was done, in a sentence; empty where nothing is known of this kind."""
    if kind in ("sign_in_refused", "pin_refused"):
        what = GUESSED[data.get("guessed") or ("pin" if kind == "pin_refused" else "password")]
        count, name = data.get("count", 1), data.get("username") or "a name that nobody has"
        return f"{count} wrong {what}{'' if count == 1 else 's'} for {name}."
    if kind == "exported":
        named = ", with players' names" if data.get("players") else ""
        return f"Exported the log, {data.get('count', 'some')} records{named}."
    who = people.get(data.get("staff", 0), "a terminal" if kind.startswith("attempts") else "somebody")
    if kind in SENTENCES:
        try:
            factor = FACTORS.get(data.get("factor", ""), "a second step")
            return SENTENCES[kind].format_map({**data, "staff": who, "factor": factor})
        except KeyError:
            return ""
    return words_of(kind, data)
