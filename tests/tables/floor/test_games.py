"""The games that tables can play: built-in sheets and the house's own,
read from its folder as its files are."""

import io
import os
from contextlib import redirect_stderr
from dataclasses import replace

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.journal.acts import Act
from tables.errors import TableError
from tables.floor import games
from tables.floor.opening import open_table
from tables.models import SheetVersion, Table
from tables.rules.game.rounds import library
from tests.support.game import OPENING
from tests.support.play import SHEETS, toml, variant

OWN = variant("2-4", 'title = "Night game"').find("house").raw.decode()


@pytest.fixture
def folder(tmp_path, settings):
    """The house's folder of sheets."""
    settings.HOUSE_SHEETS = tmp_path / "sheets"
    settings.HOUSE_SHEETS.mkdir()
    return settings.HOUSE_SHEETS


@pytest.fixture
def own(folder):
    """The house's own sheet `house`, "Night game", in `own.toml`; calling it writes the file anew."""
    writes = iter(range(1, 1000))

    def write(*changes):
        text = OWN
        for before, after in changes:
            assert before in text
            text = text.replace(before, after)
        (folder / "own.toml").write_text(text)
        # Two writes in one tick of the clock would look alike.
        os.utime(folder / "own.toml", (next(writes), 0))
        return games.house_sheets()

    write()
    return write


def codes():
    return [sheet.code for sheet in games.games()]


def open_with(game, code, number=9):
    return open_table(
        table=Table.objects.get_or_create(site=game.site, number=number)[0],
        game=code,
        rate=game.rate,
        max_buy_in_cents=50_000,
        act=Act(key=game.key(), actor=game.floor, now=game.now),
    )


def refused(call, *arguments):
    with pytest.raises(TableError) as error:
        call(*arguments)
    return error.value.code


class TestTheFolder:
    """Which files are sheets, and what becomes of the others."""

    def test_the_houses_own_games_stand_beside_the_built_in_ones(self, own):
        assert sorted(codes()) == sorted([*(sheet.code for sheet in library()), "house"])
        assert [games.title_of(sheet) for sheet in games.games()] == sorted(
            games.title_of(sheet) for sheet in games.games()
        )
        assert games.game("house").title == "Night game"
        assert not games.is_built_in(games.game("house"))
        assert games.is_built_in(games.game("2-4"))
        assert games.house_sheets().faults == ()

    def test_a_bad_file_is_left_out_and_named_with_its_key_and_hides_no_good_one(self, own, folder):
        (folder / "a.toml").write_text(OWN.replace("majority", "majorty"))
        assert games.house_sheets().faults == ("a.toml: majorty: is not a key of a sheet",)
        assert "house" in codes()

    @pytest.mark.parametrize(
        ("name", "text", "fault"),
        [
            ("two-four.toml", OWN.replace('"house"', '"2-4"'), "two-four.toml: 2-4: version: "),
            ("poorer.toml", toml({"code": "face-up", "version": 2}), "poorer.toml: face-up: bonus: "),
            ("latin.toml", 'title = "Mö"'.encode("latin-1"), "latin.toml: not a TOML file"),
            ("long.toml", OWN + "#" * games.LARGEST_FILE, "long.toml: larger than"),
            ("title.toml", OWN.replace("Night game", "x" * 121), "title.toml: title: "),
            ("nul.toml", OWN.replace("Night game", r"Night\u0000game"), "nul.toml: title: "),
        ],
    )
    def test_what_no_table_could_play_is_left_out(self, folder, name, text, fault):
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        assert [said[: len(fault)] for said in games.house_sheets().faults] == [fault]
        assert set(codes()) == {sheet.code for sheet in library()}

    def test_a_folder_or_a_link_to_nowhere_with_a_sheets_name_is_named(self, folder):
        (folder / "a.toml").mkdir()
        (folder / "b.toml").symlink_to(folder / "gone")
        assert games.house_sheets().faults == ("a.toml: not a file", "b.toml: not a file")

    def test_what_is_hidden_or_has_another_ending_is_no_sheet(self, own, folder):
        for name in (".own.toml", "own.toml~", "notes.txt"):
            (folder / name).write_text("no sheet")
        assert games.house_sheets().faults == ()

    def test_no_folder_is_no_fault_unless_it_was_named(self, settings, tmp_path):
        assert not settings.HOUSE_SHEETS.exists()
        assert games.house_sheets().faults == ()
        settings.HOUSE_SHEETS = tmp_path / "gone"
        assert games.house_sheets().faults == (f"{tmp_path / 'gone'}: this folder does not exist",)
        settings.HOUSE_SHEETS = tmp_path / "file"
        settings.HOUSE_SHEETS.write_text("")
        assert games.house_sheets().faults == (f"{tmp_path / 'file'}: Not a directory",)
        assert "face-up" in codes()

    def test_a_changed_file_is_read_again_and_an_unchanged_one_is_not(self, own):
        before = games.house_sheets()
        assert games.house_sheets() is before
        own(("majority = 1", "majority = 2"))
        assert games.game("house").majority == 2
        own(("majority = 1", "majorty = 1"))
        assert "house" not in codes()
        own()
        assert games.game("house").majority == 1

    def test_an_own_sheet_is_recorded_when_it_is_offered_and_when_its_file_is_another_one(
        self, own, site, floor
    ):
        act = Act(floor, OPENING)
        assert [games.note_sheets(site, act=act) for _ in range(2)] == [1, 0]
        own(("majority = 1", "majority = 2"))
        assert games.note_sheets(site, act=act) == 1
        own()
        assert games.note_sheets(site, act=act) == 1
        said = [event.data for event in site.events.filter(kind="sheet_offered").order_by("pk")]
        assert {(one["code"], one["version"]) for one in said} == {("house", 1)}
        assert said[0] == said[2] != said[1]
        assert said[0]["sha256"] == games.game("house").sha256

    def test_the_newest_version_is_played(self, own, folder):
        (folder / "newer.toml").write_text(OWN.replace("version = 1", "version = 2"))
        assert games.game("house").version == 2

    def test_manage_py_check_names_the_file_and_the_key(self, own):
        own(("majority", "majorty"))
        said = io.StringIO()
        with redirect_stderr(said):
            call_command("check", stdout=io.StringIO())
        assert "tables.W001" in said.getvalue()
        assert "own.toml: majorty: is not a key of a sheet" in said.getvalue()

    def test_a_game_without_a_title_is_called_by_its_code(self, own, game):
        own(("Night game", " "))
        assert games.title_of(games.game("house")) == "house"
        assert open_with(game, "house").sheet.title == "house"


