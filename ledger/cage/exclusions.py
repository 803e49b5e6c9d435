"""The exclusion list and every check of it (4 CCR 12463-12466), made before somebody is seated or sold chips.

Names on the list and checks never leave the house. Each check, addition and lifting is a `Withheld` row,
whose text stays here while the audit log commits to it (`withholding`). Screens say "See floor." and
no more."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import QuerySet

from ledger import lengths
from ledger.cage.names import isolated, near, near_keys, spelled
from ledger.db.compiled import Compiled
from ledger.errors import AlreadyExcluded, BadText, IsItThisPerson, Question, SeeFloor
from ledger.journal import withholding
from ledger.journal.acts import Act
from ledger.journal.posting import checked_text
from ledger.journal.withholding import payload_of
from ledger.models import Exclusion, Site, Withheld
from ledger.records.findings import Finding
from ledger.rights import KEEP_EXCLUSIONS, RUN_FLOOR, WORK_CAGE, require

NAME_LENGTH, NUMBER_LENGTH, REFERENCE_LENGTH, DESCRIPTION_LENGTH = 80, 20, 80, 120
ANSWERERS = (RUN_FLOOR, WORK_CAGE, KEEP_EXCLUSIONS)
"""People with one of these rights are shown the entry that somebody may be, and answer whether it is that
person."""
IS, IS_NOT = "is", "is_not"
ANSWER_HOLDS = timedelta(days=1)
AT_ONCE = 1000  # rows in memory
_What = Withheld.What


# -- checking ------------------------------------------------------------------------------------------------


class Likeness(StrEnum):
    """How closely somebody matches an entry of the list: it is that person, or somebody has to look."""

    SAME = "same"
    NEAR = "near"


def likeness(one: Exclusion, name: str, number: str) -> Likeness | None:
    """Return how closely somebody of this name and card number matches an entry. If both have a card number,
    the numbers decide, except that the same name with another number is asked about; otherwise the names
    decide, folded as in the register. Pure."""
    same = bool(spelled(name)) and spelled(name) == spelled(one.name)
    if one.number and number:
        if one.number == number:
            return Likeness.SAME
        return Likeness.NEAR if same else None
    if same:
        return Likeness.SAME
    return Likeness.NEAR if near(name, one.name) else None


def look(site: Site, name: str, number: str, act: Act, doing: str) -> bool:
    """Return whether somebody with this name or card number is excluded, and record who checked whom and why.
    Call it before the transaction of the act, so that the check stays recorded even if the act is refused."""
    same, _ = _looked(site, name.strip(), number.strip(), act, doing)
    return same is not None


def _looked(
    site: Site, name: str, number: str, act: Act, doing: str
) -> tuple[Exclusion | None, list[Exclusion]]:
    """Return the entry of this person, and those that may be theirs; record the look-up."""
    found = like(site, name, number, act.now)
    same = next((one for one, how in found if how is Likeness.SAME), None)
    may_be = [one for one, how in found if how is Likeness.NEAR] if same is None else []
    payload = {
        "actor": act.actor.pk,
        "doing": doing,
        "exclusion": same and same.pk,
        "name": name,
        "number": number,
        **({"near": [one.pk for one in may_be]} if may_be else {}),
    }
    with transaction.atomic():
        withholding.withhold(site, _What.EXCLUSION_LOOK, payload, act.now)
    return same, may_be


def require_welcome(site: Site, name: str, number: str, act: Act, doing: str) -> None:
    """Check the list if a name or card number is given. Raises SeeFloor for somebody on it, and
    IsItThisPerson for somebody who may be; a dealer is not shown the list, and is told to see the floor."""
    name, number = name.strip(), number.strip()
    if not (name or number):
        return
    same, may_be = _looked(site, name, number, act, doing)
    if same is not None:
        raise SeeFloor("See floor.")
    for one in may_be:
        said = _said(one, name, number, act.now)
        if said or (said is None and not any(act.actor.has_perm(right) for right in ANSWERERS)):
            raise SeeFloor("See floor.")
        if said is None:
            raise _asked(one, name, number)


def _asked(one: Exclusion, name: str, number: str) -> IsItThisPerson:
    who = ", ".join(filter(None, (isolated(one.name), one.number and f"No. {one.number}", one.description)))
    whom = isolated(name) or f"No. {number}"
    return IsItThisPerson(
        f"Is {whom} this person on the exclusion list: {who}? Look at a document, and answer.",
        question=Question(
            {"exclusion": one.pk, "name": name, "number": number},
            ((IS, "It is this person"), (IS_NOT, "It is somebody else")),
        ),
    )


def answer(*, site: Site, exclusion: int, name: str, number: str, said: str, act: Act) -> None:
    """Record a staff member's answer whether somebody is the person of an entry. It holds for a day. Raises
    NotAllowed, BadText."""
    require(act.actor, *ANSWERERS)
    if said not in (IS, IS_NOT) or not in_force(site).filter(pk=exclusion).exists():
        raise BadText("Answer whether it is this person.")
    payload = {
        "actor": act.actor.pk,
        "exclusion": exclusion,
        "name": name,
        "number": number,
        "is": said == IS,
    }
    withholding.withhold(site, _What.EXCLUSION_ANSWER, payload, act.now)


def _said(one: Exclusion, name: str, number: str, now: datetime) -> bool | None:
    """Return the answer of the last day whether this name and number belong to the entry's person; None
    without one."""
    lately = Withheld.objects.filter(site=one.site_id, recorded_at__range=(now - ANSWER_HOLDS, now))
    for row in lately.filter(what=_What.EXCLUSION_ANSWER).order_by("-pk"):
        said = payload_of(row)
        asked = (said.get("exclusion"), spelled(str(said.get("name"))), said.get("number"))
        if asked == (one.pk, spelled(name), number):
            return bool(said.get("is"))
    return None


def like(site: Site, name: str, number: str, now: datetime) -> list[tuple[Exclusion, Likeness]]:
    """Return the entries in force that this person is or may be."""
    found = ((one, likeness(one, name, number)) for one in holding(site, now))
    return [(one, how) for one, how in found if how is not None]


def listed_among(
    site: Site, known: Callable[[], Mapping[int, Iterable[tuple[str, str]]]], now: datetime
) -> dict[int, Likeness]:
    """Return who of these people is on the list, and who may be and nobody has answered for, by their ids.
    `known` returns their names and numbers; it is not called while nobody is on the list."""
    by_key = defaultdict[str, list[Exclusion]](list)
    for one in holding(site, now):
        for key in (*near_keys(one.name), f"No. {one.number}"):
            by_key[key].append(one)
    found: dict[int, Likeness] = {}
    for pk, names in known().items() if by_key else ():
        for name, number in names:
            keys = (*near_keys(name), f"No. {number}" if number else None)
            for one in {one for key in keys if key is not None for one in by_key.get(key, ())}:
                how = _likeness_answered(one, name, number, now)
                if how is not None and found.get(pk) is not Likeness.SAME:
                    found[pk] = how
    return found


def _likeness_answered(one: Exclusion, name: str, number: str, now: datetime) -> Likeness | None:
    """Return how somebody matches an entry, by the last answer where it is only near."""
    how = likeness(one, name, number)
    if how is not Likeness.NEAR:
        return how
    said = _said(one, name, number, now)
    return how if said is None else Likeness.SAME if said else None


def in_force(site: Site | int) -> QuerySet[Exclusion]:
    return Exclusion.objects.filter(site=site, lifted_at__isnull=True)


_IN_FORCE: Compiled[Exclusion] = Compiled(lambda site: in_force(site).order_by("pk"))


def holding(site: Site, now: datetime) -> list[Exclusion]:
    """Return the entries whose term runs today, on the house's calendar; one query, for every board."""
    today = now.astimezone(ZoneInfo(site.time_zone)).date()
    return [one for one in _IN_FORCE.rows(site.pk) if one.effective_from <= today <= (one.until or date.max)]


