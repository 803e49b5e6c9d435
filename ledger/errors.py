"""The refusals of the books, one class for each reason; and the base of every refusal of the house. Pure.

Programs and tests rely on `code`, the name of the class: a refusal is never renamed. The sentence is for the
person at the screen, and `status` is the HTTP status: 400 the entry is wrong, 403 this person may not, 404
not there for this person, 409 the state that the entry relies on has changed or is not reached yet."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Question:
    """A question to answer before the act goes on: `about` is its subject, `answers` are values and words."""

    about: Mapping[str, Any]
    answers: tuple[tuple[str, str], ...]


class Refusal(Exception):
    """The house refuses an act: `message` says why, `field` names the part of the entry at fault, if any."""

    code: str = "refused"
    status: int = 400

    def __init_subclass__(cls, *, status: int | None = None) -> None:
        """Give `SeatTaken` the code `seat_taken` and, unless given, its base class's status."""
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        cls.status = status or cls.status

    def __init__(self, message: str, *, field: str | None = None, question: "Question | None" = None) -> None:
        super().__init__(message)
        self.message, self.field = message, field
        self.question = question
        self.asked: tuple[str, str, int] | None = None

    def as_json(self) -> dict[str, str | None]:
        return {"code": self.code, "error": self.message, "field": self.field}


class LedgerError(Refusal):
    """The books refuse an act."""


class NotAllowed(LedgerError, status=403):
    """This person has no right to do this, or no longer works here."""


class CrossSite(LedgerError, status=403):
    """Another site asked for this download, which is recorded under your name. Start it here."""


class OpenedByAnother(LedgerError, status=409):
    """Somebody else was signed in when this page was opened. Nothing was recorded. Load the page again."""


class FormExpired(LedgerError, status=403):
    """The form was loaded too long ago, or comes from another site. Load the page again."""


class SecondPerson(LedgerError, status=403):
    """This act needs a second person, and nobody was named, or the same person twice."""


class ReasonRequired(LedgerError):
    """This act needs a reason, and none was given."""


class BadAmount(LedgerError):
    """The amount is not in whole cents, is zero or negative where it must not be, or is out of range."""


class BadText(LedgerError):
    """A text is empty, too long or cannot be recorded; or a form came with an unknown key, or with one
    twice."""


class KeyReused(LedgerError, status=409):
    """This key was already used for a different act. Send the act again under a new key."""


class UnknownKind(LedgerError):
    """The chart of accounts has no such kind of account or entry."""


class NotInChart(LedgerError):
    """The chart of accounts does not allow this transfer for this kind of event, or requires another one with
    it."""


class UnknownAccount(LedgerError):
    """The transfer names an account that this house does not have."""


class SameAccount(LedgerError):
    """The transfer goes from an account to itself."""


class AssetMismatch(LedgerError):
    """The transfer goes from an account of chips to one of cash, or the other way."""


class ConfirmAmount(LedgerError, status=409):
    """An amount this large must be confirmed, in words, before anything is sold or redeemed."""


class ConfirmCount(LedgerError, status=409):
    """A count with this many pieces of one kind must be confirmed, in words, whatever the books expect."""


class PiecesMissing(LedgerError, status=409):
    """The chips that were handed over are missing: enter how many of each denomination."""


class PiecesDiffer(LedgerError):
    """The chips or the cash by denomination do not come to the amount."""


class PatronMissing(LedgerError, status=409):
    """An amount this large needs its patron: from the register, or a name, a card number or a description."""


class ChipsBeyondBooks(LedgerError, status=409):
    """By the books patrons hold fewer chips than this takes from them. Two people can accept chips beyond the
    books at the cage."""


class InsufficientFunds(LedgerError, status=409):
    """The account has less than this needs. For a place that is counted blind, no amount is named."""


class AccountClosed(LedgerError, status=409):
    """The account has been closed."""


class AccountNotEmpty(LedgerError, status=409):
    """The account still holds something, so it cannot be closed."""


class AlreadyReversed(LedgerError, status=409):
    """The entry has already been reversed."""


class ReversalOfReversal(LedgerError, status=409):
    """A reversal cannot be reversed. Post a correction instead."""


class NotTheMirror(LedgerError):
    """The reversal does not move back exactly what the entry moved, or the entry belongs to another house."""


class BoxInstalled(LedgerError, status=409):
    """There is already a drop box here."""


class NotTakenBack(LedgerError):
    """This entry is not taken back here: it is of another kind, or part of another one."""


class BuiltOn(LedgerError, status=409):
    """Something has been built on the act since: a round, a change of the stack, a fee that it covers."""


class NotYourAct(LedgerError, status=403):
    """Somebody else did it, or at another terminal: one person alone undoes only their own act."""


