"""Managers change the particulars of the house; the log keeps the former ones."""

from dataclasses import replace

import pytest

from casino.house.first_start import change_particulars, mark_of
from ledger.errors import LedgerError, NotAllowed
from ledger.journal.acts import Act
from ledger.journal.particulars import particulars_of
from ledger.models import HouseEvent, Site
from tables.errors import NothingChanges, StalePage, TableOpen
from tests.support.game import OPENING

pytestmark = pytest.mark.django_db


def change(site, manager, key="change-it", seen="", **new):
    now = particulars_of(Site.objects.get(pk=site.pk))
    return change_particulars(
        site=site,
        particulars=replace(now, **new),
        seen=seen or mark_of(now),
        act=Act(actor=manager, now=OPENING, key=key),
    )


def test_a_change_is_noted_once_with_what_was_before_and_by_whom(site, manager):
    assert change(site, manager, licence=" GEGE-9 ", authorised_tables=12) == {
        "licence": "GEGE-001234",
        "authorised_tables": 10,
    }
    event = HouseEvent.objects.get(kind="house_changed")
    assert (event.actor, event.data["licence"]) == (manager, "GEGE-9")
    assert event.data["before"] == {"licence": "GEGE-001234", "authorised_tables": 10}
    site.refresh_from_db()
    assert (site.licence, site.authorised_tables) == ("GEGE-9", 12)


def test_a_page_that_is_sent_twice_changes_once(site, manager):
    seen = mark_of(particulars_of(site))
    change(site, manager, seen=seen, licence="GEGE-9")
    assert change(site, manager, seen=seen, licence="GEGE-9") == {}
    assert HouseEvent.objects.filter(kind="house_changed").count() == 1


def test_a_page_that_somebody_else_overtook_is_refused(site, manager):
    seen = mark_of(particulars_of(site))
    change(site, manager, licence="GEGE-9")
    with pytest.raises(StalePage):
        change(site, manager, key="from-an-old-page", seen=seen, authorised_tables=3)


def test_nothing_changed_is_no_change(site, manager):
    with pytest.raises(NothingChanges):
        change(site, manager)


@pytest.mark.parametrize("clock", [{"time_zone": "Europe/Vienna"}, {"day_starts_at": 4}])
def test_the_clock_changes_only_while_every_table_is_closed(game, manager, clock):
    with pytest.raises(TableOpen) as refused:
        change(game.site, manager, **clock)
    assert refused.value.field in clock
    assert change(game.site, manager, key="the-licence", licence="GEGE-9")
    game.close(game.dealer)
    assert change(game.site, manager, key="the-clock-now", **clock)


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"time_zone": "Mars/Olympus"}, "bad_time_zone"),
        ({"licence": ""}, "bad_licence"),
        ({"chip_values": "5 25 5"}, "bad_amount"),
        ({"chip_values": "5 twenty"}, "bad_amount"),
        ({"patron_from_cents": 300_001}, "bad_particulars"),
        ({"confirm_from_cents": 10_000_001}, "bad_particulars"),
    ],
)
def test_what_no_house_can_have_is_refused_and_changes_nothing(site, manager, wrong, code):
    with pytest.raises(LedgerError) as refused:
        change(site, manager, **wrong)
    assert refused.value.code == code
    assert not HouseEvent.objects.filter(kind="house_changed").exists()


@pytest.mark.parametrize("role", ["floor", "cashier", "regulator"])
def test_nobody_but_managers_changes_the_house(site, employ, role):
    with pytest.raises(NotAllowed):
        change(site, employ("zoe", role), licence="GEGE-9")
