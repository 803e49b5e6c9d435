"""Who did what: managers and regulators read it on a page, from the log."""

from datetime import UTC, datetime, timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from casino.house import acts
from casino.house.acts import GROUPS, Sought, deeds
from casino.models import Attempts
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import HouseEvent

pytestmark = pytest.mark.django_db
LEFT_OUT = {
    **dict.fromkeys(("box_installed", "box_pulled"), "the books of the boxes have them"),
    **dict.fromkeys(
        (
            *("table_added", "table_turned", "table_retired", "table_restored", "games_offered"),
            *("waiver_reason_published", "waiver_reason_withdrawn"),
        ),
        "the manager's desk has them among the last changes",
    ),
}
NOW = datetime(2026, 3, 7, 20, tzinfo=UTC)


@pytest.fixture
def happened(site, manager, dealer):
    """`happened(kind, actor=..., **data)`: write an event."""

    def happen(kind, actor=None, now=NOW, **data):
        return house_events.note(site, kind, act=Act(actor, now, terminal="floor 10.0.0.7"), **data)

    return happen


def sentences(site, **sought):
    return [deed.sentence for deed in deeds(site, Sought(**sought))]


def test_each_thing_is_a_sentence_about_somebody(site, happened, manager, dealer):
    happened("signed_in", dealer)
    happened("pin_set", manager, staff=dealer.pk)
    happened("sign_in_refused", username="zoe", count=3)
    happened("pin_refused", username="")
    happened("exported", manager, count=12)
    happened("checkpoint_taken", manager, size=40)
    happened(
        "staff_changed",
        manager,
        staff=dealer.pk,
        before={"username": "dealer", "is_active": True},
        after={"username": "dealer", "is_active": False},
    )
    assert sentences(site)[:7] == [
        "dealer: works here yes → no.",
        "Took the checkpoint at 40 records.",
        "Exported the log, 12 records.",
        "1 wrong PIN for a name that nobody has.",
        "3 wrong passwords for zoe.",
        "Set the PIN of dealer.",
        "Signed in.",
    ]


def test_how_people_sign_in_is_told_apart(site, happened, manager, dealer):
    for guessed in ("password", "factor", "terminal"):
        happened("sign_in_refused", guessed=guessed, username="" if guessed == "terminal" else "zoe", count=2)
    happened("factor_added", dealer, staff=dealer.pk, factor="webauthn", name="Key")
    happened("factor_removed", manager, staff=dealer.pk, factor="totp", name="")
    happened("terminal_enrolled", manager, number=1, name="Table 3")
    happened("terminal_revoked", manager, number=1, name="Table 3")
    happened("session_ended", dealer, staff=dealer.pk, count=2)
    happened("mail_set", dealer, staff=dealer.pk)
    assert sentences(site)[:9][::-1] == [
        "2 wrong passwords for zoe.",
        "2 wrong second steps for zoe.",
        "2 wrong attempts for a name that nobody has.",
        "Set up a passkey of dealer.",
        "Removed an authenticator app of dealer.",
        "Enrolled the terminal Table 3.",
        "Revoked the terminal Table 3.",
        "Ended 2 sessions of dealer.",
        "Set the address of dealer for notices.",
    ]