class UndoTooLate(LedgerError, status=409):
    """The ten seconds in which one person could undo it have passed. Two people can take it back, with a
    reason."""


class BoxPulled(LedgerError, status=409):
    """The drop box has been pulled: nothing more goes in or out, and it cannot be pulled twice."""


class BoxNotPulled(LedgerError, status=409):
    """The drop box is still at its table. Pull it before it is counted or signed off."""


class BoxSigned(LedgerError, status=409):
    """The drop box has been signed off."""


class AlreadyCounted(LedgerError, status=409):
    """You have already counted this box. Somebody else makes the second count."""


class CountClosed(LedgerError, status=409):
    """Both counts of the box agree, so there is nothing left to count."""


class CountOpen(LedgerError, status=409):
    """The box cannot be signed off until two counts agree."""


class CountedBySigner(LedgerError, status=403):
    """Nobody signs off a count that they made, a box that they pulled, or a difference in their own
    drawer."""


class RanTheTable(LedgerError, status=403):
    """Nobody signs off the box or bank of a table that they dealt at, or ran, while it stood there."""


class EvidenceRequired(LedgerError, status=400):
    """A difference this large needs evidence: the number of a camera's clip or of a paper."""


class CountsDiffer(LedgerError, status=409):
    """Two people counted, and their counts differ. Nothing was recorded: both count again, each without
    looking at the other's figures."""


class NoDifference(LedgerError, status=409):
    """The count of this bank agrees with the books, or its difference has been signed off."""


class BankNotSigned(LedgerError, status=409):
    """A table's bank was counted with a difference that the cage has not signed off with its cause."""


class CauseRequired(LedgerError):
    """The count differs from the books, and no cause was given."""


class DayClosed(LedgerError, status=409):
    """The entry is dated in a gaming day that has been closed. Date it in a day that is still open."""


class DayAlreadyClosed(LedgerError, status=409):
    """The gaming day has been closed, by itself or together with a later one."""


class DayNotOver(LedgerError, status=409):
    """The gaming day is still running, or ended less than five minutes ago."""


class DayNotClosed(LedgerError, status=409):
    """The gaming day has no closing of its own: it is still open, or was without entries and closed with a
    later day."""


class EarlierDayOpen(LedgerError, status=409):
    """An earlier gaming day with entries is still open. Close that one first."""


class NoSuchShift(LedgerError, status=404):
    """A gaming day of this house has fewer shifts."""


class LastShift(LedgerError, status=409):
    """The last shift of a gaming day is closed with the day, and not by itself."""


class ShiftNotOver(LedgerError, status=409):
    """The shift is still running, or ended less than five minutes ago."""


class ShiftAlreadyClosed(LedgerError, status=409):
    """The shift has been closed, by itself or with a later one or its day."""


class ShiftNotClosed(LedgerError, status=409):
    """An earlier shift of the day that saw an entry is still open. Close that one first."""


class BoxNotSigned(LedgerError, status=409):
    """A drop box of a day to be closed, or whose cash is to be deposited, has not been signed off."""


class BadAuditKey(LedgerError):
    """This is not a key that can sign the audit log, or it is not a new one."""


class UnknownAuditKey(LedgerError, status=409):
    """The signing key is missing, or is not the one that the audit log names."""


class RecordContradicted(LedgerError, status=409):
    """A row of the books differs from its audit record. Nothing is sealed until that is cleared up."""


class NoBoxWaits(LedgerError, status=409):
    """No pulled box of this gaming day waits to be counted, so no count sheet is begun."""


class SheetBegun(LedgerError, status=409):
    """A count sheet of this gaming day is open. The sentence names it."""


class SheetNotBegun(LedgerError, status=409):
    """No count sheet of the box's gaming day is open, so nothing can be counted."""


class SheetSigned(LedgerError, status=409):
    """The count sheet is signed, and nothing is added to it."""


class SheetNotReceived(LedgerError, status=409):
    """No cashier has received, by a count of their own, what the counters found on the box's sheet."""


class SheetReceived(LedgerError, status=409):
    """A cashier has received what was counted on this sheet."""


class SealRequired(LedgerError):
    """Boxes of this house carry seals, and the number of this one's is missing."""


class SealInUse(LedgerError, status=409):
    """The seal of this number is on another box that is not signed off, or on a set in the reserve."""


class SealDiffers(LedgerError, status=409):
    """The seal that was read is not the box's, or no seal was read. The sentence says what to do."""


class EmergencyDrop(LedgerError, status=409):
    """A box is pulled outside the times that the house has filed, and no reason was given."""


class BoxNotReceived(LedgerError, status=409):
    """The sealed box has not been received in the count room, so it cannot be counted."""


