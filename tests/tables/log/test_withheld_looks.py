"""Whoever reads an export tries to learn who was looked up on the exclusion list, and when."""

import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.db import transaction

from ledger.audit.export.register import players_in
from ledger.cage import exclusions
from ledger.journal.acts import Act
from ledger.log import exporting, sealing
from ledger.models import Withheld

pytestmark = pytest.mark.django_db
NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve")


def night(game):
    """Players sit down a few minutes apart, play and leave, somebody is refused, and the log is sealed every minute."""
    for minute in range(45):
        game.minute(minute)
        if minute % 7 == 3 and (seat := minute // 7 + 1) <= len(NAMES):
            game.buy_in(NAMES[seat - 1], seat)
        if minute == 20:
            act = Act(actor=game.floor, now=game.now)
            exclusions.look(game.site, "Rex Black", "", act, "seating")
        if minute > 12 and minute % 5 == 0:
            game.play()
        sealing.seal(game.site, now=game.now + timedelta(seconds=3))
    return game


def exported(game):
    out = io.BytesIO()
    exporting.export(out, site=game.site, act=Act(actor=None, now=game.now + timedelta(minutes=1)))
    with zipfile.ZipFile(out) as bundle:
        return [json.loads(line)[1] for line in bundle.read("records.jsonl").splitlines()]


def withheld(bodies):
    return [(leaf, body) for leaf, body in enumerate(bodies) if body["record"] == "withheld"]


def test_no_withheld_record_has_the_time_of_a_record_that_names_a_player(game):
    bodies = exported(night(game))
    assert Withheld.objects.filter(what="exclusion_look").count() > len(NAMES)
    of_players = {body["recorded_at"] for body in bodies if [*players_in(body)]}
    assert not [body for _, body in withheld(bodies) if body["recorded_at"] in of_players]
    assert withheld(bodies)


def test_a_night_with_looks_and_one_without_have_the_same_records_but_for_salted_digests(
    game, monkeypatch, settings, tmp_path
):
    """So neither numbers, nor times, nor their order, nor their neighbours tell of a look."""

    def shown():
        return [(one["record"], one["recorded_at"], sorted(one)) for one in exported(night(game))]

    with transaction.atomic():
        with_looks, looks = shown(), Withheld.objects.count()
        transaction.set_rollback(True)
    settings.CHECKPOINTS = tmp_path  # what was kept of the first night is not of the second
    monkeypatch.setattr(exclusions, "look", lambda *asked: False)
    assert shown() == with_looks
    assert looks
    assert not Withheld.objects.exists()
