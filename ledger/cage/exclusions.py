"""The exclusion list and every check of it (4 CCR 12463-12466), made before somebody is seated or sold chips.

Names on the list and checks never leave the house. Each check, addition and lifting is a `Withheld` row,
whose text stays here while the audit log commits to it (`withholding`). Screens only say "See floor."
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import QuerySet

from ledger import lengths
from ledger.errors import AlreadyExcluded, BadText, SeeFloor
from ledger.journal import withholding
from ledger.journal.acts import Act
from ledger.journal.posting import checked_text
from ledger.models import Exclusion, Site, Withheld
from ledger.records.findings import Finding
from ledger.rights import KEEP_EXCLUSIONS, require

NAME_LENGTH, NUMBER_LENGTH, REFERENCE_LENGTH = 80, 20, 80
AT_ONCE = 1000  # rows in memory
_What = Withheld.What


# -- checking ------------------------------------------------------------------------------------------------


def look(site: Site, name: str, number: str, act: Act, doing: str) -> bool:
    """Return whether somebody with this name or card number is excluded, and record who checked whom and why.
    Call it before the transaction of the act, so that the check stays recorded even if the act is refused."""
    found = _found(site, name, number, act.now)
    payload = {
        "actor": act.actor.pk,
        "doing": doing,
        "exclusion": found and found.pk,
        "name": name.strip(),
        "number": number.strip(),
    }
    with transaction.atomic():
        withholding.withhold(site, _What.EXCLUSION_LOOK, payload, act.now)
    return found is not None


def require_welcome(site: Site, name: str, number: str, act: Act, doing: str) -> None:
    """Check the list if a name or card number is given. Raises SeeFloor."""
    if (name.strip() or number.strip()) and look(site, name, number, act, doing):
        raise SeeFloor("See floor.")


def _found(site: Site, name: str, number: str, now: datetime) -> Exclusion | None:
    """Return the entry in force for this person: by card number if both have one, else by name."""
    name, number = _spoken(name), number.strip()
    today = now.astimezone(ZoneInfo(site.time_zone)).date()
    for one in in_force(site).filter(effective_from__lte=today).order_by("pk"):
        same = one.number == number if one.number and number else bool(name) and _spoken(one.name) == name
        if same:
            return one
    return None


def in_force(site: Site) -> QuerySet[Exclusion]:
    return Exclusion.objects.filter(site=site, lifted_at__isnull=True)


def _spoken(name: str) -> str:
    return " ".join(name.split()).casefold()


# -- changing the list ---------------------------------------------------------------------------------------


def add_exclusion(
    *, site: Site, name: str = "", number: str = "", reference: str, effective_from: date, act: Act
) -> Exclusion:
    """Put somebody on the list, by name, card number or both; `reference` names the list or order behind it.
    Adding the same again returns the same entry. Raises BadText, and AlreadyExcluded if the details differ.
    """
    require(act.actor, KEEP_EXCLUSIONS)
    name, number = " ".join(name.split()), number.strip()
    checked_text(name, NAME_LENGTH, "name", empty=True)
    checked_text(number, NUMBER_LENGTH, "number", empty=True)
    checked_text(reference, REFERENCE_LENGTH, "reference")
    if not (name or number):
        raise BadText("Enter a name, a card number or both.", field="name")
    with transaction.atomic():
        Site.objects.select_for_update(no_key=True).get(
            pk=site.pk
        )  # two people adding the same person add one entry
        for one in in_force(site).filter(number=number):
            if _spoken(one.name) == _spoken(name):
                if (one.reference, one.effective_from) == (reference, effective_from):
                    return one
                raise AlreadyExcluded(f"{one} is already on the list ({one.reference}).", field="name")
        added = Exclusion.objects.create(
            site=site,
            name=name,
            number=number,
            reference=reference,
            effective_from=effective_from,
            added_at=act.now,
            added_by=act.actor,
        )
        withholding.withhold(
            site, _What.EXCLUSION_ADDED, {"actor": act.actor.pk, **_contents(added)}, act.now
        )
    return added


def lift_exclusion(*, exclusion_id: int, act: Act) -> Exclusion:
    """Take somebody off the list, with a reason. The entry stays; lifting twice changes nothing."""
    require(act.actor, KEEP_EXCLUSIONS)
    act = act.stated("Give the reason for lifting the exclusion.")
    checked_text(act.reason, lengths.POSTED_REASON, "reason")
    with transaction.atomic():
        one = Exclusion.objects.select_for_update(of=("self",), no_key=True).get(pk=exclusion_id)
        if one.lifted_at is None:
            one.lifted_at, one.lifted_by = act.now, act.actor
            one.save(update_fields=["lifted_at", "lifted_by"])
            payload = {"actor": act.actor.pk, "reason": act.reason, **_contents(one)}
            withholding.withhold(one.site, _What.EXCLUSION_LIFTED, payload, act.now)
    return one


def _contents(one: Exclusion) -> dict[str, Any]:
    return {
        "exclusion": one.pk,
        "name": one.name,
        "number": one.number,
        "reference": one.reference,
        "effective_from": one.effective_from.isoformat(),
    }


# -- reading -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExclusionEvent:
    """One check or change of the list: what happened at `at`, by whom (staff id), about whom."""

    at: datetime
    what: str
    actor_id: int | None
    doing: str
    name: str
    number: str
    found: bool


def events(rows: Iterable[Withheld]) -> list[ExclusionEvent]:
    return [_event(row) for row in rows]


def withheld_of(site: Site) -> Any:
    return Withheld.objects.filter(site=site).order_by("-recorded_at", "-pk")


def _event(row: Withheld) -> ExclusionEvent:
    payload = withholding.payload_of(row)
    doing = payload.get("doing") or payload.get("reason") or payload.get("reference") or ""
    found = row.what == _What.EXCLUSION_LOOK and payload.get("exclusion") is not None
    return ExclusionEvent(
        row.recorded_at,
        str(row.what),
        payload.get("actor"),
        str(doing),
        str(payload.get("name", "")),
        str(payload.get("number", "")),
        found,
    )


# -- verifying -----------------------------------------------------------------------------------------------


def entries(site: Site) -> Iterator[Finding]:
    """Compare the list with its recorded additions and liftings. Findings contain no names."""
    kinds = (_What.EXCLUSION_ADDED, _What.EXCLUSION_LIFTED)
    changes = Withheld.objects.filter(site=site, what__in=kinds).order_by("pk")
    recorded: dict[Any, dict[str, Any]] = {}
    for row in changes.iterator(AT_ONCE):
        payload, at = withholding.payload_of(row), row.recorded_at
        said = recorded.setdefault(payload.get("exclusion"), {})
        if row.what == _What.EXCLUSION_ADDED:
            said |= payload | {"added_by": payload.get("actor"), "added_at": at}
        else:
            said |= {"lifted_by": payload.get("actor"), "lifted_at": at}
    for one in Exclusion.objects.order_by("pk").iterator(AT_ONCE):
        said, name = recorded.pop(one.pk, {}), f"exclusion {one.pk}"
        if not said and one.site_id == site.pk:
            yield Finding("no_record", "nothing on record says that it was added to the list.", None, name)
        wrong = [key for key, value in _kept(one, site).items() if said.get(key) != value] if said else []
        if wrong:
            yield Finding("row_differs", f"its {wrong[0]} differs from what was entered.", None, name)
    for pk in recorded:
        yield Finding(
            "row_missing", "it was added to the list, and its row is gone.", None, f"exclusion {pk}"
        )


def _kept(one: Exclusion, site: Site) -> dict[str, Any]:
    people = {"added_by": one.added_by_id, "lifted_by": one.lifted_by_id}
    times = {"added_at": one.added_at, "lifted_at": one.lifted_at}
    # The records are this house's.
    own = {} if one.site_id == site.pk else {"house": one.site_id}
    return _contents(one) | people | times | own
