"""Fixtures of the books beside the cast: a stocked cage, two players' stacks, and posting in one line."""

from contextlib import suppress
from datetime import UTC, date, datetime
from itertools import count

import pytest

from ledger.cage import boxes
from ledger.errors import LedgerError, NoBoxWaits, SheetBegun
from ledger.journal import closing
from ledger.journal.acts import Act
from ledger.journal.posting import EntryDraft, Move, house_account, open_account, post, post_all
from ledger.models import Account, JournalEntry
from tests.support.acting import acting
from tests.support.cage import close_cage, give_drawer, in_pockets, pieces, stock
from tests.support.counting import begin_sheet
from tests.support.evidence import evidence_of
from tests.support.kept import kept


@pytest.fixture
def now():
    """A Saturday evening in Los Angeles, eight o'clock."""
    return datetime(2026, 11, 22, 4, 0, tzinfo=UTC)


@pytest.fixture
def house(site):
    """`house("vault", "chips")`: the id of the site's own account; of a drawer that of the open one."""

    def find(kind, asset="chips"):
        if kind == "drawer":
            return Account.objects.get(site=site, kind=kind, asset=asset, closed_at=None).pk
        return house_account(site, kind, asset).pk

    return find


@kept
def stocked(site, cashier, floor, now):
    """The site with $40,000 in chips and $10,000 in cash in the vault, $10,000 of each in a drawer."""
    stock(site, chips=5_000_000, cash=2_000_000, by=cashier, second=floor, now=now)
    give_drawer(site, chips=1_000_000, cash=1_000_000, by=cashier, second=floor, now=now)
    return site


@kept
def saturday(stocked, cashier, floor):
    """The stocked house after its Saturday was closed, on Sunday morning."""
    morning = datetime(2026, 11, 22, 14, 30, tzinfo=UTC)
    close_cage(stocked, morning)
    act = Act(actor=cashier, approver=floor, now=morning, key="close")
    closing.close_day(site=stocked, day=date(2026, 11, 21), act=act)
    return stocked


@pytest.fixture
def draft(dealer, cashier, now):
    """`draft(key, kind, (source, target, cents), ...)`: an entry to be posted, by the dealer, or at the
    window by the cashier."""

    def make(key, kind, *moves, **changes):
        said = evidence_of(kind)
        if moves and "cents" in said:
            said["cents"] = moves[0][2]
        actor = cashier if kind in ("chip_sale", "chip_redemption") else dealer
        given = {"occurred_at": now, "actor": actor, "now": now, "evidence": said, "content": {}, **changes}
        return acting(EntryDraft, key=key, kind=kind, moves=tuple(Move(*move) for move in moves), **given)

    return make


@kept
def stacks(stocked, house, draft, cashier, floor, now):
    """Ann's and Bob's stacks, $1,000 in chips each."""
    opened = []
    in_pockets(stocked, 200_000, by=cashier, second=floor, now=now)
    for name in ("Ann", "Bob"):
        stack = open_account(site=stocked, kind="stack", asset="chips", label=f"Stack of {name}", now=now)
        bought = draft(f"buy-in {name}", "buy_in", (house("patrons"), stack.pk, 100_000))
        post(site=stocked, draft=bought)
        stack.refresh_from_db()
        opened.append(stack)
    return opened


@kept
def box(stocked, floor, now):
    """The empty drop box at Table 3."""
    return boxes.install_box(site=stocked, place="Table 3", act=Act(actor=floor, now=now))


@kept
def filled(box, stacks, house, draft, now):
    """The box at Table 3 with $25 in chips (from Ann and Bob) and $15 in cash; not pulled yet."""
    ann, bob = stacks
    fees = (
        (ann.pk, box.chips_id, 1500),
        (bob.pk, box.chips_id, 1000),
        (house("public", "cash"), box.cash_id, 1500),
    )
    for number, fee in enumerate(fees):
        post(site=box.site, draft=draft(f"fee {number}", "collection", fee))
    return box


@kept
def pulled(filled, floor, dealer, now):
    return boxes.pull_box(box=filled, second=dealer, act=Act(actor=floor, now=now))


@pytest.fixture
def count_of(now):
    """`count_of(box, who, chips, cash)`: somebody's count, with a key of its own, on the day's sheet."""
    keys = count()

    def enter(box, who, chips, cash, key=None):
        key = key or f"count {next(keys)}"
        with suppress(NoBoxWaits, SheetBegun):
            begin_sheet(box, who, now)
        found = pieces(box.site, chips=chips, cash=cash)
        return boxes.enter_count(box=box, pieces=found, act=Act(actor=who, key=key, now=now))

    return enter


@pytest.fixture
def refused(now, stocked):
    """`refused(code, *drafts)`: these are refused with this code, and the books stay as they were."""

    def check(code, *drafts, site=stocked):
        before = list(Account.objects.order_by("pk").values_list("pk", "balance_cents"))
        entries = JournalEntry.objects.count()
        with pytest.raises(LedgerError) as error:
            post_all(site=site, drafts=list(drafts))
        assert error.value.code == code
        assert list(Account.objects.order_by("pk").values_list("pk", "balance_cents")) == before
        assert JournalEntry.objects.count() == entries

    return check
