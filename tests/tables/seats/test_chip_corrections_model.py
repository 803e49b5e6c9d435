"""Random evenings with wrong entries: after every correction stacks,
statements and the proof say what was really brought."""

from collections import defaultdict

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings, strategies as st

from ledger.errors import LedgerError
from ledger.journal import balances
from ledger.journal.acts import Act
from ledger.models import JournalEntry
from ledger.proof.log import sealing
from tables.errors import TableError
from tables.models import Sitting
from tables.reports.statements import statement
from tables.seats import chip_corrections, tokes
from tables.seats.chip_entries import lines_at
from tests.support.acting import acting
from tests.support.balances import differences
from tests.support.lengths import tries
from tests.support.replayed import bodies
from tests.tables.audit.test_chips import check

NAMES = ("Ann", "Bob", "Cat")
PLAYER = st.sampled_from(NAMES)
CENTS = st.sampled_from((0, 500, 15_000, 20_000, 31_000, 45_000, 50_000))
SOURCE = st.sampled_from(("cash", "chips"))
ACTS = st.one_of(
    st.tuples(st.just("bring"), PLAYER, CENTS, SOURCE),
    st.tuples(st.just("toke"), PLAYER, st.sampled_from((500, 10_000)), SOURCE),
    st.tuples(st.just("leave"), PLAYER, CENTS, SOURCE),
    st.tuples(st.just("move"), PLAYER, CENTS, SOURCE),
    st.tuples(st.just("correct"), st.integers(0, 9), CENTS, SOURCE),
    st.tuples(st.just("correct"), st.integers(0, 9), CENTS, SOURCE),
    st.tuples(st.just("correct"), st.integers(0, 9), CENTS, SOURCE),
)


class Evening:
    """Two tables, and by sitting what was brought there, what was given away,
    and what two people said went out of the door."""

    def __init__(self, game, beside, floor2):
        self.tables, self.floor2 = (game, beside), floor2
        self.brought, self.given = defaultdict(int), defaultdict(int)

    def seated(self, name):
        found = Sitting.objects.select_related("session", "stack").filter(player__name=name, left_at=None)
        sitting = found.first()
        if sitting is None:
            return None, None
        return sitting, next(one for one in self.tables if one.session.pk == sitting.session_id)

    def do(self, act, minute):
        for table in self.tables:
            table.minute(minute)
        what, who, cents, source = act
        if what == "correct":
            self.correct(who, cents, source)
            return
        sitting, table = self.seated(who)
        if what == "bring" and sitting is None:
            home = self.tables[0]
            new = home.buy_in(who, NAMES.index(who) + 1, cents // home.limit, source=source)
            self.brought[new.pk] += cents
        elif sitting is None:
            return
        elif what == "bring" and cents:
            table.add_on(sitting.seat, cents, source=source)
            self.brought[sitting.pk] += cents
        elif what == "toke":
            home = {"key": table.key(), "actor": table.dealer, "now": table.now}
            acting(tokes.give_toke, sitting_id=sitting.pk, cents=cents, **home)
            self.given[sitting.pk] += cents
        elif what == "leave":
            table.cash_out(sitting.seat)
        elif what == "move" and table is self.tables[0]:
            table.move(sitting.seat, self.tables[1], sitting.seat, ordered=True)

    def correct(self, which, cents, source):
        game = self.tables[0]
        standing = [line for table in self.tables for line in lines_at(table.session) if not line.taken_back]
        if not standing:
            return
        line = standing[which % len(standing)]
        chip_corrections.correct_chips(
            entry=JournalEntry.objects.get(pk=line.chips.entry.pk),
            cents=cents,
            source="" if line.chips.kind == "cash_out" else source,
            act=Act(
                reason="counted again", approver=self.floor2, key=game.key(), actor=game.floor, now=game.now
            ),
        )
        if line.chips.kind != "cash_out":
            amounts = self.given if line.chips.kind == "toke" else self.brought
            amounts[line.sitting.pk] += cents - line.chips.cents

    def hold(self):
        """Every stack, statement and record says what was really brought."""
        carried = defaultdict(int)
        found = Sitting.objects.select_related("player", "stack", "session__table__site", "session__sheet")
        for sitting in found.order_by("pk"):
            had = self.brought[sitting.pk] + carried[sitting.pk] - self.given[sitting.pk]
            told = statement(sitting)
            assert told.adds_up
            assert told.totals.bought_in_cents == self.brought[sitting.pk]
            assert told.totals.won_cents == 0
            went = (
                told.totals.cashed_out_cents + told.totals.over_short_cents + told.totals.carried_away_cents
            )
            assert (sitting.stack.balance_cents if sitting.left_at is None else went) == had
            if hasattr(sitting, "moved_to"):
                carried[sitting.moved_to.pk] = told.totals.carried_away_cents
        site = self.tables[0].site
        assert differences(site) == {}
        assert set(balances.asset_sums(site).values()) == {0}
        assert [str(finding) for finding in check(bodies())] == []


@pytest.fixture
def sealed(game):
    """Once, before any evening: a checkpoint that went out of the books outlives what is rolled back."""
    sealing.seal(game.site, now=game.now)


@pytest.mark.usefixtures("sealed")
@settings(
    max_examples=tries(15, 6),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(acts=st.lists(ACTS, min_size=4, max_size=14))
def test_whatever_is_entered_wrongly_and_corrected_the_books_end_as_if_it_had_been_right(
    game, beside, floor2, acts
):
    with transaction.atomic():
        evening = Evening(game, beside, floor2)
        for minute, act in enumerate(acts, 1):
            try:
                with transaction.atomic():
                    evening.do(act, minute)
            except (TableError, LedgerError):
                continue  # nothing has happened
        evening.hold()
        transaction.set_rollback(True)
