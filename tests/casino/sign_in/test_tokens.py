"""Tokens of regulators: made by others, shown once, over on their day, and opening the books alone."""

from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone
from rest_framework.views import APIView

from casino.models import ApiToken, Staff
from casino.sign_in import attempts, tokens
from ledger.errors import BadText, NotAllowed
from ledger.journal.acts import Act
from ledger.models import HouseEvent
from tables.errors import StalePage

pytestmark = pytest.mark.django_db


def made(person, by, days=29, name="Laptop", key="a key"):
    now = timezone.now()
    last = (now + timedelta(days=days)).date()
    return tokens.make(person_id=person.pk, name=name, last=last, act=Act(by, now, key=key))


def asks(secret, address="/api/books/papers", method="get"):
    answer = getattr(Client(), method)(address, headers={"Authorization": f"Bearer {secret}"})
    if answer.streaming:
        b"".join(answer.streaming_content)
        return answer.status_code, ""
    return answer.status_code, answer.json()["code"]


def kinds():
    events = HouseEvent.objects.filter(kind__startswith="token").order_by("pk")
    return list(events.values_list("kind", flat=True))


OPEN, CLOSED = (200, ""), (403, "bad_token")


def test_the_house_keeps_the_hash_alone_and_the_log_not_even_that(site, regulator, manager):
    token, secret = made(regulator, manager)
    assert secret not in token.token_hash
    event = HouseEvent.objects.get(kind="token_made")
    assert (event.actor, event.data["staff"], event.data["number"]) == (manager, regulator.pk, token.pk)
    assert not {secret, token.token_hash} & {*map(str, event.data.values())}


@pytest.mark.parametrize("who", ["regulator", "floor", "cashier"])
def test_nobody_else_makes_one(request, site, regulator, who):
    with pytest.raises(NotAllowed):
        made(regulator, request.getfixturevalue(who))


@pytest.mark.parametrize("days", [-2, 90])
def test_it_ends_within_ninety_days(site, regulator, manager, days):
    with pytest.raises(BadText) as refused:
        made(regulator, manager, days)
    assert (refused.value.field, kinds()) == ("last", [])


def test_it_is_for_a_regulator_who_works_here(site, floor, regulator, manager):
    for person in (floor, manager):
        with pytest.raises(BadText):
            made(person, manager)
    Staff.objects.filter(pk=regulator.pk).update(is_active=False)
    with pytest.raises(BadText):
        made(regulator, manager)


def test_a_page_that_is_sent_twice_makes_one(site, regulator, manager):
    made(regulator, manager)
    with pytest.raises(StalePage):
        made(regulator, manager)
    assert ApiToken.objects.count() == 1


def test_it_opens_until_its_last_day_is_over(site, regulator, manager):
    token, secret = made(regulator, manager, days=1)
    with time_machine.travel(token.until - timedelta(seconds=1), tick=False):
        assert asks(secret) == OPEN
    with time_machine.travel(token.until, tick=False):
        assert asks(secret) == CLOSED
    assert kinds() == ["token_made", "token_refused"]


def test_it_opens_nothing_once_it_is_revoked(site, regulator, manager, employ):
    token, secret = made(regulator, manager)
    carla = employ("carla", "compliance")
    tokens.revoke(token_id=token.pk, act=Act(carla, timezone.now()))
    assert asks(secret) == CLOSED
    with pytest.raises(StalePage):
        tokens.revoke(token_id=token.pk, act=Act(carla, timezone.now()))
    assert kinds() == ["token_made", "token_revoked", "token_refused"]


@pytest.mark.parametrize("change", ["is_active", "must_renew", "roles"])
def test_it_opens_nothing_once_its_regulator_has_left(site, regulator, manager, change):
    _, secret = made(regulator, manager)
    if change == "roles":
        regulator.groups.clear()
    else:
        Staff.objects.filter(pk=regulator.pk).update(**{change: change == "must_renew"})
    assert asks(secret) == CLOSED


def test_one_that_nobody_made_is_counted_like_a_wrong_password_at_its_address(site, monkeypatch):
    monkeypatch.setattr(attempts, "OF_TERMINAL", replace(attempts.OF_TERMINAL, free=2))
    answers = [asks("cpt_made-up") for _ in range(4)]
    assert answers[0] == CLOSED
    assert answers[-1] == (429, "too_many_attempts")
    assert kinds() == []


def test_it_changes_nothing_and_opens_no_page(site, regulator, manager):
    _, secret = made(regulator, manager)
    parts = {"name": "staff", "form": "csv"}
    for name, view in addresses():
        given = {part: parts.get(part, 1) for part in view.pattern.converters}
        path = reverse(name, kwargs=given)
        if path.startswith("/api/books/"):
            assert asks(secret, path) in (OPEN, (503, "not_sealed")), name
        else:
            assert asks(secret, path)[0] in (403, 405), name
        assert asks(secret, path, "post")[0] in (403, 405), name
    for path in ("/audit/", "/audit/papers/journal.csv", "/audit/log/export.zip", "/search/?q=3"):
        answer = Client().get(path, headers={"Authorization": f"Bearer {secret}"})
        assert answer.headers["Location"].startswith("/sign-in/")


def addresses(resolver=None):
    """Every address of the API, which alone looks for tokens."""
    for pattern in (resolver or get_resolver()).url_patterns:
        if not isinstance(pattern, URLPattern):
            yield from addresses(pattern)
        elif issubclass(getattr(pattern.callback, "cls", object), APIView):
            yield pattern.name, pattern
