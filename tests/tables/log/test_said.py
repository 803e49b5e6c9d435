"""Whoever has the house's key tells a handover otherwise than it was signed: the check of an export that
opens the texts names it."""

import io
import json

import pytest

from ledger.journal.acts import Act
from ledger.proof.audit.export.verdict import verify_bundle
from ledger.proof.log import exporting, sealing
from ledger.records import canonical
from ledger.records.withheld import Text, commitment_of_batch, line_that_opens
from tables.audit import main
from tables.floor.handover import hand_over, to_hand_over
from tests.support.changed_exports import members_of
from tests.support.kept import kept
from tests.support.resealed import ExportedLog

pytestmark = pytest.mark.django_db
SIGNED = ("house_event", "handed_over")


@kept
def exported(game, floor, floor2):
    """An export with two handovers and what was said at each, one behind the other."""
    game.seat("Ann", "Bob")
    game.set_stack(2, 0)
    for minute in (11, 22, 33):
        game.minute(minute)
        sealing.seal(game.site, now=game.now)
        if minute < 33:
            notes = {one.which: "" for one in to_hand_over(game.site, game.now)}
            act = Act(floor, game.now, game.key(), approver=floor2)
            hand_over(site=game.site, notes=notes, act=act)
    out = io.BytesIO()
    wanted = exporting.Wanted(players=True, opened=True)
    exporting.export(out, site=game.site, wanted=wanted, act=Act(actor=None, now=game.now))
    return out.getvalue()


@pytest.fixture
def log(exported, game):
    return ExportedLog(game.site, members_of(exported))


def retold(log, change):
    """Return the export after `change(texts)` of the texts of each commitment, with all commitments, leaves
    and signatures made again."""
    changes, lines = {}, []
    for line in log.members["withheld.jsonl"].splitlines():
        fields = json.loads(line)
        texts = [Text(one["salt"], one["text"]) for one in fields["texts"]]
        change(texts)
        [leaf] = [
            leaf
            for leaf, body in enumerate(log.bodies)
            if (body["record"], body["id"]) == ("withheld", fields["id"])
        ]
        committed = commitment_of_batch(fields["salt"], (canonical.commitment(*one) for one in texts))
        changes[leaf] = log.bodies[leaf] | {"commitment": committed}
        lines.append(line_that_opens(fields["id"], fields["salt"], texts))
    log.members = log.members | {"withheld.jsonl": b"".join(lines)}
    return log.resealed(changes)


def found(data, tmp_path):
    (tmp_path / "export.zip").write_bytes(data)
    return [
        (one.code, one.record) for one in verify_bundle(tmp_path / "export.zip", checks=main.checks).findings
    ]


def handovers(log):
    return [body for body in log.bodies if (body["record"], body.get("kind")) == SIGNED]


def of_handover(texts, number=1):
    return [
        (place, json.loads(one.text))
        for place, one in enumerate(texts)
        if (said := json.loads(one.text))["what"] == "handed_over" and said["number"] == number
    ]


def put(texts, place, said):
    texts[place] = Text(texts[place].salt, canonical.text(said))


def other_sentence(texts):
    for place, said in of_handover(texts):
        put(texts, place, said | {"sentences": ["Nothing waits." for _ in said["sentences"]]})


def text_left_out(texts):
    for place, _ in of_handover(texts):
        del texts[place]


def text_put_in(texts):
    for _, said in of_handover(texts):
        texts.append(Text("5" * 64, canonical.text(said | {"number": 9})))


def test_what_was_said_is_what_was_signed(log, tmp_path):
    assert len(handovers(log)) == 2
    assert found(retold(log, lambda texts: None), tmp_path) == []


@pytest.mark.parametrize("change", [other_sentence, text_left_out], ids=lambda one: one.__name__)
def test_a_handover_whose_text_is_another_or_gone_is_named(log, tmp_path, change):
    first, _ = handovers(log)
    named = {record for code, record in found(retold(log, change), tmp_path) if code == "not_opened"}
    assert f"house event {first['id']}" in named
    assert not [one for one in named if one.startswith("house event") and str(first["id"]) not in one]


def test_a_text_that_no_handover_signed_is_named_with_its_commitment(log, tmp_path):
    [(code, record)] = found(retold(log, text_put_in), tmp_path)
    assert (code, record.split()[0]) == ("not_opened", "withheld")


@pytest.mark.parametrize("text", ["no JSON", "[]", '{"what": "handed_over", "number": []}'])
def test_a_text_that_nobody_can_read_in_place_of_what_was_signed_is_no_fault_of_the_program(
    log, tmp_path, text
):
    def change(texts):
        for place, _ in of_handover(texts):
            texts[place] = Text(texts[place].salt, text)

    codes = {code for code, _ in found(retold(log, change), tmp_path)}
    assert codes == {"not_opened"}


@pytest.mark.parametrize("wrong", ["number", "at", "sentences"])
def test_a_handover_signed_for_another_number_time_or_list_is_named(log, tmp_path, wrong):
    """The record names the commitment to a text that is of something else."""

    def change(texts):
        for place, said in of_handover(texts):
            put(texts, place, said | {wrong: {"number": 8, "at": "2026", "sentences": []}[wrong]})
            event = handovers(log)[0]
            event["data"]["said"] = canonical.commitment(*texts[place])

    data = retold(log, change)
    first, _ = handovers(log)
    assert ("not_opened", f"house event {first['id']}") in found(data, tmp_path)
