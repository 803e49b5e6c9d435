"""A sheet as a page that a player reads: it says what the sheet says, in force and to the point,
and nothing else."""

import io
import re
import tomllib
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, strategies as st

from tables.rules.game.cards import tally
from tables.rules.game.clean_sweeps import kinds_held
from tables.rules.game.ranking import CATEGORIES, PAIR, TRIPS
from tables.rules.game.rounds import parse_sheet
from tables.rules.game.setting import is_foul, segment_strengths
from tables.rules.game.sheet import CLEAN_SWEEP_KINDS, FRONT_WORDS
from tables.rules.words import names
from tables.rules.words.described import described
from tables.rules.words.markdown import cards_text, rules_index, rules_page
from tests.support.play import CODES, SHEETS, toml, variant

ROOT = Path(__file__).parents[4]
PAGES = ROOT / "docs" / "rules"
KNOWN_RULES = set(re.findall(r"\*\*(R\d+)\*\*", (ROOT / "docs" / "rules.md").read_text()))

# A game with something to say about every key.
RICH = """
majority = 1
scoop = 3
ties = "button"
bonus = { declared = true, one_per_hand = true, double_same_category = true, cancel = true, broken = true }
surrender = { allowed = true, points = 3 }
clean_sweep.with_bonuses = true
foul = { points = 4, pays_bonuses = true }
fantasy_land = { enter = { front = "pair-Q" }, stay = { middle = "full-house" } }
"""
OTHERWISE = [
    'title = "Another"',
    'dealing = "open-face"',
    "hands_per_player = 2",
    "pair_stakes = false",
    'wheel = "second"',
    'middle = "low"',
    'equal_segments = "allowed"',
    'ties = "push"',
    "majority = 2",
    "majority = 0",
    "scoop = 4",
    "scoop = 0",
    'first = "left_of_button"',
    'first = "right_of_puck"',
    'stakes = "running_stack"',
    'stakes = "uncapped_win"',
    'stakes = "none"',
    'bonus.to = "holder"',
    'bonus.mode = "replace"',
    'bonus = { to = "holder", mode = "replace" }',
    "bonus.double_same_category = false",
    "bonus.cancel = false",
    "bonus.declared = false",
    "bonus.one_per_hand = false",
    "bonus.broken = false",
    "bonus.front = {}",
    "bonus.front = { trips = 4 }",
    "bonus.front = { trips = 3, trips-2 = 4 }",
    "bonus.front = { trips = 3, pair-Q = 1 }",
    "bonus.middle = { full-house = 2, quads = 8, straight-flush = 10 }",
    "bonus.middle = { full-house = 2, quads = 8, straight-flush = 10, royal-flush = 0 }",
    "bonus.back = { high-card = 1 }",
    "foul.points = 5",
    "foul.points = 0",
    "foul.pays_bonuses = false",
    'foul.against_clean_sweep = "value_and_penalty"',
    "foul.plays = true",
    "surrender.allowed = false",
    "surrender.points = 4",
    "surrender.before_clean_sweep = true",
    'clean_sweep.basis = "set"',
    'clean_sweep.compare = "value"',
    'clean_sweep.compare = "rank"',
    'clean_sweep.false_declaration = "foul"',
    "clean_sweep.with_bonuses = false",
    "clean_sweep.kinds = []",
    'clean_sweep.kinds = [{ kind = "dragon", points = 12 }]',
    'clean_sweep.kinds = [{ kind = "no-people", points = 13 }, { kind = "dragon", points = 13 }]',
    'clean_sweep.kinds = [{ kind = "dragon", points = 13 }, { kind = "no-people", points = 13 }]',
    'fantasy_land.enter = { front = "pair-K" }',
    'fantasy_land.stay = { back = "quads" }',
    "race_to = 11\nclean_sweep.kinds = []\nsurrender.allowed = false",
]


def house(*changes):
    """The house's sheet `RICH` with these lines of TOML on top."""
    document = variant("2-4", RICH).find("house").raw.decode()
    for change in changes:
        document = _changed(document, change)
    return parse_sheet(document.encode(), "house.toml")


def _changed(document, change):
    keys = tomllib.loads(document)
    for key, value in tomllib.loads(change).items():
        keys[key] = keys.get(key, {}) | value if isinstance(value, dict) else value
    return toml(keys)


def said(sheet):
    """All that the page says besides the game in short."""
    page = described(sheet)
    return page.title, page.sections


def text_of(sheet):
    return rules_page(described(sheet))


def test_the_rules_in_docs_are_what_the_sheets_say_to_the_letter():
    pages = {sheet.code: described(sheet) for sheet in SHEETS}
    expected = {f"{code}.md": rules_page(page) for code, page in pages.items()}
    expected["README.md"] = rules_index(pages.values())
    kept = {path.name: path.read_text(encoding="utf-8") for path in PAGES.iterdir()}
    assert kept == expected, "run: manage.py rules --write docs/rules"


