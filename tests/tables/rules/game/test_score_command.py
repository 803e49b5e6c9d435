"""`manage.py score`: a stream of rounds in, their settlements out in the same order."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tables.management.commands.score import LONGEST_LINE
from tests.support.play import SHEETS, entry, toml

DATA = Path(__file__).parents[3] / "support" / "data"
ROOT = Path(__file__).parents[4]
GOOD = entry("2-4", "1: , misset", "2: , misset")


def scored(monkeypatch, data: bytes, *options: str) -> tuple[list[str], CommandError | None]:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    try:
        call_command("score", *options, stdout=out)
    except CommandError as fault:
        return out.getvalue().splitlines(), fault
    return out.getvalue().splitlines(), None


def test_the_worked_rounds_come_out_in_order_and_refusals_end_in_status_1():
    command = [sys.executable, "manage.py", "score", str(DATA / "rounds.jsonl")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in (DATA / "answers.jsonl").read_text().splitlines()]
    got = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [one.get("code") for one in got] == [one.get("code") for one in answers]
    assert [one for one in got if "code" not in one] == [one for one in answers if "code" not in one]


def test_rounds_come_from_standard_input_where_no_file_is_named(monkeypatch):
    lines, fault = scored(monkeypatch, json.dumps(GOOD).encode() + b"\n")
    assert (len(lines), fault) == (1, None)
    assert json.loads(lines[0])["net"] == {"1": "0.00", "2": "0.00"}


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ('"button":', '"pair_stake": [], "button":', "pair_stake is not a key of a round, which has button,"),
        ('"button":', '"button": 1, "button":', "the line can't be read: the key 'button' occurs twice"),
        ('"stack":', '"stack": "1.00", "stack":', "the line can't be read: the key 'stack' occurs twice"),
        ('"misset": true', '"misset": 1', "seat 1: misset must be true or false"),
        ('"seat": 1', '"seat": 6', "hand 1: seat must be a whole number from 1 to 5"),
    ],
)
def test_a_line_that_says_something_else_is_refused_with_the_form_that_is_wanted(
    monkeypatch, before, after, sentence
):
    line = json.dumps(GOOD)
    assert before in line
    lines, fault = scored(monkeypatch, line.replace(before, after, 1).encode())
    assert fault is not None
    assert json.loads(lines[0])["error"].startswith(sentence)


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"\xff",
        b"[" * 60_000,
        b'{"sheet": ' + b"9" * 5000 + b"}",
        b"NaN",
        b'{"sheet": "2-4", "limit": 1e999, "button": 1, "hands": []}',
        b'"' + b"x" * LONGEST_LINE + b'"',
        b'"' + b"x" * (3 * LONGEST_LINE) + b'"',
        b'"\\ud800"',
    ],
)
def test_a_refused_line_is_answered_in_its_place_and_the_others_go_on(monkeypatch, line):
    good = json.dumps(GOOD).encode()
    lines, fault = scored(monkeypatch, b"\n".join([good, line, b"", b"  ", good]))
    answers = [json.loads(text) for text in lines]
    assert ["code" in one for one in answers] == [False, True, False]
    assert answers[1]["code"] in {"bad_json", "bad_limit"}
    assert set(answers[1]) == {"error", "code"}
    assert fault is not None
    assert fault.returncode == 1


class InPieces(io.RawIOBase):
    """A pipe that brings what is put in as it is put in, and notes what was answered before each piece."""

    def __init__(self, pieces: list[bytes], out: io.StringIO):
        self.pieces, self.out, self.answered = pieces, out, []

    def read1(self, size: int) -> bytes:
        self.answered.append(self.out.getvalue().count("\n"))
        return self.pieces.pop(0) if self.pieces else b""


def test_each_round_is_answered_before_the_next_is_waited_for(monkeypatch):
    good = json.dumps(GOOD).encode()
    out = io.StringIO()
    pipe = InPieces([good[:20], good[20:] + b"\n", b"\n", good + b"\n" + good + b"\n", good], out)
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": pipe}))
    call_command("score", stdout=out)
    assert pipe.answered == [0, 0, 1, 1, 3, 3]
    assert len(out.getvalue().splitlines()) == 4


def test_further_sheets_are_loaded_from_files(monkeypatch, tmp_path):
    for code in ("mine", "ours"):
        (tmp_path / f"{code}.toml").write_text(toml({"code": code, "version": 4}))
    options = [part for code in ("mine", "ours") for part in ("--sheet", str(tmp_path / f"{code}.toml"))]
    data = b"\n".join(json.dumps(GOOD | {"sheet": code}).encode() for code in ("mine", "ours", "2-4"))
    lines, fault = scored(monkeypatch, data, *options)
    assert ([json.loads(line)["version"] for line in lines], fault) == ([4, 4, 1], None)


def test_a_bad_sheet_or_missing_file_ends_the_command_before_any_round(monkeypatch, tmp_path):
    (tmp_path / "bad.toml").write_text('code = "bad"\nversion = 1\nmajorty = 1')
    lines, fault = scored(monkeypatch, json.dumps(GOOD).encode(), "--sheet", str(tmp_path / "bad.toml"))
    assert lines == []
    assert "bad.toml: majorty" in str(fault)
    assert scored(monkeypatch, b"", "--sheet", str(tmp_path / "none.toml"))[1] is not None
    assert scored(monkeypatch, b"", str(tmp_path / "none.jsonl"))[1] is not None


def test_explain_writes_for_people(monkeypatch):
    rounds = [
        entry(
            "face-up",
            "2: Qs Qh 2c / 5c 6d 7h 8s 9s / Ad Kd 9d 4d 2d, stack 200.00",
            "3: Ah Kc 8h / 3c 3d 7s 7c 4h / Ts Th Tc 6h 6c, stack 45.00",
            button=2,
            limit="5.00",
        ),
        entry(
            "2-4",
            "1: dealt 2s 3c 4s Ts Jh Qs Kd Ac 5c 6d 7d 8s 9h, declares dragon",
            "2: , surrenders",
            "4: , misset",
        ),
        entry("first-to-11", "1: Ah Kc 8h / 3c 3d 7s 7c 4h / Ts Th Tc 6h 6c", "2: , misset"),
        entry(
            "2-4",
            "1: Ah Kc 8h / 3c 3d 7s 7c 4h / Ts Th Tc 6h 6c",
            "2: As Ks 8s / 4c 4d 7h 7d 3h / 9s 9h 9c 6s 6d",
        ),
    ]
    lines, fault = scored(monkeypatch, "\n".join(map(json.dumps, rounds)).encode(), "--explain")
    text = "\n".join(lines)
    assert fault is None
    for said in (
        "Seat 3 pays seat 2 45.00 of 50.00, cut by table stakes (10 points):",
        "  middle 5c 6d 7h 8s 9s  straight, bonus 4",
        "fantasy land next",
        "clean sweep: dragon",
        "surrenders",
        "Seat 1 scores 3 points.",
        "Net: seat 2 +45.00, seat 3 -45.00",
    ):
        assert said in text
    assert SHEETS.find("face-up").title in text


def test_r23_a_misset_hand_that_comes_unset_is_scored_as_a_foul_whoever_surrenders(monkeypatch):
    unset = "1: dealt 2c 3s 4s 5s 5c 7d 7h 9d 9h Th Td Js Jh, declares six-pairs, misset"
    given_up = entry("western", unset, "2: , surrenders")
    lines, fault = scored(monkeypatch, json.dumps(given_up).encode() + b"\n")
    answer = json.loads(lines[0])
    assert (fault, {hand["seat"]: hand["foul"] for hand in answer["hands"]}) == (None, {1: True, 2: False})
    assert answer["net"] == {"1": "3.00", "2": "-3.00"}
    played_on = entry("western", unset.removesuffix(", misset"), "2: , surrenders")
    lines, fault = scored(monkeypatch, json.dumps(played_on).encode() + b"\n")
    assert json.loads(lines[0])["code"] == "unset_hand"
