"""Settled rounds played again: as they were, or as they would have been."""

import csv
from datetime import date

import numpy as np
import pytest
from django.urls import reverse

from ledger.journal.acts import Act
from ledger.proof.log import keeping_papers, making_papers
from tables.floor.tables import write_table
from tables.log import rescoring
from tables.log.replaying import BY_HAND, Period, Terms, fees_again, replayed
from tables.models import Charge, Settlement
from tables.rules.game.cards import DECK
from tables.rules.game.sheet import library
from tests.support.deals import shuffled
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS
from tests.support.lengths import REPLAYED_ROUNDS
from tests.support.pages import words
from tests.tables.log.test_rescoring import MISSET

DAY = date(2026, 3, 7)
NINE_POINTS = 4_500
DAYS = "?first=2026-03-07&last=2026-03-07"


@pytest.fixture
def two_rounds(game):
    """Ann wins from Bob, twice."""
    game.seat("Ann", "Bob")
    return [game.play([QUEENS, FULL_HOUSE]), game.play([QUEENS, FULL_HOUSE])]


@pytest.fixture
def night(site):
    return Period(site, DAY, DAY)


def test_under_its_own_terms_every_round_comes_out_as_recorded(two_rounds, night):
    found = replayed(night.settlements(), Terms())
    assert (found.rounds, found.played, found.differing) == (2, 2, 0)
    assert found.was == found.again > 0


def test_at_twice_the_limit_twice_as_much_changes_hands_and_nothing_is_written(two_rounds, night):
    limit, before = two_rounds[0].limit_cents, Settlement.objects.count()
    found = replayed(night.settlements(), Terms(limit_cents=2 * limit))
    assert (found.differing, found.again) == (2, 2 * found.was)
    assert [one.settled.round for one in found.listed] == [1, 2]
    assert sum(one.difference for one in found.players) == 0
    assert Settlement.objects.count() == before


def test_another_sheet_scores_by_its_own_points(two_rounds, night):
    codes = library().newest
    found = {code: replayed(night.settlements(), Terms(sheet)) for code, sheet in codes.items()}
    assert found["2-4"].again != found["2-4"].was
    assert all(one.rounds == 2 for one in found.values())


def test_both_engines_play_it_alike(two_rounds, night, monkeypatch):
    at_once = replayed(night.settlements(), Terms(limit_cents=700))
    monkeypatch.setattr("tables.log.replaying.won_at_once", lambda sheet, entries: {})
    plainly = replayed(night.settlements(), Terms(limit_cents=700))
    assert [one.again for one in plainly.listed] == [one.again for one in at_once.listed] != []


def entered(cards, misset):
    """Return a dealt hand as it is entered."""
    front, middle, back = np.split(np.array(DECK)[cards], [3, 8])
    said = {"front": " ".join(front), "middle": " ".join(middle), "back": " ".join(back)}
    return said | {"misset": True} if misset else said


def test_a_period_of_many_rounds_comes_to_the_same_sums_in_both_engines(game, night, monkeypatch):
    """Short stacks and hands that were set wrong among them."""
    rng = np.random.default_rng(20)
    game.seat("Ann", "Bob", "Cat", "Dan")
    dealt, misset = shuffled(rng, REPLAYED_ROUNDS), rng.random((REPLAYED_ROUNDS, 4)) < 0.03
    for cards, wrong in zip(dealt, misset, strict=True):
        for seat, cents in enumerate(rng.integers(NINE_POINTS, 60_000, 4), 1):
            game.set_stack(seat, int(cents))
        game.play([entered(*hand) for hand in zip(cards, wrong, strict=True)])
    settlements = night.settlements()
    assert len(settlements) == REPLAYED_ROUNDS
    for terms in (Terms(), Terms(limit_cents=700), Terms(library().newest["2-4"])):
        at_once = replayed(settlements, terms)
        assert (terms == Terms()) <= (at_once.differing == 0)
        with monkeypatch.context() as plain:
            plain.setattr("tables.log.replaying.won_at_once", lambda sheet, entries: {})
            assert replayed(settlements, terms) == at_once


def test_a_corrected_round_counts_as_it_stands(game, night):
    game.seat("Ann", "Bob", "Cat", "Dan")
    wrong = game.play()
    game.approve(game.ask(wrong, [{**QUEENS, **MISSET}, FULL_HOUSE, PLAIN, LOW]))
    found = replayed(night.settlements(), Terms())
    assert (found.rounds, found.differing) == (1, 0)


