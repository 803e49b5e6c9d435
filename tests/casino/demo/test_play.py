"""`manage.py play`: rounds from elsewhere are entered as far as the table's rules allow."""

import json
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from tables.models import Hand, Round, Settlement, Sitting, Table, TableSession
from tests.support.answers import answer_to
from tests.support.play import variant

START = datetime(2026, 3, 8, 3, 0, tzinfo=UTC)
QUEENS = {"front": "Qs Qh 2c", "middle": "5c 6d 7h 8s 9s", "back": "Ad Kd 9d 4d 2d"}
FULL_HOUSE = {"front": "Ah Kc 8h", "middle": "3c 3d 7s 7c 4h", "back": "Ts Th Tc 6h 6c"}
PLAIN = {"front": "As Js 8d", "middle": "4c 4s Jh 9h 3h", "back": "5d 5h 5s Kh Qc"}
LOW = {"front": "Ac Jd 6s", "middle": "2h 2s Ks Qd 8c", "back": "9c Jc Td 7d 3s"}


@pytest.fixture
def play(room, tmp_path):
    """`play(*rounds)`: play rounds (objects or lines) at table 4; return the refusals if it `fails`."""

    def play(*rounds, fails=False, start=START, table=4):
        file = tmp_path / "rounds.jsonl"
        file.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rounds) + "\n")
        arguments = [str(file), f"--table={table}", f"--start={start.isoformat()}"]
        if not fails:
            return call_command("play", *arguments, skip_checks=False)
        with pytest.raises(CommandError) as error:
            call_command("play", *arguments, skip_checks=False)
        return error.value

    return play


def dealt(*hands, sheet="face-up", limit="5.00", button=2):
    listed = [{"seat": seat, "stack": stack, **cards} for seat, stack, cards in hands]
    return {"sheet": sheet, "limit": limit, "button": button, "hands": listed}


FIRST = dealt((2, "200.00", QUEENS), (3, "160.00", FULL_HOUSE))


def stacks():
    return {
        s.seat: s.stack.balance_cents for s in Sitting.objects.filter(left_at=None).select_related("stack")
    }


def test_a_round_opens_the_table_seats_its_players_and_is_settled(play):
    play(FIRST)
    session = TableSession.objects.get()
    assert (session.table.number, session.sheet.code, session.limit_cents) == (4, "face-up", 500)
    assert [(hand.seat, hand.stack_cents) for hand in Hand.objects.all()] == [(2, 20000), (3, 16000)]
    assert stacks() == {2: 25000, 3: 11000}


def test_a_stack_below_the_smallest_buy_in_becomes_the_smallest_buy_in(play):
    play(dealt((2, "200.00", QUEENS), (3, "45.00", FULL_HOUSE)))
    assert Hand.objects.get(seat=3).stack_cents == 15000


def test_who_has_less_than_the_line_says_adds_on_and_who_has_more_keeps_it(play):
    play(FIRST, dealt((2, "200.00", QUEENS), (3, "150.00", FULL_HOUSE)))
    second = Round.objects.get(number=2)
    assert {hand.seat: hand.stack_cents for hand in second.hands.all()} == {2: 25000, 3: 15000}


def test_whoever_is_not_in_a_line_declines(play):
    play(
        dealt((1, "200.00", PLAIN), (2, "200.00", QUEENS), (3, "200.00", FULL_HOUSE)),
        dealt((2, "200.00", QUEENS), (3, "200.00", FULL_HOUSE)),
    )
    assert [hand.seat for hand in Round.objects.get(number=2).hands.order_by("seat")] == [2, 3]


def test_refused_lines_are_reported_and_the_others_go_on(play, capsys):
    twice = dealt((2, "200.00", QUEENS), (3, "200.00", QUEENS))
    dreaming = dealt((2, "200.00", QUEENS), (3, "200.00", FULL_HOUSE | {"fantasy_land": True}))
    other = dealt((2, "200.00", QUEENS), (3, "200.00", FULL_HOUSE), limit="10.00")
    error = play(FIRST, "{", twice, dreaming, other, FIRST, fails=True)
    assert error.returncode == 1
    said = capsys.readouterr()
    for number, code in [
        (2, "bad_json"),
        (3, "duplicate_card"),
        (4, "fantasy_land_not_earned"),
        (5, "other_game"),
    ]:
        assert any(f"Line {number}:" in line and f"({code})" in line for line in said.err.splitlines())
    assert "2 rounds entered at table 4, 4 refused." in said.out
    assert Round.objects.count() == 2


def test_a_file_that_comes_again_enters_nothing_again(play, capsys):
    play(FIRST, FIRST)
    before = stacks()
    play(FIRST, FIRST, start=START.replace(hour=4))
    assert "0 rounds entered at table 4, 2 entered before, 0 refused." in capsys.readouterr().out
    assert stacks() == before
    assert Round.objects.count() == 2