@pytest.mark.parametrize("change", OTHERWISE)
def test_whatever_a_sheet_says_otherwise_its_page_says_otherwise(change):
    assert said(house(change)) != said(house())


def test_no_two_of_these_games_have_one_page():
    pages = [said(house(change)) for change in OTHERWISE]
    assert len(set(pages)) == len(pages)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ('middle = "low"', "bonus.middle = { flush = 4 }"),
        ('middle = "low"', 'fantasy_land.enter = { front = "pair-Q", middle = "flush" }'),
        ('middle = "low"', 'equal_segments = "allowed"'),
        ("foul.plays = true", "foul.points = 9"),
        ("foul.plays = true", 'foul.against_clean_sweep = "value_and_penalty"'),
        ('stakes = "none"', "pair_stakes = false"),
        ("clean_sweep.kinds = []", 'clean_sweep.basis = "set"'),
        ("surrender.allowed = false", "surrender.points = 9"),
        ("bonus = { front = {}, middle = {}, back = {} }", 'bonus.to = "holder"'),
        ("race_to = 11\nclean_sweep.kinds = []\nsurrender.allowed = false", "scoop = 9"),
        ("race_to = 11\nclean_sweep.kinds = []\nsurrender.allowed = false", 'stakes = "none"'),
    ],
)
def test_what_decides_nothing_in_a_game_is_not_said(change, key):
    assert said(house(change, key)) == said(house(change))


def test_a_comment_in_the_file_changes_nothing_on_the_page():
    sheet = SHEETS.find("face-up")
    commented = parse_sheet(sheet.raw + b"\n# seen by the manager\n", "face-up.toml")
    assert text_of(commented) == text_of(sheet)


def by_category(sheet, segment):
    """The bonuses of middle or back as the page's table has them, by place of the category."""
    name = names.SEGMENT_NAMES[segment]
    cells = {}
    for table in bonus_tables(sheet):
        if name in (table.caption, *table.columns):
            column = 1 if table.caption == name else 1 + table.columns.index(name)
            cells = {row[0]: int(row[column] or 0) for row in table.rows}
    return {place: cells.get(names.CATEGORY_NAMES[name], 0) for place, name in enumerate(CATEGORIES)}


def by_rank(sheet, category):
    """The bonuses in front as the page's table has them, by rank from the deuce up."""
    table = next((table for table in bonus_tables(sheet) if table.caption == "Front"), None)
    name = names.CATEGORY_NAMES[CATEGORIES[category]]
    if table is None:
        return [0] * 13
    if table.columns == ("Points",):
        return [int(dict(table.rows).get(name, 0))] * 13
    if name not in table.columns:
        return [0] * 13
    cells = {row[0]: int(row[1 + table.columns.index(name)] or 0) for row in table.rows}
    return [cells.get(rank, 0) for rank in names.RANK_NAMES]


def bonus_tables(sheet):
    return next((section.tables for section in described(sheet).sections if section.key == "bonuses"), ())


@pytest.mark.parametrize("sheet", list(SHEETS), ids=CODES)
def test_the_bonus_tables_are_those_the_engine_pays_by(sheet):
    for segment, points in (("middle", sheet.middle_points), ("back", sheet.back_points)):
        assert by_category(sheet, segment) == dict(enumerate(points))
    for category in (PAIR, TRIPS):
        assert by_rank(sheet, category) == [sheet.front_points[category << 4 | rank] for rank in range(2, 15)]


@pytest.mark.parametrize("sheet", list(SHEETS), ids=CODES)
def test_the_clean_sweeps_are_listed_with_their_points_in_the_sheets_order(sheet):
    rows = [row for section in described(sheet).sections for row in section.clean_sweeps]
    assert [(row.kind, row.points) for row in rows] == list(sheet.clean_sweep.kinds.items())


@pytest.mark.parametrize("kind", CLEAN_SWEEP_KINDS)
@pytest.mark.parametrize("basis", ["set", "dealt"])
def test_r26_the_sample_of_every_clean_sweep_is_one(kind, basis):
    sheet = house(f'clean_sweep = {{ basis = "{basis}", kinds = [{{ kind = "{kind}", points = 3 }}] }}')
    segments = names.CLEAN_SWEEPS_ARE[kind][1]
    laid = " ".join(segments).split()
    assert len(set(laid)) == 13
    by_segment = (laid[:3], laid[3:8], laid[8:])
    tallies = tuple(map(tally, by_segment))
    assert kinds_held(sheet, sum(tallies), tallies) == (kind,)
    if len(segments) == 3:
        assert [cards.split() for cards in segments] == list(by_segment)
        assert not is_foul(sheet, segment_strengths(sheet, tallies))


