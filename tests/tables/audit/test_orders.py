"""What the floor orders in the log: whoever deals goes on no break, and nobody releases what nobody took."""

import copy

import pytest

from ledger.journal.acts import Act
from tables.floor.line_up import order_line
from tables.floor.needs import change_need
from tests.support.kept import kept
from tests.support.replayed import bodies, replayed

pytestmark = pytest.mark.django_db


@kept
def night(game, floor, employ):
    """A dealer is put in line, goes on a break and comes back; another is pushed out and goes home; a need is
    taken, released and dismissed."""
    zoe = employ("zoe", "dealer")

    def act():
        return Act(floor, game.now, game.key())

    game.seat("Ann", "Bob")
    for minute, does in enumerate(("line", "break", "line", "first")):
        order_line(site=game.minute(minute).site, dealer=zoe, does=does, act=act())
    game.minute(5).push(zoe)
    order_line(site=game.minute(6).site, dealer=game.dealer, does="off", act=act())
    game.set_stack(2, 0)
    which = "busted", str(game.sitting(2).pk)
    for does in ("take", "release", "dismiss", "recall"):
        change_need(site=game.site, which=which, does=does, act=act())
    return bodies()


def of(records, kind):
    return [body for body in records if body.get("kind") == kind]


def said(records, *, whole=True):
    return [(one.code, one.sentence) for one in replayed(records, whole=whole)[0]]


@pytest.fixture
def log(night):
    return night


def test_a_night_of_orders_is_in_order(log):
    assert said(log) == []


def test_a_part_that_begins_anywhere_is_in_order(log):
    for first in range(len(log)):
        assert not any("order_differs" in one for one in said(log[first:], whole=False))


def test_whoever_deals_goes_on_no_break(log):
    comes = next(body for body in of(log, "pushed") if body["data"]["previous"] is not None)
    of(log, "line_ordered")[-1]["data"] |= {"dealer": comes["data"]["dealer"], "does": "break"}
    [(code, sentence)] = said(log)
    assert code == "order_differs"
    assert "was dealing" in sentence


def test_who_is_not_in_line_is_not_put_first_in_it(log):
    log.remove(of(log, "line_ordered")[2])
    assert [code for code, _ in said(log)] == ["order_differs"]


def test_a_line_is_of_one_gaming_day(log):
    last = of(log, "line_ordered")[-1]
    first, again = of(log, "line_ordered")[0], copy.deepcopy(last)
    again["at"] = again["recorded_at"] = last["at"].replace("2026-03-07", "2026-03-09")
    again["data"] |= {"dealer": first["data"]["dealer"] + 1000, "does": "off"}
    assert [code for code, _ in said([*log, again])] == ["order_differs"]


@pytest.mark.parametrize(("gone", "named"), [("take", 1), ("dismiss", 1), ("release", 0), ("recall", 0)])
def test_a_need_is_released_and_recalled_once_somebody_had_it(log, gone, named):
    deed = next(body for body in of(log, "need_changed") if body["data"]["does"] == gone)
    log.remove(deed)
    assert [code for code, _ in said(log)] == ["order_differs"] * named


def test_what_is_owed_is_not_dismissed(log):
    deed = next(body for body in of(log, "need_changed") if body["data"]["does"] == "dismiss")
    deed["data"]["need"] = "fee_due"
    assert "order_differs" in {code for code, _ in said(log, whole=False)}
