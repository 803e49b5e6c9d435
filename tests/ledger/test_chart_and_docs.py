"""The chart is whole, and docs/ledger.md prints what the code does: table, columns, and a night's figures."""

import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ledger.cage import boxes
from ledger.chart import (
    ALLOWED,
    ANY_LINE,
    EVENTS,
    MAY_BE_NEGATIVE,
    ONE_PER_SITE,
    TITLES,
    AccountKind,
    EntryKind,
)
from ledger.journal import balances
from ledger.journal.acts import Act
from ledger.journal.posting import (
    EntryDraft,
    Move,
    close_account,
    house_account,
    mirror,
    open_account,
    post,
    post_all,
)
from ledger.models import Drawer
from ledger.money import amount_text
from ledger.reports import journal_csv, trial_balance
from tests.support.acting import acting, recorded_at
from tests.support.cage import give_drawer, redeem, sell, stock
from tests.support.counting import count_box

DOCS = (Path(__file__).parents[2] / "docs" / "ledger.md").read_text()


def test_every_kind_of_entry_is_in_the_chart():
    assert set(EVENTS) == set(EntryKind)
    assert set(ALLOWED) == set(EntryKind)


def test_every_line_of_the_chart_joins_two_places():
    for event in EVENTS.values():
        assert len(event.lines) == len(set(event.lines))
        stacks = {EntryKind.ROUND, EntryKind.HAND_SETTLEMENT, EntryKind.TABLE_MOVE}
        from_stack_to_stack = event.kind in stacks
        assert all(line.source != line.target for line in event.lines) or from_stack_to_stack


def test_only_reversals_corrections_settlements_by_hand_and_chips_beyond_the_books_need_approval():
    approved = {event.kind for event in EVENTS.values() if event.approved}
    assert approved == {"reversal", "correction", "hand_settlement", "chips_beyond_books"}
    assert {event.kind for event in EVENTS.values() if event.mirror} == {"reversal", "undo"}
    assert ALLOWED["correction"] == ANY_LINE


def test_places_that_may_be_negative_are_no_drawers():
    assert {"public", "bank", "chip_maker", "over_short"} == MAY_BE_NEGATIVE
    assert MAY_BE_NEGATIVE < ONE_PER_SITE


def test_fees_from_the_stack_go_into_the_box_and_nowhere_else():
    assert ("stack", "drop_box", "chips") in ALLOWED["collection"]
    assert ("stack", "vault", "chips") not in ALLOWED["collection"]


def chart_table():
    yield "| kind | event | from | to | asset | what it stands for |"
    yield "|---|---|---|---|---|---|"
    for event in EVENTS.values():
        for line in event.lines:
            yield (
                f"| `{event.kind}` | {event.title} | {line.source} | {line.target} | {line.asset} |"
                f" {line.meaning} |"
            )


def test_every_kind_of_account_has_a_title_of_its_own():
    assert set(TITLES) == set(AccountKind)
    assert len(set(TITLES.values())) == len(TITLES)


def test_the_documentation_prints_the_chart():
    assert "\n".join(chart_table()) in DOCS


@pytest.mark.parametrize("column", journal_csv.COLUMNS)
def test_the_documentation_explains_every_column_of_the_journal(column):
    assert f"| `{column}` |" in DOCS


# --- The night in the documentation


def at(day, hour, minute=0):
    """Hour of the UTC clock; Los Angeles is seven hours behind until 1 November 2026, 09:00 UTC, then
    eight."""
    return datetime(2026, *day, hour, minute, tzinfo=UTC)