def test_e5_and_r40_the_face_up_page_shows_the_printed_twelve_and_what_the_table_makes_of_it():
    example = described(SHEETS.find("face-up")).example
    assert [line.points for line in example.lines] == [-1, 1, 8, 1]
    assert example.outcome == "The first player collects 9 points from the second."
    assert "twelve points" in example.note
    assert "ten for the four of a kind" in example.note
    assert "8 + 1 + 1 − 1 = 9 (R40)" in example.note


def test_a_copy_under_another_name_has_no_printed_rules_to_differ_from():
    assert described(variant("face-up", "").find("house")).example.note == ""


@pytest.mark.parametrize(
    ("code", "points"),
    [
        ("western", 2),  # E3
        ("eastern", 4),
        ("2-4", 6),
        ("1-6", 5),
        ("scoop-one", 1),
        ("pokerlistings", 2),
        ("low-middle", 6),
        ("wheel-second", 6),
        ("criss-cross", 6),
    ],
)
def test_the_example_is_scored_with_the_games_own_sheet(code, points):
    example = described(SHEETS.find(code)).example
    assert sum(line.points for line in example.lines) == points
    assert example.outcome == f"The first player collects {names.points_text(points)} from the second."
    assert not any(hand.says["foul"] for hand in example.hands)


def test_r42_the_example_of_a_race_says_what_both_score():
    example = described(SHEETS.find("first-to-11")).example
    assert (example.lines, example.outcome) == ((), "The first hand scores 2 points, the second 1 point.")


@pytest.mark.parametrize(
    ("segment", "word", "words"),
    [
        ("front", "pair-Q", "a pair of queens or better in front"),
        ("front", "pair", "a pair or better in front"),
        ("front", "trips-2", "three of a kind in front"),
        ("front", "trips", "three of a kind in front"),
        ("front", "trips-T", "three tens or better in front"),
        ("front", "trips-A", "three aces in front"),
        ("middle", "full-house", "a full house or better in the middle"),
        ("back", "quads", "four of a kind or better in the back"),
        ("back", "royal-flush", "a royal flush in the back"),
    ],
)
def test_r41_what_earns_fantasy_land_is_said_as_players_say_it(segment, word, words):
    assert names.at_least(segment, word) == words


def test_every_title_stays_text_on_its_page():
    page = text_of(house('title = "Nines | <b>wild</b> *[x](y)*"'))
    assert r"# Nines \| \<b\>wild\</b\> \*\[x\](y)\*" in page
    assert cards_text("Th As") == "10♥ A♠"


# -- any sheet -----------------------------------------------------------------------------------------------

flags = st.booleans()
some_points = st.integers(0, 40)
segment_bonuses = st.dictionaries(st.sampled_from(CATEGORIES), some_points, max_size=10)
front_bonuses = st.dictionaries(st.sampled_from([*FRONT_WORDS, "pair", "trips"]), some_points, max_size=20)
leasts = st.fixed_dictionaries(
    {},
    optional={
        "front": st.sampled_from([*FRONT_WORDS, "pair", "trips"]),
        "middle": st.sampled_from(CATEGORIES),
        "back": st.sampled_from(CATEGORIES),
    },
)
kinds = st.lists(st.sampled_from(CLEAN_SWEEP_KINDS), unique=True).flatmap(
    lambda listed: st.lists(st.integers(1, 26), min_size=len(listed), max_size=len(listed)).map(
        lambda points: [{"kind": kind, "points": worth} for kind, worth in zip(listed, points, strict=True)]
    )
)
documents = st.fixed_dictionaries(
    {
        "code": st.just("house"),
        "version": st.just(1),
        "title": st.text(st.characters(codec="ascii"), max_size=20),
    },
    optional={
        "dealing": st.sampled_from(["closed", "open-face"]),
        "hands_per_player": st.sampled_from([1, 2]),
        "pair_stakes": flags,
        "wheel": st.sampled_from(["lowest", "second"]),
        "middle": st.sampled_from(["high", "low"]),
        "equal_segments": st.sampled_from(["foul", "allowed"]),
        "ties": st.sampled_from(["push", "button"]),
        "majority": some_points,
        "scoop": some_points,
        "first": st.sampled_from(["button", "left_of_button", "right_of_puck"]),
        "stakes": st.sampled_from(["starting_stack", "running_stack", "uncapped_win", "none"]),
        "bonus": st.fixed_dictionaries(
            {"front": front_bonuses, "middle": segment_bonuses, "back": segment_bonuses},
            optional={
                "to": st.sampled_from(["winner", "holder"]),
                "mode": st.sampled_from(["add", "replace"]),
                **dict.fromkeys(
                    ("double_same_category", "cancel", "declared", "one_per_hand", "broken"), flags
                ),
            },
        ),
        "foul": st.fixed_dictionaries(
            {"points": some_points, "pays_bonuses": flags, "plays": flags},
            optional={"against_clean_sweep": st.sampled_from(["value", "value_and_penalty"])},
        ),
        "surrender": st.fixed_dictionaries(
            {"allowed": flags, "points": some_points, "before_clean_sweep": flags}
        ),
        "clean_sweep": st.fixed_dictionaries(
            {"kinds": kinds, "with_bonuses": flags},
            optional={
                "basis": st.sampled_from(["dealt", "set"]),
                "compare": st.sampled_from(["strength", "value", "rank"]),
                "false_declaration": st.sampled_from(["refuse", "foul"]),
            },
        ),
        "fantasy_land": st.fixed_dictionaries({"enter": leasts, "stay": leasts}),
    },
)


