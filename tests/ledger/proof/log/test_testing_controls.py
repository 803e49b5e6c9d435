"""Testing controls: who may, over which days, noted once; all of them as a paper beside the night's work."""

import csv
import io
from datetime import UTC, date, datetime

import pytest
from django.core.cache import cache
from django.utils import timezone

from ledger.errors import BadPeriod, DayNotClosed, KeyReused, NotAllowed
from ledger.journal.acts import Act
from ledger.models import HouseEvent, KeptPaper
from ledger.papers.controls import controls
from ledger.proof.log import keeping_papers, making_papers, testing_controls, verifying
from ledger.proof.log.forms import AskedPaper

pytestmark = pytest.mark.django_db
DAY = date(2026, 11, 21)
MORNING = datetime(2026, 11, 22, 14, 30, tzinfo=UTC)
KEEPS = next(one for one in controls() if one.code == "day_closed_by_two")
ALL = AskedPaper(keeping_papers.TEST, "csv", (DAY, DAY), players=False)


@pytest.fixture
def test_one(saturday, manager):
    def testing(by=manager, first=DAY, last=DAY, key="test 0001"):
        act = Act(by, MORNING, key=key, terminal="books")
        return testing_controls.test_control(KEEPS, site=saturday, days=(first, last), act=act)

    return testing


def test_a_test_is_noted_with_number_days_and_what_it_found_and_its_key_twice_is_one(test_one, saturday):
    event = test_one()
    assert event.data["number"] == 1
    assert (event.data["from_day"], event.data["to_day"]) == (str(DAY), str(DAY))
    assert event.data["tests"] == [
        {"control": "day_closed_by_two", "outcome": "passed", "tested": 1, "failed": 0}
    ]
    assert test_one() == event
    assert test_one(key="test 0002").data["number"] == 2
    with pytest.raises(KeyReused):
        test_one(first=date(2026, 11, 20))
    assert testing_controls.last_tests(saturday)["day_closed_by_two"][0].data["number"] == 2


def test_a_regulator_tests_nothing(test_one, regulator, saturday):
    with pytest.raises(NotAllowed):
        test_one(by=regulator)
    with pytest.raises(NotAllowed):
        keeping_papers.ask(site=saturday, asked=ALL, act=Act(regulator, MORNING))


def test_days_that_are_not_closed_or_turned_round_are_refused(test_one):
    with pytest.raises(DayNotClosed):
        test_one(last=date(2026, 11, 22))
    with pytest.raises(BadPeriod):
        test_one(first=date(2026, 11, 22))


def test_all_are_tested_as_a_paper_that_is_kept_and_noted_once(saturday, manager, settings, tmp_path):
    settings.PAPERS = tmp_path / "papers"
    cache.clear()
    keeping_papers.ask(site=saturday, asked=ALL, act=Act(manager, MORNING))
    paper = keeping_papers.take_up(saturday)
    for _ in range(2):
        making_papers.make(paper)
    paper = KeptPaper.objects.get()
    with keeping_papers.take(paper, address="/", act=Act(manager, MORNING)) as file:
        lines = list(csv.DictReader(io.StringIO(file.read().decode())))
    event = HouseEvent.objects.get(kind="controls_tested")
    assert (event.actor, event.data["key"]) == (manager, "paper-1")
    said = {one["control"]: one["outcome"] for one in event.data["tests"]}
    assert said == {line["control"]: line["outcome"] for line in lines}
    assert set(said.values()) == {"passed", "failed", "nothing_to_test", "not_kept"}
    wrong = [one.code for one in verifying.Verification(saturday, now=timezone.now()).run()]
    assert set(wrong) <= {"not_sealed"}  # the maker's clock is not that of this house


def test_without_a_closed_day_there_is_nothing_to_test(stocked):
    assert testing_controls.closed_quarter(stocked) is None
    assert testing_controls.found(stocked, (date(2020, 1, 1), DAY), act=Act(None, MORNING))[0]
