"""The exclusion list and every look at it (4 CCR 12463-12466): asked before somebody is seated or sold chips.

Who is on it stays in the house; that somebody looked does not. Each look, each entry and each lifting is a `Withheld`
row, whose text stays here while the audit log has its salted commitment. Screens say "See floor." and nothing else.
"""

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction

from ledger.audit.findings import Finding
from ledger.audit.tree import canonical
from ledger.errors import AlreadyExcluded, BadText, SeeFloor
from ledger.journal import records
from ledger.journal.acts import Act
from ledger.journal.posting import REASON_LENGTH, checked_text
from ledger.models import AuditRecord, Exclusion, Site, Withheld
from ledger.rights import KEEP_EXCLUSIONS, require

NAME_LENGTH, NUMBER_LENGTH, REFERENCE_LENGTH = 80, 20, 80
AT_ONCE = 1000  # rows in memory
_What = Withheld.What


# -- asking ---------------------------------------------------------------------------------------------------


def look(site: Site, name: str, number: str, act: Act, doing: str) -> bool:
    """Whether somebody of this name or card number is excluded; writes down who asked, of whom, and what for.

    Called before the transaction of the act that it is for, so that the look is on record also where that is refused.
    """
    found = _found(site, name, number, act.now)
    said = {
        "actor": act.actor.pk,
        "doing": doing,
        "exclusion": found and found.pk,
        "name": name.strip(),
        "number": number.strip(),
    }
    with transaction.atomic():
        _withhold(site, _What.EXCLUSION_LOOK, said, act.now)
    return found is not None


def require_welcome(site: Site, name: str, number: str, act: Act, doing: str) -> None:
    """Look, where a name or a card number is known, and refuse whoever is excluded (`see_floor`)."""
    if (name.strip() or number.strip()) and look(site, name, number, act, doing):
        raise SeeFloor("See floor.")


def _found(site: Site, name: str, number: str, now: datetime) -> Exclusion | None:
    """The entry in force that means this person. Where both have a card number that decides, else the name does."""
    name, number = _spoken(name), number.strip()
    today = now.astimezone(ZoneInfo(site.time_zone)).date()
    for one in in_force(site).filter(effective_from__lte=today).order_by("pk"):
        same = one.number == number if one.number and number else bool(name) and _spoken(one.name) == name
        if same:
            return one
    return None


def in_force(site: Site) -> Any:
    """The entries that have not been lifted, also those of a day to come."""
    return Exclusion.objects.filter(site=site, lifted_at__isnull=True)


def _spoken(name: str) -> str:
    """A name without what typing makes of it: case and spaces."""
    return " ".join(name.split()).casefold()


# -- keeping --------------------------------------------------------------------------------------------------


def add_exclusion(
    *, site: Site, name: str = "", number: str = "", reference: str, effective_from: date, act: Act
) -> Exclusion:
    """Put somebody on the list, by name, card number or both; `reference` says by which list or order.

    The same once more is the same entry. Refuses `bad_text`, and `already_excluded` where the entry says something else.
    """
    require(act.actor, KEEP_EXCLUSIONS)
    name, number = " ".join(name.split()), number.strip()
    checked_text(name, NAME_LENGTH, "name", empty=True)
    checked_text(number, NUMBER_LENGTH, "number", empty=True)
    checked_text(reference, REFERENCE_LENGTH, "reference")
    if not (name or number):
        raise BadText("Say who it is: a name, a card number or both.", field="name")
    with transaction.atomic():
        Site.objects.select_for_update(no_key=True).get(pk=site.pk)  # two who enter the same enter it once
        for one in in_force(site).filter(number=number):
            if _spoken(one.name) == _spoken(name):
                if (one.reference, one.effective_from) == (reference, effective_from):
                    return one
                raise AlreadyExcluded(f"{one} is on the list by {one.reference}.", field="name")
        added = Exclusion.objects.create(
            site=site,
            name=name,
            number=number,
            reference=reference,
            effective_from=effective_from,
            added_at=act.now,
            added_by=act.actor,
        )
        _withhold(site, _What.EXCLUSION_ADDED, {"actor": act.actor.pk, **_said(added)}, act.now)
    return added


def lift_exclusion(*, exclusion_id: int, act: Act) -> Exclusion:
    """Take somebody off the list, with a reason; the entry stays, lifted. Lifting twice is lifting once."""
    require(act.actor, KEEP_EXCLUSIONS)
    act = act.stated("Say why the exclusion is lifted.")
    checked_text(act.reason, REASON_LENGTH, "reason")
    with transaction.atomic():
        one = Exclusion.objects.select_for_update(of=("self",), no_key=True).get(pk=exclusion_id)
        if one.lifted_at is None:
            one.lifted_at, one.lifted_by = act.now, act.actor
            one.save(update_fields=["lifted_at", "lifted_by"])
            said = {"actor": act.actor.pk, "reason": act.reason, **_said(one)}
            _withhold(one.site, _What.EXCLUSION_LIFTED, said, act.now)
    return one


