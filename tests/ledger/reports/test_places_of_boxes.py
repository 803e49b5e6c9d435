"""A box stands with whoever has it, as its receipts say."""

from ledger.cage import box_custody
from ledger.cage.seals import Pulling
from ledger.journal.acts import Act
from ledger.reports.places import places_now


def where(box):
    """Return the outer place of a box, and who holds it."""
    for outer, inside in places_now(box.site, {}).folds:
        for row in inside:
            if row.place is not None and row.place.account == box.chips_id:
                return outer.title, row.place.holders
    return None


def test_a_pulled_box_is_with_who_pulled_it_then_where_it_was_received(pulled, floor, dealer, counter1, now):
    assert where(pulled) == ("With runners", (floor, dealer))
    brought = Act(counter1, now, "brought", approver=floor)
    box_custody.receive_box(box=pulled, place="count_room", read=Pulling(), act=brought)
    assert where(pulled) == ("Count room", (counter1,))
