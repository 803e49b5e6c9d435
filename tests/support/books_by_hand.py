"""The books of a night by hand, and what the check of the books finds in them."""

from ledger.audit.checks.books import BooksCheck
from ledger.audit.findings import name_of
from tests.support.log_by_hand import CAGE_CASH, CAGE_CHIPS, OUT_CASH, OUT_CHIPS, changed, entry


def run(bodies, *, whole=True):
    check = BooksCheck(whole=whole)
    found = [finding for leaf, body in enumerate(bodies) for finding in check.take(leaf, body)]
    return [*found, *check.finish()], check


def codes(bodies, **options):
    """What is found, each with the id of the record that is named."""
    found, _ = run(bodies, **options)
    assert all(finding.record == name_of(bodies[finding.leaf]) for finding in found)
    return [(finding.code, bodies[finding.leaf]["id"]) for finding in found]


def before_closing(kind, number, change):
    """The night with one record changed, up to the closing of its day, whose sums would be others as well."""
    return changed(kind, number, change)[:-1]


def sale(number, minute, cents=1, **more):
    """Chips that the cage sold for as much cash."""
    return entry(
        *(number, "chip_sale", minute, (OUT_CASH, CAGE_CASH, cents), (CAGE_CHIPS, OUT_CHIPS, cents)), **more
    )


def field(**more):
    def change(body):
        body.update(more)

    return change
