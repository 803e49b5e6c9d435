"""A player's day: found by name or number, every chip of it accounted for,
each line leading to its round or down."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.seats.players import write_words
from tests.support.evening import DAY
from tests.support.game import HANDS, PLAIN


@pytest.fixture
def page_of(at, regulator):
    """`page_of(player, day)`: the page of a player's day."""

    def read(player, day=DAY):
        page = at(regulator).get(f"/audit/players/{player.pk}/", {"day": day} if day else {})
        assert page.status_code == 200
        return page

    return read


def test_the_lines_of_a_sitting_add_up_from_nothing_to_nothing(page_of, evening, ann):
    evening.minute(50).cash_out(1)
    (sitting,) = page_of(ann).context["played"].statements
    stacks = [line.before_cents for line in sitting.lines] + [sitting.lines[-1].stack_cents]
    assert stacks[0] == stacks[-1] == 0
    for line, after in zip(sitting.lines, stacks[1:], strict=True):
        assert line.before_cents + line.cents == after
    assert [line.kind for line in sitting.lines][:3] == ["buy_in", "collection", "round"]
    assert sitting.lines[-1].kind == "cash_out"
    totals = sitting.totals
    assert totals.bought_in_cents + totals.won_cents - sitting.charged_cents == totals.cashed_out_cents


def test_stacks_at_the_start_of_a_round_are_those_of_its_record(page_of, evening, ann):
    (sitting,) = page_of(ann).context["played"].statements
    for line in sitting.lines:
        if line.round:
            assert line.before_cents == line.round.hands.get(sitting=sitting.sitting).stack_cents


def test_every_line_leads_to_its_round_or_down(page_of, evening, ann):
    text = page_of(ann).content.decode()
    played = evening.session.rounds.filter(hands__sitting__player=ann)
    assert played.count() == 2
    for round_ in played:
        assert f'href="/rounds/{round_.pk}/"' in text
    for down in evening.session.downs.all():
        assert f'href="/downs/{down.pk}/"' in text


def test_fees_paid_in_cash_or_still_due_are_on_the_day(page_of, evening, dan, eve):
    (of_dan,) = page_of(dan).context["played"].statements
    assert [(charge.cents, charge.payment is not None) for charge in of_dan.charges] == [
        (1000, True),
        (1000, False),
    ]
    assert of_dan.totals.collected_cents == 0
    assert "Still due" in page_of(dan).content.decode()
    (of_eve,) = page_of(eve).context["played"].statements
    assert of_eve.charged_cents == 1500


def test_a_round_that_came_out_even_is_a_line_of_nothing(page_of, game, ann):
    game.seat("Ann", "Bob")
    low = {"front": "2c 3d 5h", "middle": "7c 8d 9h Js Qs", "back": "Kc Kd 4h 6s 8s"}
    game.play((low, {**low, "front": "2d 3c 5s", "middle": "7d 8c 9s Jh Qh", "back": "Kh Ks 4s 6h 8h"}))
    (sitting,) = page_of(ann, DAY).context["played"].statements
    played = [line for line in sitting.lines if line.round]
    assert len(played) == 1


def test_a_correction_is_two_more_lines(page_of, evening, ann):
    first = evening.session.rounds.get(number=1)
    evening.approve(evening.ask(first, [PLAIN, HANDS[1], HANDS[0], HANDS[3]]))
    (sitting,) = page_of(ann).context["played"].statements
    kinds = [line.kind for line in sitting.lines if line.round == first]
    assert kinds == ["round", "reversal", "correction"]
    assert sitting.lines[-1].stack_cents == evening.stack(1)


def test_the_page_opens_at_the_last_day_played(page_of, evening, ann, monkeypatch):
    evening.minute(5 * 24 * 60)
    page = page_of(ann, day=None)
    assert page.context["day"].day.isoformat() == DAY
    assert len(page.context["played"].statements) == 1
    assert page_of(ann, day="2026-03-06").context["played"].statements == ()


def test_somebody_who_never_sat_down_has_an_empty_day(page_of, clock, eve):
    assert "Not seated on this day" in page_of(eve, day=None).content.decode()


@pytest.mark.parametrize(("q", "found"), [("an", ["Ann"]), ("ÉVE", ["Eve"]), ("x", []), ("77", ["Bob"])])
def test_a_player_is_found_by_name_or_number(at, regulator, evening, bob, q, found):
    write_words(bob, {"77"})
    page = at(regulator).get("/players/", {"q": q})
    assert [str(one.player) for one in page.context["found"]] == found
    assert page.content.decode().count('data-label="Last sat down"') == len(found)


def test_a_name_is_text_and_nothing_else(at, regulator, clock, site):
    from tables.models import Player

    player = Player.objects.create(site=site, name="<script>alert(1)</script>")
    for address in (f"/audit/players/{player.pk}/", "/players/?q=script"):
        assert b"<script>alert" not in at(regulator).get(address).content


def test_a_day_costs_the_same_for_one_sitting_and_for_four(at, regulator, evening, ann):
    def cost():
        with CaptureQueriesContext(connection) as queries:
            assert at(regulator).get(f"/audit/players/{ann.pk}/", {"day": DAY}).status_code == 200
        return len(queries)

    cost()
    once = cost()
    for minute in (50, 60, 70):
        points = evening.minute(minute).stack(1) // evening.limit
        evening.cash_out(1)
        evening.buy_in("Ann", 1, points=points)
        evening.play()
    assert len(at(regulator).get(f"/audit/players/{ann.pk}/", {"day": DAY}).context["played"].statements) == 4
    assert cost() == once
