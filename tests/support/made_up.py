"""How the page of a drop box makes up what is expected in it, by the columns of the reconciliation."""

from ledger.money import amount_text
from tables.reports.day_reconciliation import box_sums
from tables.reports.reconciliation import collections_in

_ADDS = ("full_amount", "half_amount", "of_elsewhere")
_TAKES = ("waived_amount", "uncollected_amount", "window_amount", "still_due", "in_other_boxes")


def of_page(box):
    """Return how the page of a box makes up what is expected in it, by the columns of the paper."""
    sums = box_sums(box, list(collections_in((box.chips_id, box.cash_id))))
    its = sums.charged
    cents = {
        "full_amount": its.full_cents,
        "half_amount": its.half_cents,
        "waived_amount": its.waived_cents,
        "uncollected_amount": its.uncollected_cents,
        "window_amount": its.cage_cents,
        "recovered_amount": sums.recovered_cents,
        "still_due": its.due_cents,
        "in_other_boxes": sums.elsewhere_cents,
        "of_elsewhere": sums.others_cents,
        "expected": sums.expected_cents,
    }
    fees = ("full", "half", "waived", "uncollected")
    counts = {f"{name}_fees": str(getattr(its, name)) for name in fees}
    return {name: amount_text(one) for name, one in cents.items()} | counts


def shown_on(line, names):
    """Return these figures of a line of the paper, which leaves out what is nothing."""
    return {name: line[name] or ("0" if name.endswith("_fees") else "0.00") for name in names}


def adds_up(line):
    """Return whether what a line says of the fees comes to what it expects."""
    of = {name: round(float(line[name] or 0) * 100) for name in (*_ADDS, *_TAKES, "expected")}
    return sum(of[name] for name in _ADDS) - sum(of[name] for name in _TAKES) == of["expected"]
