"""`make mutants` shows which mistakes no test notices; the code still has what is listed as equivalent."""

import tomllib
from collections import Counter
from types import SimpleNamespace

import pytest

from tools import mutants

FEES = """\
from functools import cache

HALF_FROM = 20


@cache
def fee(minute, cents):
    if minute < HALF_FROM:
        return cents
    return cents // 2


def downs(minutes):
    count = 0
    while minutes > 40:
        minutes -= 40
        count += 1
    return count
"""
TESTS = """\
from fees import downs, fee


def test_the_fee_is_halved():
    assert (fee(19, 1500), fee(21, 1500)) == (1500, 750)


def test_a_down_has_forty_minutes():
    assert (downs(40), downs(41), downs(80), downs(121)) == (0, 1, 1, 3)
"""
LATER = "HALF_FROM = 20", "HALF_FROM = 21"


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A repository with one room; `listed` writes its equivalent mutants."""
    (tmp_path / "fees.py").write_text(FEES)
    (tmp_path / "test_fees.py").write_text(TESTS)
    (tmp_path / "rooms.toml").write_text('[fees]\nfiles = ["fees.py"]\ntests = ["test_fees.py"]\n')

    def listed(*changes):
        rows = [
            f'[[mutant]]\nfile = "fees.py"\nline = "{line}"\nchange = "{change}"\n'
            for line, change in changes
        ]
        (tmp_path / "equivalent.toml").write_text("".join(rows) or "mutant = []")

    for name, value in {"ROOT": tmp_path, "LEAST": 1}.items():
        monkeypatch.setattr(mutants, name, value)
    monkeypatch.setattr(mutants, "ROOMS", tmp_path / "rooms.toml")
    monkeypatch.setattr(mutants, "EQUIVALENT", tmp_path / "equivalent.toml")
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE")
    listed()
    return SimpleNamespace(folder=tmp_path, listed=listed)


@pytest.mark.long
def test_what_no_test_notices_is_shown_with_file_line_and_change_unless_it_is_listed(house, capsys):
    house.listed(LATER)
    assert mutants.main(["--sample", "99"]) == 0
    figures, *survivors = capsys.readouterr().out.splitlines()
    assert figures == "fees: 19 mutants, 19 sampled, 17 killed, 1 survived, 1 equivalent"
    assert survivors == ["  fees.py:8: if minute < HALF_FROM:  ->  if minute <= HALF_FROM:"]


def test_an_equivalent_mutant_that_the_code_no_longer_has_ends_the_run(house, capsys):
    house.listed(("if minute < HALF_FROM:", "if minute > HALF_FROM:"))
    assert mutants.main([]) == 2
    assert "fees.py has no such mutant any more: if minute < HALF_FROM:" in capsys.readouterr().out


def test_tests_that_fail_without_a_mutant_end_the_run(house):
    (house.folder / "test_fees.py").write_text(TESTS.replace("750", "751"))
    with pytest.raises(SystemExit, match="The tests of fees fail without a mutant"):
        mutants.main(["--sample", "1"])


def test_the_same_seed_takes_the_same_sample(house):
    def sampled(seed):
        (room,) = mutants.rooms_of([], 5, seed)
        return [(mutant.line, mutant.after) for mutant in room.sampled]

    assert sampled(1) == sampled(1) != sampled(2)


def test_each_room_of_the_map_has_its_files_and_tests():
    rooms = tomllib.loads(mutants.ROOMS.read_text())
    files = Counter(
        file
        for room in rooms.values()
        for path in room["files"]
        for file in mutants.python_files(mutants.ROOT / path)
    )
    assert set(files.values()) == {1}
    assert all(
        (mutants.ROOT / path).exists() for room in rooms.values() for path in (*room["files"], *room["tests"])
    )


def test_each_mutant_listed_as_equivalent_is_still_there_and_has_its_reason():
    listed = mutants.listed_equivalent()
    assert mutants.unknown(listed, mutants.ROOT) == []
    assert all(len(one["reason"].split()) > 3 for one in listed)
