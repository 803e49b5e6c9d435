"""Until two counters have signed the count sheet of a box, nobody who counts, deals, runs the floor or works
the cage reads anywhere what the books expect in it, nor a sum that comes to it. Neither do they of a drawer,
the vault, unclaimed chips and what is on its way under a document, before two agree on what is there."""

import re

import pytest
from django.utils import timezone

from ledger.cage import boxes, documents, drawers, stocking
from ledger.journal.acts import Act
from ledger.models import Account, CageSlip, CountSheet, Document, JournalEntry
from tables.floor import banks
from tables.models import Down
from tests.support import addresses
from tests.support.cage import in_pockets, pieces, stock
from tests.support.counting import count_box, enter_count
from tests.support.game import Game
from tests.support.kept import kept
from tests.support.lengths import LONG
from tests.support.pages import steady

pytestmark = pytest.mark.django_db
FEE = 1_137
WHO = ["floor", "dealer", "cashier", "counter1", "counter2"]
FILL, HELD, LYING, FIRST = 38_650, (17_150, 4_650), 6_350, 4_150
AT_THE_TABLE = WHO[:-1]
IN_THE_COUNT_ROOM = WHO if LONG else ["floor", "cashier", "counter1", "counter2"]


@kept
def one_down(stocked_site, floor, dealer, players):
    """Three fees from stacks and two in cash, all of one down, in the box of table 6: no other figure of the
    house is one of these."""
    game = Game(stocked_site, floor, dealer, players, number=6, fee_cents=FEE)
    game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
    game.play(in_cash=[4, 5])
    return game


@kept
def two_downs(one_down):
    one_down.minute(41).play()
    return one_down


@kept
def waiting_house(one_down, floor2):
    """Beside that table a closer, a fill and unclaimed chips on their way; the cashier's drawer, the vault
    and what is held for others counted once, by the cashier. No amount is another one of the house."""
    game, site, now = one_down, one_down.site, one_down.now
    cashier, floor, dealer = drawers.open_drawers(site)[0].cashier, game.floor, game.dealer

    def act(person):
        return Act(person, now, game.key())

    def sent(kind, cents, *people, **at):
        asked = {"site": site, "kind": kind, "pieces": pieces(site, chips=cents), "place": at["place"]}
        document = documents.begin(**asked, act=act(dealer))
        for rule, person in zip(document_steps(kind), people, strict=True):
            banks.take_step(document=document, step=rule, act=act(person))
        return document

    by = {"by": cashier, "second": floor, "now": now}
    stock(site, chips=1_234_550, cash=765_405, key="odd", **by)
    in_pockets(site, 100_000, **by)
    game.sell(1_350, cashier)
    closing = Game(site, floor, dealer, game.players, number=7)
    closing.close(floor2, chips_over=-1_450, received=False)
    sent("fill", FILL, floor, cashier, place=banks.place_of(game.session))
    for cents in (*HELD, LYING):
        found = sent("unclaimed", cents, floor, place=documents.LeftBehind("under table 3"))
        if cents != LYING:
            counted = pieces(site, chips=cents)
            banks.take_step(document=found, step="received", pieces=counted, act=act(cashier))
    for way, more in (
        ("closing", {"drawer": drawers.drawer_of(site, cashier)}),
        ("count", {}),
        ("unclaimed", {}),
    ):
        counted = pieces(site, chips=FIRST)
        stocking.count_first(site=site, way=way, pieces=counted, **more, act=act(cashier))
    return game


def document_steps(kind):
    return ("authorised", "sent") if kind == "fill" else ("sent",)


def figures(*sums):
    """Return the ways in which amounts may be written."""
    return [text for cents in sums for text in (f"{cents}", f"{cents / 100:,.2f}")]


ONE = figures(3 * FEE, 2 * FEE, 5 * FEE)
TWO = figures(3 * FEE, 5 * FEE, 8 * FEE, 10 * FEE)


