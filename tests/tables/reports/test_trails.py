"""Where the journal leads: every entry to its round, down, stack, table or box,
and a table's entries to no other table."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.models import Account, JournalEntry
from ledger.reports import statements
from tables.models import Table
from tables.reports.trails import entries_at, owners_of, trails_of
from tests.support.game import LOW, PLAIN
from tests.support.kept import kept

pytestmark = pytest.mark.django_db
# Two segments against one with a pair of sixes in front: two points each way, and nothing moves.
EVEN = (
    {"front": "Kc Qd 9s", "middle": "Ac Ad 7h 5c 3s", "back": "Ts Th Td 4c 2s"},
    {"front": "6s 6d 2c", "middle": "8s 8d Js 4h 3c", "back": "9c 9d 7s 7d Kd"},
)


@kept
def played(game, beside):
    """Table 1 with a corrected round and an even one,
    and Bob moved from there to table 2 with his fee covered."""
    game.seat("Ann", "Bob")
    game.approve(game.ask(game.play((PLAIN, LOW)), (LOW, PLAIN)))
    game.play(EVEN)
    beside.minute(1).buy_in("Cat", 2)
    game.minute(2).move(2, beside, 1, ordered=True)
    beside.minute(3).play((PLAIN, LOW))
    return game


def entries(site, **where):
    return [
        statements.entry_of(site, pk)
        for pk in JournalEntry.objects.filter(**where).order_by("pk").values_list("pk", flat=True)
    ]


def trails(site, **where):
    found = entries(site, **where)
    by_entry = trails_of(found)
    return [by_entry[entry.pk] for entry in found]


def test_a_settlement_its_reversal_and_its_correction_lead_to_one_round(played, site):
    first = played.session.rounds.get(number=1)
    for kind in ("reversal", "correction"):
        (trail,) = trails(site, kind=kind)
        assert trail.round == first
    # A reversal leads to what it took back, a correction to what it put in its place.
    assert [trails(site, kind=kind)[0].settlement.ordinal for kind in ("reversal", "correction")] == [1, 2]


def test_a_round_that_came_out_even_leads_there_without_any_transfer(played, site):
    (even,) = [entry for entry in entries(site, kind="round") if not entry.transfers.all()]
    assert trails_of([even])[even.pk].round.number == 2


def test_a_fee_leads_to_its_down_and_its_payer_also_where_nothing_moved(played, site):
    for entry in entries(site, kind="collection"):
        trail = trails_of([entry])[entry.pk]
        assert trail.charge.payment.entry_id == entry.pk
        assert trail.charge.sitting in trail.sittings
    covered = [trail.charge for trail in trails(site, kind="collection") if trail.charge.rule == "covered"]
    assert [str(charge.player) for charge in covered] == ["Bob"]


def test_a_buy_in_leads_to_stack_and_bank_and_a_move_to_both_stacks(played, site):
    bought = trails(site, kind="buy_in")[0]
    assert [str(sitting) for sitting in bought.sittings] == ["Ann in seat 1"]
    assert bought.sessions == (played.session,)
    (moved,) = trails(site, kind="table_move")
    assert [sitting.session.table.number for sitting in moved.sittings] == [1, 2]


def test_what_the_cage_does_alone_leads_nowhere(played, site):
    (stocked,) = trails(site, kind="float_issue")
    assert not stocked.leads_somewhere


ALONE = ("float_issue", "drawer_issue")


def test_everything_else_leads_somewhere(played, site):
    for entry in entries(site):
        assert trails_of([entry])[entry.pk].leads_somewhere == (entry.kind not in ALONE), entry


def test_an_account_leads_to_its_stack_its_table_or_its_box(played):
    session, stack = played.session, played.sitting(1)
    session.refresh_from_db()
    assert owners_of(stack.stack).sittings == (stack,)
    assert owners_of(session.bank_cash).sessions == (session,)
    for way in Account.objects.filter(site=played.site, kind="transit", label__contains=str(session.table)):
        assert owners_of(way).sessions == (session,)
    assert owners_of(Account.objects.get(pk=session.box.chips_id)).boxes == (session.box,)
    assert not owners_of(Account.objects.get(site=played.site, kind="vault", asset="cash")).leads_somewhere


def test_the_journal_of_a_table_has_its_entries_and_no_other_tables(played, site):
    # The reversal of a round that came out even moves nothing, and is the table's all the same.
    played.approve(played.ask(played.session.rounds.get(number=2), (PLAIN, LOW)))
    by_table = {}
    for number in (1, 2):
        page = statements.journal_page(
            site, played.now.date(), among=entries_at(Table.objects.get(number=number))
        )
        assert page.count == len(page.entries)
        by_table[number] = [entry.kind for entry in page.entries]
    of_one = (
        "buy_in buy_in collection collection correction correction document_received document_sent"
        " reversal reversal round round"
    )
    assert sorted(by_table[1]) == [*of_one.split(), "table_move"]
    of_two = "buy_in collection collection document_received document_sent round table_move"
    assert sorted(by_table[2]) == of_two.split()


def test_many_entries_cost_as_many_queries_as_few(played, site):
    def cost(found):
        with CaptureQueriesContext(connection) as queries:
            trails_of(found)
        return len(queries)

    few = [entry for entry in entries(site) if entry.kind in ("buy_in", "collection", "round")][:5]
    assert cost(few) == 5
    few += [entry for entry in entries(site) if entry.kind == "document_sent"][:1]
    before = cost(few)
    for minute in (10, 20, 30):
        played.minute(minute).buy_in("Dan", 3) if minute == 10 else None
        for seat in (1, 3):
            played.set_stack(seat, 50_000)
        played.play((PLAIN, LOW))
    assert cost(entries(site)) == before == 7


def test_a_day_an_entry_and_an_account_cost_the_same_after_many_rounds(screen, played, regulator, site):
    addresses = (
        "/audit/days/2026-03-07/journal/?table=1",
        f"/audit/entries/{JournalEntry.objects.filter(kind='round').first().pk}/",
        f"/audit/accounts/{played.sitting(1).stack_id}/",
    )

    def costs():
        found = []
        for address in addresses:
            with CaptureQueriesContext(connection) as queries:
                assert screen.as_(regulator).get(address).status_code == 200
            found.append(len(queries))
        return found

    costs()
    before = costs()
    played.minute(10).buy_in("Dan", 3)
    for minute in (11, 12, 13, 14):
        played.minute(minute).play((PLAIN, LOW))
    assert costs() == before


@pytest.mark.parametrize("who", ["floor", "dealer", "cashier", "counter1"])
@pytest.mark.parametrize(
    "address",
    ["days/2026-03-07/journal/", "entries/1/", "accounts/1/", "accounts/1/statement.csv", "balance.csv"],
)
def test_the_books_are_closed_to_those_who_work_here(screen, played, request, who, address):
    answer = screen.as_(request.getfixturevalue(who)).get(f"/audit/{address}")
    assert answer.status_code == 403
    assert b"$" not in answer.content


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("days/2026-03-07/journal/?kind=theft", 400),
        ("days/2026-03-07/journal/?table=99", 400),
        ("days/2026-03-07/journal/?after=x", 400),
        ("accounts/{}/?from-on=yesterday", 400),
        ("accounts/{}/?before=-1", 400),
        ("balance/?on=2026-03-08&time=02:30", 400),
        ("balance.csv?on=2026-03-07", 400),
        ("accounts/999999/", 404),
        ("entries/999999/", 404),
        ("accounts/{}/statement.csv?to-on=x", 404),
        ("sessions/999999/", 404),
    ],
)
def test_what_cannot_be_read_is_said_and_what_is_not_there_leads_nowhere(
    screen, played, regulator, address, status
):
    path = f"/audit/{address}".format(played.sitting(1).stack_id)
    assert screen.as_(regulator).get(path).status_code == status