class Night:
    def __init__(self, site, dealer, floor, floor2, cashier):
        self.site, self.dealer, self.floor, self.floor2, self.cashier = site, dealer, floor, floor2, cashier
        self.keys = 0

    def house(self, kind, asset):
        return house_account(self.site, kind, asset).pk

    def draft(self, kind, occurred, *moves, **more):
        self.keys += 1
        given = {"actor": self.dealer, "now": occurred, "evidence": {}, "content": {}, **more}
        moves = tuple(Move(*move) for move in moves)
        return acting(
            EntryDraft, key=f"{kind}-{self.keys}", kind=kind, occurred_at=occurred, moves=moves, **given
        )

    def post(self, kind, occurred, *moves, recorded=None, **more):
        return post(
            site=self.site,
            draft=recorded_at(self.draft(kind, occurred, *moves, **more), recorded or occurred),
        )

    def open(self, kind, asset, label, now):
        return open_account(site=self.site, kind=kind, asset=asset, label=label, now=now)

    def evening(self):
        """18:00 to 23:30 on Saturday, 31 October: Table 3 opens, two play, it closes."""
        site, now = self.site, at((11, 1), 1)
        by = {"by": self.cashier, "second": self.floor, "now": now}
        stock(site, chips=50_000_00, cash=20_000_00, **by)
        give_drawer(site, chips=5_000_00, cash=5_000_00, **by)
        now = at((11, 1), 2)
        chips, cash = (self.open("table_bank", asset, "Table 3", now) for asset in ("chips", "cash"))
        way = self.open("transit", "chips", "Opener 1", now)
        self.post("document_sent", now, (self.house("vault", "chips"), way.pk, 2_000_00))
        self.post("document_received", now, (way.pk, chips.pk, 2_000_00))
        close_account(way, now)
        box = boxes.install_box(site=site, place="Table 3", act=Act(actor=self.floor, now=now))
        sell(site=site, cents=500_00, act=Act(actor=self.cashier, now=now, key="sale"))
        now = at((11, 1), 2, 5)
        ann, bob = (self.open("stack", "chips", f"{who}, Table 3", now) for who in ("Ann", "Bob"))
        outside_chips, outside_cash = self.house("patrons", "chips"), self.house("public", "cash")
        self.post("buy_in", now, (outside_cash, cash.pk, 300_00), (chips.pk, ann.pk, 300_00))
        self.post("buy_in", now, (outside_chips, bob.pk, 500_00))
        self.post("collection", now, (ann.pk, box.chips_id, 10_00))
        self.post("collection", now, (outside_cash, box.cash_id, 10_00))
        wrong = self.post("round", at((11, 1), 2, 20), (bob.pk, ann.pk, 45_00))
        approved = {"actor": self.floor, "approver": self.floor2, "reason": "Middle hand misread"}
        now = at((11, 1), 2, 40)
        back = [(move.source, move.target, move.cents) for move in mirror(wrong)]
        drafts = [
            self.draft("reversal", now, *back, reverses=wrong, **approved),
            self.draft("correction", now, (bob.pk, ann.pk, 35_00), **approved),
        ]
        post_all(site=site, drafts=drafts)
        now = at((11, 1), 6)
        for stack, cents in ((ann, 325_00), (bob, 465_00)):
            self.post("cash_out", now, (stack.pk, outside_chips, cents))
            close_account(stack, now)
        redeem(site=site, cents=225_00, act=Act(actor=self.cashier, now=now, key="ann"))
        redeem(site=site, cents=465_00, act=Act(actor=self.cashier, now=now, key="bob"))
        now = at((11, 1), 6, 30)
        self.post("bank_count", now, approver=self.floor2)
        banks = ((chips, 1_700_00), (cash, 300_00))
        ways = [self.open("transit", bank.asset, "Closer 1", now) for bank, _ in banks]
        there = zip(banks, ways, strict=True)
        self.post("document_sent", now, *((bank.pk, way.pk, cents) for (bank, cents), way in there))
        back = ((self.house("vault", bank.asset), cents) for bank, cents in banks)
        received = zip(ways, back, strict=True)
        self.post("document_received", now, *((way.pk, vault, cents) for way, (vault, cents) in received))
        for account in (chips, cash, *ways):
            close_account(account, now)
        return boxes.pull_box(box=box, second=self.dealer, act=Act(actor=self.floor, now=now))

    def morning(self, box, counter1, counter2):
        """10:00 on Sunday, 1 November: Box 1 is counted twice and signed off."""
        now = at((11, 1), 18)
        count_box(box, (counter1, counter2), now, chips=10_00, cash=5_00)
        boxes.sign_off(
            box=box, cause="Five-dollar note not found", act=Act(actor=self.cashier, key="drop", now=now)
        )

    def monday(self):
        """2 November: a redemption of Saturday, 23:10, that nobody had written down."""
        drawer = Drawer.objects.get()
        cash, chips = drawer.cash_id, drawer.chips_id
        moves = (
            (self.house("patrons", "chips"), chips, 100_00),
            (cash, self.house("public", "cash"), 100_00),
        )
        recorded = at((11, 2), 18)
        return self.post("chip_redemption", at((11, 1), 6, 10), *moves, actor=self.cashier, recorded=recorded)


def balance_lines(site):
    for row in trial_balance.trial_balance(site):
        yield f"{row.asset:<6}{row.label:<18}{amount_text(row.balance_cents):>12}".rstrip()


def journal(site, day):
    return list(csv.DictReader(b"".join(journal_csv.blocks(site, day)).decode().splitlines()))


def in_docs(lines):
    block = "\n".join(lines)
    assert f"```\n{block}\n```" in DOCS, f"docs/ledger.md should say:\n{block}"


def test_the_night_in_the_documentation_adds_up(site, dealer, floor, floor2, cashier, counter1, counter2):
    night = Night(site, dealer, floor, floor2, cashier)
    box = night.evening()
    in_docs(balance_lines(site))
    night.morning(box, counter1, counter2)
    in_docs(balance_lines(site))
    late = night.monday()
    in_docs(balance_lines(site))
    assert (late.gaming_day.isoformat(), late.recorded_at.date().isoformat()) == ("2026-10-31", "2026-11-02")
    named = {str(account.pk): account.label for account in site.accounts.all()} | {"": "-"}
    in_docs(
        f"{row['kind']:<18}{named[row['from']]:<16}{named[row['to']]:<16}{row['asset']:<6}"
        f"{row['amount']:>10}".rstrip()
        for row in journal(site, late.gaming_day)
    )
    assert journal(site, late.recorded_at.date()) == []
    assert balances.asset_sums(site) == {"chips": 0, "cash": 0}
