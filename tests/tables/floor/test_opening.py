"""Opening and closing a table."""

from datetime import timedelta

import pytest

from casino.models import Staff
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.models import Account, DropBox, JournalEntry, Site
from tables.errors import TableError
from tables.floor import opening
from tables.models import Rate, Table, TableSession
from tests.support.acting import acting
from tests.support.game import OPENING, Game
from tests.support.together import run_together


def open_again(room, **changes):
    options = {
        "table": room.table,
        "game": "face-up",
        "rate": room.rate,
        "max_buy_in_cents": 50_000,
        "key": room.key(),
        "actor": room.floor,
        "now": room.now,
    }
    return acting(opening.open_table, **(options | changes))


def test_opening_brings_the_bank_and_an_empty_box(game):
    assert game.session.bank_chips.kind == "table_bank"
    assert Account.objects.get(pk=game.session.bank_chips_id).balance_cents == 5_000_000
    assert Account.objects.get(pk=game.session.box.chips_id).balance_cents == 0


def test_a_table_is_open_once(game):
    with pytest.raises(TableError) as refused:
        open_again(game)
    assert refused.value.code == "table_open"


def test_the_same_key_opens_it_once(stocked_site, floor, dealer, players):
    game = Game(stocked_site, floor, dealer, players)
    again = opening.open_table(
        table=game.table,
        game="face-up",
        rate=game.rate,
        max_buy_in_cents=50_000,
        act=Act(key="table-1-key-0001", actor=floor, now=game.now),
    )
    assert again == game.session
    assert TableSession.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"game": "tarock"}, "unknown_game"),
        ({"max_buy_in_cents": 14_999}, "bad_buy_in_maximum"),
    ],
)
def test_an_incomplete_opening_is_refused_and_nothing_is_left(game, changes, code):
    other = Table.objects.create(site=game.site, number=9)
    with pytest.raises(TableError) as refused:
        open_again(game, table=other, **changes)
    assert refused.value.code == code
    assert not TableSession.objects.filter(table=other).exists()
    assert DropBox.objects.count() == 1


def test_r60_a_rate_is_used_from_its_effective_day_on_and_in_its_own_house(game):
    table = Table.objects.create(site=game.site, number=9)
    published = {
        "site": game.site,
        "option": 9,
        "limit_cents": 500,
        "fee_cents": 900,
        "approval_reference": "BGC-2",
    }
    later = Rate.objects.create(effective_from=game.now.date() + timedelta(days=1), **published)
    other_house = Site.objects.create(name="The Other Room", licence="GEGE-2")
    elsewhere = Rate.objects.create(effective_from=game.now.date(), **published | {"site": other_house})
    for rate in (later, elsewhere):
        with pytest.raises(TableError) as refused:
            open_again(game, table=table, rate=rate)
        assert refused.value.code == "unknown_rate"


def test_a_table_opens_with_an_empty_bank(game):
    session = open_again(game, table=Table.objects.create(site=game.site, number=9))
    assert (session.bank_chips.balance_cents, session.bank_cash.balance_cents) == (0, 0)


def test_a_dealer_does_not_open_tables(game, dealer):
    with pytest.raises(LedgerError) as refused:
        open_again(game, actor=dealer)
    assert refused.value.code == "not_allowed"


def test_one_table_more_than_are_authorised_is_refused_and_names_how_many(game):
    Site.objects.update(authorised_tables=1)
    other = Table.objects.create(site=game.site, number=9)
    with pytest.raises(TableError) as refused:
        open_again(game, table=other)
    assert refused.value.code == "tables_authorised"
    assert "1 table is open" in refused.value.message
    game.close(game.dealer)
    assert open_again(game, table=other).closed_at is None


def test_a_house_with_fewer_authorised_tables_than_are_open_is_told_how_many_are(game, beside):
    Site.objects.update(authorised_tables=1)
    game.site.refresh_from_db()
    said = "2 tables are open, and 1 authorised: close one before another opens."
    assert opening.too_many(game.site) == said


@pytest.mark.django_db
def test_an_incomplete_house_is_told_everything_that_is_missing_at_once(site, floor):
    Site.objects.update(authorised_tables=0)
    site.refresh_from_db()
    table = Table.objects.create(site=site, number=1)
    rate = Rate(site=site, option=2, limit_cents=500, fee_cents=1000)
    with pytest.raises(TableError) as refused:
        opening.open_table(
            table=table,
            game="face-up",
            rate=rate,
            max_buy_in_cents=50_000,
            act=Act(key="open-it-now", actor=floor, now=OPENING),
        )
    assert refused.value.code == "not_configured"
    for missing in ("No tables are authorised", "No collection rate", "The cage has no chips"):
        assert missing in refused.value.message
    assert "no tables" not in refused.value.message
    assert not TableSession.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_tables_opened_at_once_where_one_is_authorised_give_one(stocked_site, game):
    Site.objects.update(authorised_tables=2)
    for number in (8, 9):
        Table.objects.create(site=game.site, number=number)
    answers = run_together(
        "tests.tables.floor.test_opening:open_at_once",
        [{"number": number, "rate": game.rate.pk} for number in (8, 9)],
    )
    assert sorted(answers) == ["ok", "tables_authorised"]
    assert TableSession.objects.count() == 2


def open_at_once(number, rate):
    """Open a table in a process of its own."""
    try:
        opening.open_table(
            table=Table.objects.select_related("site").get(number=number),
            game="face-up",
            rate=Rate.objects.get(pk=rate),
            max_buy_in_cents=50_000,
            act=Act(key=f"open-table-{number}", actor=Staff.objects.get(username="floor"), now=OPENING),
        )
    except TableError as refused:
        return refused.code
    return "ok"


def close(game, second, **options):
    return game.close(second, **options)


def test_a_table_with_players_is_not_closed(game, floor2):
    game.seat("Ann")
    with pytest.raises(TableError) as refused:
        close(game, floor2)
    assert refused.value.code == "table_open"


def test_closing_returns_the_whole_bank_and_pulls_the_box_by_two(game, floor2):
    game.seat("Ann")
    game.cash_out(1)
    closed = close(game.minute(60), floor2)
    assert closed.closed_at == game.now
    bank = Account.objects.filter(kind="table_bank")
    assert [account.balance_cents for account in bank] == [0, 0]
    box = DropBox.objects.get()
    assert {box.pulled_by, box.pulled_with} == {game.floor, floor2}


def test_nobody_pulls_a_box_alone(game):
    with pytest.raises(LedgerError) as refused:
        close(game, game.floor)
    assert refused.value.code == "second_person"
    assert TableSession.objects.get().closed_at is None


def test_closing_twice_with_one_key_closes_once(game, floor2):
    same = {"key": game.key(), "count": game.counted()}
    assert close(game, floor2, **same) == close(game, floor2, **same)
    assert JournalEntry.objects.filter(kind="bank_count").count() == 1


def test_nothing_happens_at_a_closed_table(game, floor2):
    close(game, floor2)
    with pytest.raises(TableError) as refused:
        game.buy_in("Ann", 1)
    assert refused.value.code == "table_closed"


def test_a_changed_box_is_pulled_and_the_next_fee_goes_into_the_new_one(game, floor2):
    game.seat("Ann", "Bob")
    old = game.session.box
    session = opening.change_box(
        session_id=game.session.pk, second=floor2, act=Act(key=game.key(), actor=game.floor, now=game.now)
    )
    game.start()
    assert session.box != old
    assert Account.objects.get(pk=session.box.chips_id).balance_cents == 2000
    assert Account.objects.get(pk=old.chips_id).balance_cents == 0
