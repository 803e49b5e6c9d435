"""Managers who act on each other at the same moment, and two browsers with one code."""

from collections import Counter
from dataclasses import replace

import pytest
from django.test import Client
from django.utils import timezone

from casino.models import Staff
from casino.sign_in import passwords
from casino.staff import hiring
from ledger.errors import NotAllowed

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_two_managers_who_let_each_other_go_one_stays(act, manager, employ, at_once):
    other = employ("max", "manager")
    results = at_once(
        [
            lambda: hiring.let_go(person_id=other.pk, act=act),
            lambda: hiring.let_go(person_id=manager.pk, act=replace(act, actor=other)),
        ]
    )
    assert Counter(type(one) for one in results) == {Staff: 1, NotAllowed: 1}
    assert Staff.objects.filter(is_active=True, groups__name="manager").count() == 1


def test_of_two_who_come_in_by_one_code_one_comes_in(site, dealer, at_once):
    code = passwords.give_code(dealer, passwords.new_code(), timezone.now())

    def sign_in():
        return Client().post("/sign-in/", {"username": "dealer", "password": code}).status_code

    assert Counter(at_once([sign_in] * 4)) == {302: 1, 400: 3}
