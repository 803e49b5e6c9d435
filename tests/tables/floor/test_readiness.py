"""What the house lacks before its first table opens: worked out from rows,
in sentences that say who does what."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from casino.demo.nights.house import publish_rates
from casino.models import Terminal
from casino.sign_in import terminals
from ledger.journal.acts import Act
from ledger.proof.log import exporting, sealing
from tables.floor import opening, readiness
from tables.floor.readiness import FIRST, PEOPLE, THEN, Readiness, lacking, lacks
from tables.models import Table
from tests.support.game import OPENING

READY = Readiness(
    there={lack.code: True for lack in (*FIRST, *THEN)},
    people=tuple(wanted for _, wanted, *_ in PEOPLE),
    without_pin=0,
)


def codes(site):
    return [lack.code for lack in lacks(site, OPENING)]


@pytest.mark.django_db
def test_an_empty_house_lacks_everything_but_its_games_and_its_licence(site):
    assert set(codes(site)) == {"tables", "rates", "reasons", "staff", "terminals", "chips", "checkpoint"}


@pytest.mark.django_db
def test_each_thing_that_is_done_leaves_the_list_until_nothing_is_left(
    stocked_site, floor, floor2, dealer, cashier, counter1, counter2, manager, employ
):
    site = stocked_site
    assert codes(site) == ["tables", "rates", "reasons", "staff", "terminals", "checkpoint"]
    employ("carla", "compliance")
    Table.objects.create(site=site, number=1)
    assert codes(site) == ["rates", "reasons", "terminals", "checkpoint"]
    publish_rates(site, OPENING)
    assert codes(site) == ["terminals", "checkpoint"]
    terminals.enrol(name="Table 1", act=Act(actor=floor, now=OPENING))
    assert codes(site) == ["checkpoint"]
    terminals.revoke(terminal_id=Terminal.objects.get().pk, act=Act(actor=floor, now=OPENING))
    assert codes(site) == ["terminals", "checkpoint"]
    terminals.enrol(name="Table 1", act=Act(actor=manager, now=OPENING))
    sealing.seal(site, now=OPENING)
    exporting.take_checkpoint(site, act=Act(actor=manager, now=OPENING))
    assert codes(site) == []


@pytest.mark.django_db
def test_whoever_was_let_go_counts_for_nothing_and_a_missing_pin_is_counted(site, floor, floor2):
    def people():
        ready = readiness.readiness(site, OPENING)
        return ready.people[0], ready.without_pin

    assert people() == (2, 0)
    floor2.pin = ""
    floor2.save()
    assert people() == (2, 1)
    floor2.is_active = False
    floor2.save()
    assert people() == (1, 0)


@pytest.mark.django_db
def test_somebody_with_two_roles_is_one_person(site, employ):
    employ("zoe", "floor", "dealer")
    assert readiness.readiness(site, OPENING).people[:2] == (1, 1)


@pytest.mark.django_db
def test_it_is_read_with_one_query_and_that_of_the_games(site, django_assert_num_queries):
    lacks(site, OPENING)
    with django_assert_num_queries(3):
        lacks(site, OPENING)


@pytest.mark.django_db
def test_the_opening_says_what_is_missing_in_the_same_words(site):
    site.authorised_tables = 0
    site.save()
    said = {lack.sentence for lack in lacks(site, OPENING)}
    missing = opening.missing(site, OPENING)
    assert len(missing) == 4
    assert set(missing) <= said


def test_a_ready_house_lacks_nothing():
    assert list(lacking(READY)) == []


@given(st.tuples(*(st.integers(0, 3) for _ in PEOPLE)))
def test_as_many_lines_about_people_as_there_are_roles_too_thin(people):
    lines = [lack for lack in lacking(replace(READY, people=people)) if lack.code == "staff"]
    thin = [where for (_, wanted, where, _), there in zip(PEOPLE, people, strict=True) if there < wanted]
    assert [lack.sentence for lack in lines if any(where in lack.sentence for where in thin)] == [
        lack.sentence for lack in lines
    ]
    assert len(lines) == len(thin)
