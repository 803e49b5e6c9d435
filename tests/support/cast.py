"""The people of every test, with their rights in a sentence each, and the house they are in.

floor, floor2       run the floor: open tables, seat players, ask for and approve corrections; no money, no counting
dealer              deals rounds, enters hands, sells chips at the table, asks for corrections
cashier             works the cage and signs counted boxes off; never counts one
counter1, counter2  count boxes, each blind to the other; see nothing else
regulator           reads tables and books, changes nothing
manager             sets sheets, rates and staff, reads the books; moves no money
ann bob cat dan eve play
"""

import pytest

from casino import roles
from tests.support.kept import kept

PIN = "2468"
"""Everybody's, at a table."""


@kept
def site(db):
    """The house: Los Angeles, gaming day from six in the morning."""
    from ledger.models import Site

    return Site.objects.create(name="The Fifth Street Room", licence="GEGE-001234")


@pytest.fixture
def employ(db):
    """Make a member of staff: `employ("zoe", "dealer")`. Without roles, somebody with no rights at all."""
    from casino.models import Staff

    def employ(username, *names):
        person = Staff(username=username)
        person.set_password(f"{username} signs in")
        person.set_pin(PIN)
        person.save()
        for name in names:
            roles.assign(person, name)
        return Staff.objects.get(
            pk=person.pk
        )  # rights asked for before roles came are remembered by the object

    return employ


@kept
def floor(employ):
    """Runs the floor; what floor asks for, floor2 approves."""
    return employ("floor", "floor")


@kept
def floor2(employ):
    """Runs the floor; the second person for what floor asks."""
    return employ("floor2", "floor")


@kept
def dealer(employ):
    """Deals, enters hands, takes buy-ins and the collection at the table; approves nothing."""
    return employ("dealer", "dealer")


@kept
def cashier(employ):
    """Has the cage, and signs boxes off that others counted."""
    return employ("cashier", "cashier")


@kept
def counter1(employ):
    """Counts boxes; sees neither what is expected nor what counter2 counted."""
    return employ("counter1", "counter")


@kept
def counter2(employ):
    """Counts the same boxes again, as blind as counter1."""
    return employ("counter2", "counter")


@kept
def regulator(employ):
    """Inspects: reads everything, changes nothing."""
    return employ("regulator", "regulator")


@kept
def manager(employ):
    """Keeps sheets, rates and staff; reads the books, moves no money."""
    return employ("manager", "manager")


@kept
def players(site, floor):
    """The five who play, by name: players["Ann"]. Where only four are dealt in, Eve waits. Floor entered them."""
    from ledger.journal.acts import Act
    from tables.seats.players import enter_player
    from tests.support.game import OPENING

    names = ("Ann", "Bob", "Cat", "Dan", "Eve")
    return {name: enter_player(site=site, name=name, act=Act(floor, OPENING)) for name in names}


@pytest.fixture
def ann(players):
    """Plays."""
    return players["Ann"]


@pytest.fixture
def bob(players):
    """Plays."""
    return players["Bob"]


@pytest.fixture
def cat(players):
    """Plays."""
    return players["Cat"]


@pytest.fixture
def dan(players):
    """Plays."""
    return players["Dan"]


@pytest.fixture
def eve(players):
    """Plays, and waits where only four are dealt in."""
    return players["Eve"]