def _said(one: Exclusion) -> dict[str, Any]:
    return {
        "exclusion": one.pk,
        "name": one.name,
        "number": one.number,
        "reference": one.reference,
        "effective_from": one.effective_from.isoformat(),
    }


def _withhold(site: Site, what: str, said: Mapping[str, Any], now: datetime) -> Withheld:
    """Write a text that stays in the house, and its commitment into the log."""
    text, salt = canonical.text(said), secrets.token_hex(32)
    kept = Withheld.objects.create(
        site=site, what=what, salt=salt, text=text, commitment=commitment(salt, text), recorded_at=now
    )
    records.keep(site.pk, now, kept)
    return kept


def commitment(salt: str, text: str) -> str:
    """What the log says of a text that it does not have: sha256 over the salt, a line feed and the text, in hex."""
    return sha256(f"{salt}\n{text}".encode()).hexdigest()


# -- reading --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """One withheld record as compliance reads it: what happened at `at`, by whom (id of staff), and about whom."""

    at: datetime
    what: str
    actor_id: int | None
    doing: str
    name: str
    number: str
    found: bool


def told(rows: Iterable[Withheld]) -> list[Told]:
    """What these rows say."""
    return [_told(row) for row in rows]


def withheld_of(site: Site) -> Any:
    """Every look and every change of the list, newest first."""
    return Withheld.objects.filter(site=site).order_by("-pk")


def _told(row: Withheld) -> Told:
    said = _object(row.text)
    doing = said.get("doing") or said.get("reason") or said.get("reference") or ""
    found = row.what == _What.EXCLUSION_LOOK and said.get("exclusion") is not None
    return Told(
        row.recorded_at,
        str(row.what),
        said.get("actor"),
        str(doing),
        str(said.get("name", "")),
        str(said.get("number", "")),
        found,
    )


def _object(text: str) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


# -- verifying ------------------------------------------------------------------------------------------------


def commitments(site: Site) -> Iterator[Finding]:
    """Withheld texts against the commitments that the log has of them. (Rows without a record are named elsewhere.)"""
    rows = Withheld.objects.filter(site=site).order_by("pk").iterator(AT_ONCE)
    while some := list(islice(rows, AT_ONCE)):
        found = AuditRecord.objects.filter(site=site, kind="withheld", subject__in=[row.pk for row in some])
        recorded = dict(found.values_list("subject", "text"))
        for row in some:
            promised = commitment(row.salt, row.text)
            if row.pk in recorded and f'"commitment":"{promised}"' not in recorded[row.pk]:
                sentence = "its salt and text are not those that the log was given a commitment to."
                yield Finding("commitment_differs", sentence, None, f"withheld {row.pk}")


def entries(site: Site) -> Iterator[Finding]:
    """The list itself against what was written down when somebody was put on it or taken off. No name is told here."""
    kinds = (_What.EXCLUSION_ADDED, _What.EXCLUSION_LIFTED)
    changes = Withheld.objects.filter(site=site, what__in=kinds).order_by("pk")
    added: dict[Any, dict[str, Any]] = {}
    lifted: set[Any] = set()
    for what, text in changes.values_list("what", "text").iterator(AT_ONCE):
        said = _object(text)
        if what == _What.EXCLUSION_LIFTED:
            lifted.add(said.get("exclusion"))
        else:
            added[said.get("exclusion")] = said
    for one in Exclusion.objects.filter(site=site).order_by("pk").iterator(AT_ONCE):
        said = added.pop(one.pk, {})
        name = f"exclusion {one.pk}"
        if not said:
            yield Finding("no_record", "nobody is on record as having put it on the list.", None, name)
            continue
        wrong = [key for key, value in _said(one).items() if said.get(key) != value]
        if wrong:
            yield Finding("row_differs", f"its {wrong[0]} is not the one that was entered.", None, name)
        elif (one.lifted_at is not None) != (one.pk in lifted):
            yield Finding("row_differs", "whether it is lifted is not what is on record.", None, name)
    for pk in added:
        yield Finding("row_missing", "it was put on the list, and is gone from it.", None, f"exclusion {pk}")


QUESTIONS = (
    ("withheld texts against their commitments", commitments),
    ("the exclusion list against what was entered", entries),
)