class BoxReceived(LedgerError, status=409):
    """The box has been received in the count room, where it stays."""


class SheetNotSigned(LedgerError, status=409):
    """The box's count sheet has not been signed by two counters."""


class DidNotCount(LedgerError, status=403):
    """Only people who counted on a sheet sign it, and this person did not."""


class SlipClosed(LedgerError, status=409):
    """The cage slip has been counted twice or withdrawn already."""


class NotYourSlip(LedgerError, status=409):
    """Another cashier made the first count on this cage slip, and must be there for the second."""


class NoDrawer(LedgerError, status=409):
    """The cashier has no open drawer, which everything at the window moves."""


class DrawerOpen(LedgerError, status=409):
    """An open drawer must be closed first. The sentence names it."""


class DrawerClosed(LedgerError, status=409):
    """The drawer has been counted and closed."""


class NotYourDrawer(LedgerError, status=409):
    """The drawer is another cashier's: somebody else may only close it."""


class VaultMoved(LedgerError, status=409):
    """Chips or cash came into the vault or left it between its two counts."""


class VaultNotCounted(LedgerError, status=409):
    """The vault has not been counted since something moved it on the gaming day."""


class WrongStep(LedgerError, status=409):
    """The document is not ready for this step. The sentence says where it is."""


class BoxDeposited(LedgerError, status=409):
    """The box is on another deposit, which was not voided, or had no cash. The sentence names it."""


class DepositDiffers(LedgerError):
    """The cash of a deposit differs from the counts of its boxes."""


class ReferenceRequired(LedgerError):
    """This step needs a reference: a carrier's name, or the number of the paper that came with it."""


class DocumentEnded(LedgerError, status=409):
    """The document has been received or voided already."""


class NotTheirs(LedgerError, status=409):
    """The cage holds these chips for another player."""


class NotDue(LedgerError, status=409):
    """The cage must hold these chips for their owner until the day that the law sets."""


class NotAsSent(LedgerError, status=409):
    """The count is not what was sent. The sentence does not give the amount sent."""


class DocumentUnderWay(LedgerError, status=409):
    """A document of this place waits for a step. The sentence names it."""


class UnknownRecord(LedgerError):
    """The audit log has no record of this name."""


class NotSealed(LedgerError, status=409):
    """The record has not been sealed yet. Try again in a few seconds."""


class PaperTooLong(LedgerError):
    """The paper has too many lines to be printed. Its CSV and XLSX have all of them."""


class PaperNotSet(LedgerError, status=503):
    """The paper could not be printed now. Its CSV and XLSX are available."""


class PaperGone(LedgerError, status=409):
    """The file of the paper is not in its folder any more. The same paper can be made again."""


class PaperChanged(LedgerError, status=409):
    """The file of the paper has changed since it was made: its digest differs."""


class PaperNotReady(LedgerError, status=409):
    """The paper is not made yet, or was not made."""


class PaperEnded(LedgerError, status=409):
    """The paper has been made, has failed, or was cancelled: nothing is left to cancel."""


class BadPaper(LedgerError):
    """No paper has this name and form."""


class BadPeriod(LedgerError):
    """The days are in the wrong order, or nothing was recorded in them."""


class CheckpointAhead(LedgerError, status=409):
    """A checkpoint kept outside the house covers more records than the log has: the end of the log is
    missing."""


class NotContinued(LedgerError, status=409):
    """The log does not continue the newest checkpoint that was kept outside the books: sealed records are
    missing or changed. Nothing is sealed until that is cleared up."""


class NothingToSetAside(LedgerError, status=409):
    """No restore of the log has left newer checkpoints behind, or it has been signed since. Nothing is set
    aside."""


class CheckpointNotKept(LedgerError, status=503):
    """The folder for checkpoints cannot be written. Tell the operator."""


class CheckpointsUnreadable(LedgerError, status=503):
    """The folder for checkpoints cannot be read, so nothing is signed. Tell the operator."""


class BadLicence(LedgerError):
    """The licence of the house is missing."""


class BadTimeZone(LedgerError):
    """There is no time zone of this name."""


class BadParticulars(LedgerError):
    """A particular of the house is out of range, or names a jurisdiction that the program does not know."""


class SeeFloor(LedgerError, status=403):
    """This person may not play or exchange chips here. Screens say only "See floor", and no reason."""


class IsItThisPerson(LedgerError, status=409):
    """Somebody on the exclusion list has nearly this name, or this name and another card number. Look at the
    person and say whether it is the one on the list; the answer is recorded."""


class AlreadyExcluded(LedgerError, status=409):
    """This person is on the exclusion list already, by another order or from another day."""


class NotCanonical(LedgerError):
    """These bytes are not the canonical form of their value, or contain a value that no record may
    contain."""
