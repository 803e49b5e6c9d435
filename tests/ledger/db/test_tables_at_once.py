"""Consecutive tables are created from one state of the models, and constraints do not render it again."""

import contextlib

import pytest
from django.db import ConnectionHandler, models
from django.db.migrations import Migration
from django.db.migrations.operations import AddConstraint, AddField, AddIndex, CreateModel, RemoveConstraint
from django.db.migrations.state import ProjectState

from ledger.db.tables_at_once import at_once, before_migrate

KEY = ("id", models.BigAutoField(primary_key=True))


def table(name, *fields):
    return CreateModel(name, [KEY, *fields])


def refers_to(name):
    return models.ForeignKey(f"ledger.{name}", models.PROTECT, related_name="+")


HOUSE, DOOR = table("House"), table("Door", ("house", refers_to("House")))
ADDED = AddField("house", "name", models.CharField(max_length=9, default=""))
WINDOW = table("Window", ("door", refers_to("Door")))
NAMED, FEW = (
    AddConstraint("house", models.CheckConstraint(name=name, condition=models.Q(condition)))
    for name, condition in (("house_named", ("name__gt", "")), ("house_few", ("id__lt", 9)))
)
ONE_NAME = AddConstraint("house", models.UniqueConstraint("name", name="house_one_name"))
ONE_DOOR = AddConstraint("door", models.UniqueConstraint(fields=["house"], name="door_one"))
BY_NAME = AddIndex("house", models.Index(fields=["name"], name="house_by_name"))
UNNAMED = RemoveConstraint("house", "house_named")
KEYED = AddField("house", "key", models.IntegerField(default=1))
OPTIONS = [NAMED, ONE_NAME, BY_NAME, FEW, ONE_DOOR, UNNAMED]


def test_each_row_of_tables_is_one_and_everything_stays_in_its_order():
    first, added, last = at_once([HOUSE, DOOR, ADDED, WINDOW])
    assert (first.models, added, last.models) == ([HOUSE, DOOR], ADDED, [WINDOW])
    assert at_once([first, added, last]) == [first, added, last]


def test_what_is_taken_back_is_left_alone():
    forwards, backwards = (Migration(name, "ledger") for name in ("0001_a", "0002_b"))
    forwards.operations, backwards.operations = [HOUSE, DOOR], [HOUSE, DOOR]
    before_migrate([(forwards, False), (backwards, True)])
    assert (len(forwards.operations), backwards.operations) == (1, [HOUSE, DOOR])


def tables_after(operations, path):
    """Return the tables of an empty database after these operations. In a file: Django keeps one in memory
    open."""
    migration, state = Migration("0001_initial", "ledger"), ProjectState()
    migration.operations = operations
    _ = state.apps  # as migrate has it drawn beforehand
    handler = ConnectionHandler({"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": path}})
    with contextlib.closing(handler["default"]) as database:
        with database.schema_editor() as editor:
            migration.apply(state, editor)
        with database.cursor() as cursor:
            return cursor.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()


@pytest.mark.django_db
def test_the_tables_are_those_that_one_after_the_other_would_be(tmp_path):
    operations = [HOUSE, DOOR, ADDED, *OPTIONS, WINDOW, KEYED]
    found = tables_after(at_once(operations), tmp_path / "at once")
    assert found == tables_after(operations, tmp_path / "in turn")
    assert {"ledger_house", "ledger_door", "ledger_window", "house_by_name"} < {name for name, _ in found}


def test_a_constraint_or_an_index_renders_no_model_again_and_is_on_the_one_that_is_there():
    state = ProjectState()
    for operation in (HOUSE, DOOR, ADDED):
        operation.state_forwards("ledger", state)
    house = state.apps.get_model("ledger", "house")
    for operation in at_once(OPTIONS):
        operation.state_forwards("ledger", state)
    assert state.apps.get_model("ledger", "house") is house
    found = [constraint.name for constraint in house._meta.constraints]
    assert (found, [index.name for index in house._meta.indexes]) == (
        ["house_one_name", "house_few"],
        ["house_by_name"],
    )
