"""The eleven sheets and the reading of any sheet (section 5 and 5b, R40)."""

import pytest
from hypothesis import given, strategies as st

from tables.rules.errors import BadSheet, UnknownSheet
from tables.rules.game.rounds import library, parse_sheet
from tests.support.play import CODES, SHEETS, toml, variant

STANDARD = (
    {"trips": 3},
    {"full-house": 2, "quads": 8, "straight-flush": 10, "royal-flush": 20},
    {"quads": 4, "straight-flush": 5, "royal-flush": 10},
)
FOUR_SWEEPS = {"dragon": 13, "six-pairs": 3, "three-straights": 3, "three-flushes": 3}
WESTERN_SWEEPS = {
    "dragon": 13, "thirteen-colours": 13, "twelve-colours": 3,
    "six-pairs": 3, "three-straights": 3, "three-flushes": 3,
}  # fmt: skip


def tables(code: str) -> tuple[dict, dict, dict]:
    bonus = SHEETS.find(code).bonus
    return bonus.front, bonus.middle, bonus.back


def test_the_eleven_sheets_are_built_in():
    assert sorted(CODES) == sorted(
        "face-up western eastern 2-4 1-6 scoop-one pokerlistings low-middle wheel-second criss-cross"
        " first-to-11".split()
    )
    assert all(sheet.version == 1 and len(sheet.sha256) == 64 and sheet.title for sheet in SHEETS)


def test_r40_the_face_up_table_holds_also_for_four_of_a_kind_in_the_back():
    front, middle, back = tables("face-up")
    assert back == {
        "straight": 2, "flush": 4, "full-house": 6, "quads": 8, "straight-flush": 10, "royal-flush": 20,
    }  # fmt: skip
    assert middle == {name: 2 * points for name, points in back.items()}
    assert front == {f"pair-{rank}": place for place, rank in enumerate("6789TJQKA", 1)} | {
        f"trips-{rank}": place for place, rank in enumerate("23456789TJQKA", 10)
    }


@pytest.mark.parametrize("code", ["2-4", "1-6", "wheel-second", "criss-cross"])
def test_the_standard_bonuses(code):
    assert tables(code) == STANDARD
    bonus = SHEETS.find(code).bonus
    assert (bonus.to, bonus.mode, bonus.declared) == ("winner", "add", True)


def test_the_other_bonuses():
    assert tables("low-middle") == (STANDARD[0], {}, STANDARD[2])
    assert tables("eastern") == (
        {"trips": 3},
        {"full-house": 2, "quads": 8, "straight-flush": 10},
        {"quads": 4, "straight-flush": 5},
    )
    assert tables("pokerlistings") == (
        {"trips": 1},
        {"full-house": 1, "quads": 1, "straight-flush": 1},
        {"quads": 1, "straight-flush": 1},
    )
    for code in ("western", "scoop-one", "first-to-11"):
        assert tables(code) == ({}, {}, {})


@pytest.mark.parametrize(
    ("code", "majority", "scoop", "foul", "surrender"),
    [
        ("face-up", 0, 0, (9, True, "value_and_penalty"), (False, 0, False)),
        ("western", 1, 0, (3, True, "value"), (True, 3, True)),
        ("eastern", 0, 0, (3, True, "value"), (True, 3, True)),
        ("2-4", 1, 0, (4, False, "value"), (True, 3, False)),
        ("1-6", 0, 3, (6, False, "value"), (True, 4, False)),
        ("scoop-one", 0, 1, (4, False, "value"), (True, 3, False)),
        ("pokerlistings", 0, 3, (6, False, "value"), (False, 0, False)),
        ("low-middle", 1, 0, (4, False, "value"), (True, 3, False)),
        ("wheel-second", 1, 0, (4, False, "value"), (True, 3, False)),
        ("criss-cross", 1, 0, (4, False, "value"), (True, 3, False)),
        ("first-to-11", 0, 0, (0, False, "value"), (False, 0, False)),
    ],
)
def test_points_of_every_sheet(code, majority, scoop, foul, surrender):
    sheet = SHEETS.find(code)
    assert (sheet.majority, sheet.scoop) == (majority, scoop)
    assert (sheet.foul.points, sheet.foul.pays_bonuses, sheet.foul.against_clean_sweep) == foul
    rule = sheet.surrender
    assert (rule.allowed, rule.points, rule.before_clean_sweep) == surrender
    assert not sheet.foul.plays