class TestASheetInUse:
    """A code and a version name a sheet for ever."""

    def test_a_table_plays_the_houses_own_game_from_the_bytes_kept_at_first_use(self, own, game):
        session = open_with(game, "house")
        assert bytes(session.sheet.raw).decode() == OWN
        assert open_with(game, "house", 10).sheet == session.sheet
        assert SheetVersion.objects.filter(code="house").count() == 1

    def test_a_sheet_changed_under_its_version_opens_no_table(self, game):
        sheet = library().find("face-up")
        changed = replace(sheet, raw=sheet.raw + b"\n", sha256="0" * 64)
        assert refused(games.keep_sheet, changed, game.now) == "sheet_changed"

    def test_a_changed_file_opens_no_table_until_it_is_a_new_version(self, own, game):
        open_with(game, "house")
        own(("majority = 1", "majority = 2"))
        assert list(games.changed_games(games.games())) == ["house"]
        assert refused(open_with, game, "house", 10) == "sheet_changed"
        own(("majority = 1", "majority = 2"), ("version = 1", "version = 2"))
        assert games.changed_games(games.games()) == {}
        assert open_with(game, "house", 10).sheet.version == 2

    def test_a_file_that_is_as_it_was_again_opens_tables_again(self, own, game):
        open_with(game, "house")
        own(("majority = 1", "majority = 2"))
        own()
        assert open_with(game, "house", 10).sheet.version == 1

    def test_a_game_that_left_the_folder_is_not_opened_any_more(self, own, game, folder):
        open_with(game, "house")
        (folder / "own.toml").unlink()
        assert refused(open_with, game, "house", 10) == "unknown_game"

    def test_what_is_read_of_a_used_version_is_what_tables_play(self, own, game, folder):
        open_with(game, "house")
        own(("majority = 1", "majority = 2"))
        assert games.sheet_to_read("house").majority == 1
        own(("majority = 1", "majority = 2"), ("version = 1", "version = 2"))
        assert games.sheet_to_read("house").majority == 2
        assert games.sheet_to_read("house", 1).majority == 1
        (folder / "own.toml").unlink()
        assert games.sheet_to_read("house").version == 1
        assert refused(games.sheet_to_read, "house", 2) == "unknown_game"

    @pytest.mark.both_databases
    @pytest.mark.parametrize("code", ["bridge", "", "ho\x00use", "\x00", "house\n"])
    @pytest.mark.parametrize("version", [None, 1])
    def test_an_address_may_name_any_game(self, own, db, code, version):
        assert refused(games.sheet_to_read, code, version) == "unknown_game"

    def test_changed_games_cost_one_query_however_many_there_are(self, own, game):
        with CaptureQueriesContext(connection) as captured:
            games.changed_games(games.games())
        assert len(captured) == 1


