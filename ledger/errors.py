"""What the books refuse, one class for each reason; and the base of every refusal of the house. Pure.

Programs and tests go by `code`, the sentence is for the person at the screen, and `status` is the HTTP status with which
every page and address answers: 400 the entry is wrong, 403 this person may not, 404 for this person it is not there, 409 what
the entry relies on is no longer so, or not yet.
"""


class Refusal(Exception):
    """The house refuses an act: `message` says why, `field` names the part of the entry that it is about, if any."""

    code: str = "refused"
    status: int = 400

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class LedgerError(Refusal):
    """The books refuse an act."""

    code = "ledger_error"


class NotAllowed(LedgerError):
    """This person has no right to do this, or no longer works here."""

    code = "not_allowed"
    status = 403


class SecondPerson(LedgerError):
    """This act needs a second person, and nobody was named, or the same person twice."""

    code = "second_person"
    status = 403


class ReasonRequired(LedgerError):
    """This act needs a reason, and none was given."""

    code = "reason_required"


class BadAmount(LedgerError):
    """The amount is not in whole cents, is zero or negative where it must not be, or is out of range."""

    code = "bad_amount"


class BadText(LedgerError):
    """A text is empty, too long or cannot be recorded; or a form came with a key that means nothing there, or one twice."""

    code = "bad_text"


class KeyReused(LedgerError):
    """This key was already used for a different act. Send the act again under a new key."""

    code = "key_reused"
    status = 409


class UnknownKind(LedgerError):
    """The chart of accounts has no such kind of account or entry."""

    code = "unknown_kind"


class NotInChart(LedgerError):
    """The chart of accounts does not allow this transfer for this kind of event."""

    code = "not_in_chart"


class UnknownAccount(LedgerError):
    """The transfer names an account that this house does not have."""

    code = "unknown_account"


class SameAccount(LedgerError):
    """The transfer goes from an account to itself."""

    code = "same_account"


class AssetMismatch(LedgerError):
    """The transfer goes from an account of chips to one of cash, or the other way."""

    code = "asset_mismatch"


class InsufficientFunds(LedgerError):
    """The account has less than this needs. The sentence says how much it has."""

    code = "insufficient_funds"
    status = 409


class AccountClosed(LedgerError):
    """The account has been closed."""

    code = "account_closed"
    status = 409


class AccountNotEmpty(LedgerError):
    """The account still holds something, so it cannot be closed."""

    code = "account_not_empty"
    status = 409


class AlreadyReversed(LedgerError):
    """The entry has already been reversed."""

    code = "already_reversed"
    status = 409


class ReversalOfReversal(LedgerError):
    """A reversal cannot be reversed. Post a correction instead."""

    code = "reversal_of_reversal"
    status = 409


class NotTheMirror(LedgerError):
    """The reversal does not move back exactly what the entry moved, or the entry belongs to another house."""

    code = "not_the_mirror"


class BoxInstalled(LedgerError):
    """There is already a drop box here."""

    code = "box_installed"
    status = 409


class NotTakenBack(LedgerError):
    """This entry is not taken back here: it is of another kind, or part of another one."""

    code = "not_taken_back"


class BuiltOn(LedgerError):
    """Something has been built on the act since: a round, a change of the stack, a fee that it covers."""

    code = "built_on"
    status = 409


class NotYourAct(LedgerError):
    """Somebody else did it, or at another terminal: one person alone undoes only their own act."""

    code = "not_your_act"
    status = 403


class UndoTooLate(LedgerError):
    """The ten seconds in which one person could undo it have passed. Two people can take it back, with a reason."""

    code = "undo_too_late"
    status = 409


class BoxPulled(LedgerError):
    """The drop box has been pulled: nothing more goes in or out, and it cannot be pulled twice."""

    code = "box_pulled"
    status = 409


class BoxNotPulled(LedgerError):
    """The drop box is still at its table. Pull it before it is counted or signed off."""

    code = "box_not_pulled"
    status = 409


class BoxSigned(LedgerError):
    """The drop box has been signed off."""

    code = "box_signed"
    status = 409


