"""The books of a night by hand, and the findings of the check of the books."""

from ledger.proof.audit.checks.books import BooksCheck
from ledger.records.findings import name_of
from tests.support.entries_by_hand import DRAWER_CASH, DRAWER_CHIPS, PATRONS, PUBLIC, entry, receipted
from tests.support.log_by_hand import changed


def run(bodies, *, whole=True, **given):
    check = BooksCheck(whole=whole, **given)
    found = [finding for leaf, body in enumerate(receipted(bodies)) for finding in check.take(leaf, body)]
    return [*found, *check.finish()], check


def codes(bodies, **options):
    """Return each finding's code with the id of the record it names."""
    found, _ = run(bodies, **options)
    assert all(finding.record == name_of(bodies[finding.leaf]) for finding in found)
    return [(finding.code, bodies[finding.leaf]["id"]) for finding in found]


def before_closing(kind, number, change):
    """Return the night with one record changed, without the closing, whose sums would differ too."""
    return changed(kind, number, change)[:-1]


def sale(number, minute, cents=1, **more):
    return entry(
        *(number, "chip_sale", minute, (PUBLIC, DRAWER_CASH, cents), (DRAWER_CHIPS, PATRONS, cents)), **more
    )


def field(**more):
    def change(body):
        body.update(more)

    return change
