"""Counts of the vault in a log by hand: each wrong is named, and nothing else."""

import pytest

from tests.support.books_by_hand import codes, run
from tests.support.entries_by_hand import (
    LEFT,
    MAKER,
    OVER_CASH,
    VAULT_CASH,
    VAULT_CHIPS,
    entry,
    vault_counted,
)
from tests.support.log_by_hand import night

LESS = LEFT | {"cash": [[10_000, 52], [100, 4]]}


NO_DOCUMENT = ("no_document", 201)


def before_the_count():
    return night()[:-4]


def more(minute=61):
    """Return an entry that moves the vault and is right but for its document, which is none."""
    line = (OVER_CASH, VAULT_CASH, 100)
    return entry(201, "document_received", minute, line, evidence={"document": 199})


def test_a_count_that_is_right_is_counted_and_nothing_is_wrong():
    found, check = run(night())
    assert (found, check.checked["counts of the vault"]) == ([], 1)


def test_a_difference_that_goes_to_over_short_is_right_and_waits_for_its_sign_off():
    missing = {"transfers": entry(1, "vault_count", 61, (VAULT_CASH, OVER_CASH, 1_000))["transfers"]}
    bodies = [*before_the_count(), *vault_counted(LESS, change=missing)]
    assert codes(bodies) == []
    closed = night()[-1]
    assert ("no_cause", closed["id"]) in codes([*bodies, closed])


def test_two_counts_of_one_amount_in_other_pieces_with_nothing_between_are_named():
    swapped = LEFT | {"chips": [[10_000, 92], [100, 115]]}
    again = vault_counted(swapped, minute=62, number=4)
    first = vault_counted()
    assert codes([*before_the_count(), *first, *again]) == [("pieces_differ", 115)]
    assert (
        codes([*before_the_count(), *vault_counted(swapped), *vault_counted(swapped, minute=62, number=4)])
        == []
    )


@pytest.mark.parametrize("pieces", [LESS, LEFT | {"chips": []}])
def test_a_count_of_something_else_than_the_vault_has_is_named(pieces):
    assert codes([*before_the_count(), *vault_counted(pieces)]) == [("wrong_sum", 114)]


def test_a_difference_that_is_not_the_one_counted_is_named():
    half = {"transfers": entry(1, "vault_count", 61, (VAULT_CASH, OVER_CASH, 500))["transfers"]}
    assert codes([*before_the_count(), *vault_counted(LESS, change=half)]) == [("wrong_sum", 114)]


def test_a_count_moves_the_vault_and_over_short_alone():
    other = {"transfers": entry(1, "vault_count", 61, (MAKER, VAULT_CHIPS, 500))["transfers"]}
    assert codes([*before_the_count(), *vault_counted(change=other)])[0] == ("not_in_chart", 114)


def test_what_moves_the_vault_between_the_two_counts_is_named():
    slip, posted, result = vault_counted(LEFT | {"cash": [[10_000, 52], [100, 15]]})
    assert codes([*before_the_count(), slip, more(), posted, result]) == [NO_DOCUMENT, ("vault_moved", 114)]


def test_a_day_closed_without_a_count_after_what_moved_the_vault_is_named():
    *bodies, closed = night()
    assert ("vault_not_counted", 98) in codes([*bodies, more(62), closed])
    assert ("vault_not_counted", 98) in codes([*before_the_count(), closed])
    tomorrow = more(62) | {"gaming_day": "2026-11-21"}
    assert ("vault_not_counted", 98) not in codes([*bodies, tomorrow, closed])


def test_in_a_part_of_a_log_the_vault_is_known_from_its_first_count_on():
    count, moved = night()[-4:-1], more(62)
    again = vault_counted(LEFT | {"cash": [[10_000, 52], [100, 15]]}, minute=63, number=4)
    assert codes([*count, moved, *again], whole=False) == []
    wrong = vault_counted(minute=63, number=4)
    assert codes([*count, moved, *wrong], whole=False) == [("wrong_sum", 115)]


def opened_so(bodies, way):
    for body in bodies:
        said = body.get("evidence", body)
        said |= {"way": way} if said.get("way") == "in" else {}
    return bodies


def kept(destroyed, way="opening"):
    """The night with a destruction of so many of 80 chips of $25, and a count of the vault that finds 72."""
    said = {"document": 199, "kind": "destruction", "number": 4}
    said |= {"pieces": {"chips": [[2_500, destroyed]], "cash": []}}
    papers = [
        entry(number, "document_received", 60, evidence=said | {"step": step})
        for number, step in ((201, "sent"), (202, "received"))
    ]
    found = LEFT | {"chips": [[10_000, 75], [2_500, 72], [100, 15]]}
    return [*opened_so(before_the_count(), way), *papers, *vault_counted(found)]


def differing(bodies, **options):
    return [one.sentence for one in run(bodies, **options)[0] if one.code == "pieces_differ"]


def test_chips_that_a_false_certificate_destroyed_are_some_too_many_when_they_are_counted():
    found = ["7 more of $25 are counted than there can be: Destruction 4 says that some are gone."]
    assert differing(kept(15)) == found
    assert differing(kept(15)[-7:], whole=False) == []
    assert differing(kept(14)) == []  # they are worth no more than the chips beyond the books
    assert differing(kept(15, way="in")) == []  # a house of version 0.2.0


def found_chips(number=301):
    """Return how $5 came to be held; but for its document it is right."""
    ends = {"from": 301, "from_kind": "transit", "to": 302, "to_kind": "unclaimed"}
    body = entry(number, "document_received", 62, evidence={"document": 199})
    return body | {"transfers": [{"asset": "chips", "cents": 500, **ends}]}


def unclaimed_counted(pieces, day="2026-11-20"):
    slip, posted, result = vault_counted(pieces, minute=63, number=4)
    posted |= {"kind": "unclaimed_count", "gaming_day": day}
    posted["evidence"] = posted["evidence"] | {"way": "unclaimed"}
    return [slip | {"way": "unclaimed"}, posted, result]


def test_a_day_closed_while_unclaimed_chips_are_held_was_counted():
    *bodies, closed = night()
    late = ("unclaimed_not_counted", closed["id"])
    held = [found_chips()]
    assert late in codes([*bodies, *held, closed])
    right = unclaimed_counted({"chips": [[500, 1]], "cash": []}, closed["gaming_day"])
    assert late not in codes([*bodies, *held, *right, closed])
    assert ("wrong_sum", right[1]["id"]) not in codes([*bodies, *held, *right, closed])
    assert late in codes([*bodies, *held, *right, found_chips(302), closed])
    other = unclaimed_counted({"chips": [[500, 2]], "cash": []}, closed["gaming_day"])
    assert ("wrong_sum", other[1]["id"]) in codes([*bodies, *held, *other, closed])
