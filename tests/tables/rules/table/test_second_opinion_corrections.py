"""What a correction moves, asked of somebody slow: who hands over one cent after another,
and writes the rest on slips (R58)."""

from itertools import combinations

from hypothesis import example, given, strategies as st

from tables.rules.table import corrections

SEATS = (1, 2, 3, 4)
payments = st.lists(
    st.tuples(st.sampled_from(SEATS), st.sampled_from(SEATS), st.integers(1, 30)).filter(
        lambda one: one[0] != one[1]
    ),
    max_size=6,
)
stacks = st.dictionaries(st.sampled_from(SEATS), st.integers(0, 40))


def paid_between(one, other, lines):
    """How much one paid the other, less what came back."""
    there = sum(cents for payer, receiver, cents in lines if (payer, receiver) == (one, other))
    back = sum(cents for payer, receiver, cents in lines if (payer, receiver) == (other, one))
    return there - back


def handed_over(before, after, stacks):
    """{(payer, receiver): (owed, moved)}, cent by cent and pair by pair,
    round and round until nobody can give more."""
    owed = {}
    for one, other in combinations(SEATS, 2):
        more = paid_between(one, other, after) - paid_between(one, other, before)
        if more:
            owed[(one, other) if more > 0 else (other, one)] = abs(more)
    purses, moved = dict(stacks), dict.fromkeys(owed, 0)
    even = {
        seat: sum(cents for (by, to), cents in owed.items() if to == seat and by in stacks) for seat in stacks
    }
    for seat in stacks:
        even[seat] += stacks[seat] - sum(
            cents for (by, to), cents in owed.items() if by == seat and to in stacks
        )
    there = [pair for pair in owed if pair[0] in stacks and pair[1] in stacks]
    if all(cents >= 0 for cents in even.values()):
        return {pair: (cents, cents if pair in there else 0) for pair, cents in owed.items()}
    handed = True
    while handed:
        handed = False
        for payer, receiver in there:
            while moved[payer, receiver] < owed[payer, receiver] and purses[payer]:
                purses[payer] -= 1
                purses[receiver] += 1
                moved[payer, receiver] += 1
                handed = True
    return {pair: (cents, moved[pair]) for pair, cents in owed.items()}


@given(payments, payments, stacks)
@example([(1, 2, 10)], [(2, 1, 10)], {1: 5, 2: 20})
@example([], [(1, 2, 20), (2, 3, 20), (3, 1, 20)], {1: 0, 2: 0, 3: 0})  # everybody even: all of it moves
@example([], [(1, 2, 20), (2, 3, 20)], {1: 20, 2: 0, 3: 0, 4: 1})
@example([], [(1, 2, 20), (4, 1, 20)], {1: 0, 2: 0, 4: 10})  # chips that come in late still go out
@example([], [(2, 3, 20), (3, 4, 30), (1, 2, 15)], {1: 10, 2: 0, 3: 0, 4: 0})
def test_r58_as_much_changes_hands_as_there_is(before, after, stacks):
    changes = corrections.plan_changes(corrections.by_pair(before), corrections.by_pair(after), stacks)
    assert {(one.payer, one.receiver): (one.owed, one.moved) for one in changes} == handed_over(
        before, after, stacks
    )
    assert [tuple(sorted(one[:2])) for one in changes] == sorted(tuple(sorted(one[:2])) for one in changes)
    purses = dict(stacks)
    for one in changes:
        if one.moved:
            purses[one.payer] -= one.moved
            purses[one.receiver] += one.moved
    assert all(cents >= 0 for cents in purses.values())
    assert all(
        one.moved == one.owed or not purses[one.payer] for one in changes if {*one[:2]} <= stacks.keys()
    )


@given(payments, st.lists(st.tuples(payments, stacks), min_size=1, max_size=4))
def test_r58_after_every_correction_chips_and_slips_together_come_to_what_is_due(settled, corrected):
    standing, slips = corrections.by_pair(settled), []
    for due, stacks in corrected:
        changes = corrections.plan_changes(standing, corrections.by_pair(due), stacks)
        standing = corrections.standing_after(standing, changes)
        slips += corrections.new_claims(changes, corrections.by_pair(slips))
        chips = corrections.owing(standing)
        for one, other in combinations(SEATS, 2):
            assert paid_between(one, other, chips) + paid_between(one, other, slips) == paid_between(
                one, other, due
            )
        assert all(cents > 0 for _, _, cents in [*slips, *chips])
