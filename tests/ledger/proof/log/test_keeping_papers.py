"""Papers made beside the night's work: numbered, made one at a time, cancelled, failed, kept, taken."""

import errno
from datetime import date

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.utils import timezone

from ledger.errors import BadPaper, NotAllowed, PaperChanged, PaperEnded, PaperGone, PaperNotReady
from ledger.journal.acts import Act
from ledger.models import HouseEvent, KeptPaper
from ledger.proof.log import keeping_papers, making_papers, sealing, verifying
from ledger.proof.log.forms import AskedPaper

pytestmark = pytest.mark.django_db
DAYS = (date(2026, 11, 21), date(2026, 11, 22))
SLIPS = AskedPaper("cage_slips", "csv", DAYS, players=False)


@pytest.fixture
def papers(settings, tmp_path):
    settings.PAPERS = tmp_path / "papers"
    cache.clear()
    return settings.PAPERS


@pytest.fixture
def ask(stocked, site, regulator, now, papers):
    def asking(asked=SLIPS, by=regulator):
        return keeping_papers.ask(site=site, asked=asked, act=Act(by, now, terminal="books"))

    return asking


@pytest.fixture
def made(site):
    def making(paper):
        assert keeping_papers.take_up(site) == paper
        paper = KeptPaper.objects.get(pk=paper.pk)
        making_papers.make(paper)
        paper.refresh_from_db()
        return paper

    return making


def taken(paper, by, now):
    with keeping_papers.take(paper, address="/", act=Act(by, now)) as file:
        return file.read()


def test_a_paper_is_asked_for_made_and_taken_and_each_step_is_an_event(ask, made, regulator, now):
    paper = made(ask())
    text = taken(paper, regulator, now).decode()
    assert paper.state == "kept"
    assert text.startswith("gaming_day,shift,number,way,")
    events = HouseEvent.objects.filter(kind__in=("paper_asked", "paper_kept", "downloaded")).order_by("pk")
    assert [(one.kind, one.actor_id) for one in events] == [
        ("paper_asked", regulator.pk),
        ("paper_kept", None),
        ("downloaded", regulator.pk),
    ]
    assert events[1].data["lines"] == events[2].data["rows"] == len(text.splitlines()) - 1


@pytest.mark.parametrize(("name", "form"), [("cage_slips", "pdf"), ("all", "xlsx"), ("bundle", "zip")])
def test_it_is_made_in_each_form(ask, made, regulator, now, name, form):
    begins = {"pdf": b"%PDF-", "xlsx": b"PK", "zip": b"PK"}
    paper = made(ask(AskedPaper(name, form, DAYS, players=False)))
    assert taken(paper, regulator, now).startswith(begins[form])


def test_a_part_is_kept_as_it_was_asked_for_beside_the_whole(ask, made, regulator, now):
    part = AskedPaper("cage_slips", "csv", DAYS, players=False, part=(("shift", "9"),))
    asked, whole = ask(part), ask()
    assert (asked.number, whole.number) == (1, 2)
    paper = made(asked)
    assert keeping_papers.asked_of(paper) == part
    assert len(taken(paper, regulator, now).splitlines()) == 1  # its head: nothing is of shift 9


def test_numbers_have_no_gap_and_asking_again_for_what_waits_is_the_same_paper(ask, regulator, manager):
    first = ask()
    assert ask() == first
    assert ask(AskedPaper("drawers", "csv", DAYS, players=False)).number == 2


def test_two_who_ask_for_the_same_paper_get_the_one_that_is_made(ask, made, regulator, manager, now):
    paper, of_both = ask(), ask(by=manager)
    assert of_both == paper
    assert taken(made(paper), regulator, now) == taken(KeptPaper.objects.get(), manager, now)
    assert HouseEvent.objects.filter(kind="paper_asked").count() == 1
    assert ask(by=manager).number == 2  # what is made is another one's already


def test_one_paper_is_made_at_a_time_and_the_oldest_first(ask, site):
    first, second = ask(), ask(AskedPaper("drawers", "csv", DAYS, players=False))
    assert keeping_papers.take_up(site) == first
    assert keeping_papers.take_up(site) is None
    making = KeptPaper.objects.get(pk=first.pk)
    keeping_papers.not_made(making, "any", "So.", act=keeping_papers.by_the_house())
    assert keeping_papers.take_up(site) == second


def test_whoever_was_killed_is_followed_by_another_three_times(ask, site):
    paper = ask()
    for number in (1, 2, 3):
        assert keeping_papers.take_up(site).tries == number
        cache.clear()  # the maker is silent
    assert keeping_papers.take_up(site) is None
    paper.refresh_from_db()
    assert (paper.state, paper.ended.data["code"]) == ("failed", "server_ended")


