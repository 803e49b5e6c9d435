"""The live stream ends for somebody who may no longer hear it, at the next heartbeat."""

import asyncio
import time
from importlib import import_module

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.models import Session
from django.test import Client, RequestFactory
from django.utils import timezone

from casino import roles
from casino.sign_in import places
from ledger.journal.acts import Act
from tables.live.hub import hub
from tables.views import live
from tests.support.loops import finished

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture
def request_of(monkeypatch):
    """A request for the stream by somebody who is signed in; heartbeats follow at once."""
    monkeypatch.setattr(live, "HEARTBEAT_SECONDS", 0.01)

    def make(person):
        client = Client()
        client.force_login(person)
        request = RequestFactory().get("/live/")
        store = import_module(settings.SESSION_ENGINE).SessionStore
        request.session = store(client.cookies[settings.SESSION_COOKIE_NAME].value)
        request.user = get_user(request)
        request.user.is_active  # noqa: B018  (read here: a stream reads it beside the loop)
        return request

    return make


async def heard(request, between):
    """What the stream says up to its second heartbeat or its end, with `between` done after the first."""
    answer = await live.stream(request)
    said = []
    async with asyncio.timeout(20):
        async for piece in answer.streaming_content:
            said.append(piece.decode() if isinstance(piece, bytes) else piece)
            if said.count(live.HEARTBEAT) == 2:
                return said
            if said[-1] == live.HEARTBEAT:
                await sync_to_async(between)()
                hub.changed(1)  # a busy table does not keep the stream from asking
    return [*said, "end"]


def let_go(person):
    person.is_active = False
    person.save(update_fields=["is_active"])


def take_role(person):
    person.groups.clear()


def sign_out(person):
    Session.objects.all().delete()


def end_elsewhere(person):
    assert places.end_others(person, "another session", Act(actor=person, now=timezone.now())) == 1


@pytest.mark.parametrize("end", [let_go, take_role, sign_out, end_elsewhere])
def test_it_ends_for_whoever_was_let_go_or_lost_the_role_or_signed_out(request_of, site, floor, end):
    assert finished(heard(request_of(floor), lambda: end(floor)))[-1] == "end"


@pytest.mark.parametrize(("minutes", "last"), [(121, "end"), (119, live.HEARTBEAT)])
def test_it_ends_when_its_owner_has_done_nothing_for_too_long(
    request_of, site, floor, monkeypatch, minutes, last
):
    """Two hours for the floor; that a stream is open is nothing that somebody does."""
    request, opened = request_of(floor), time.time()

    def later():
        monkeypatch.setattr(live.time, "time", lambda: opened + 60 * minutes)

    assert finished(heard(request, later))[-1] == last


def test_it_goes_on_for_everybody_else(request_of, floor):
    said = finished(heard(request_of(floor), lambda: roles.assign(floor, "dealer")))
    assert said[-1] == live.HEARTBEAT
