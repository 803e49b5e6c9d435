"""Differences in tables' banks, cashiers' drawers and the vault: each is signed off with its cause by people
who neither counted nor worked from it, before the day can be closed."""

from django.db import transaction

from ledger import lengths
from ledger.cage.signing import checked_evidence, ran_session, require_signers
from ledger.errors import CauseRequired, NoDifference
from ledger.journal import posting, records
from ledger.journal.acts import Act
from ledger.journal.bank_differences import difference_of
from ledger.models import BankSignOff, Site
from ledger.rights import MANAGE_HOUSE, SIGN_OFF_DROPS, require

SIGNERS = (SIGN_OFF_DROPS, MANAGE_HOUSE)
"""A manager may sign the difference of a drawer or the vault: otherwise a house whose only cashier counted it
could not close its night."""


def sign_off_bank(*, site: Site, entry_id: int, cause: str, evidence: str = "", act: Act) -> BankSignOff:
    """Record why a place was counted with a difference. The cage signs, for a drawer or the vault a manager
    may too; nobody who counted it, worked from the drawer or ran the table. From the amount that the
    jurisdiction names, the act's approver signs too, and evidence is given. The same request again returns
    the first sign-off. Raises NotAllowed, CauseRequired, CountedBySigner, RanTheTable, SecondPerson,
    EvidenceRequired, NoDifference."""
    require(act.actor, *SIGNERS)
    cause = posting.checked_text(cause.strip(), lengths.POSTED_REASON, "cause", empty=True)
    evidence = checked_evidence(evidence)
    if not cause:
        raise CauseRequired("Give the cause of the difference.", field="cause")
    with transaction.atomic():
        posting.lock_house(site)
        found = difference_of(entry_id, site)
        if found is not None and found.session is not None:
            require(act.actor, SIGN_OFF_DROPS)
        said = (act.actor.pk, act.approver and act.approver.pk, cause, evidence)
        if found and (one := found.signed) and _said(one) == said:
            return one
        if found is None or not found.open:
            raise NoDifference("There is no difference here to sign off, or it has been signed off.")
        over = found.chips_cents, found.cash_cents
        ran = ran_session(found.session)
        threshold = require_signers(
            site=site, over=over, barred=found.barred, ran=ran, evidence=evidence, act=act
        )
        signed = BankSignOff.objects.create(
            entry=found.entry,
            over_chips=found.chips_cents,
            over_cash=found.cash_cents,
            cause=cause,
            evidence=evidence,
            threshold_cents=threshold,
            signed_by=act.actor,
            signed_with=act.approver,
            signed_at=act.now,
        )
        records.keep(site.pk, act.now, signed)
    return signed


def _said(one: BankSignOff) -> tuple[int, int | None, str, str]:
    return one.signed_by_id, one.signed_with_id, one.cause, one.evidence or ""