def test_a_paper_cancelled_while_it_is_made_is_not_kept(ask, site, regulator, now, papers):
    paper = ask()
    keeping_papers.take_up(site)
    makers = KeptPaper.objects.get(pk=paper.pk)
    keeping_papers.cancel(KeptPaper.objects.get(pk=paper.pk), act=Act(regulator, now))
    making_papers.make(makers)
    paper.refresh_from_db()
    assert (paper.state, paper.ended.actor) == ("cancelled", regulator)
    assert [one for one in papers.rglob("*") if one.is_file() and "progress" not in one.name] == []
    with pytest.raises(PaperEnded):
        keeping_papers.cancel(paper, act=Act(regulator, now))
    with pytest.raises(PaperNotReady):
        taken(paper, regulator, now)


def test_a_full_disk_fails_it_with_the_reason_and_leaves_no_half_file(ask, made, monkeypatch, papers):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(making_papers.forms, "write", full)
    paper = made(ask())
    assert paper.state == "failed"
    assert paper.ended.data["sentence"] == "It could not be written: No space left on device."
    assert [one.name for one in papers.rglob("*.unfinished*")] == []


@pytest.mark.filterwarnings("ignore:Exception ignored in")  # the workbook's zip, whose file has ended
@pytest.mark.parametrize(
    ("name", "form"), [("cage_slips", "csv"), ("cage_slips", "pdf"), ("all", "xlsx"), ("bundle", "zip")]
)
def test_a_disk_that_is_full_at_the_write_fails_each_form(ask, site, papers, name, form):
    """Its file is on a device that is always full, so the system itself refuses the write."""
    paper = ask(AskedPaper(name, form, DAYS, players=False))
    keeping_papers.take_up(site)
    paper.refresh_from_db()
    keeping_papers.folder_of(site).mkdir(parents=True)
    making_papers._unfinished(paper).symlink_to("/dev/full")
    making_papers.make(paper)
    paper.refresh_from_db()
    said = "It could not be written: No space left on device."
    assert (paper.state, paper.ended.data["code"], paper.ended.data["sentence"]) == (
        "failed",
        "bad_file",
        said,
    )
    assert [one for one in keeping_papers.folder_of(site).iterdir() if "progress" not in one.name] == []


def test_a_period_turned_round_fails_with_its_sentence(ask, made):
    paper = made(ask(AskedPaper("cage_slips", "csv", DAYS[::-1], players=False)))
    assert (paper.state, paper.ended.data["code"]) == ("failed", "bad_period")


def test_a_file_that_is_gone_or_another_is_not_given_out(ask, made, regulator, now):
    paper = made(ask())
    file = keeping_papers.file_of(paper)
    file.write_bytes(file.read_bytes() + b"1\n")
    with pytest.raises(PaperChanged):
        taken(paper, regulator, now)
    file.unlink()
    with pytest.raises(PaperGone):
        taken(paper, regulator, now)


def test_a_row_that_points_to_another_paper_s_event_gives_nothing_out(ask, made, regulator, now):
    first, second = made(ask()), made(ask(AskedPaper("drawers", "csv", DAYS, players=False)))
    first.ended, second.ended = second.ended, first.ended
    with pytest.raises(PaperChanged):
        taken(first, regulator, now)


def test_who_may_not_read_asks_for_nothing_and_names_are_for_those_who_may(ask, cashier, regulator):
    with pytest.raises(NotAllowed):
        ask(by=cashier)
    if not regulator.has_perm("ledger.take_names"):
        with pytest.raises(NotAllowed):
            ask(AskedPaper("players", "csv", DAYS, players=True))
    with pytest.raises(BadPaper):
        ask(AskedPaper("nothing", "csv", DAYS, players=False))


def test_the_books_stay_right(ask, made, site, now):
    made(ask())
    later = timezone.now()
    sealing.seal(site, now=later)
    wrong = list(verifying.Verification(site, now=later).run())
    assert [one for one in wrong if one.code != "wrong_time"] == []


@pytest.mark.parametrize("status", [0, -9])
def test_whatever_becomes_of_the_maker_the_paper_ends(ask, site, monkeypatch, status):
    """The process is another one, which writes on its own; here it does nothing, or is killed."""

    class Maker:
        def __init__(self, program, **_):
            assert program[1:4] == ["-m", "django", "make_paper"]

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def poll(self):
            return status

    monkeypatch.setattr(making_papers.subprocess, "Popen", Maker)
    paper = ask()
    assert making_papers.make_next(site)
    assert not making_papers.make_next(site)
    paper.refresh_from_db()
    assert (paper.state, paper.ended.data["code"]) == ("failed", "maker_ended")


def test_the_command_makes_what_the_server_took_up_and_nothing_else(ask, site, papers):
    paper = ask()
    with pytest.raises(CommandError, match="paper_ended"):
        call_command("make_paper", str(paper.pk))
    keeping_papers.take_up(site)
    call_command("make_paper", str(paper.pk))
    paper.refresh_from_db()
    assert paper.state == "kept"
    assert keeping_papers.file_of(paper).parent == papers / f"house-{site.pk}" / "kept"
