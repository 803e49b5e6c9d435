"""An export says who its numbers are: by records of the log, each proven;
players only if they are asked for."""

import csv
import io
import json
from datetime import date

import pytest

from casino import roles
from casino.models import Staff
from casino.sign_in import noting
from ledger.journal.acts import Act
from ledger.proof.audit.export.verdict import verify_bundle
from ledger.proof.log import exporting
from tables.audit.main import FromFirstRecord
from tables.seats.player_entries import change_player, merge_players
from tables.seats.players import enter_player
from tests.support.acting import acting
from tests.support.changed_exports import members_of, packed
from tests.support.kept import kept

DAY, NEXT = date(2026, 3, 7), date(2026, 3, 8)
ANN, BOB = "Ann Wilkinson", "Bob Featherstone"


@kept
def house(game, floor2):
    """Two gaming days: on the first one Ann plays, and on the second Bob; both are renamed,
    and so is the dealer."""
    game.seat("Ann", "Bob")
    ann, bob = game.sitting(1).player, game.sitting(2).player
    rename(game, ann, ANN)
    game.play()
    with noting.acting(Act(game.floor, game.now)):
        roles.assign(game.dealer, "floor")
        person = Staff.objects.get(pk=game.dealer.pk)
        person.full_name = "Dora Deal"
        person.save()
    game.minute(24 * 60)
    rename(game, bob, BOB)
    game.play()
    again = acting(enter_player, site=game.site, name="Anne Wilkinson", actor=game.floor, now=game.now)
    acting(merge_players, merged_id=again.pk, into_id=ann.pk, **by(game), approver=floor2, reason="one card")
    return game, ann, bob, again


def by(game):
    return {"key": game.key(), "actor": game.floor, "now": game.now}


def rename(game, player, name):
    acting(change_player, player_id=player.pk, name=name, **by(game))


def exported(game, days=exporting.EVERY_DAY, *, players=True):
    out = io.BytesIO()
    wanted = exporting.Wanted(days, players=players)
    acting(exporting.export, out, site=game.site, wanted=wanted, now=game.now)
    return members_of(out.getvalue())


@pytest.fixture
def found(tmp_path):
    """What is wrong with an export of these members: codes and sentences."""

    def found(members):
        path = tmp_path / "export.zip"
        path.write_bytes(packed(members))
        verdict = verify_bundle(path, checks=lambda sheets: [FromFirstRecord(sheets)])
        return [(one.code, one.sentence) for one in verdict.findings]

    return found


def lines(members, name):
    return list(csv.DictReader(io.StringIO(members[f"papers/{name}"].decode())))


def said_of(members, name, person):
    return [
        (line["what"], line["value"]) for line in lines(members, name) if line["person"] == str(person.pk)
    ]


@pytest.mark.parametrize("days", [exporting.EVERY_DAY, (NEXT, NEXT)])
def test_the_register_says_who_each_number_was_and_since_when(house, found, days):
    game, ann, bob, merged = house
    members = exported(game, days)
    assert found(members) == []
    assert bool(members["earlier.jsonl"]) == (days != exporting.EVERY_DAY)
    dealer = said_of(members, "staff.csv", game.dealer)
    assert {
        ("username", game.dealer.username),
        ("name", "Dora Deal"),
        ("role", "dealer"),
        ("role", "floor"),
    } <= {*dealer}
    (role,) = [
        line
        for line in lines(members, "staff.csv")
        if line["value"] == "floor" and line["person"] == str(game.dealer.pk)
    ]
    assert (role["since"], role["until"]) == ("2026-03-07T20:00:00.000000Z", "")
    names = [line for line in lines(members, "players.csv") if line["person"] == str(bob.pk)]
    assert [(one["value"], one["since"][:10], one["until"][:10]) for one in names] == [
        ("Bob", "2026-03-07", "2026-03-08"),
        (BOB, "2026-03-08", ""),
    ]
    assert said_of(members, "players.csv", ann) == [("name", "Ann"), ("name", ANN)]
    assert ("same_as", str(ann.pk)) in said_of(members, "players.csv", merged)


@pytest.mark.parametrize("days", [exporting.EVERY_DAY, (NEXT, NEXT)])
def test_no_name_of_a_player_is_in_an_export_that_does_not_name_them(house, found, days):
    members = exported(house[0], days, players=False)
    assert found(members) == []
    assert {"players.jsonl", "papers/players.csv"}.isdisjoint(members)
    for data in members.values():
        assert b"Wilkinson" not in data
        assert b"Featherstone" not in data


def edit(name, change):
    def edited(members):
        members[name] = change(members[name])

    return edited


def first_line(change):
    return lambda data: b"".join([change(data.splitlines(True)[0]), *data.splitlines(True)[1:]])


def another_record(line):
    said = json.loads(line)
    return (
        json.dumps(
            said | {"record": said["record"].replace('"recorded_at":"2026', '"recorded_at":"2025')},
            sort_keys=True,
        ).encode()
        + b"\n"
    )


def as_a_float(line):
    """Write the number of an entry as another form of JSON has it."""
    said = json.loads(line)
    return json.dumps(said | {"id": float(said["id"])}, ensure_ascii=False, sort_keys=True).encode() + b"\n"


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        (edit("papers/staff.csv", lambda data: data.replace(b"Dora", b"Nora")), "paper_differs", "staff.csv"),
        (
            edit("papers/players.csv", lambda data: data.replace(b"Wilk", b"Walk")),
            "paper_differs",
            "players.csv",
        ),
        (edit("players.jsonl", lambda data: data.replace(b"Wilk", b"Walk")), "not_opened", "players.jsonl"),
        (edit("players.jsonl", first_line(lambda line: b"")), "not_opened", "players.jsonl"),
        (edit("players.jsonl", first_line(as_a_float)), "not_opened", "players.jsonl"),
        (edit("players.jsonl", lambda data: data + b"{}\n"), "not_opened", "goes on after"),
        (edit("earlier.jsonl", first_line(another_record)), "bad_proof", "earlier.jsonl"),
        (edit("earlier.jsonl", first_line(lambda line: b"")), "wrong_offsets", "manifest.json"),
        (edit("earlier.jsonl", lambda data: data + data), "bad_bundle", "not in order"),
        (edit("earlier.jsonl", lambda data: b"what\n"), "bad_bundle", "earlier.jsonl"),
        (edit("earlier.jsonl", first_line(lambda line: line.replace(b"{", b"{ "))), "bad_bundle", "written"),
    ],
)
def test_who_somebody_is_cannot_be_changed_unnoticed(house, found, change, code, named):
    members = exported(house[0], (NEXT, NEXT))
    change(members)
    assert [one for one in found(members) if one[0] == code and named in one[1]]


def test_the_hiring_of_somebody_who_changes_in_a_part_cannot_be_left_out(house, found):
    """It is before the part, and the change in it says what the person was before."""
    members = exported(house[0], (NEXT, NEXT))
    of_the_dealer = f'"staff":{house[0].dealer.pk}'
    lines = members["earlier.jsonl"].splitlines(True)
    kept = [line for line in lines if of_the_dealer not in json.loads(line)["record"]]
    assert len(kept) < len(lines)
    members["earlier.jsonl"] = b"".join(kept)
    assert (
        "identity_differs",
        f"Person {house[0].dealer.pk} had other values before it than it says.",
    ) in found(members)