def test_r54_two_hands_each_are_entered_first_hand_first(play):
    two_each = [(1, QUEENS), (1, FULL_HOUSE), (2, PLAIN), (2, LOW)]
    play(dealt(*[(seat, "200.00", hand) for seat, hand in two_each]))
    assert [hand.seat for hand in Hand.objects.all()] == [1, 2, 1, 2]
    entered = json.loads(Settlement.objects.get().entry.evidence)["input"]["hands"]
    assert [hand["front"] for hand in entered] == [hand["front"] for hand in (QUEENS, PLAIN, FULL_HOUSE, LOW)]
    assert sum(stacks().values()) == 40000


def test_r54_fantasy_land_of_a_second_hand_is_refused(play, capsys):
    dreaming = FULL_HOUSE | {"fantasy_land": True}
    two_each = [(1, QUEENS), (1, dreaming), (2, PLAIN), (2, LOW)]
    play(dealt(*[(seat, "200.00", hand) for seat, hand in two_each]), fails=True)
    assert "(fantasy_land_not_earned)" in capsys.readouterr().err
    assert not Round.objects.exists()


def test_games_and_limits_that_no_table_here_plays_are_refused(play, capsys):
    unknown = dealt((2, "200.00", QUEENS), (3, "160.00", FULL_HOUSE), sheet="canasta")
    unpublished = dealt((2, "200.00", QUEENS), (3, "160.00", FULL_HOUSE), limit="7.00")
    alone = dealt(*[(s, "200.00", h) for s, h in ((1, QUEENS), (2, FULL_HOUSE))], sheet="criss-cross")
    play(unknown, unpublished, alone, fails=True)
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("Line ")]
    assert [line.split()[-1] for line in said] == [
        "(unknown_sheet)",
        "(unknown_rate)",
        "(hand_count)",
    ]
    assert not TableSession.objects.exists()


@pytest.fixture
def own_sheets(settings, tmp_path):
    """`own_sheets("majority = 2")` writes a changed 2-4 called `house` into the folder of own sheets."""
    settings.HOUSE_SHEETS = tmp_path / "sheets"
    settings.HOUSE_SHEETS.mkdir()

    def write(changes):
        raw = variant("2-4", changes).find("house").raw
        (settings.HOUSE_SHEETS / "house.toml").write_bytes(raw)

    return write


OWN = dealt((2, "200.00", QUEENS), (3, "160.00", FULL_HOUSE), sheet="house")


def test_rounds_of_a_houses_own_sheet_are_scored_by_it(play, own_sheets):
    own_sheets("majority = 5")
    play(OWN)
    assert TableSession.objects.get().sheet.code == "house"
    payment = answer_to(Settlement.objects.get().round)["payments"][0]
    assert {"to": payment["to"], "reason": "majority", "points": 5} in payment["lines"]


def test_a_bad_sheet_is_named_with_its_fault_and_its_rounds_are_refused(play, own_sheets, settings, capsys):
    own_sheets("majority = 5")
    file = settings.HOUSE_SHEETS / "house.toml"
    file.write_text(file.read_text().replace("majority =", "majorty ="))
    error = play(FIRST, OWN, fails=True)
    said = capsys.readouterr()
    assert "(tables.W001) A house sheet is left out. house.toml: majorty: is not a key of a sheet" in said.err
    assert [line.split()[-1] for line in said.err.splitlines() if "Line" in line] == ["(unknown_sheet)"]
    assert "1 rounds entered at table 4, 1 refused." in said.out
    assert error.returncode == 1


def test_a_sheet_that_changed_under_a_version_that_was_played_is_refused(room, play, own_sheets, capsys):
    own_sheets("majority = 5")
    play(OWN)
    own_sheets("majority = 6")
    Table.objects.create(site=room, number=5)
    play(OWN, table=5, fails=True)
    assert "(sheet_changed)" in capsys.readouterr().err


def test_a_time_before_what_has_happened_is_refused(play):
    play(FIRST)
    assert "bad_time" in str(play(FIRST, FIRST, start=START.replace(hour=1), fails=True))


def test_unknown_tables_and_missing_files_are_refused(room, tmp_path):
    file = tmp_path / "rounds.jsonl"
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("play", str(file), "--table=4")
    file.write_text(json.dumps(FIRST))
    with pytest.raises(CommandError, match="unknown_table"):
        call_command("play", str(file), "--table=5")


def test_a_real_house_refuses_rounds_from_a_file(site, tmp_path):
    file = tmp_path / "rounds.jsonl"
    file.write_text(json.dumps(FIRST))
    with pytest.raises(CommandError, match="not_demo"):
        call_command("play", str(file), "--table=4")
