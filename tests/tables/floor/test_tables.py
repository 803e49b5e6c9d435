"""The house's tables: entered with a number of their own, turned, retired and brought back by a manager."""

import pytest

from ledger.errors import NotAllowed
from ledger.journal.acts import Act
from ledger.models import HouseEvent
from tables.errors import BadTableNumber, NothingChanges, TableNumberTaken, TableOpen, TableRetired
from tables.floor import opening, tables
from tables.models import Table
from tables.views.panels import free_tables
from tests.support.game import OPENING
from tests.support.together import run_together

pytestmark = pytest.mark.django_db


def act(manager, key):
    return Act(actor=manager, now=OPENING, key=key)


def add(site, manager, number=4, seat_one="left", key="add-table"):
    return tables.add_table(site=site, number=number, seat_one=seat_one, act=act(manager, key))


def noted(kind):
    return HouseEvent.objects.get(kind=kind)


def test_a_manager_enters_a_table_once_however_often_the_page_is_sent(site, manager):
    table = add(site, manager, seat_one="right")
    assert add(site, manager, seat_one="right") == table
    assert (table.number, table.seat_one, table.retired_at) == (4, "right", None)
    assert (noted("table_added").actor, noted("table_added").data["number"]) == (manager, 4)


@pytest.mark.parametrize("number", [0, -1, 1000])
def test_a_table_has_a_number_that_fits_on_it(site, manager, number):
    with pytest.raises(BadTableNumber):
        add(site, manager, number=number)


def test_a_number_is_given_once_also_where_its_table_is_retired(site, manager):
    table = add(site, manager)
    with pytest.raises(TableNumberTaken, match=r"There is a table 4 already\.$"):
        add(site, manager, key="another-key")
    tables.retire_table(table_id=table.pk, act=act(manager, "retire-it"))
    with pytest.raises(TableNumberTaken, match="bring it back"):
        add(site, manager, key="yet-another")


@pytest.mark.django_db(transaction=True)
def test_of_two_managers_who_enter_one_number_at_once_one_wins(site, manager, employ):
    employ("mia", "manager")
    answers = run_together(
        "tests.tables.floor.test_tables:add_at_once", [{"username": "manager"}, {"username": "mia"}]
    )
    assert sorted(answers) == ["ok", "table_number_taken"]
    assert Table.objects.count() == 1


def add_at_once(username):
    """Enter table 4 in a process of its own."""
    from casino.models import Staff
    from ledger.models import Site

    try:
        add(Site.objects.get(), Staff.objects.get(username=username), key=f"{username}-adds")
    except TableNumberTaken as refused:
        return refused.code
    return "ok"


def test_turning_a_table_says_what_it_was_before(site, manager):
    table = add(site, manager)
    tables.turn_table(table_id=table.pk, seat_one="right", act=act(manager, "turn-it"))
    assert noted("table_turned").data["before"] == {"seat_one": "left"}
    with pytest.raises(NothingChanges):
        tables.turn_table(table_id=table.pk, seat_one="right", act=act(manager, "turn-again"))


def test_an_open_table_is_neither_turned_nor_retired(game, manager):
    for verb, more in ((tables.turn_table, {"seat_one": "right"}), (tables.retire_table, {})):
        with pytest.raises(TableOpen):
            verb(table_id=game.table.pk, act=act(manager, "not-now-please"), **more)


def test_a_retired_table_is_offered_nowhere_and_opened_by_nobody_before_it_is_back(game, manager):
    game.close(game.dealer)
    tables.retire_table(table_id=game.table.pk, act=act(manager, "retire-it"))
    assert game.table not in free_tables()
    again = {
        "table": game.table,
        "game": "face-up",
        "rate": game.rate,
        "max_buy_in_cents": 50_000,
    }
    spare = add(game.site, manager, number=9, key="add-a-spare")
    with pytest.raises(TableRetired):
        opening.open_table(**again, act=Act(actor=game.floor, now=game.now, key=game.key()))
    tables.restore_table(table_id=game.table.pk, act=act(manager, "bring-it-back"))
    assert free_tables() == [game.table, spare]
    assert opening.open_table(**again, act=Act(actor=game.floor, now=game.now, key=game.key()))


def test_retiring_and_bringing_back_happen_once(site, manager):
    table = add(site, manager)
    with pytest.raises(NothingChanges):
        tables.restore_table(table_id=table.pk, act=act(manager, "bring-back"))
    tables.retire_table(table_id=table.pk, act=act(manager, "retire-it"))
    tables.retire_table(table_id=table.pk, act=act(manager, "retire-it"))
    with pytest.raises(TableRetired):
        tables.retire_table(table_id=table.pk, act=act(manager, "retire-twice"))
    assert HouseEvent.objects.filter(kind="table_retired").count() == 1


@pytest.mark.parametrize("role", ["floor", "cashier", "regulator"])
def test_nobody_but_managers_keeps_tables(site, employ, role):
    with pytest.raises(NotAllowed):
        add(site, employ("zoe", role))