def test_what_people_really_do_is_there_with_who_did_it_and_where(client, site, manager, dealer, employ):
    """Through the pages themselves: sign-in, a wrong password, a PIN, a role, a download, sign-out."""
    away = Client(REMOTE_ADDR="10.0.0.9")
    for password in ("wrong", "dealer signs in"):
        away.post("/sign-in/", {"username": "dealer", "password": password})
    away.post("/pin/", {"password": "dealer signs in", "pin": "739154", "again": "739154"})
    away.post("/sign-out/")
    client.force_login(manager)
    roles_now = {"key": "a-key-of-this-act", "full_name": "Dora", "roles": ["dealer", "floor"]}
    client.post(f"/house/staff/{dealer.pk}/", roles_now)
    b"".join(client.get("/audit/balance.csv").streaming_content)
    client.get("/audit/log/export.zip")
    dealer.refresh_from_db()
    found = {
        deed.sentence: (getattr(deed.actor, "username", deed.actor), deed.terminal)
        for deed in deeds(site, Sought())
    }

    def whose(words):
        return next(who for what, who in found.items() if words in what)

    there = ("dealer", "10.0.0.9")
    assert found[f"Set the PIN of {dealer}."] == there
    assert found["1 wrong password for dealer."] == ("nobody known", "10.0.0.9")
    assert found["Signed out."] == there
    assert whose("roles dealer → dealer, floor") == ("manager", "office 127.0.0.1")
    assert whose("Downloaded") == ("manager", "books 127.0.0.1")
    assert whose("Exported the log") == ("manager", "books 127.0.0.1")


def test_it_can_be_narrowed_to_a_kind_a_person_and_some_days(site, happened, manager, dealer):
    happened("signed_in", dealer)
    happened("signed_in", manager, now=NOW + timedelta(days=1))
    happened("exported", manager, now=NOW + timedelta(days=1))
    assert sentences(site, group="downloads") == ["Exported the log, some records."]
    assert sentences(site, person=dealer.pk) == ["Signed in."]
    assert len(sentences(site, since=NOW + timedelta(hours=1), until=NOW + timedelta(days=2))) == 2
    assert len(sentences(site, until=NOW + timedelta(hours=1))) == 1


def test_the_page_turns_and_asks_as_much_for_many(
    site, happened, manager, client, monkeypatch, django_assert_max_num_queries
):
    monkeypatch.setattr(acts, "ROWS", 3)
    monkeypatch.setattr("casino.house.views.ROWS", 3)
    for number in range(7):
        happened("checkpoint_taken", manager, size=number)
    client.force_login(manager)
    with django_assert_max_num_queries(14):
        page = client.get("/house/who/?group=downloads").content.decode()
    assert page.index("at 6 records") < page.index("at 4 records")
    assert "at 3 records" not in page
    older = HouseEvent.objects.filter(kind="checkpoint_taken").order_by("-pk")[2].pk
    assert f'href="?group=downloads&amp;before={older}"' in page
    assert "at 3 records" in client.get(f"/house/who/?group=downloads&before={older}").content.decode()


@pytest.mark.parametrize("role", ["manager", "regulator"])
def test_managers_and_regulators_read_it(client, site, employ, role, happened):
    client.force_login(employ("zoe", role))
    page = client.get(reverse("who-did-what"))
    assert page.status_code == 200
    assert "Signed in." in page.content.decode()


@pytest.mark.parametrize("role", ["floor", "dealer", "cashier", "counter"])
def test_nobody_who_works_at_the_tables_or_the_cage_does(client, site, employ, role):
    client.force_login(employ("zoe", role))
    assert client.get(reverse("who-did-what")).status_code == 403


@pytest.mark.parametrize(
    "query", ["group=gossip", "first=9999-99-99", "person=0", "before=-1", "before=99999999999999999999999"]
)
def test_what_cannot_be_looked_for_is_said_beside_its_field(client, site, manager, query):
    client.force_login(manager)
    assert client.get(f"/house/who/?{query}").status_code == 400


def test_the_last_day_of_the_calendar_is_a_day(client, site, manager):
    client.force_login(manager)
    assert client.get("/house/who/?first=9999-12-31&last=9999-12-31").status_code == 200


def test_every_kind_that_is_noted_is_shown_or_left_out_on_purpose():
    kinds = {kind for _, of in GROUPS.values() for kind in of}
    assert set(acts.SENTENCES) <= kinds
    assert kinds | set(LEFT_OUT) == set(HouseEvent.Kind.values)
    assert set(acts.GUESSED) == set(Attempts.At.values)
    assert set(acts.FACTORS) == set(Authenticator.Type.values)
