"""Verbs about staff: hire, change, let go, take back, give a one-time code, reset second steps, lift a lock,
review who has which rights.

Each locks the people concerned before it checks permissions and conditions. People are never deleted, because
records name them. Whatever gives a code or a role needs a second person (decision 14). Superusers belong to
the owner of the machine: nobody here changes or makes one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q

from casino.models import Attempts, Staff
from casino.roles import MANAGER, ROLES, verify_together
from casino.sign_in import attempts, factors, noting, places
from casino.sign_in.passwords import NewCode, give_code, new_code, take_code
from ledger.cage import names
from ledger.errors import BadText, LedgerError, SecondPerson
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.particulars import houses
from ledger.journal.records import moment
from ledger.proof.audit.checks.identity import SecondPeople
from ledger.rights import KEEP_EXCLUSIONS, RUN_FLOOR, require
from ledger.rules.access import quarter_of, wrong_reviewers
from tables.errors import StalePage
from tables.rights import MANAGE_HOUSE

APPROVERS = (RUN_FLOOR, KEEP_EXCLUSIONS, MANAGE_HOUSE)
"""A second person needs one of these permissions, which come from the roles in `SIGNERS`."""
_KINDS = ("staff_changed", "pin_set", "code_made", "terminal_enrolled")


def second_people() -> SecondPeople:
    people, site = SecondPeople(), houses().first()
    if site is not None:
        events = site.events.filter(kind__in=_KINDS).order_by("pk")
        for kind, data in events.values_list("kind", "data"):
            people.take(kind, data)
    return people


def require_second(act: Act, person_id: int) -> None:
    """Refuse an act about this person without a possible second person (`second_person`, `not_allowed`)."""
    approver = noting.approver_of(act)
    if wrong := second_people().wrong(actor=act.actor.pk, staff=person_id, approver=approver):
        raise SecondPerson(wrong, field="approver")
    if act.approver is not None:
        require(act.approver, *APPROVERS)


class UsernameTaken(LedgerError, status=409):
    """Somebody has this username already, in capital or small letters; people who have left keep theirs."""


class OwnAccount(LedgerError, status=403):
    """Nobody changes their own roles, lets themselves go, gives themselves a one-time code, or lifts a lock
    on their own name. Another manager does."""


class LastManager(LedgerError, status=409):
    """The house keeps at least one manager who works here."""


def hire(
    *, username: str, full_name: str, badge: str, badge_expires: date | None, roles: frozenset[str], act: Act
) -> tuple[Staff, str]:
    """Add a person; return them and their one-time code. Refuses `not_allowed`, `second_person`,
    `username_taken`, `roles_conflict` and `bad_text`."""
    code = new_code()
    with _managing(act):
        require_second(act, 0)
        verify_together(roles)
        person = Staff(
            username=Staff.normalize_username(username.strip()),
            full_name=full_name.strip(),
            badge=badge.strip(),
            badge_expires=badge_expires,
        )
        taken = UsernameTaken(f"There is somebody called {person.username} already.", field="username")
        if Staff.objects.filter(username__iexact=person.username).exists():
            raise taken
        _refuse_twin(person.username)
        _require_own_badge(person, person.username, "username")
        _require_own_badge(person, person.badge, "badge")
        _verify_texts(person)
        try:
            with transaction.atomic():
                person.save()
        except IntegrityError:  # somebody else was hired under this name at the same moment
            raise taken from None
        person.groups.set(_groups(roles))
        return person, _given(code, person, act)


def change_person(
    *, person_id: int, full_name: str, badge: str, badge_expires: date | None, roles: frozenset[str], act: Act
) -> Staff:
    """Change somebody's name, badge and roles. Another name, one's own badge, an added role and the loss of
    the manager's need a second person; a role that demands a second step ends their sessions. Refuses
    `not_allowed`, `second_person`, `roles_conflict`, `own_account`, `last_manager` and `bad_text`."""
    with _changing(act, person_id) as person:
        held = person.roles
        verify_together(roles)
        if roles != held:
            _refuse_own(person, act, "change your own roles")
        known = person.full_name, person.badge, person.badge_expires
        wanted = full_name.strip(), badge.strip(), badge_expires
        is_renamed = wanted != known if person_id == act.actor.pk else wanted[0] != known[0]
        if is_renamed or roles - held or MANAGER in held - roles:
            require_second(act, person_id)
        if MANAGER in held - roles:
            _require_another_manager(person)
        if badge.strip() != person.badge:
            _require_own_badge(person, badge.strip(), "badge")
        person.full_name, person.badge, person.badge_expires = wanted
        _verify_texts(person)
        person.save(update_fields=["full_name", "badge", "badge_expires"])
        person.groups.set(_groups(roles))
        if (roles - held) & factors.DEMANDED_OF:
            places.end_all(person, act)
        return person


def make_code(*, person_id: int, act: Act) -> str:
    """Return a one-time code for somebody who forgot password or PIN; both end, and all sessions. Their
    second steps stay, and are asked for after the code. Refuses `not_allowed`, `own_account`,
    `second_person`, and `stale_page` for somebody who has left."""
    code = new_code()
    with _changing(act, person_id) as person:
        _refuse_own(person, act, "give yourself a code; change your password behind your name in the bar")
        if not person.is_active:
            raise StalePage(f"{person} no longer works here. Take them back first.")
        require_second(act, person_id)
        return _given(code, person, act)


def reset_factors(*, person_id: int, act: Act) -> Staff:
    """Remove the second steps of somebody who lost them; after the next sign-in they set up a new one.
    Refuses `not_allowed`, `own_account`, `second_person`, and `stale_page` if there is none."""
    with _changing(act, person_id) as person:
        _refuse_own(person, act, "reset your own second steps; remove them behind your name in the bar")
        if not factors.has_step(person):
            raise StalePage(f"{person} has no second step.")
        require_second(act, person_id)
        noting.note("factors_reset", act=act, staff=person.pk, approver=noting.approver_of(act))
        factors.remove_all(person, act)
        return person


def let_go(*, person_id: int, act: Act) -> Staff:
    """End somebody's sessions, password, PIN and code; a manager's with a second person. Their roles and
    second steps stay for a return. Refuses `not_allowed`, `own_account`, `last_manager`, `second_person` and
    `stale_page` if they have left already."""
    with _changing(act, person_id) as person:
        _refuse_own(person, act, "let yourself go")
        if not person.is_active:
            raise StalePage(f"{person} no longer works here already.")
        if MANAGER in person.roles:
            _require_another_manager(person)
            require_second(act, person_id)
        person.is_active = False
        person.save(update_fields=["is_active"])
        take_code(person)
        return person


def take_back(*, person_id: int, act: Act) -> str:
    """Employ somebody again, in their former roles; return a one-time code. Refuses `not_allowed`,
    `second_person`, `stale_page` if they work here, and `bad_text` if their badge or username is taken."""
    code = new_code()
    with _changing(act, person_id) as person:
        if person.is_active:
            raise StalePage(f"{person} works here already.")
        require_second(act, person_id)
        _require_own_badge(person, person.badge, "badge", "Change their badge first.")
        _require_own_badge(person, person.username, "username", "Change the badge of whoever has it first.")
        person.is_active = True
        person.save(update_fields=["is_active"])
        return _given(code, person, act)


def lift_lock(*, lock_id: int, act: Act) -> Attempts:
    """Lift a lock or a wait. Refuses `not_allowed`, `own_account` and `stale_page`."""
    with transaction.atomic():
        require(act.actor, MANAGE_HOUSE)
        run = (
            Attempts.objects.select_for_update(of=("self",))
            .select_related("person")
            .filter(pk=lock_id)
            .first()
        )
        if run is None or not attempts.is_held_up(run, act.now):
            raise StalePage("This lock has been lifted already.")
        if run.person_id == act.actor.pk:
            raise OwnAccount("You cannot lift a lock on your own name, where somebody may guess at you.")
        attempts.lift(run, act)
    return run


@contextmanager
def _managing(act: Act, person_id: int = 0) -> Iterator[dict[int, Staff]]:
    """Open the act's transaction: lock the actor, the person and all managers, then check permission. Of two
    managers who act on each other at once, the second is checked after the first act."""
    with transaction.atomic(), noting.acting(act):
        noting.in_turn()
        actor_id = act.actor.pk if act.actor is not None else 0
        managers = Group.objects.get(name=MANAGER).user_set.values("pk")
        concerned = Staff.objects.filter(Q(pk__in=[actor_id, person_id]) | Q(pk__in=managers))
        locked = {person.pk: person for person in concerned.select_for_update().order_by("pk")}
        require(locked.get(actor_id), MANAGE_HOUSE)
        yield locked


@contextmanager
def _changing(act: Act, person_id: int) -> Iterator[Staff]:
    """Like `_managing`, but yields the person whom the act is about."""
    with _managing(act, person_id) as locked:
        person = locked.get(person_id)
        if person is None or person.is_superuser:
            raise StalePage("There is nobody of this number here.")
        yield person


def _given(code: NewCode, person: Staff, act: Act) -> str:
    shown = give_code(person, code, act.now)
    until = person.code_until.isoformat() if person.code_until else ""
    noting.note("code_made", act=act, staff=person.pk, until=until, approver=noting.approver_of(act))
    return shown


def _refuse_own(person: Staff, act: Act, what: str) -> None:
    if person.pk == act.actor.pk:
        raise OwnAccount(f"You cannot {what}.")


def _require_another_manager(person: Staff) -> None:
    others = Staff.objects.filter(groups__name=MANAGER, is_active=True).exclude(pk=person.pk)
    if person.is_active and not others.exists():
        raise LastManager(
            f"{person} is the last manager who works here. Hire another one first.", field="roles"
        )


def _require_own_badge(person: Staff, typed: str, field: str, what_to_do: str = "Take another one.") -> None:
    """Refuse a badge or username by which a colleague signs in at a terminal (`bad_text`)."""
    theirs = Q(badge__iexact=typed)
    if field == "badge":
        theirs |= Q(username__iexact=typed)
    if typed and Staff.objects.filter(theirs, is_active=True).exclude(pk=person.pk).exists():
        raise BadText(f"{typed} is how somebody else signs in at a terminal. {what_to_do}", field=field)


def _refuse_twin(username: str) -> None:
    seen = names.as_seen(username)
    for theirs in Staff.objects.order_by("pk").values_list("username", flat=True):
        if names.as_seen(theirs) == seen:
            raise UsernameTaken(f"{username} looks like {theirs}, who is somebody else.", field="username")


def _groups(roles: frozenset[str]) -> list[Group]:
    unknown = roles - ROLES.keys()
    if unknown:
        raise BadText(f"There is no role called {' or '.join(sorted(unknown))}.", field="roles")
    return list(Group.objects.filter(name__in=roles))


def _verify_texts(person: Staff) -> None:
    try:
        person.full_clean(exclude=["password"], validate_unique=False, validate_constraints=False)
    except ValidationError as refused:
        field, (sentence, *_) = next(iter(refused.message_dict.items()))
        raise BadText(sentence, field=field) from refused
    for field in ("full_name", "badge"):
        if not getattr(person, field).isprintable():
            raise BadText("Some of these characters cannot be recorded.", field=field)


REVIEWERS = (KEEP_EXCLUSIONS, MANAGE_HOUSE)
KIND = "access_reviewed"


def review_access(*, site: Any, act: Act) -> Any:
    """Record a review of everybody's rights as they are now. Refuses `second_person` if somebody who gives
    rights reviews them alone, and `key_reused`."""
    require(act.actor, *REVIEWERS)
    second = noting.approver_of(act)
    if act.approver is not None:
        require(act.approver, *REVIEWERS)
    gives_rights = act.actor.has_perm(MANAGE_HOUSE)
    if wrong := wrong_reviewers(act.actor.pk, second, gives_rights=gives_rights):
        raise SecondPerson(wrong, field="approver")
    with transaction.atomic():
        noting.in_turn()
        if earlier := house_events.noted_before(site, KIND, act, {"approver": second}):
            return earlier
        return house_events.note(
            site,
            KIND,
            act=act,
            number=house_events.next_number(site, KIND),
            quarter=quarter_of(act.now.astimezone(ZoneInfo(site.time_zone)).date()),
            people=[_reviewed(person) for person in everybody()],
            approver=second,
            key=act.key,
        )


def everybody() -> list[Staff]:
    return list(Staff.objects.prefetch_related("groups").order_by("pk"))


def _reviewed(person: Staff) -> dict[str, object]:
    return {
        "staff": person.pk,
        "username": person.username,
        "full_name": person.full_name,
        "roles": sorted(group.name for group in person.groups.all()),
        "is_active": person.is_active,
        "created": moment(person.date_joined),
        "last_sign_in": moment(person.last_login) if person.last_login else None,
    }