def test_a_round_settled_by_hand_is_counted_with_its_reason(two_rounds, night, monkeypatch):
    kept = rescoring.records.evidence_in
    monkeypatch.setattr(rescoring.records, "evidence_in", lambda record: kept(record) | {"by_hand": True})
    assert replayed(night.settlements(), Terms()).refused == {BY_HAND: 2}


def test_fees_at_another_fee_are_halved_as_they_were(two_rounds, night):
    charges = Charge.objects.all()
    was = sum(charge.cents for charge in charges)
    (full,) = fees_again(night, 2001)
    assert (full.charged, full.was, full.again) == (charges.count(), was, 2001 * charges.count())


def test_compliance_reads_it_on_a_page_and_takes_it_as_csv(two_rounds, at, employ):
    reader, limit = at(employ("carla", "compliance")), 2 * two_rounds[0].limit_cents // 100
    page = words(reader.get(f"{reverse('replay')}{DAYS}&limit={limit}&fee=12.00").content.decode())
    assert "2 of 2 rounds come out otherwise" in page
    assert "The collection at $12.00" in page
    assert "Ann" in page
    sent = reader.get(f"{reverse('replay-csv')}{DAYS}&limit={limit}").getvalue().decode()
    rows = list(csv.DictReader(sent.splitlines()))
    assert [(row["round"], row["seat"]) for row in rows] == [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")]
    assert all(float(row["again"]) == 2 * float(row["recorded"]) for row in rows)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("?first=2026-03-08&last=2026-03-07", "The first day comes first."),
        (f"{DAYS}&sheet=no-such-game", "Select a valid choice"),
        (f"{DAYS}&limit=0", "It must be above zero."),
        ("?first=2026-03-07", "required"),
    ],
)
def test_what_cannot_be_played_is_refused_beside_its_field(two_rounds, at, employ, asked, sentence):
    reader = at(employ("carla", "compliance"))
    for name in ("replay", "replay-csv"):
        answer = reader.get(reverse(name) + asked)
        assert answer.status_code == 400
        assert sentence in answer.content.decode()


def test_more_rounds_than_a_page_scores_are_left_to_the_csv(two_rounds, at, employ, monkeypatch):
    monkeypatch.setattr("tables.views.audit.replays.MOST_ROUNDS", 1)
    reader = at(employ("carla", "compliance"))
    assert "or take the CSV" in reader.get(reverse("replay") + DAYS).content.decode()
    assert len(reader.get(reverse("replay-csv") + DAYS).getvalue().splitlines()) == 5


def test_of_one_table_its_rounds_alone_are_counted(two_rounds, at, employ, site, monkeypatch):
    """Before, a page of one table was refused for the rounds of the others."""
    monkeypatch.setattr("tables.views.audit.replays.MOST_ROUNDS", 1)
    write_table(site=site, number=7, act=Act(actor=None, now=two_rounds[0].started_at, key="table 7"))
    page = at(employ("carla", "compliance")).get(f"{reverse('replay')}{DAYS}&table=7").content.decode()
    assert "No round was settled in these days." in page
    assert "or take the CSV" not in page


def test_a_replay_is_made_beside_the_night_and_says_how_far_it_is(
    two_rounds, at, employ, site, settings, tmp_path, monkeypatch
):
    settings.PAPERS = tmp_path
    monkeypatch.setattr(making_papers, "LOOKS_SECONDS", 0)
    told = []
    monkeypatch.setattr(making_papers, "_telling", lambda paper: lambda *far: told.append(far))
    reader, limit = at(employ("carla", "compliance")), 2 * two_rounds[0].limit_cents // 100
    asked = {"query": f"{DAYS[1:]}&limit={limit}&table=1", "key": "replay-0001"}
    assert reader.post(reverse("keep-replay"), asked).url == reverse("papers")
    page = reader.get(reverse("papers")).content.decode()
    assert "table 1 only" in page
    assert f"Under limit {limit}.00" in page
    making_papers.make(keeping_papers.take_up(site))
    assert told == [(2, 2)]
    kept = reader.get(reverse("kept-paper", args=[1])).getvalue()
    assert kept == reader.get(reverse("replay-csv") + DAYS + f"&limit={limit}").getvalue()


def test_a_replay_of_no_days_is_not_made(two_rounds, at, employ, site):
    reader = at(employ("carla", "compliance"))
    for number, asked in enumerate(("first=2026-03-08&last=2026-03-07", "", "first=x&sheet=none")):
        answer = reader.post(reverse("keep-replay"), {"query": asked, "key": f"replay-000{number}"})
        assert answer.status_code == 400
    assert not site.kept_papers.exists()