class AlreadyCounted(LedgerError):
    """You have already counted this box. Somebody else makes the second count."""

    code = "already_counted"
    status = 409


class CountClosed(LedgerError):
    """Both counts of the box agree, so there is nothing left to count."""

    code = "count_closed"
    status = 409


class CountOpen(LedgerError):
    """The box cannot be signed off until two counts agree."""

    code = "count_open"
    status = 409


class CountedBySigner(LedgerError):
    """Nobody signs off a box that they counted or pulled."""

    code = "counted_by_signer"
    status = 403


class CauseRequired(LedgerError):
    """The count differs from the books, and no cause was given."""

    code = "cause_required"


class DayClosed(LedgerError):
    """The entry is dated in a gaming day that has been closed. Date it in a day that is still open."""

    code = "day_closed"
    status = 409


class DayAlreadyClosed(LedgerError):
    """The gaming day has been closed, by itself or together with a later one."""

    code = "day_already_closed"
    status = 409


class DayNotOver(LedgerError):
    """The gaming day is still running, or ended less than five minutes ago."""

    code = "day_not_over"
    status = 409


class EarlierDayOpen(LedgerError):
    """Gaming days are closed in order, and an earlier day with entries is still open. Close that one first."""

    code = "earlier_day_open"
    status = 409


class BoxNotSigned(LedgerError):
    """A drop box of this gaming day has not been signed off."""

    code = "box_not_signed"
    status = 409


class BadAuditKey(LedgerError):
    """This is not a key that can sign the audit log, or it is not a new one."""

    code = "bad_audit_key"


class UnknownAuditKey(LedgerError):
    """The signing key is missing, or is not the one that the audit log names."""

    code = "unknown_audit_key"
    status = 409


class RecordContradicted(LedgerError):
    """A row of the books differs from the audit record written with it. Nothing is sealed until that is cleared up."""

    code = "record_contradicted"
    status = 409


class SlipClosed(LedgerError):
    """The cage slip has been counted twice or withdrawn already."""

    code = "slip_closed"
    status = 409


class NotYourSlip(LedgerError):
    """Another cashier counted this cage slip first, and has it counted a second time."""

    code = "not_your_slip"
    status = 409


class UnknownRecord(LedgerError):
    """The audit log has no record of this name."""

    code = "unknown_record"


class NotSealed(LedgerError):
    """The record has not been sealed yet. Try again in a few seconds."""

    code = "not_sealed"
    status = 409


class BadPeriod(LedgerError):
    """The days are in the wrong order, or nothing was recorded in them."""

    code = "bad_period"


class CheckpointAhead(LedgerError):
    """A checkpoint kept outside the house covers more records than the log has: the end of the log is missing."""

    code = "checkpoint_ahead"
    status = 409


class NotContinued(LedgerError):
    """The log does not continue the newest checkpoint that was kept outside the books: sealed records are missing or
    changed. Nothing is sealed until that is cleared up."""

    code = "not_continued"
    status = 409


class CheckpointNotKept(LedgerError):
    """The folder for checkpoints cannot be written. Whoever runs the server must see to it."""

    code = "checkpoint_not_kept"
    status = 503


class CheckpointsUnreadable(LedgerError):
    """The folder for checkpoints cannot be read, so nothing is signed. Whoever runs the server must see to it."""

    code = "checkpoints_unreadable"
    status = 503


class BadLicence(LedgerError):
    """The licence of the house is missing."""

    code = "bad_licence"


class BadTimeZone(LedgerError):
    """There is no time zone of this name."""

    code = "bad_time_zone"


class BadParticulars(LedgerError):
    """A particular of the house is out of range, or names a jurisdiction that the program does not know."""

    code = "bad_particulars"


class SeeFloor(LedgerError):
    """This person may not play or exchange chips here. Screens say only "See floor", and no reason."""

    code = "see_floor"
    status = 403


class AlreadyExcluded(LedgerError):
    """This person is on the exclusion list already, by another order or from another day."""

    code = "already_excluded"
    status = 409
