"""What a manager keeps is held against the log: tables, and the games on offer."""

import pytest

from ledger.journal.acts import Act
from ledger.proof.log import sealing, verifying
from tables.floor import games, tables
from tables.models import GameOffer, Table
from tests.support.game import OPENING

pytestmark = pytest.mark.django_db


@pytest.fixture
def kept(site, manager):
    """A house whose manager has entered two tables, turned and retired one, and taken games off."""

    def act(key):
        return Act(actor=manager, now=OPENING, key=key)

    for number in (1, 2):
        tables.add_table(site=site, number=number, seat_one="left", act=act(f"add-table-{number}"))
    last = Table.objects.get(number=2)
    tables.turn_table(table_id=last.pk, seat_one="right", act=act("turn-table-2"))
    tables.retire_table(table_id=last.pk, act=act("retire-table-2"))
    games.choose_games(site=site, codes=["face-up"], act=act("choose-games"))
    sealing.seal(site, now=OPENING)
    return site


def findings(site):
    return [(one.code, one.record) for one in verifying.Verification(site).run()]


def test_a_house_that_was_changed_on_its_desk_verifies(kept):
    assert findings(kept) == []


@pytest.mark.parametrize(
    ("number", "change"),
    [(1, {"retired_at": OPENING}), (1, {"seat_one": "right"}), (2, {"retired_at": None}), (2, {"number": 7})],
)
def test_a_table_that_was_changed_behind_the_log_is_named(kept, number, change):
    table = Table.objects.get(number=number)
    Table.objects.filter(pk=table.pk).update(**change)
    assert findings(kept) == [("row_differs", f"table {table.pk}")]


def test_a_table_that_is_gone_is_missed(kept):
    table = Table.objects.get(number=1)
    Table.objects.filter(pk=table.pk).delete()
    assert findings(kept) == [("row_missing", f"table {table.pk}")]


@pytest.mark.parametrize("offered", [True, False])
def test_a_game_put_on_or_off_behind_the_log_is_named(kept, offered):
    GameOffer.objects.filter(code="western" if offered else "face-up").update(offered=offered)
    assert findings(kept) == [("row_differs", "games on offer")]
