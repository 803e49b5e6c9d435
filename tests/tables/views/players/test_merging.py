"""Merging two entries on screen: the other one is found, both are shown,
and a second person types their PIN."""

import pytest

from ledger.journal.acts import Act
from tables.models import PlayerMerge
from tables.seats.players import enter_player
from tests.support.cast import PIN
from tests.support.game import OPENING


@pytest.fixture
def desk(client, floor):
    client.force_login(floor)
    return client


@pytest.fixture
def anna(site, floor):
    return enter_player(site=site, name="Anna", number="77", act=Act(floor, OPENING))


def sent(**said):
    entry = {"key": "a-merge-of-two", "reason": "one licence", "second": "floor2", "second_pin": PIN}
    return entry | said


def test_two_entries_are_found_chosen_and_merged(desk, ann, anna, floor2):
    page = desk.get(f"/players/{ann.pk}/merge/", {"q": "anna 77"}).content.decode()
    assert f"/players/{ann.pk}/merge/{anna.pk}/" in page
    assert "Anna, No. 77" in desk.get(f"/players/{ann.pk}/merge/{anna.pk}/").content.decode()
    answer = desk.post(f"/players/{ann.pk}/merge/{anna.pk}/", sent(stays=str(anna.pk)), follow=True)
    assert answer.redirect_chain == [(f"/players/{anna.pk}/", 302)]
    assert "Merge 1: the two entries are one player now." in answer.content.decode()
    assert "was merged into that of" in desk.get(f"/players/{ann.pk}/").content.decode()
    assert PlayerMerge.objects.get().into == anna


@pytest.mark.parametrize(
    ("said", "status"),
    [({"second_pin": "0000"}, 400), ({"reason": ""}, 400), ({"stays": "99"}, 400), ({"second": ""}, 400)],
)
def test_a_merge_that_is_refused_keeps_what_was_typed(desk, ann, anna, floor2, said, status):
    answer = desk.post(f"/players/{ann.pk}/merge/{anna.pk}/", sent(stays=str(ann.pk)) | said)
    assert answer.status_code == status
    assert ("one licence" in answer.content.decode()) == ("reason" not in said)
    assert not PlayerMerge.objects.exists()


@pytest.mark.parametrize("role", ["dealer", "regulator", "manager", "counter"])
def test_who_only_reads_or_deals_merges_nobody(client, employ, ann, anna, floor2, role):
    client.force_login(employ("zoe", role))
    assert client.get(f"/players/{ann.pk}/merge/").status_code == 403
    assert client.post(f"/players/{ann.pk}/merge/{anna.pk}/", sent(stays=str(ann.pk))).status_code == 403


def test_an_entry_is_not_merged_with_itself_on_screen(desk, ann):
    assert desk.get(f"/players/{ann.pk}/merge/{ann.pk}/").status_code == 404


def test_the_books_show_both_entries_of_a_person(desk, client, ann, anna, floor2, regulator):
    desk.post(f"/players/{ann.pk}/merge/{anna.pk}/", sent(stays=str(ann.pk)))
    client.force_login(regulator)
    assert "Also entered as" in client.get(f"/audit/players/{ann.pk}/").content.decode()
    assert "Merged into" in client.get(f"/audit/players/{anna.pk}/").content.decode()
