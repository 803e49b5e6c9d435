"""Regulators' tokens, with which their programs read the books. A token is shown once and kept as a hash; it
ends on a day, can be revoked, and gives only reading, without the names of players."""

import secrets
from datetime import date, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import TokenAuthentication
from rest_framework.request import Request

from casino.models import ApiToken, Attempts, Staff
from casino.sign_in import noting
from casino.sign_in.attempts import Attempt
from casino.sign_in.errors import BadToken
from casino.sign_in.hashing import digest
from ledger.cage import names
from ledger.errors import BadText
from ledger.journal.acts import Act
from ledger.journal.records import moment
from ledger.rights import KEEP_EXCLUSIONS, READ_BOOKS, require
from ledger.rules.access import READER, over, wrong_token
from ledger.views.day import the_site
from ledger.views.downloads import MOST_OF_AN_ADDRESS
from ledger.views.terminal import terminal_of
from tables.errors import StalePage
from tables.rights import MANAGE_HOUSE

MAKERS = (MANAGE_HOUSE, KEEP_EXCLUSIONS)
OPENS: Final = frozenset({READ_BOOKS})
"""What a token gives access to, whoever made it: its maker reads as much under their own name."""
BEGINS: Final = "cpt_"
"""The beginning of every token, so that a lost one is recognised."""
UNKNOWN: Final = "This token is not one of this house."


def readers() -> QuerySet[Staff]:
    return Staff.objects.filter(is_active=True, groups__name=READER).order_by("username")


def make(*, person_id: int, name: str, last: date, act: Act) -> tuple[ApiToken, str]:
    """Make a token that ends with a day of the house's calendar; return it and the secret, which is not
    stored. Refuses `not_allowed`, `bad_text` and, for a page that has made its token, `stale_page`."""
    require(act.actor, *MAKERS)
    name = " ".join(name.split())
    if not (names.fold(name) and name.isprintable()):
        raise BadText("Say what the token is for, such as Laptop of the bureau.", field="name")
    site, secret = the_site(), BEGINS + secrets.token_urlsafe(32)
    until = datetime.combine(last + timedelta(days=1), time(), ZoneInfo(site.time_zone))
    with transaction.atomic():
        noting.in_turn()
        person = readers().filter(pk=person_id).first()
        roles = person.roles if person else ()
        if wrong := wrong_token(
            person=person_id, maker=act.actor.pk, roles=roles, made_at=act.now, until=until
        ):
            raise BadText(wrong, field="last" if roles else "person")
        if act.key and site.events.filter(kind="token_made", data__key=act.key).exists():
            raise StalePage("This page has made its token. Revoke it if nobody kept it, and make another.")
        token = ApiToken.objects.create(
            person_id=person_id,
            name=name,
            token_hash=digest(secret),
            made_by=act.actor,
            made_at=act.now,
            until=until,
        )
        said: dict[str, Any] = {"number": token.pk, "staff": person_id, "name": name}
        noting.note("token_made", act=act, **said, until=moment(until), key=act.key)
    return token, secret


def revoke(*, token_id: int, act: Act) -> ApiToken:
    """Refuses `not_allowed` and `stale_page`."""
    require(act.actor, *MAKERS)
    with transaction.atomic():
        noting.in_turn()
        token = ApiToken.objects.select_for_update().filter(pk=token_id, revoked_at=None).first()
        if token is None:
            raise StalePage("This token has been revoked already.")
        token.revoked_at = act.now
        token.save(update_fields=["revoked_at"])
        noting.note("token_revoked", act=act, number=token.pk, staff=token.person_id, name=token.name)
    return token


class ByToken(TokenAuthentication):
    """`Authorization: Bearer <token>`, for GET alone; the request has it as `api_token`, for the log."""

    keyword = "Bearer"

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        self.request: HttpRequest = request._request
        return super().authenticate(request)

    def authenticate_credentials(self, key: str) -> tuple[Staff, ApiToken]:
        now = timezone.now()
        token = ApiToken.objects.select_related("person").filter(token_hash=digest(key)).first()
        wrong = _wrong(token, now)
        if token is None or wrong:
            with Attempt(Attempts.At.PASSWORD, "", self.request):  # counted at its address, never right
                pass
            self.request.api_token = token  # type: ignore[attr-defined]
            raise BadToken(wrong)
        self.request.api_token = token  # type: ignore[attr-defined]
        if self.request.method != "GET":
            raise BadToken("A token reads; it changes nothing.")
        ApiToken.objects.filter(pk=token.pk).update(used_at=now)
        token.person.within = OPENS
        return token.person, token


def _wrong(token: ApiToken | None, now: datetime) -> str:
    if token is None:
        return UNKNOWN
    person = token.person
    if not person.is_active or person.must_renew or person.is_superuser or READER not in person.roles:
        return "The holder of this token may not read the books here now."
    return over(now, until=token.until, revoked_at=token.revoked_at)


def note_refused(request: HttpRequest, code: str) -> None:
    """Note that a known token was refused something; runs of unknown ones are noted as refused sign-ins."""
    token = getattr(request, "api_token", None)
    if token is not None:
        act = Act(actor=None, now=timezone.now(), terminal=terminal_of(request, "api"))
        said = {"number": token.pk, "staff": token.person_id, "code": code}
        noting.note("token_refused", act=act, **said, address=request.get_full_path()[:MOST_OF_AN_ADDRESS])
