"""The database itself keeps roles apart, and `check` names people who got past it before."""

import contextlib

import pytest
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import IntegrityError, connection, transaction

from casino import checks, role_triggers, roles
from casino.models import Staff

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
HOLDING = Staff.groups.through


@contextlib.contextmanager
def without_triggers():
    """As in a house from before the triggers."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET session_replication_role = replica")
        else:
            for name in role_triggers.TRIGGERS["sqlite"]:
                cursor.execute(f"DROP TRIGGER {name}")
        yield
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = origin")
        else:
            role_triggers.hold_roles_apart("default")


def write(person, role):
    """Insert a row past every signal of the program."""
    return HOLDING.objects.bulk_create([HOLDING(staff=person, group=Group.objects.get(name=role))])[0]


@pytest.mark.parametrize(("first", "second"), [row[:2] for row in roles.KEPT_APART])
def test_sql_gives_nobody_roles_that_are_kept_apart(employ, first, second):
    for held, asked in ((first, second), (second, first)):
        zoe = employ(f"zoe-{held}", held)
        with pytest.raises(IntegrityError, match="kept apart"), transaction.atomic():
            write(zoe, asked)
        assert zoe.roles == {held}


def test_sql_turns_no_role_into_one_that_is_kept_apart(employ):
    zoe = employ("zoe", "cashier", "dealer")
    yan = employ("yan", "floor")
    dealing = HOLDING.objects.filter(staff=zoe, group__name="dealer")
    with pytest.raises(IntegrityError, match="kept apart"), transaction.atomic():
        dealing.update(group=Group.objects.get(name="counter"))
    with pytest.raises(IntegrityError, match="kept apart"), transaction.atomic():
        HOLDING.objects.filter(staff=yan).update(staff=zoe)
    assert (zoe.roles, yan.roles) == ({"cashier", "dealer"}, {"floor"})


def test_two_rows_in_one_statement_see_each_other(employ):
    zoe = employ("zoe")
    rows = [HOLDING(staff=zoe, group=group) for group in Group.objects.filter(name__in=["cashier", "floor"])]
    with pytest.raises(IntegrityError, match="kept apart"), transaction.atomic():
        HOLDING.objects.bulk_create(rows)
    assert zoe.roles == set()


def test_sql_may_give_what_may_be_one_person(employ):
    zoe = employ("zoe", "floor")
    write(zoe, "dealer")
    assert zoe.roles == {"floor", "dealer"}


def test_people_of_an_existing_house_who_hold_roles_that_are_kept_apart_are_named(employ):
    zoe = employ("zoe", "floor")
    employ("yan", "floor", "dealer")
    assert checks.roles_kept_apart(None, databases=["default"]) == []
    with without_triggers():
        write(zoe, "cashier")
    (problem,) = checks.roles_kept_apart(None, databases=["default"])
    assert (problem.id, problem.msg) == (
        "casino.E004",
        "zoe is cashier and floor, which one person may not be at once.",
    )
    with pytest.raises(SystemCheckError, match="zoe is cashier and floor"):
        call_command("check", databases=["default"])
    call_command("check")  # without --database nobody reads the rows


def test_a_missing_trigger_is_named_and_made_again(db):
    table, name = role_triggers.TABLE, role_triggers.TRIGGERS[connection.vendor][0]
    on = f" ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {name}{on}")
    (problem,) = checks.roles_kept_apart(None, databases=["default"])
    assert problem.id == "casino.E005"
    assert name in problem.msg
    role_triggers.hold_roles_apart("default")
    assert checks.roles_kept_apart(None, databases=["default"]) == []
