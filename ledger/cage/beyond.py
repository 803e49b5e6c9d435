"""Chips beyond the books: chips that patrons hold and no entry handed out, accepted by two people under a
number. A house that begins with chips in people's pockets opens its books with one. Until they are accepted,
such chips are neither redeemed nor played."""

import json
from operator import itemgetter

from django.db import transaction

from ledger.chart import AccountKind, Asset, EntryKind
from ledger.errors import BadAmount, SecondPerson
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.particulars import limits_of
from ledger.models import Account, JournalEntry, Site, Transfer
from ledger.money import checked_cents
from ledger.rights import RUN_FLOOR, WORK_CAGE, require
from ledger.rules.window import require_meant

KIND = EntryKind.CHIPS_BEYOND_BOOKS
SECOND = (RUN_FLOOR,)
"""The second person needs one of these rights: neither one cashier alone nor two accept chips beyond the
books."""
_ENDS = (AccountKind.CHIP_MAKER, AccountKind.PATRONS)


def accept(*, site: Site, cents: int, confirmed: int | None = None, act: Act) -> JournalEntry:
    """Post chips as held by patrons, under the next number. The act has a reason and an approver who runs
    the floor. `confirmed` is the amount, if it was asked for again. Raises ReasonRequired, SecondPerson,
    NotAllowed, BadAmount, ConfirmAmount, KeyReused."""
    require(act.actor, WORK_CAGE)
    if act.approver is None or act.approver.pk == act.actor.pk:
        raise SecondPerson("Somebody else, who runs the floor, must accept these chips too.", field="second")
    require(act.approver, *SECOND)
    act = act.stated("Say whose chips these are, and why the books do not know them.")
    if not checked_cents(cents):
        raise BadAmount("The amount is zero.", field="amount")
    require_meant(cents, confirmed, limits_of(site).confirm_from)
    content = {"cents": cents, "reason": act.reason}
    with transaction.atomic():
        posting.lock_house(site)
        if entry := posting.earlier(site=site, kind=KIND, content=content, act=act):
            return entry
        maker, patrons = (posting.house_account(site, kind, Asset.CHIPS).pk for kind in _ENDS)
        draft = posting.EntryDraft(
            kind=KIND,
            moves=(posting.Move(maker, patrons, cents),),
            evidence={"cents": cents, "number": len(accepted(site)) + 1},
            content=content,
            act=act,
        )
        return posting.post(site=site, draft=draft)


def accepted(site: Site) -> list[tuple[int, JournalEntry]]:
    """Return the acceptances so far with their numbers, including those taken back."""
    # By the accounts: entries have no index of their kind, and chips come from the maker rarely.
    ends = Account.objects.filter(site=site, kind__in=_ENDS).values_list("pk", flat=True)
    made = Transfer.objects.filter(source__in=list(ends), target__in=list(ends)).values_list(
        "entry_id", flat=True
    )
    entries = JournalEntry.objects.select_related("actor", "approver", "reversed_by")
    found = entries.prefetch_related("transfers").in_bulk(list(made))
    numbered = ((json.loads(one.evidence)["number"], one) for one in found.values() if one.kind == KIND)
    return sorted(numbered, key=itemgetter(0))


def held(site: Site) -> int:
    """Return the chips that patrons hold by the books, in cents."""
    patrons = Account.objects.filter(site=site, kind=AccountKind.PATRONS)
    return sum(patrons.values_list("balance_cents", flat=True))
