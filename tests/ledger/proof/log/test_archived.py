"""How long a house keeps what it has, and whether kept papers and exports are still what was made."""

from datetime import date

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command

from ledger.journal.acts import Act
from ledger.models import HouseEvent, KeptPaper
from ledger.proof.log import archived, keeping_papers, making_papers
from ledger.proof.log.forms import AskedPaper

pytestmark = pytest.mark.django_db
DAYS = (date(2026, 11, 21), date(2026, 11, 22))


@pytest.fixture
def keep(stocked, regulator, now, settings, tmp_path):
    settings.PAPERS = tmp_path / "papers"
    cache.clear()

    def keeping(name="cage_slips", form="csv"):
        asked = AskedPaper(name, form, DAYS, players=False)
        keeping_papers.ask(site=stocked, asked=asked, act=Act(regulator, now))
        paper = keeping_papers.take_up(stocked)
        making_papers.make(paper)
        return KeptPaper.objects.get(pk=paper.pk)

    return keeping


def test_what_is_older_than_the_term_is_counted_and_nothing_is_removed(saturday):
    since, kept = archived.retained(saturday, date(2026, 11, 22))
    assert since == date(2019, 11, 22)
    assert {one.what: one.beyond for one in kept} == dict.fromkeys((one.what for one in kept), 0)
    since, kept = archived.retained(saturday, date(2033, 12, 23))
    beyond = {one.what: (one.count, one.beyond) for one in kept}
    assert beyond["Closed gaming days"] == (1, 1)
    assert kept[0].beyond > 10


def test_the_term_begins_on_a_day_that_there_is(saturday):
    assert archived.retained(saturday, date(2028, 2, 29))[0] == date(2021, 2, 28)


def test_a_kept_file_that_was_changed_or_is_gone_is_named(keep, stocked):
    first, second, third = keep(), keep(), keep()
    keeping_papers.file_of(second).write_bytes(b"other")
    keeping_papers.file_of(third).unlink()
    found = {paper.number: wrong for paper, wrong in archived.look_through(stocked)}
    assert found[first.number] == ""
    assert "is not the one that was made" in found[second.number]
    assert "is not kept any more" in found[third.number]


def test_a_kept_export_is_verified_by_the_verifier_of_today_and_each_run_is_recorded(keep, stocked, capsys):
    bundle = keep("bundle", "zip")
    call_command("audit", "archive")
    assert "1 kept papers are as they were made; 1 exports among them verify." in capsys.readouterr().out
    keeping_papers.file_of(bundle).unlink()
    with pytest.raises(CommandError, match="1 wrong"):
        call_command("audit", "archive")
    runs = [one.data for one in HouseEvent.objects.filter(kind="archive_verified").order_by("pk")]
    assert [(one["papers"], one["bundles"], one["findings"], one["exit"]) for one in runs] == [
        (1, 1, 0, 0),
        (1, 1, 1, 1),
    ]
