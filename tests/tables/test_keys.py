"""A key stands for one act of a house (decision 13): at another table, box or place it is `key_reused`."""

import pytest

from ledger.cage import boxes
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from tables.errors import TableError
from tables.rounds import corrections, voiding
from tables.seats import chip_counts
from tests.support.acting import acting
from tests.support.game import FULL_HOUSE, LOW, QUEENS


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        acting(call, *args, **options)
    return error.value.code


@pytest.fixture
def two_tables(game, beside):
    game.seat("Ann", "Bob")
    beside.seat("Cat", "Dan")
    return game, beside


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
    acting(voiding.void_round, round_id=first.pk, **act)
    assert refused(voiding.void_round, round_id=second.pk, **act) == "key_reused"
    assert acting(voiding.void_round, round_id=first.pk, **act) == first


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
    act = {"chips": 0, "cash": 0, "key": game.key(), "now": game.now, "actor": counter1}
    pulled = [
        boxes.pull_box(box=table.session.box, second=floor2, act=Act(actor=floor, now=game.now))
        for table in (game, beside)
    ]
    first = acting(boxes.enter_count, box=pulled[0], **act)
    assert refused(boxes.enter_count, box=pulled[1], **act) == "key_reused"
    assert acting(boxes.enter_count, box=pulled[0], **act) == first
