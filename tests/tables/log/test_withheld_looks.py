"""Whoever reads an export tries to learn who was looked up on the exclusion list, and when."""

import io
import json
import re
import zipfile
from datetime import timedelta

import pytest
from django.db import transaction

from ledger.cage import exclusions
from ledger.journal.acts import Act
from ledger.models import HouseEvent, Withheld
from ledger.proof.audit.export.register import players_in
from ledger.proof.audit.export.verdict import verify_bundle
from ledger.proof.log import exporting, sealing
from tables.audit import main
from tests.support.changed_exports import packed
from tests.support.kept import kept

pytestmark = pytest.mark.django_db
NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve")


def night(game):
    """Players sit down a few minutes apart, play and leave, somebody is refused,
    and the log is sealed every minute."""
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


def exported(game, **wanted):
    out, act = io.BytesIO(), Act(actor=None, now=game.now + timedelta(minutes=1))
    exporting.export(out, site=game.site, wanted=exporting.Wanted(**wanted), act=act)
    with zipfile.ZipFile(out) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def bodies_of(members):
    return [json.loads(line)[1] for line in members["records.jsonl"].splitlines()]


def withheld(bodies):
    return [(leaf, body) for leaf, body in enumerate(bodies) if body["record"] == "withheld"]


def test_no_withheld_record_has_the_time_of_a_record_that_names_a_player(game):
    bodies = bodies_of(exported(night(game)))
    assert Withheld.objects.filter(what="exclusion_look").count() > len(NAMES)
    of_players = {body["recorded_at"] for body in bodies if [*players_in(body)]}
    assert not [body for _, body in withheld(bodies) if body["recorded_at"] in of_players]
    assert withheld(bodies)


def test_a_night_with_looks_and_one_without_have_the_same_records_but_for_salted_digests(
    game, monkeypatch, settings, tmp_path
):
    """So neither numbers, nor times, nor their order, nor their neighbours tell of a look."""

    def shown():
        return [(one["record"], one["recorded_at"], sorted(one)) for one in bodies_of(exported(night(game)))]

    with transaction.atomic():
        with_looks, looks = shown(), Withheld.objects.count()
        transaction.set_rollback(True)
    settings.CHECKPOINTS = tmp_path  # what was kept of the first night is not of the second
    monkeypatch.setattr(exclusions, "_looked", lambda *asked: (None, []))
    assert shown() == with_looks
    assert looks
    assert not Withheld.objects.exists()


# -- an export that opens what is withheld -------------------------------------------------------------------


@kept
def opened(game):
    """An export of such a night with what it withholds, member by member."""
    return exported(night(game), opened=True)


def judged(members, tmp_path, **changed):
    """What the verifier says of an export with these members changed."""
    path = tmp_path / "export.zip"
    path.write_bytes(
        packed({name: changed.get(name, lambda data: data)(data) for name, data in members.items()})
    )
    verdict = verify_bundle(path, checks=main.checks)
    return [(one.code, one.record) for one in verdict.findings], verdict


def test_an_export_opens_looks_for_whoever_asks_and_the_verifier_holds_them_against_their_commitments(
    opened, tmp_path
):
    found, verdict = judged(opened, tmp_path)
    assert found == []
    assert verdict.checked["withheld texts opened"] == Withheld.objects.exclude(in_batch=None).count() > 3
    lines = [json.loads(line) for line in opened["withheld.jsonl"].splitlines()]
    texts = [json.loads(one["text"]) for line in lines for one in line["texts"]]
    assert {"what", "at", "actor", "doing", "exclusion", "name", "number"} == set(texts[0])
    assert "Rex Black" in [one["name"] for one in texts]
    assert [line["id"] for line in lines] == [body["id"] for _, body in withheld(bodies_of(opened))]
    assert HouseEvent.objects.get(kind="exported").data["opened"] is True


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"Rex Black", b"Rex White"),
        lambda data: data.replace(b'"salt": "', b'"salt": "0', 1),
        lambda data: b"".join(data.splitlines(keepends=True)[1:]),
        lambda data: data + data.splitlines(keepends=True)[-1],
        lambda data: data.replace(b'"texts": [', b'"texts":  [', 1),
        lambda data: re.sub(rb'"texts": \[\{.*?\}[,\]]', b'"texts": []', data, count=1),
    ],
    ids=["a name", "a salt", "a line less", "a line more", "spaces", "a look less"],
)
def test_what_is_opened_otherwise_than_it_was_committed_to_is_found(opened, tmp_path, change):
    found, _ = judged(opened, tmp_path, **{"withheld.jsonl": change})
    assert [code for code, _ in found] == ["not_opened"]


def test_an_export_without_it_has_none_of_its_words(game):
    members = exported(night(game))
    assert "withheld.jsonl" not in members
    assert not [name for name, data in members.items() if b"Rex Black" in data]
