"""Notices by mail: to whoever gave an address, where the house has mail, once what they tell of is committed."""

import pytest
from django.core import mail

from casino import tasks
from casino.models import Staff
from casino.sign_in import notices
from ledger.models import HouseEvent

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch, settings):
    """What is handed to the worker, as (address, sentence)."""
    settings.EMAIL_HOST = "mail.example.org"
    given = []
    monkeypatch.setattr(notices.app, "send_task", lambda name, args: given.append((name, *args)))
    return given


def set_mail(client, address):
    return client.post("/mail/", {"password": "dealer signs in", "email": address})


def test_one_gives_an_address_after_the_password_and_old_and_new_are_told(
    client, site, dealer, sent, django_capture_on_commit_callbacks
):
    client.force_login(dealer)
    assert client.post("/mail/", {"password": "a guess", "email": "d@example.org"}).status_code == 400
    assert set_mail(client, "no address").status_code == 400
    with django_capture_on_commit_callbacks(execute=True):
        assert set_mail(client, "d@example.org").url == "/"
        set_mail(client, "dealer@example.org")
    assert [address for _, address, _ in sent] == ["d@example.org", "d@example.org", "dealer@example.org"]
    assert {event.actor for event in HouseEvent.objects.filter(kind="mail_set")} == {dealer}


def test_a_change_is_told_to_the_person_alone(site, dealer, floor, sent, django_capture_on_commit_callbacks):
    Staff.objects.filter(pk=dealer.pk).update(email="d@example.org")
    with django_capture_on_commit_callbacks(execute=True):
        for person in (dealer, floor):
            person.set_password("another long one")
            person.save(update_fields=["password"])
    assert sent == [("casino.tasks.send_notice", "d@example.org", "Your password was set.")]


def test_without_mail_nothing_is_sent(site, dealer, sent, settings, django_capture_on_commit_callbacks):
    settings.EMAIL_HOST = ""
    Staff.objects.filter(pk=dealer.pk).update(email="d@example.org")
    with django_capture_on_commit_callbacks(execute=True):
        dealer.set_password("another long one")
        dealer.save(update_fields=["password"])
    assert sent == []


def test_the_worker_mails_it():
    tasks.send_notice("d@example.org", "Your PIN was set.")
    (message,) = mail.outbox
    assert message.to == ["d@example.org"]
    assert "tell a manager of the house at once" in message.body


def test_every_notice_is_of_an_event_that_the_log_knows():
    assert set(notices.SENTENCES) <= set(HouseEvent.Kind.values)
