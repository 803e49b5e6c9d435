"""The first start: the address at which a house is set up, and the verb that makes the house and its first
manager. `manage.py serve` on an empty database and `manage.py setup_link` print the address. Anybody with it
can set up the house, so it holds for an hour, once, and only until there is a manager. Later its
particulars are changed here."""

import json
import secrets
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse

from casino import roles
from casino.models import SetUpLink, Staff
from casino.serving import system
from casino.sign_in import noting
from casino.sign_in.hashing import digest
from casino.sign_in.passwords import BadPassword
from ledger.errors import LedgerError
from ledger.journal import house_events, posting
from ledger.journal.acts import Act
from ledger.journal.particulars import Particulars, change_house, checked, houses, open_house, particulars_of
from ledger.rights import require
from tables.errors import NothingChanges, StalePage, TableOpen
from tables.models import TableSession
from tables.rights import MANAGE_HOUSE

HOLDS_FOR = timedelta(hours=1)
TOKEN_BYTES = 32


class SetUpLinkRefused(LedgerError, status=403):
    """The set-up address is unknown, was used, or is older than an hour. The answer is the same for all of
    them."""


class AlreadySetUp(LedgerError, status=409):
    """Somebody else has set up the house meanwhile, so this entry was not saved."""


class BadManager(LedgerError):
    """The first manager's username is taken or cannot be one, or the name is missing."""


@dataclass(frozen=True, slots=True)
class FirstManager:
    username: str
    full_name: str
    password: str = field(repr=False)


def wanted() -> bool:
    return not houses().exists() and not Staff.objects.filter(groups__name=roles.MANAGER).exists()


def make_link(now: datetime) -> str:
    """Create an address and return its token, which is not stored. Earlier ones stay valid for their hour."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    SetUpLink.objects.create(token_hash=digest(token), made_at=now)
    return token


def address_of(token: str) -> str:
    """Return the URL for a browser: with TLS under the house's first host name, else on this machine."""
    host = settings.ALLOWED_HOSTS[0].lstrip(".")
    base = f"https://{host}" if settings.SECURE else f"http://localhost:{settings.PORT}"
    return f"{base}{reverse('set-up')}?token={token}"


def find_link(token: str, now: datetime) -> SetUpLink | None:
    link = SetUpLink.objects.filter(token_hash=digest(token)).first()
    return link if _holds(link, now) and wanted() else None


def link_held(pk: Any, now: datetime) -> SetUpLink:
    """Return the link by which this browser came in. Refuses `set_up_link_refused`, `already_set_up`."""
    link = SetUpLink.objects.filter(pk=pk).first() if isinstance(pk, int) else None
    if link is None:
        raise refusal()
    _require(link, now)
    return link


def refusal() -> SetUpLinkRefused:
    """Return the same refusal for every invalid address, whatever the reason."""
    return SetUpLinkRefused(
        "This set-up address is not valid: it is unknown, was used, or is older than an hour. "
        "`manage.py setup_link` prints a fresh one while the house has no manager."
    )


def usual_origin() -> str:
    """Return the default name of the audit log, under the house's first host name."""
    return f"{settings.ALLOWED_HOSTS[0].lstrip('.').lower()}/log"


def found_house(*, particulars: Particulars, origin: str, act: Act) -> None:
    """Found the house of an empty database, and note its staff in the log; `manage.py prepare` calls it."""
    with transaction.atomic():
        open_house(particulars=particulars, origin=origin, act=act)
        noting.note_everybody(act)


def set_up(*, link_id: int, particulars: Particulars, origin: str, manager: FirstManager, act: Act) -> Staff:
    """Make the house and its first manager, or neither; of two people at once one succeeds. Refuses
    `set_up_link_refused`, `already_set_up`, `bad_manager`, `bad_password`, and bad particulars."""
    checked(particulars)
    person = _person(manager)
    with transaction.atomic():
        # Lock all rows in the same order, so that a second person waits here, even with another link.
        links = {link.pk: link for link in SetUpLink.objects.select_for_update().order_by("pk")}
        link = links[link_id]
        _require(link, act.now)
        person.save()
        roles.assign(person, roles.MANAGER)
        open_house(particulars=particulars, origin=origin, act=replace(act, actor=person))
        system.note_start("serve", now=act.now)  # it started before there was a house
        system.state(now=act.now)
        noting.note_everybody(act)
        link.used_at = act.now
        link.save(update_fields=["used_at"])
    return Staff.objects.get(pk=person.pk)


def _person(manager: FirstManager) -> Staff:
    full_name = " ".join(manager.full_name.split())
    if not full_name:
        raise BadManager("Enter the full name.", field="full_name")
    person = Staff(username=manager.username.strip(), full_name=full_name)
    try:
        person.full_clean(exclude=["password"])
    except ValidationError as error:
        name, sentences = next(iter(error.message_dict.items()))
        raise BadManager(" ".join(sentences), field=name) from error
    try:
        validate_password(manager.password, person)
    except ValidationError as error:
        raise BadPassword(" ".join(error.messages), field="password") from error
    person.set_password(manager.password)
    return person


def _require(link: SetUpLink, now: datetime) -> None:
    if not wanted():
        raise AlreadySetUp(
            "Somebody else has set up this house meanwhile, and nothing that you entered was kept. "
            "Sign in if that was you; else ask them to hire you."
        )
    if not _holds(link, now):
        raise refusal()


def _holds(link: SetUpLink | None, now: datetime) -> bool:
    return link is not None and link.used_at is None and now - HOLDS_FOR < link.made_at


CHANGED = "house_changed"
CLOCK = ("time_zone", "day_starts_at", "shifts")


def mark_of(particulars: Particulars) -> str:
    """Return a short hash that tells whether particulars changed since a page was shown."""
    text = json.dumps(asdict(particulars), sort_keys=True)
    return sha256(text.encode()).hexdigest()[:16]


def change_particulars(*, site: Any, particulars: Particulars, seen: str, act: Act) -> dict[str, Any]:
    """Change the house's particulars; return the former values of the changed ones. `seen` is the mark of
    those that the page showed. Refuses `stale_page` if they changed since, `nothing_changes`, `table_open`
    for a change of clock while a table is open, and invalid particulars."""
    require(act.actor, MANAGE_HOUSE)
    wanted = asdict(checked(particulars))
    with transaction.atomic():
        posting.lock_house(site)
        if house_events.noted_before(site, CHANGED, act, wanted):
            return {}
        site.refresh_from_db()
        now = particulars_of(site)
        if mark_of(now) != seen:
            raise StalePage("Somebody else has changed the particulars meanwhile: look at them again.")
        changed = {name for name, value in asdict(now).items() if value != wanted[name]}
        if not changed:
            raise NothingChanges("Nothing differs from what the house has.")
        if (
            changed.intersection(CLOCK)
            and TableSession.objects.filter(table__site=site, closed_at__isnull=True).exists()
        ):
            name = next(name for name in CLOCK if name in changed)
            raise TableOpen("The clock changes only while every table is closed.", field=name)
        return change_house(site=site, particulars=particulars, act=act)
