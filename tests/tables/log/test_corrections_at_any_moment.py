"""R58: whatever round is corrected at whatever later moment, in whatever game, at one table or at two between
which players move (R55), honest books verify, offline and live."""

import random

import pytest

from ledger.proof.log import sealing, verifying
from tables.state.table_state import state_of
from tests.support.corrected import GAMES, CorrectedNight, CorrectedTable, tables_of
from tests.support.game import HANDS, PLAIN
from tests.support.kept import kept
from tests.support.lengths import CORRECTED_NIGHTS, LONG
from tests.support.race import STAKE, laid, wins
from tests.support.replayed import bodies, replayed

SLICES = 12 if LONG else 4


def findings(table):
    """What the offline check says of the log, and of parts of it that begin later,
    and the live check of the books."""
    records = bodies()
    found, checked = replayed(records)
    for first in range(1, len(records), max(len(records) // SLICES, 1)):
        found += replayed(records[first:], whole=False, first=first)[0]
    sealing.seal(table.site, now=table.now)
    found += verifying.Verification(table.site).run()
    return [str(finding) for finding in found], checked


@pytest.mark.parametrize("seed", range(CORRECTED_NIGHTS))
def test_r58_a_night_of_corrections_verifies_offline_and_live(table_of, floor2, seed):
    rng = random.Random(seed)
    tables = tables_of(table_of, GAMES[seed % len(GAMES)], rng)
    CorrectedNight(tables, floor2, rng).play()
    found, checked = findings(tables[0])
    assert found == []
    assert checked.get("corrections") or seed >= len(GAMES), "the first night of each game has some"


def play_on(table, rounds):
    """Rounds that Bob wins: of the match that runs, or of the next one."""
    for _ in range(rounds):
        runs = state_of(table.fresh_session()).match is not None
        wins(table, 2, stake=None if runs else STAKE)


@kept
def won(table_of):
    """A match that Ann has won, in three rounds."""
    table = table_of("first-to-11")
    table.seat("Ann", "Bob", "Cat", "Dan")
    table.played = [wins(table, 1, stake=STAKE), wins(table, 1), wins(table, 1)]
    return table


@pytest.mark.parametrize("at", [0, 2])
@pytest.mark.parametrize("rounds_of_the_next", [0, 1])
def test_r58_the_match_after_a_won_one_stays_right_whatever_is_corrected(won, floor2, at, rounds_of_the_next):
    """Cards of an earlier round move nothing; those of the last one take the win back,
    as long as no other match has begun."""
    play_on(won, rounds_of_the_next)
    won.approve(won.ask(won.played[at], laid(won.played[at], seat2=PLAIN)), actor=floor2)
    play_on(won, 3)
    assert findings(won)[0] == []


@pytest.mark.parametrize("comes", [True, False])
def test_r58_a_match_goes_on_after_a_correction_without_who_has_left(won, floor2, comes):
    won.cash_out(4)
    if comes:
        won.buy_in("Eve", 4)
    won.approve(won.ask(won.played[2], laid(won.played[2], seat2=PLAIN)), actor=floor2)
    play_on(won, 3)
    won.approve(won.ask(won.played[1], laid(won.played[1], seat3=PLAIN)), actor=floor2)
    assert findings(won)[0] == []


def test_r58_points_that_were_asked_for_are_no_correction_of_cards_that_turned_up(game, floor2):
    game.seat("Ann", "Bob", "Cat", "Dan")
    round_ = game.start()
    assert CorrectedTable(game, floor2, random.Random(1)).ask_points(round_) is not None
    game.settle(round_)
    game.approve(game.ask(round_, HANDS[::-1]), actor=floor2)
    assert findings(game)[0] == []