def unsaid_to(who, game):
    """Return the amounts that somebody may count and is not told, in cents: those that were sent, what stands
    where it is counted, and what the first one counted."""
    closer = Document.objects.get(kind="closer")
    at_table, at_cage = (FILL, FIRST), (closer.chips_cents, LYING)
    own = {"cashier": at_cage, "counter1": (*at_table, *at_cage)}.get(who, at_table)
    banks_ = {"pk__in": (game.session.bank_chips_id, game.session.bank_cash_id)}
    places = ({"kind": kind} for kind in ("drawer", "vault", "unclaimed"))
    stands = [standing(**of) for of in (*places, banks_)]
    return {*own, *(cents for several in stands for cents in several)}


def standing(**of):
    """Return what stands in such accounts: chips, cash, and both; no round amounts, which anything may be."""
    found = Account.objects.filter(**of).values_list("asset", "balance_cents")
    sums = [sum(cents for one, cents in found if one == asset) for asset in ("chips", "cash")]
    return [cents for cents in (*sums, sum(sums)) if cents % 10_000]


def everything_that_waits(game):
    """Return every address, with the ids of all that waits in this house, too."""
    several = {
        "document_id": Document.objects.all(),
        "slip_id": CageSlip.objects.filter(result=None),
        "entry_id": JournalEntry.objects.filter(kind="bank_count"),
        "drawer_id": drawers.Drawer.objects.all(),
    }
    sets = [{name: one.pk} for name, found in several.items() for one in found]
    return sorted({*every_address(game), *addresses.of(*sets)})


def every_address(game):
    """Return every address of the house, with the ids of what stands at this table."""
    session = game.fresh_session()
    ids = {"session_id": session.pk, "table_id": session.table_id, "box_id": session.box_id}
    ids |= {"round_id": session.rounds.last().pk, "sitting_id": session.sittings.first().pk}
    ids |= {"player_id": session.sittings.first().player_id, "account_id": session.box.chips_id}
    ids |= {
        "entry_id": JournalEntry.objects.latest("pk").pk,
        "sheet_id": getattr(CountSheet.objects.last(), "pk", 1),
    }
    return addresses.of(*({**ids, "down_id": down} for down in Down.objects.values_list("pk", flat=True)))


def told(client, paths, expected):
    """Return the addresses that tell one of these figures, and how many answered."""
    found, shown = [], 0
    figure = re.compile(rf"(?<![\d.,])(?:{'|'.join(map(re.escape, expected))})(?!\d)")
    for address in paths:
        answer = client.get(address)
        if answer.streaming and answer.is_async:  # live pieces, which are those of the pages
            continue
        shown += answer.status_code == 200
        found += [(address, one) for one in figure.findall(steady(answer))]
    return found, shown


@pytest.fixture
def stopped(one_down, monkeypatch, bare_refusals):
    monkeypatch.setattr(timezone, "now", lambda: one_down.now)


@pytest.mark.parametrize("who", AT_THE_TABLE)
def test_no_address_tells_what_is_expected_before_two_agree(waiting_house, stopped, at, request, who):
    unsaid = ONE + figures(*unsaid_to(who, waiting_house))
    found, shown = told(at(request.getfixturevalue(who)), everything_that_waits(waiting_house), unsaid)
    assert found == []
    assert shown > 5


@pytest.mark.parametrize("who", IN_THE_COUNT_ROOM)
def test_nor_of_several_downs_nor_while_it_is_counted(
    two_downs, stopped, at, request, floor, dealer, counter1, who
):
    box = boxes.pull_box(box=two_downs.session.box, second=dealer, act=Act(floor, two_downs.now))
    enter_count(box, counter1, two_downs.now, chips=500)
    found, shown = told(at(request.getfixturevalue(who)), every_address(two_downs), TWO)
    assert found == []
    assert shown > 5


def test_a_manager_sees_it_before_and_the_cashier_once_the_sheet_is_signed(
    one_down, stopped, at, cashier, manager, floor, dealer, counter1, counter2
):
    box = boxes.pull_box(box=one_down.session.box, second=dealer, act=Act(floor, one_down.now))
    page, day = f"/cashier/boxes/{box.pk}/", "/cashier/day/?day=2026-03-07"
    assert "$56.85" in at(manager).get(page).content.decode()
    for address in (page, day):
        assert "not before the count" in at(cashier).get(address).content.decode()
    count_box(box, (counter1, counter2), one_down.now)
    for address in (page, day):
        text = at(cashier).get(address).content.decode()
        assert "$56.85" in text
        assert "not before the count" not in text