# -- changing the list ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Listing:
    """What an entry says: whom it means, the list or order behind it, and its days.
    `until` is None for life."""

    reference: str
    effective_from: date
    name: str = ""
    number: str = ""
    description: str = ""
    until: date | None = None


def add_exclusion(*, site: Site, act: Act, **listing: Any) -> Exclusion:
    """Put somebody on the list, as `Listing` says, by name, card number or both. Adding the same again
    returns the same entry. Raises BadText, and AlreadyExcluded if the details differ."""
    said = Listing(**listing)
    name, number, description, until = said.name, said.number, said.description, said.until
    reference, effective_from = said.reference, said.effective_from
    require(act.actor, KEEP_EXCLUSIONS)
    name, number = " ".join(name.split()), number.strip()
    checked_text(name, NAME_LENGTH, "name", empty=True)
    checked_text(number, NUMBER_LENGTH, "number", empty=True)
    checked_text(description, DESCRIPTION_LENGTH, "description", empty=True)
    checked_text(reference, REFERENCE_LENGTH, "reference")
    if until is not None and until < effective_from:
        raise BadText("The last day is before the first.", field="until")
    if not (name or number):
        raise BadText("Enter a name, a card number or both.", field="name")
    with transaction.atomic():
        Site.objects.select_for_update(no_key=True).get(
            pk=site.pk
        )  # two people adding the same person add one entry
        for one in in_force(site).filter(number=number):
            if spelled(one.name) == spelled(name):
                told = (one.description, one.reference, one.effective_from, one.until)
                if told == (description, reference, effective_from, until):
                    return one
                raise AlreadyExcluded(f"{one} is already on the list ({one.reference}).", field="name")
        added = Exclusion.objects.create(
            site=site,
            name=name,
            number=number,
            description=description,
            reference=reference,
            effective_from=effective_from,
            until=until,
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
        "description": one.description,
        "reference": one.reference,
        "effective_from": one.effective_from.isoformat(),
        "until": one.until and one.until.isoformat(),
    }


def note_opened(*, site: Site, what: str, act: Act) -> None:
    """Record who read the list, or who looked at it, and when."""
    require(act.actor, KEEP_EXCLUSIONS)
    withholding.withhold(site, _What.EXCLUSION_OPENED, {"actor": act.actor.pk, "doing": what}, act.now)


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
    """Return all that is withheld about the list, the newest first."""
    return Withheld.objects.filter(site=site).exclude(what=_What.HANDED_OVER).order_by("-recorded_at", "-pk")


def _event(row: Withheld) -> ExclusionEvent:
    payload = payload_of(row)
    doing = payload.get("doing") or payload.get("reason") or payload.get("reference") or ""
    found = row.what == _What.EXCLUSION_LOOK and payload.get("exclusion") is not None
    found = found or payload.get("is") is True
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
        # An entry of version 0.2.0 had neither a description nor a term.
        payload, at = {"description": "", **payload_of(row)}, row.recorded_at
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
