"""The staff of every test, and their house.

floor, floor2       open tables, seat players, ask for and approve corrections; no money, no counting
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


@kept
def site(db):
    """The house: Los Angeles, gaming day from six in the morning."""
    from ledger.models import Site

    return Site.objects.create(name="The Fifth Street Room", licence="GEGE-001234")


@pytest.fixture
def employ(db):
    """`employ("zoe", "dealer")`: add staff; without roles, somebody without permissions."""
    from casino.models import Staff

    def employ(username, *names):
        person = Staff(username=username)
        person.set_password(f"{username} signs in")
        person.set_pin(PIN)
        person.save()
        for name in names:
            roles.assign(person, name)
        return Staff.objects.get(pk=person.pk)  # reload: the object caches permissions

    return employ


@kept
def floor(employ):
    return employ("floor", "floor")


@kept
def floor2(employ):
    return employ("floor2", "floor")


@kept
def dealer(employ):
    return employ("dealer", "dealer")


@kept
def cashier(employ):
    return employ("cashier", "cashier")


@kept
def counter1(employ):
    return employ("counter1", "counter")


@kept
def counter2(employ):
    return employ("counter2", "counter")


@kept
def regulator(employ):
    return employ("regulator", "regulator")


@kept
def manager(employ):
    return employ("manager", "manager")


@kept
def players(site, floor):
    """The five who play, by name: players["Ann"]. Where only four are dealt in, Eve waits."""
    from ledger.journal.acts import Act
    from tables.seats.players import enter_player
    from tests.support.game import OPENING

    names = ("Ann", "Bob", "Cat", "Dan", "Eve")
    return {name: enter_player(site=site, name=name, act=Act(floor, OPENING)) for name in names}


@pytest.fixture
def ann(players):
    return players["Ann"]


@pytest.fixture
def bob(players):
    return players["Bob"]


@pytest.fixture
def cat(players):
    return players["Cat"]


@pytest.fixture
def dan(players):
    return players["Dan"]


@pytest.fixture
def eve(players):
    return players["Eve"]
