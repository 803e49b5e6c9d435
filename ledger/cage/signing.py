"""Who signs a difference between a count and the books: nobody who had it in their hands, and from an amount
that the jurisdiction names two people."""

from collections.abc import Collection

from ledger.errors import CountedBySigner, SecondPerson
from ledger.journal.acts import Act
from ledger.journal.closing import SECOND
from ledger.jurisdiction import jurisdiction
from ledger.models import Site
from ledger.rights import require
from ledger.rules.bank_signing import needs_two, wrong_signers

_REFUSALS = {one.code: one for one in (CountedBySigner, SecondPerson)}


def require_signers(
    *, site: Site, chips_cents: int, cash_cents: int, barred: Collection[int | None], act: Act
) -> int:
    """Return the amount in cents from which two people sign, if this act's people may sign such a difference.
    Raises NotAllowed, CountedBySigner, SecondPerson."""
    if act.approver is not None:
        require(act.approver, *SECOND)
    threshold = jurisdiction(site.jurisdiction).signed_by_two
    two = needs_two(chips_cents, cash_cents, threshold)
    second = act.approver and act.approver.pk
    wrong = wrong_signers(signer=act.actor.pk, second=second, barred=barred, needs_two=two)
    if wrong is not None:
        raise _REFUSALS[wrong[0]](wrong[1], field="second" if act.approver or two else None)
    return threshold