@given(documents)
def test_any_sheet_of_a_house_has_a_page_whose_tables_and_rules_hold(document):
    sheet = parse_sheet(toml(document).encode(), "house.toml")
    page = described(sheet)
    for section in page.sections:
        assert section.sayings
        for saying in section.sayings:
            assert set(saying.rules) <= KNOWN_RULES
            assert re.fullmatch(r"[A-Z0-9].*[^.]\.", saying.text)
            assert not re.search(r"[{}_]|  |\.\.| [.,;]|None", saying.text)
    for segment, points in (("middle", sheet.middle_points), ("back", sheet.back_points)):
        assert by_category(sheet, segment) == dict(enumerate(points))
    for category in (PAIR, TRIPS):
        assert by_rank(sheet, category) == [sheet.front_points[category << 4 | rank] for rank in range(2, 15)]
    assert all(label and text for label, text in page.brief)
    assert rules_page(page).endswith(f"{page.example.outcome}\n")


# -- the command ---------------------------------------------------------------------------------------------


def rules(*arguments):
    out = io.StringIO()
    call_command("rules", *arguments, stdout=out)
    return out.getvalue()


def test_one_game_or_all_of_them_come_to_the_terminal():
    assert rules("face-up") == (PAGES / "face-up.md").read_text(encoding="utf-8")
    assert rules().count("\n# ") == len(CODES)


def test_a_houses_own_sheet_is_rendered_from_its_file(tmp_path):
    own = tmp_path / "house.toml"
    own.write_bytes(house('title = "Night game"').raw)
    page = rules("--sheet", str(own))
    assert page.count("\n# ") == 1
    assert "# Night game\n" in page
    rules("--sheet", str(own), "--write", str(tmp_path / "pages"))
    assert sorted(path.name for path in (tmp_path / "pages").iterdir()) == ["README.md", "house.md"]
    assert "[Night game](house.md)" in (tmp_path / "pages" / "README.md").read_text()


def test_a_sheet_that_is_not_there_or_not_one_is_refused_by_name(tmp_path):
    with pytest.raises(CommandError, match="no sheet"):
        rules("bridge")
    with pytest.raises(CommandError, match=r"gone\.toml"):
        rules("--sheet", str(tmp_path / "gone.toml"))
    bad = tmp_path / "bad.toml"
    bad.write_text('code = "house"\nversion = 1\nmajorty = 1')
    with pytest.raises(CommandError, match="majorty"):
        rules("--sheet", str(bad))
    with pytest.raises(CommandError, match=r"bad\.toml"):
        rules("face-up", "--write", str(bad))


def said_of(code):
    return rules_page(described(SHEETS.find(code)))


@pytest.mark.parametrize("code", CODES)
def test_a_page_has_what_holds_at_the_table_in_any_game(code):
    page = said_of(code)
    for words in (
        "without a joker",
        "The button begins at the first occupied seat",
        "at least 30 times the limit",
        "fewer than 9 points",
        "for every 40 minutes",
    ):
        assert words in page
    assert ("The fifth waits" in page) == (SHEETS.find(code).hands_per_player != 2)
    assert ("no card is exchanged between one's own" in page) == (not SHEETS.find(code).race_to)


def test_r42_the_button_is_nearest_to_itself():
    assert "the button, whose own seat is the nearest" in said_of("first-to-11")


def test_r43_a_kept_hand_is_not_looked_at_before_its_round():
    assert "A kept hand is not looked at before its round begins." in said_of("2-4")


def test_r21_says_of_bonuses_what_r23_says():
    rules = " ".join((ROOT / "docs" / "rules.md").read_text().split())
    r21 = rules[rules.index("**R21**") : rules.index("**R22**")]
    assert "with R23's bonuses" in r21
    assert "nothing else" not in r21