class TestOpening:
    """The opening page: what is offered, what is not and why, and the rules of the chosen game."""

    def test_the_houses_own_games_are_offered_as_such(self, own, screen):
        page = screen.get("/floor/open/").content.decode()
        assert "Night game (the house&#x27;s own, version 1)" in page
        assert "/floor/games/house/" in page

    def test_what_is_left_out_is_said_to_the_floor_with_file_and_key(self, own, screen, folder):
        (folder / "a.toml").write_text(OWN.replace("majority", "majorty"))
        answer = screen.get("/floor/open/")
        assert screen.codes(answer) == ["bad_sheet"]
        assert "a.toml: majorty: is not a key of a sheet" in answer.content.decode()

    def test_a_changed_game_is_not_offered_and_the_page_says_why_before_anything_is_sent(
        self, own, screen, game
    ):
        open_with(game, "house")
        own(("majority = 1", "majority = 2"))
        answer = screen.get("/floor/open/")
        assert screen.codes(answer) == ["sheet_changed"]
        assert "The file of house has changed under version 1" in answer.content.decode()
        assert "house" not in dict(answer.context["games"])

    def test_a_page_from_before_the_change_is_refused_beside_the_game(self, own, screen, game):
        open_with(game, "house")
        free = Table.objects.create(site=game.site, number=12)
        own(("majority = 1", "majority = 2"))
        form = {"table": free.pk, "game": "house", "rate": game.rate.pk}
        answer = screen.post("/floor/open/", **form)
        assert list(answer.context["form"].errors) == ["game"]
        assert set(screen.codes(answer)) == {"sheet_changed"}

    def test_the_rules_of_the_chosen_game_stand_beside_the_form(self, own, screen):
        page = screen.get("/floor/open/?game=house").content.decode()
        assert '<option value="house" selected>' in page
        assert "<dd>dragon 13, six pairs 3, three straights 3, three flushes 3</dd>" in page
        assert "/floor/games/house/?version=1" in page
        for nothing in ("", "?game=canasta", "?game="):
            assert "Rules of the games" in screen.get(f"/floor/open/{nothing}").content.decode()

    def test_they_stay_where_something_was_refused(self, screen, game):
        page = screen.post("/floor/open/", game="western", rate=game.rate.pk).content.decode()
        assert "right of the puck" in page


class TestReading:
    """The pages that the rules are read on."""

    def test_every_game_is_listed_and_has_its_page(self, own, screen):
        page = screen.get("/floor/games/").content.decode()
        for sheet in games.games():
            assert f"/floor/games/{sheet.code}/" in page
        assert "the house's own, version 1" in page.replace("&#x27;", "'")

    @pytest.mark.parametrize("sheet", list(SHEETS), ids=[sheet.code for sheet in SHEETS])
    def test_the_page_says_all_that_docs_say(self, screen, sheet):
        answer = screen.get(f"/floor/games/{sheet.code}/")
        page = answer.content.decode().replace("&#x27;", "'")
        for section in answer.context["game"].sections:
            assert section.heading in page
            assert all(saying.text in page for saying in section.sayings)
            assert all(", ".join(saying.rules) in page for saying in section.sayings)
        assert answer.context["game"].example.outcome in page

    def test_e5_the_face_up_page_shows_the_printed_example_both_ways(self, screen):
        page = screen.get("/floor/games/face-up/").content.decode()
        assert "The first player collects 9 points from the second." in page
        assert "twelve points" in page

    def test_the_tables_page_leads_to_the_version_it_plays(self, own, screen, game):
        session = open_with(game, "house")
        own(("majority = 1", "majority = 2"), ("version = 1", "version = 2"))
        assert (
            "/floor/games/house/?version=1" in screen.get(f"/floor/sessions/{session.pk}/").content.decode()
        )
        old = screen.get("/floor/games/house/", version="1").content.decode()
        assert "is worth 1 point more" in old
        assert "Tables that open now play another version" in old
        new = screen.get("/floor/games/house/").content.decode()
        assert "is worth 2 points more" in new
        assert "/floor/open/?game=house" in new

    def test_a_game_that_is_no_longer_offered_can_still_be_read(self, own, screen, game, folder):
        open_with(game, "house")
        (folder / "own.toml").unlink()
        assert "no longer offered" in screen.get("/floor/games/house/").content.decode()

    @pytest.mark.parametrize(
        "path", ["canasta/", "face-up/?version=2", "face-up/?version=x", "face-up/?version=99999999"]
    )
    def test_what_is_not_there_is_404(self, screen, path):
        assert screen.get(f"/floor/games/{path}").status_code == 404

    def test_staff_who_read_tables_read_them_and_counters_do_not(
        self, screen, dealer, regulator, cashier, manager, counter1
    ):
        for person, status in (
            (dealer, 200),
            (regulator, 200),
            (cashier, 200),
            (manager, 200),
            (counter1, 403),
        ):
            screen.as_(person)
            for path in ("/floor/games/", "/floor/games/face-up/"):
                assert screen.get(path).status_code == status
        screen.as_(dealer)
        assert "/floor/open/" not in screen.get("/floor/games/face-up/").content.decode()
