"""The form that signs off what was counted: with the cause of a difference, and by two people if it is
large."""

from collections.abc import Collection
from typing import Any

from ledger.errors import BadText
from ledger.journal.closing import SECOND
from ledger.jurisdiction import jurisdiction
from ledger.rules.bank_signing import needs_two
from ledger.views.forms import CauseField, EvidenceField
from tables.views.fields import UNREADABLE, TwoPeopleForm


class SigningForm(TwoPeopleForm):
    """`two`: a second person signs. The verb requires the cause; `require_cause` only changes the label."""

    codes = UNREADABLE | dict.fromkeys(("max_length", "null_characters_not_allowed"), BadText.code)
    signers = SECOND

    cause = CauseField(required=False)
    evidence = EvidenceField(help_text=EvidenceField.what)

    field_order = ("cause", "evidence", "second", "second_pin")

    def __init__(self, *args: Any, two: bool, barred: Collection[int | None], **options: Any) -> None:
        self.second_needed, self.barred = two, barred
        super().__init__(*args, **options)
        self.fields["evidence"].required = two

    def require_cause(self, differs: bool = True) -> None:
        self.fields["cause"].required = differs


def asks_for_two(site: Any, chips_cents: int, cash_cents: int) -> bool:
    return needs_two(chips_cents, cash_cents, jurisdiction(site.jurisdiction).signed_by_two)
