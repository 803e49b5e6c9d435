"""What the scheduler tells of and writes down: once, however late it is and however many ask,
and it decides nothing."""

from datetime import date, timedelta

import pytest

from ledger.cage import boxes
from ledger.journal import closing, house_events
from ledger.journal.acts import Act
from ledger.models import DropBox
from ledger.papers.paper import names_of
from tables import tasks
from tables.collection import clock
from tables.log import paper_files
from tables.models import Attention, Down
from tests.support.acting import acting
from tests.support.cage import close_cage
from tests.support.counting import count_box
from tests.support.game import OPENING
from tests.support.kept import kept

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(monkeypatch):
    """The sessions that screens were told about."""
    heard = []
    monkeypatch.setattr(tasks, "announce", heard.append)
    return heard


@pytest.fixture
def at(game, monkeypatch):
    """`at(40.5)`: the scheduler comes round so many minutes after the opening; how many tables it tells."""

    def announce(minute):
        monkeypatch.setattr(tasks.timezone, "now", lambda: OPENING + timedelta(minutes=minute))
        return tasks.announce_boundaries()

    return announce


@pytest.mark.parametrize(
    ("minutes", "told_of"),
    [
        ([37.9], 0),
        ([38], 1),  # two minutes before
        ([38, 38.1, 39.9], 1),  # the same warning
        ([38, 40], 2),  # and the boundary
        ([38, 40, 40, 41, 77.9], 2),
        ([38, 40, 78, 80], 4),
        ([41], 1),  # late, and once all the same
        ([41, 42], 1),
        ([75, 100], 2),  # of several that have passed, the newest
    ],
)
def test_r65_screens_are_told_once_of_each_boundary_however_late_the_scheduler_is(
    game, told, at, minutes, told_of
):
    game.seat("Ann", "Bob")
    game.play()
    for minute in minutes:
        at(minute)
    assert told == [game.session.pk] * told_of


def test_r61_screens_are_told_once_that_the_clock_waits(game, told, at):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(30).cash_out(2)
    assert [at(38), at(40), at(41), at(60)] == [1, 1, 0, 0]
    game.minute(61).buy_in("Cat", 3)
    assert [at(61.1), at(62), at(99), at(101)] == [1, 0, 1, 1]


def test_r65_a_boundary_that_a_stop_has_shifted_is_warned_of_again(game, told, at):
    game.seat("Ann", "Bob")
    game.play()
    assert at(38.5) == 1
    stop = {"session_id": game.session.pk, "actor": game.floor}
    acting(clock.stop_clock, reason="fire alarm", key=game.key(), now=game.minute(39).now, **stop)
    assert at(45) == 0
    acting(clock.start_clock, key=game.key(), now=game.minute(50).now, **stop)
    assert [at(50), at(51)] == [1, 1]


def test_a_table_without_a_round_has_no_boundaries(game, told, at):
    game.seat("Ann", "Bob")
    assert at(100) == 0


def test_telling_decides_nothing(game, told, at):
    game.seat("Ann", "Bob")
    game.play()
    at(41)
    assert Down.objects.count() == 1


# -- papers --------------------------------------------------------------------------------------------------


@kept
def closed_day(game, floor2, counter1, counter2, cashier):
    """A session whose table and gaming day have been closed; the moment after."""
    house_events.note_particulars(
        game.site, act=Act(actor=None, now=OPENING - timedelta(hours=9)), opened=False
    )
    game.seat("Ann", "Bob")
    game.play()
    for seat in (1, 2):
        game.minute(30).cash_out(seat)
    game.close(floor2)
    box = DropBox.objects.select_related("chips", "cash").get()
    count_box(box, (counter1, counter2), game.now)
    boxes.sign_off(box=box, cause="", act=Act(actor=cashier, key=game.key(), now=game.now))
    game.minute(24 * 60)
    close_cage(game.site, game.now)
    closing.close_day(
        site=game.site,
        day=date(2026, 3, 7),
        act=Act(actor=cashier, approver=floor2, now=game.now, key="close-it"),
    )
    return game


