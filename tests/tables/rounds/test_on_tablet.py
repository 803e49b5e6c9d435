"""What a tablet works out without the house is what the house works out: checks, results, the next round."""

import io
import json
import zipfile

import pytest

from tables.api import shapes
from tables.models import Round
from tables.rounds import on_tablet
from tables.rounds.on_tablet import answer
from tables.rounds.scoring import check_entry
from tables.state.plan import plan_round
from tables.state.rows import HANDS as HANDS_OF
from tables.state.table_state import state_of
from tables.views.rounds.dealer import rules_zip
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS

pytestmark = pytest.mark.django_db

NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve")
DEALS = ([QUEENS, FULL_HOUSE, PLAIN, LOW], [LOW, PLAIN, QUEENS, FULL_HOUSE], [FULL_HOUSE, QUEENS, LOW, PLAIN])
PLANNED = ("number", "button", "can_start", "why_not", "two_hands", "pair_stakes", "limit")
SEATED = ("seat", "sitting", "player", "stack", "fantasy_land", "fee")
WAITING = (*SEATED, "reason", "badge")


class Tablet:
    """Works things out as a tablet does: from JSON, to JSON."""

    def __init__(self, game):
        self.game, self.raw = game, bytes(game.session.sheet.raw).decode()

    def work(self, name, *given):
        return json.loads(answer(name, json.dumps([self.raw, *given])))

    def house_plan(self, **choices):
        self.game.session.refresh_from_db()
        state = state_of(self.game.session)
        return json.loads(json.dumps(shapes.plan_shape(state, plan_round(state, self.game.now, **choices))))


def same_plan(here, house):
    assert {name: here[name] for name in PLANNED} == {name: house[name] for name in PLANNED}
    assert picked(here["dealt_in"], SEATED) == picked(house["dealt_in"], SEATED)
    assert picked(here["waiting"], WAITING) == picked(house["waiting"], WAITING)


def picked(seats, names):
    return [{name: seat[name] for name in names} for seat in seats]


@pytest.fixture(params=["face-up", "eastern", "low-middle", "criss-cross", "wheel-second"])
def tablet(request, table_of):
    return Tablet(table_of(request.param))


@pytest.mark.parametrize("seated", [2, 4, 5])
def test_three_rounds_and_the_plan_after_each_are_the_houses(tablet, seated):
    game = tablet.game
    game.seat(*NAMES[:seated])
    here = tablet.house_plan()
    for dealt in DEALS:
        round_here = tablet.work("begin", here, [])
        started = game.start()
        rows = HANDS_OF.rows(started.pk)
        told = json.loads(json.dumps(shapes.round_shape(game.session, Round.objects.get(pk=started.pk))))
        assert {name: told[name] for name in round_here} == round_here
        hands = [
            {"seat": row.seat, "position": row.position, **hand}
            for row, hand in zip(rows, dealt, strict=False)
        ]
        checked = check_entry(game.session, started, rows, hands).as_json(0)
        assert tablet.work("check", round_here, hands) == json.loads(json.dumps(checked))
        if not checked["complete"]:
            return  # a foul hand that this game does not let play, or one that must be set
        game.settle(started, dealt)
        here = tablet.work("after", here, round_here, checked["score"])
        same_plan(here, tablet.house_plan())


def test_who_declines_waits_and_the_button_goes_on(tablet):
    tablet.game.seat("Ann", "Bob", "Cat")
    before = tablet.house_plan()
    for declined in ([1], [2], [3], [1, 2], []):
        same_plan(tablet.work("plan", before, declined), tablet.house_plan(declined=declined))


def test_what_people_read_is_in_the_language_of_the_page(tablet, tmp_path, monkeypatch):
    """The tablet has the catalogs beside the rules; the house puts the same words into its own answers."""
    zipfile.ZipFile(io.BytesIO(rules_zip())).extractall(tmp_path)
    monkeypatch.setattr(on_tablet, "CATALOGS", tmp_path / "locale")
    tablet.game.seat("Ann", "Bob")
    here = tablet.house_plan()
    given = json.dumps([tablet.raw, here, [2]])
    english = json.loads(answer("plan", given))
    chinese = json.loads(answer("plan", given, "zh-hant"))
    assert english["why_not"] == "A round needs two players who can be dealt in."
    assert chinese["why_not"] == "要有兩位可入局的玩家才能開局。"
    assert [seat["badge"] for seat in chinese["waiting"] if seat["reason"]] == ["不參加"]
    assert [seat["player"] for seat in chinese["waiting"]] == [seat["player"] for seat in english["waiting"]]
    assert json.loads(answer("plan", given, "xx")) == english
