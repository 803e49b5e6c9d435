"""How much may be brought, and who is short, asked of somebody slow:
who counts chips of one point into piles (R52, R53)."""

from datetime import UTC, datetime, timedelta

from hypothesis import example, given, strategies as st

from tables.rules.table import buy_ins

NOW = datetime(2026, 11, 22, 4, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
limits = st.sampled_from([100, 150, 500, 1000, 10_000])
amounts = st.integers(0, 2_000_000)
nearby = st.integers(-2, 2)


def pile(points, limit):
    """So many chips of one point each."""
    return sum([limit] * points)


def wishes(limit, maximum, announced, stays):
    """What R52 asks of a first buy-in, sentence by sentence: what it has to reach, and what it may reach."""
    reach, allowed = [pile(30, limit)], [maximum]
    if announced is not None:
        allowed.append(announced)
    if stays:
        fewest = stays[0]
        for cents in stays[1:]:
            fewest = cents if cents < fewest else fewest
        reach.append(fewest)
        allowed.append(fewest)
    return reach, allowed


@given(
    limits, amounts, st.none() | amounts, st.lists(amounts, max_size=3), st.booleans(), st.booleans(), nearby
)
@example(500, 50_000, None, [60_000], False, True, 0)  # above the maximum, for that is what was taken away
@example(500, 50_000, 80_000, [], True, False, 0)
@example(500, 50_000, None, [60_000, 20_000], False, False, 0)
def test_r52_a_first_buy_in_reaches_all_that_it_has_to_and_something_that_it_may(
    limit, maximum, announced, stays, low, own, beside
):
    reach, allowed = wishes(limit, maximum, announced, stays)
    cents = (stays[-1] if own and stays else min(reach) if low else max(allowed)) + beside
    bounds = buy_ins.buy_in_bounds(
        limit, buy_ins.most_on_a_stack(maximum, announced), buy_ins.taken_away(iter(stays))
    )
    wrong = buy_ins.wrong_buy_in(cents, bounds)
    if any(cents < one for one in reach):
        assert wrong == "buy_in_too_small"
    elif all(cents > one for one in allowed):
        assert wrong == "buy_in_too_large"
    else:
        assert wrong is None


@given(limits, amounts, amounts, st.booleans(), nearby)
def test_r52_looked_at_later_chips_that_were_carried_on_ask_for_nothing_and_may_all_come_back(
    limit, maximum, cents, carried, beside
):
    reach, allowed = wishes(limit, maximum, None, [cents])
    reach = reach[:1] if carried else reach
    bounds = buy_ins.buy_in_bounds(limit, maximum, buy_ins.taken_away_then(cents, carried=carried))
    for asked in (cents + beside, max(reach) + beside, max(allowed) + beside):
        right = all(asked >= one for one in reach) and any(asked <= one for one in allowed)
        assert (buy_ins.wrong_buy_in(asked, bounds) is None) is right


@given(amounts, amounts, amounts, nearby)
def test_r52_an_add_on_is_as_much_as_there_is_room_for(stack, cents, most, beside):
    for added in (cents, max(most - stack, 0) + beside):
        room = most - stack
        assert (buy_ins.wrong_add_on(stack, added, most) is None) is (added <= room)


@given(limits, st.integers(0, 12), nearby, st.integers(0, 5_000))
def test_r53_a_stack_of_nine_piles_of_one_point_is_dealt_in(limit, points, beside, fee):
    stack, piles, left = max(pile(points, limit) + beside, 0), 0, max(pile(points, limit) + beside, 0)
    while left >= limit:
        left, piles = left - limit, piles + 1
    assert buy_ins.is_short(stack, limit) is (piles < 9)
    assert buy_ins.nine_points(limit) == pile(9, limit)
    assert buy_ins.is_short(pile(9, limit) + fee - 1, limit) is (fee == 0)


@given(st.integers(0, 300), st.integers(0, 300))
@example(120, 120)  # at the very end of the interval
def test_r52_who_left_within_the_interval_comes_back(minutes_ago, interval):
    walked = [NOW - MINUTE * minute for minute in range(interval + 1)]
    assert (NOW - MINUTE * minutes_ago >= buy_ins.came_back_since(NOW, interval)) is (
        NOW - MINUTE * minutes_ago in walked
    )
