"""What is taken back under a slip, in a log by hand: sales and the like, and never anything else."""

import pytest

from tests.support.books_by_hand import codes, sale
from tests.support.entries_by_hand import (
    ANNA,
    BANK,
    BERT,
    BOX_CASH,
    BOX_CHIPS,
    DRAWER_CASH,
    DRAWER_CHIPS,
    MAKER,
    OVER_CASH,
    PATRONS,
    PUBLIC,
    VAULT_CASH,
    VAULT_CHIPS,
    entry,
)
from tests.support.log_by_hand import drawer, night

SALE = ((DRAWER_CASH, PUBLIC, 500), (PATRONS, DRAWER_CHIPS, 500))


def back(of, reverses, *lines, minute=16, **more):
    """The reversal of an entry as if it were something at the window."""
    evidence = {"of": of, "reverses": reverses, "slip": 1}
    signed = {"approver": 4, "reason": "it was another patron"}
    return entry(300, "reversal", minute, *lines, reverses=reverses, evidence=evidence, **signed | more)


def test_a_sale_is_taken_back_under_a_slip():
    bodies = [*night()[:13], *drawer(3), sale(200, 15, 500)]
    assert codes([*bodies, back("chip_sale", 200, *SALE)]) == []


@pytest.mark.parametrize("of", ["chip_redemption", "round", "drawer_issue", "nothing"])
def test_a_slip_that_says_another_kind_than_its_entry_is_named(of):
    bodies = [*night()[:13], *drawer(3), sale(200, 15, 500)]
    assert ("wrong_slip", 300) in codes([*bodies, back(of, 200, *SALE)])


ENTRIES = {
    "float_issue": (100, (VAULT_CHIPS, MAKER, 1_000_000), (VAULT_CASH, BANK, 500_000)),
    "drawer_issue": (97, (DRAWER_CHIPS, VAULT_CHIPS, 50_000)),
    "buy_in": (103, (BERT, PATRONS, 15_000)),
    "round": (105, (ANNA, BERT, 9_000)),
    "drop": (113, (VAULT_CHIPS, BOX_CHIPS, 1500), (VAULT_CASH, BOX_CASH, 1400), (OVER_CASH, BOX_CASH, 100)),
}


@pytest.mark.parametrize("said", ["itself", "chip_sale"])
@pytest.mark.parametrize("kind", ENTRIES)
def test_what_no_slip_takes_back_is_named_whatever_the_slip_says_of_it(kind, said):
    number, *lines = ENTRIES[kind]
    bodies = [body for body in night()[:-1] if body.get("reverses") is None and "corrects" not in str(body)]
    taken = back(kind if said == "itself" else said, number, *lines, minute=70)
    assert ("wrong_slip", 300) in codes([*bodies, taken])


def test_in_a_part_of_a_log_a_slip_of_an_older_entry_that_none_takes_back_is_named_by_what_it_says():
    taken = [back("round", 105, (ANNA, BERT, 9_000)), back("chip_sale", 105, (ANNA, BERT, 9_000))]
    assert [codes([night()[0], one], whole=False) for one in taken] == [[("wrong_slip", 300)], []]