@pytest.mark.parametrize(
    ("code", "kinds", "how"),
    [
        ("face-up", {"super-dragon": 26, **FOUR_SWEEPS}, ("set", "value", "refuse", True)),
        ("western", WESTERN_SWEEPS, ("dealt", "rank", "foul", False)),
        ("eastern", WESTERN_SWEEPS, ("dealt", "rank", "foul", False)),
        *[
            (code, FOUR_SWEEPS, ("dealt", "strength", "refuse", False))
            for code in ("2-4", "1-6", "scoop-one", "low-middle", "wheel-second", "criss-cross")
        ],
        (
            "pokerlistings",
            {"dragon": 6, "three-straights": 6, "three-flushes": 6, "no-people": 6},
            ("dealt", "strength", "refuse", False),
        ),
        ("first-to-11", {}, ("dealt", "strength", "refuse", False)),
    ],
)
def test_clean_sweeps_of_every_sheet(code, kinds, how):
    rule = SHEETS.find(code).clean_sweep
    assert list(rule.kinds.items()) == list(kinds.items())
    assert (rule.basis, rule.compare, rule.false_declaration, rule.with_bonuses) == how


def test_what_only_one_sheet_has():
    def those(key, usual):
        return {sheet.code: getattr(sheet, key) for sheet in SHEETS if getattr(sheet, key) != usual}

    assert those("ties", "push") == {"face-up": "button"}
    assert those("dealing", "closed") == {"face-up": "open-face"}
    assert those("pair_stakes", True) == {"face-up": False}
    assert those("first", "button") == {"western": "right_of_puck", "eastern": "right_of_puck"}
    assert those("middle", "high") == {"low-middle": "low"}
    assert those("wheel", "lowest") == {"wheel-second": "second"}
    assert those("hands_per_player", 1) == {"criss-cross": 2}
    assert those("race_to", 0) == {"first-to-11": 11}
    assert set(those("fantasy_land", None)) == {"face-up"}
    assert those("equal_segments", "foul") == {}


def test_a_sheet_of_nothing_but_its_name_has_the_defaults():
    sheet = parse_sheet(b'code = "house"\nversion = 3', "house.toml")
    assert (sheet.code, sheet.version, sheet.stakes, sheet.first) == ("house", 3, "starting_stack", "button")
    assert (sheet.bonus.to, sheet.bonus.mode, sheet.clean_sweep.basis) == ("winner", "add", "dealt")
    assert (sheet.clean_sweep.compare, sheet.foul.against_clean_sweep) == ("strength", "value")
    assert sheet.fantasy_land is None


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("majorty = 1", "majorty"),
        ("majority = -1", "majority"),
        ("majority = 1.5", "majority"),
        ("majority = true", "majority"),
        ('majority = "1"', "majority"),
        ("majority = 99999999999999999999", "majority"),
        ('wheel = "highest"', "wheel"),
        ("wheel = [1]", "wheel"),
        ("pair_stakes = 1", "pair_stakes"),
        ("hands_per_player = 3", "hands_per_player"),
        ("title = 7", "title"),
        ("bonus = 1", "bonus"),
        ("bonus.too = 1", "bonus.too"),
        ('bonus.to = "nobody"', "bonus.to"),
        ("bonus.front = { flush = 1 }", "bonus.front.flush"),
        ("bonus.front = { pair-1 = 1 }", "bonus.front.pair-1"),
        ("bonus.middle = { flush = -1 }", "bonus.middle.flush"),
        ("bonus.back = { five = 1 }", "bonus.back.five"),
        ("foul.point = 1", "foul.point"),
        ('foul.against_clean_sweep = "penalty"', "foul.against_clean_sweep"),
        ("surrender.before = true", "surrender.before"),
        ("clean_sweep.kinds = { dragon = 13 }", "clean_sweep.kinds"),
        ("clean_sweep.kinds = [13]", "clean_sweep.kinds"),
        ('clean_sweep.kinds = [{ kind = "dragon" }]', "clean_sweep.kinds.0.points"),
        ('clean_sweep.kinds = [{ kind = "seven-pairs", points = 3 }]', "clean_sweep.kinds.0.kind"),
        ('clean_sweep.kinds = [{ kind = "dragon", points = 3, worth = 3 }]', "clean_sweep.kinds.0.worth"),
        (
            'clean_sweep.kinds = [{ kind = "dragon", points = 3 }, { kind = "dragon", points = 4 }]',
            "clean_sweep.kinds.1.kind",
        ),
        ('fantasy_land.enter = { front = "flush" }', "fantasy_land.enter.front"),
        ('fantasy_land.leave = { front = "pair-Q" }', "fantasy_land.leave"),
        ("race_to = 11\nhands_per_player = 2", "race_to"),
    ],
)
def test_unknown_keys_and_words_are_refused_naming_the_file_and_the_key(line, key):
    with pytest.raises(BadSheet) as refusal:
        parse_sheet(f'code = "house"\nversion = 1\n{line}'.encode(), "house.toml")
    assert refusal.value.message.startswith(f"house.toml: {key}: ")


