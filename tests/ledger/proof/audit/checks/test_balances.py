"""The balances that are worked out of a log, against a model of them."""

from hypothesis import given, settings, strategies as st

from tests.support.books_by_hand import codes, run
from tests.support.entries_by_hand import ANNA, BANK_CHIPS, BERT, entry
from tests.support.lengths import tries
from tests.support.log_by_hand import night


@settings(max_examples=tries(100), deadline=None)
@given(st.lists(st.tuples(st.sampled_from([ANNA, BERT]), st.integers(1, 30_000)), max_size=30))
def test_balances_follow_the_transfers_and_the_first_entry_below_zero_is_named(payments):
    held = {ANNA: 20_000, BERT: 15_000}
    bodies, low = night()[:19], None
    for number, (payer, cents) in enumerate(payments, 200):
        receiver = ANNA + BERT - payer
        bodies.append(entry(number, "round", 10, (payer, receiver, cents)))
        held[payer] -= cents
        held[receiver] += cents
        if low is None and held[payer] < 0:
            low = ("below_zero", number)
    found = codes(bodies)
    assert found[:1] == ([low] if low else [])
    _, check = run(bodies)
    assert {account: check.balances.get(account, 0) for account in (ANNA, BERT)} == held
    assert sum(check.balances.values()) == 0
    assert check.balances[BANK_CHIPS] == 180_000
