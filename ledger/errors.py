"""What the books refuse, one class a reason. Pure.

Callers and tests go by `code`; the message is a sentence for the person at the screen.
"""


class LedgerError(Exception):
    """Something the books refuse; the base of every error in this app."""

    code = "ledger_error"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class NotAllowed(LedgerError):
    """The person lacks the right for this, or no longer works here."""

    code = "not_allowed"


class SecondPerson(LedgerError):
    """The act needs a second person, and none was named or both are the same."""

    code = "second_person"


class ReasonRequired(LedgerError):
    """A reversal or correction came without its reason."""

    code = "reason_required"


class BadAmount(LedgerError):
    """An amount is not a whole number of cents, is negative or zero where it may not be, or is out of all range."""

    code = "bad_amount"


class BadText(LedgerError):
    """A key, label, reason or terminal is empty where it may not be, too long, or holds characters that no record can."""

    code = "bad_text"


class KeyReused(LedgerError):
    """A key came again with other content, another actor or another kind of event."""

    code = "key_reused"


class UnknownKind(LedgerError):
    """An account or entry kind that the chart does not list."""

    code = "unknown_kind"


class NotInChart(LedgerError):
    """A transfer between places that the chart does not allow for this kind of event."""

    code = "not_in_chart"


class UnknownAccount(LedgerError):
    """A transfer names an account that this site does not have."""

    code = "unknown_account"


class SameAccount(LedgerError):
    """A transfer from an account to itself."""

    code = "same_account"


class AssetMismatch(LedgerError):
    """A transfer between an account of chips and an account of cash."""

    code = "asset_mismatch"


class InsufficientFunds(LedgerError):
    """An account would hold less than nothing."""

    code = "insufficient_funds"


class AccountClosed(LedgerError):
    """A transfer touches an account that has been closed."""

    code = "account_closed"


class AccountNotEmpty(LedgerError):
    """An account that still holds something cannot be closed."""

    code = "account_not_empty"


class AlreadyReversed(LedgerError):
    """The entry has been reversed before."""

    code = "already_reversed"


class ReversalOfReversal(LedgerError):
    """The entry is itself a reversal: what it took back is made anew by a correction, not by taking it back again."""

    code = "reversal_of_reversal"


class NotTheMirror(LedgerError):
    """A reversal does not move back exactly what the entry moved, or names an entry of another site."""

    code = "not_the_mirror"


class BoxInstalled(LedgerError):
    """There is a drop box at this place already."""

    code = "box_installed"


class BoxPulled(LedgerError):
    """The drop box has been pulled: nothing goes in or out of it, and it cannot be pulled again."""

    code = "box_pulled"


class BoxNotPulled(LedgerError):
    """The drop box is still at its table, so it can be neither counted nor signed off."""

    code = "box_not_pulled"


class BoxSigned(LedgerError):
    """The drop box has been signed off."""

    code = "box_signed"


class AlreadyCounted(LedgerError):
    """This counter has counted this box; the second count is somebody else's."""

    code = "already_counted"


class CountClosed(LedgerError):
    """Both counts of the box agree; there is nothing left to count."""

    code = "count_closed"


class CountOpen(LedgerError):
    """The box has not been counted twice with the same result."""

    code = "count_open"


class CountedBySigner(LedgerError):
    """Whoever counted or pulled a box cannot sign it off."""

    code = "counted_by_signer"


class CauseRequired(LedgerError):
    """The count differs from the books, and no cause was given."""

    code = "cause_required"


class DayClosed(LedgerError):
    """The entry is dated in a gaming day that has been closed; what comes later is dated later."""

    code = "day_closed"


class DayAlreadyClosed(LedgerError):
    """The gaming day has been closed, by itself or with a later one."""

    code = "day_already_closed"


class DayNotOver(LedgerError):
    """The gaming day still runs, or has ended so short a time ago that something of it may still be on its way."""

    code = "day_not_over"


class EarlierDayOpen(LedgerError):
    """Gaming days are closed in their order, and an earlier one with entries is still open."""

    code = "earlier_day_open"


class BoxNotSigned(LedgerError):
    """A drop box of the gaming day has not been signed off."""

    code = "box_not_signed"


class BadAuditKey(LedgerError):
    """What should be the key that signs the audit log is none, or is no new one."""

    code = "bad_audit_key"


class UnknownAuditKey(LedgerError):
    """The signing key is gone, or is another than the one that the audit log names."""

    code = "unknown_audit_key"


class RecordContradicted(LedgerError):
    """A row of the books says something else than the audit record that was written with it."""

    code = "record_contradicted"


class UnknownRecord(LedgerError):
    """The audit log has no record of this name."""

    code = "unknown_record"


class NotSealed(LedgerError):
    """The record is not in a signed tree yet."""

    code = "not_sealed"


class BadPeriod(LedgerError):
    """Days that come in the wrong order, or in which nothing was recorded."""

    code = "bad_period"


class CheckpointAhead(LedgerError):
    """The checkpoint that was kept outside names more leaves than the log has."""

    code = "checkpoint_ahead"


class SeeFloor(LedgerError):
    """Whoever wants to play or to exchange chips here may not; no screen says more than that the floor is to be asked."""

    code = "see_floor"
    status = 403


class AlreadyExcluded(LedgerError):
    """This person is on the exclusion list already, by another order or from another day."""

    code = "already_excluded"
    status = 409