@pytest.mark.parametrize(
    "data",
    [b"", b'code = "x"', b"version = 1", b'code = "X y"\nversion = 1', b'code = "x"\nversion = 0', b"code = ",
     b"\xff", b'code = "x"\nversion = true'],
)  # fmt: skip
def test_a_sheet_needs_a_code_and_a_version(data):
    with pytest.raises(BadSheet):
        parse_sheet(data, "house.toml")


def test_pair_and_trips_stand_for_any_rank_that_is_not_named():
    sheet = variant("2-4", "bonus.front = { pair = 1, pair-A = 5, trips = 3, trips-2 = 9 }").find("house")
    points = [sheet.front_points[1 << 4 | rank] for rank in range(2, 15)]
    assert points == [1] * 12 + [5]
    assert [sheet.front_points[3 << 4 | rank] for rank in range(2, 15)] == [9] + [3] * 12


def test_a_code_and_version_name_a_sheet_for_ever():
    changed = parse_sheet(SHEETS.find("2-4").raw + b"\n# changed\n", "changed.toml")
    with pytest.raises(BadSheet):
        SHEETS.with_sheet(changed)
    same = parse_sheet(SHEETS.find("2-4").raw, "copy.toml")
    assert SHEETS.with_sheet(same).find("2-4").sha256 == SHEETS.find("2-4").sha256


def test_face_up_carries_its_name_with_all_its_tables_alone():
    raw = SHEETS.find("face-up").raw.decode()
    newer = raw.replace("version = 1", "version = 2")
    assert SHEETS.with_sheet(parse_sheet(newer.encode(), "newer.toml")).find("face-up").version == 2
    for gone in ("trips-A = 22\n", '    { kind = "six-pairs", points = 3 },\n', "straight = 4, "):
        assert gone in newer
        with pytest.raises(BadSheet):
            SHEETS.with_sheet(parse_sheet(newer.replace(gone, "").encode(), "short.toml"))


def test_sheets_are_found_by_code_and_version():
    assert library().find("2-4") is library().find("2-4", 1)
    with pytest.raises(UnknownSheet):
        library().find("2-4", 2)
    with pytest.raises(UnknownSheet):
        library().find("")


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_file_is_a_sheet_or_refused(data):
    for text in (data, b'code = "x"\nversion = 1\n' + data):
        try:
            sheet = parse_sheet(text, "x.toml")
        except BadSheet:
            continue
        assert sheet.code


def test_sheets_of_the_tests_are_written_as_they_are_read():
    assert toml({"a": 1, "b": {"c": [{"d": "e"}]}}) == 'a = 1\nb = { c = [{ d = "e" }] }'
