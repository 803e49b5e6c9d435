"""A key stands for one act of a house (decision 13): at another table, box or place, and for another act,
it is `key_reused`."""

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import UniqueConstraint
from django.test.utils import CaptureQueriesContext

from ledger.cage import boxes
from ledger.errors import LedgerError
from ledger.journal import keys
from ledger.journal.acts import Act
from ledger.models import JournalEntry, Transfer
from ledger.rules.denominations import Pieces
from tables.errors import TableError
from tables.floor import waiting
from tables.models import Charge, Down, FeePayment, Hand, Round, Settlement, TableEvent
from tables.rounds import corrections, running
from tables.seats import chip_counts
from tables.seats.players import Person
from tests.support.acting import acting
from tests.support.counting import begin_sheet
from tests.support.game import FULL_HOUSE, LOW, QUEENS
from tests.support.kept import kept


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        acting(call, *args, **options)
    return error.value.code


@kept
def two_tables(game, beside):
    game.seat("Ann", "Bob")
    beside.seat("Cat", "Dan")
    return game, beside


def test_a_key_is_looked_up_and_no_table_is_read_for_it(site):
    with CaptureQueriesContext(connection) as asked:
        assert keys.used(site.pk, ["a key", "another"]) == (False, False)
    on_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {'QUERY PLAN' if on_sqlite else ''} {asked[0]['sql']}")
        steps = [str(row[-1]) for row in cursor.fetchall()]
    # The plans of PostgreSQL follow from how full the tables are.
    assert len(asked) == 1
    assert [step for step in steps if on_sqlite and step.startswith("S") and "key=?" not in step] == [
        step for step in steps if on_sqlite and step in ("SCAN 2 CONSTANT ROWS", "SCAN asked")
    ]


def test_a_key_starts_one_round_of_the_house(two_tables):
    here, there = two_tables
    key = here.key()
    round_ = here.start(key=key)
    assert refused(there.start, key=key) == "key_reused"
    assert here.start(key=key) == round_


def test_a_key_voids_one_round_of_the_house(two_tables):
    here, there = two_tables
    first, second = here.start(), there.start()
    act = {"key": here.key(), "actor": here.floor, "now": here.now, "reason": "boxed card"}
    acting(running.void_round, round_id=first.pk, **act)
    assert refused(running.void_round, round_id=second.pk, **act) == "key_reused"
    assert acting(running.void_round, round_id=first.pk, **act) == first


def test_a_key_of_an_act_without_money_is_one_act_of_the_house(two_tables):
    here, there = two_tables
    act = {"counted": {1: 30_000, 2: 30_000}, "key": here.key(), "actor": here.floor, "now": here.now}
    acting(chip_counts.count_chips, session_id=here.session.pk, **act)
    assert refused(chip_counts.count_chips, session_id=there.session.pk, **act) == "key_reused"


def test_a_key_asks_for_one_correction_of_the_house_and_decides_one(two_tables):
    here, there = two_tables
    rounds = [game.play([QUEENS, FULL_HOUSE]) for game in two_tables]
    asked = [game.ask(round_, [LOW, FULL_HOUSE]) for game, round_ in zip(two_tables, rounds, strict=True)]
    assert refused(there.ask, rounds[1], [LOW, FULL_HOUSE], key=asked[0].key) == "key_reused"
    act = {"reason": "the camera", "key": here.key(), "actor": here.floor, "now": here.now}
    acting(corrections.refuse_correction, request_id=asked[0].pk, **act)
    assert refused(corrections.refuse_correction, request_id=asked[1].pk, **act) == "key_reused"
    assert refused(there.approve, asked[1], key=act["key"]) == "key_reused"
    assert acting(corrections.refuse_correction, request_id=asked[0].pk, **act) == asked[0]


def test_a_key_counts_one_box_of_the_house(game, beside, counter1, floor, floor2):
    act = {"pieces": Pieces(), "key": game.key(), "now": game.now, "actor": counter1}
    pulled = [
        boxes.pull_box(box=table.session.box, second=floor2, act=Act(actor=floor, now=game.now))
        for table in (game, beside)
    ]
    begin_sheet(pulled[0], counter1, game.now)
    first = acting(boxes.enter_count, box=pulled[0], **act)
    assert refused(boxes.enter_count, box=pulled[1], **act) == "key_reused"
    assert acting(boxes.enter_count, box=pulled[0], **act) == first


def test_no_row_of_a_round_has_an_index_that_begins_as_a_key_of_its_own_does():
    for model in (Round, Hand, Settlement, Down, Charge, FeePayment, TableEvent, JournalEntry, Transfer):
        constraints = (one for one in model._meta.constraints if getattr(one, "condition", None) is None)
        first = {one.fields[0] for one in [*constraints, *model._meta.indexes] if len(one.fields) > 1}
        assert first.isdisjoint(field.name for field in model._meta.fields if field.db_index), model


def test_every_key_that_a_constraint_keeps_is_asked_for():
    kept = {
        (model._meta.db_table, constraint.fields[1])
        for model in apps.get_models()
        for constraint in model._meta.constraints
        if isinstance(constraint, UniqueConstraint)
        and constraint.fields[1:]
        and "key" in constraint.fields[1]
    }
    assert keys.registered() == kept


def test_every_column_of_a_key_is_kept_by_a_constraint():
    named = {
        (model._meta.db_table, field.column)
        for label in ("ledger", "tables")
        for model in apps.get_app_config(label).get_models()
        for field in model._meta.fields
        if field.name == "key" or field.name.endswith("_key")
    }
    assert named <= keys.registered(), named - keys.registered()


@pytest.mark.both_databases
def test_a_key_is_one_act_of_the_house_whatever_the_act(game, beside, thirty, counter1, floor, floor2):
    """An evening in which every act is first tried under the key of each act before it."""
    game.seat("Ann", "Bob")
    beside.seat("Cat", "Dan")
    for table in (game, beside):
        table.play([QUEENS, FULL_HOUSE])
        table.minute(41)
    by = {"actor": floor, "now": game.now}
    box = boxes.pull_box(box=thirty.session.box, second=floor2, act=Act(**by))
    begin_sheet(box, counter1, game.now)
    listed = {"site": game.site, "game": "face-up", "limit_cents": 500}
    done = {}
    acts = {
        "join": lambda key: acting(waiting.join, who=Person("Eve"), **listed, key=key, **by),
        "call": lambda key: acting(waiting.call, place_id=done["join"].pk, key=key, **by),
        "count of chips": lambda key: acting(
            chip_counts.count_chips,
            session_id=game.session.pk,
            counted=game.stacks(),
            key=key,
            **by,
        ),
        "start": lambda key: beside.start(key=key),
        "void": lambda key: acting(
            running.void_round, round_id=done["start"].pk, reason="boxed card", key=key, **by
        ),
        "pay": lambda key: game.pay(1, key=key),
        "start again": lambda key: game.start(key=key),
        "settle": lambda key: game.settle(done["start again"], [QUEENS, FULL_HOUSE], key=key),
        "ask": lambda key: game.ask(done["start again"], [LOW, FULL_HOUSE], key=key),
        "approve": lambda key: game.approve(done["ask"], key=key),
        "add on": lambda key: game.add_on(1, 500, key=key),
        "count of a box": lambda key: acting(
            boxes.enter_count, box=box, pieces=Pieces(), key=key, actor=counter1, now=game.now
        ),
    }
    under = {name: game.key() for name in acts}
    for name, act in acts.items():
        for earlier in done:
            assert (refused(act, under[earlier]), name, earlier) == ("key_reused", name, earlier)
        done[name] = act(under[name])
