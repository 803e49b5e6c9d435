"""Notices by mail: for people with an address, where the house has mail, and only about what happened."""

from datetime import timedelta
from smtplib import SMTPServerDisconnected

import django
import pytest
from django.core import mail
from django.core.mail.backends import smtp
from django.core.mail.backends.locmem import EmailBackend
from django.db import transaction
from django.utils import timezone

from casino import settings as given, tasks
from casino.models import Notice, Staff
from casino.sign_in import noting
from ledger.models import HouseEvent

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _mail(settings):
    settings.MAIL_HOST = "mail.example.org"


def sent():
    tasks.send_notices()
    return [(message.to[0], message.body.splitlines()[0]) for message in mail.outbox]


def new_password(person):
    person.set_password("another long one")
    person.save(update_fields=["password"])


def set_mail(client, address):
    return client.post("/mail/", {"password": "dealer signs in", "email": address})


def test_one_gives_an_address_after_the_password_and_old_and_new_are_told(client, site, dealer):
    client.force_login(dealer)
    assert client.post("/mail/", {"password": "a guess", "email": "d@example.org"}).status_code == 400
    assert set_mail(client, "no address").status_code == 400
    assert set_mail(client, "d@example.org").url == "/"
    set_mail(client, "dealer@example.org")
    assert [address for address, _ in sent()] == ["d@example.org", "d@example.org", "dealer@example.org"]
    assert {event.actor for event in HouseEvent.objects.filter(kind="mail_set")} == {dealer}


def test_a_change_is_told_to_the_person_alone(site, dealer, floor):
    Staff.objects.filter(pk=dealer.pk).update(email="d@example.org")
    for person in (dealer, floor):
        new_password(person)
    assert sent() == [("d@example.org", "Your password was set.")]
    assert "tell a manager of the house at once" in mail.outbox[0].body
    assert not Notice.objects.exists()


def test_without_mail_nothing_is_sent(site, dealer, settings):
    settings.MAIL_HOST = ""
    Staff.objects.filter(pk=dealer.pk).update(email="d@example.org")
    new_password(dealer)
    assert sent() == []


def test_nobody_is_told_of_what_was_rolled_back(site, dealer):
    Staff.objects.filter(pk=dealer.pk).update(email="d@example.org")
    with transaction.atomic():
        new_password(dealer)
        transaction.set_rollback(True)
    assert sent() == []


def test_what_cannot_be_mailed_waits_and_is_dropped_after_two_days(site, dealer, monkeypatch, caplog):
    Staff.objects.filter(pk=dealer.pk).update(email="d@example.org")
    new_password(dealer)
    new_password(dealer)

    def away(*_):
        raise SMTPServerDisconnected("gone")

    with monkeypatch.context() as broken:
        broken.setattr(EmailBackend, "send_messages", away)
        assert sent() == []
    assert caplog.messages == ["A notice cannot be mailed: gone"]
    assert len(sent()) == 1  # the first one is tried again later
    now = timezone.now()
    noting.send_waiting(now + timedelta(minutes=11))
    assert len(mail.outbox) == 2
    new_password(dealer)
    noting.send_waiting(now + timedelta(days=3))
    assert (len(mail.outbox), Notice.objects.count()) == (2, 0)


def test_every_notice_is_of_an_event_that_the_log_knows():
    assert set(noting.SENTENCES) <= set(HouseEvent.Kind.values)


def test_mail_goes_to_the_named_server_by_starttls_and_waits_for_it_no_longer_than_ten_seconds():
    newest = {"alias": "default", **given.MAILERS["default"]["OPTIONS"]} if django.VERSION >= (6, 1) else {}
    server = smtp.EmailBackend(**newest)
    assert (server.port, server.use_tls, server.timeout) == (587, True, 10)
