"""Who has won a match and who pays, asked of somebody slow:
who keeps the whole score sheet and reads it anew each time (R42, R58)."""

from hypothesis import example, given, strategies as st

from tables.rules.game.matches import (
    MatchPayment,
    MatchTerms,
    Win,
    lacks_points,
    paying_stacks,
    settle_in_match,
    total_points,
)

RACE_TO, STAKE = 5, 700
PLAYERS = (1, 3, 4)
scores = st.fixed_dictionaries({}, optional={seat: st.integers(0, 4) for seat in (1, 2, 3, 4)})
stacks = st.fixed_dictionaries({seat: st.integers(0, 1000) for seat in PLAYERS})
buttons = st.integers(1, 5)


def walk(start):
    """The seats as one meets them, going round the table from `start` on."""
    seat = start
    for _ in range(5):
        yield seat
        seat = 1 if seat == 5 else seat + 1


def who_is_there(sheet, button):
    """The winner by the score sheet, its rows being rounds: most points of those who have enough,
    met first from the buttons."""
    sums = {seat: sum(row.get(seat, 0) for row in sheet) for seat in PLAYERS}
    there = [points for points in sums.values() if points >= RACE_TO]
    if not there:
        return None
    return next(seat for seat in walk(button) if sums.get(seat) == sorted(there)[-1])


def bills(won_by, stacks):
    """What each other player lays before the winner, coin by coin, from the winner's left."""
    for seat in walk(won_by):
        if seat in stacks and seat != won_by:
            coins = 0
            while coins < STAKE and coins < stacks[seat]:
                coins += 1
            yield MatchPayment(seat, won_by, STAKE, coins)


@given(
    st.lists(scores, min_size=1, max_size=6), st.integers(0, 5), buttons, stacks, st.booleans(), st.booleans()
)
@example(
    [{1: 4}, {3: 4}, {1: 1, 3: 1}], 2, 2, dict.fromkeys(PLAYERS, 1000), False, False
)  # two there at once
@example([{1: 4}, {1: 4}], 1, 2, {1: 0, 3: 500, 4: 700}, False, False)
@example([{1: 4}, {1: 4}], 1, 2, {1: 0, 3: 500, 4: 700}, True, False)
def test_r42_a_settlement_makes_of_a_match_what_the_score_sheet_says(
    sheet, place, button, stacks, over, first
):
    place %= len(sheet)
    others = sheet[:place] + sheet[place + 1 :]
    terms = MatchTerms(RACE_TO, STAKE, button, stacks)
    replaced = None if first else Win(PLAYERS[0], (MatchPayment(3, 1, STAKE, 1),))
    found = settle_in_match(total_points(PLAYERS, others), sheet[place], terms, replaced=replaced, over=over)
    assert found.before == {seat: sum(row.get(seat, 0) for row in others) for seat in PLAYERS}
    assert found.after == {seat: sum(row.get(seat, 0) for row in sheet) for seat in PLAYERS}
    won_by = None if over else who_is_there(sheet, button)
    assert found.win == (None if won_by is None else Win(won_by, tuple(bills(won_by, stacks))))


@given(st.lists(scores, max_size=4), scores, buttons, stacks, st.sampled_from(PLAYERS), st.booleans())
def test_r58_once_another_match_has_begun_a_win_stays_as_it_was_paid_whatever_the_points(
    others, scored, button, stacks, seat, was_won
):
    terms = MatchTerms(RACE_TO, STAKE, button, stacks)
    paid = Win(seat, tuple(bills(seat, dict.fromkeys(PLAYERS, 3))))
    replaced = paid if was_won else None
    found = settle_in_match(
        total_points(PLAYERS, others), scored, terms, replaced=replaced, over=True, past=True
    )
    assert found.win is replaced


@given(st.dictionaries(buttons, st.integers(0, 99)), stacks)
def test_r42_whoever_was_dealt_in_pays_from_the_stack_the_round_began_with(dealt, present):
    for seat, cents in paying_stacks(dealt, present).items():
        assert cents == (dealt[seat] if seat in dealt else present[seat])
    assert [*paying_stacks(dealt, present)] == [*present]


@given(st.lists(scores, max_size=6), st.none() | st.sampled_from(PLAYERS))
def test_r42_a_winner_lacks_points_who_is_not_among_those_with_enough_on_the_sheet(sheet, won_by):
    enough = [seat for seat in PLAYERS if sum(row.get(seat, 0) for row in sheet) >= RACE_TO]
    lacks = lacks_points(won_by, total_points(PLAYERS, sheet), RACE_TO)
    assert lacks == (won_by in PLAYERS and won_by not in enough)