def papers(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.csv")}


def test_the_papers_of_a_closed_day_are_written_once(closed_day, tmp_path, settings):
    settings.PAPERS = tmp_path
    assert [tasks.write_papers(), tasks.write_papers()] == [1, 0]
    day = f"house-{closed_day.site.pk}/2026-03-07"
    written = papers(tmp_path)
    session = f"table-1-session-{closed_day.session.pk}.csv"
    names = {name.replace("_", "-") for name in names_of(players=False)} | {session}
    assert set(written) == {f"{day}/{name}" for name in names}
    assert written[f"{day}/journal.csv"].count(b"collection") == 2
    assert b"2026-03-07,chips,together,,0.00" in written[f"{day}/closing-balances.csv"]
    assert b"proof" in written[f"{day}/{session}"]


def test_the_page_of_a_closed_day_gives_the_closing_balances_that_are_saved(
    closed_day, client, regulator, tmp_path, settings
):
    settings.PAPERS = tmp_path
    tasks.write_papers()
    client.force_login(regulator)
    address = "/audit/days/2026-03-07/closing-balances.csv"
    assert address in client.get("/audit/days/2026-03-07/").content.decode()
    saved = papers(tmp_path)[f"house-{closed_day.site.pk}/2026-03-07/closing-balances.csv"]
    assert b"".join(client.get(address).streaming_content) == saved
    after = address.replace("03-07", "03-08")
    assert after not in client.get("/audit/days/2026-03-08/").content.decode()
    assert client.get(after).status_code == 409


def test_a_day_that_is_open_has_no_papers(game, tmp_path):
    assert paper_files.write_papers(game.site, tmp_path, game.now) == 0
    assert papers(tmp_path) == {}


def test_papers_are_there_whole_or_not_at_all(closed_day, tmp_path, monkeypatch):
    def ends_in_mid_paper(report):
        yield "part,id\r\n"
        raise ConnectionError

    site, now = closed_day.site, closed_day.now
    with monkeypatch.context() as broken:
        broken.setattr(paper_files.statement_csv, "session_lines", ends_in_mid_paper)
        with pytest.raises(ConnectionError):
            paper_files.write_papers(site, tmp_path, now)
    assert papers(tmp_path) == {}
    assert paper_files.write_papers(site, tmp_path, now) == 1
    assert len(papers(tmp_path)) == len(names_of(players=False)) + 1


def test_what_a_killed_process_left_unfinished_goes_after_an_hour(game, tmp_path):
    left = paper_files.folder_of(tmp_path, game.site) / f"{paper_files.UNFINISHED}2026-03-07-x"
    left.mkdir(parents=True)
    begun = left.stat().st_mtime
    for age, there in ((3000, True), (3700, False)):
        paper_files.write_papers(game.site, tmp_path, OPENING.fromtimestamp(begun + age, tz=OPENING.tzinfo))
        assert left.exists() is there


def test_a_day_that_another_process_has_just_finished_is_no_error(closed_day, tmp_path):
    here = paper_files.folder_of(tmp_path, closed_day.site)
    here.mkdir()
    # A link to nothing is listed and then not found, like a folder that was renamed in between.
    (here / f"{paper_files.UNFINISHED}2026-03-06-x").symlink_to(here / "renamed")
    assert paper_files.write_papers(closed_day.site, tmp_path, closed_day.now) == 1


def test_two_that_write_a_day_at_once_leave_one(closed_day, tmp_path, monkeypatch):
    site, now, session_lines = closed_day.site, closed_day.now, paper_files.statement_csv.session_lines

    def while_another_writes(report):
        monkeypatch.setattr(paper_files.statement_csv, "session_lines", session_lines)
        assert paper_files.write_papers(site, tmp_path, now) == 1
        return session_lines(report)

    monkeypatch.setattr(paper_files.statement_csv, "session_lines", while_another_writes)
    assert paper_files.write_papers(site, tmp_path, now) == 0
    assert len(papers(tmp_path)) == len(names_of(players=False)) + 1
    assert not list(tmp_path.rglob(f"{paper_files.UNFINISHED}*"))


def test_every_task_twice_over_leaves_what_it_leaves_once(closed_day, tmp_path, settings, monkeypatch):
    settings.PAPERS = tmp_path
    monkeypatch.setattr(tasks.timezone, "now", lambda: closed_day.now)
    for task in (tasks.tend_attention, tasks.expire_places, tasks.announce_boundaries, tasks.write_papers):
        task()
        before = (list(Attention.objects.order_by("pk").values()), papers(tmp_path))
        assert task() == 0
        assert (list(Attention.objects.order_by("pk").values()), papers(tmp_path)) == before
