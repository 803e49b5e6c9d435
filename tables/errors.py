"""The refusals of the floor, one class for each reason. The sentence names the seat, the amount, the
person."""

from ledger.errors import ReasonRequired as ReasonRequired, Refusal


class TableError(Refusal):
    """The floor refuses an act."""


class Conflict(TableError, status=409):
    """The state that the user acted on has changed, or is not reached yet."""


class BuyInTooSmall(TableError):
    """The buy-in is below thirty times the limit, or below what the player took away (R52, R55)."""


class BuyInTooLarge(TableError):
    """The stack would be above the table's maximum (R52, R55)."""


class BadBuyInMaximum(TableError):
    """The maximum buy-in is below the smallest buy-in, thirty times the limit."""


class SeatTaken(Conflict):
    """Somebody already sits in this seat."""


class UnknownSeat(TableError):
    """The seat is not 1 to 5."""


class PlayerSeated(Conflict):
    """The player already sits at this or another table."""


class PlayerUnknown(TableError):
    """The entry does not say who this is, or nobody is known under this card number."""


class PlayerAlike(Conflict):
    """The register has this name in another spelling. Say whether it is that person; the answer is kept."""


class StackDiffers(TableError, status=409):
    """A stack was counted otherwise than the books have it, and nobody said why."""


class SameTable(TableError):
    """The player already sits at this table (R55)."""


class DisputeDecided(Conflict):
    """The dispute or complaint has been decided already."""


class BadOutcome(TableError):
    """A dispute or a complaint has no such outcome."""


class NotCorrected(Conflict):
    """A dispute was to end with a correction, and nothing was corrected there since it was taken."""


class NotSeated(Conflict):
    """The player has left the table."""


class RoundRunning(Conflict):
    """A round is running, and must be settled first (R52)."""


class TooFewPlayers(Conflict):
    """A round needs two players who can be dealt in (R51)."""


class ClockStopped(Conflict):
    """The table's clock is stopped (R65)."""


class ClockRunning(Conflict):
    """The table's clock is running, or has not started yet."""


class TableClosed(Conflict):
    """The session at this table has been closed."""


class TableOpen(Conflict):
    """The table is already open, or players still sit at it."""


class TablesAuthorised(Conflict):
    """The house already has as many tables open as it is authorised to (4 CCR 12391)."""


class NotConfigured(Conflict):
    """The house is not ready to open tables. The sentence lists what is missing: rates, chips, sheets,
    tables.
    """


class NoPlace(TableError):
    """The table is being broken, and a player was given neither a seat elsewhere nor a cash-out."""


class UnknownGame(TableError):
    """No sheet has this code."""


class SheetChanged(Conflict):
    """The sheet's file has changed under a version that tables have used. Give the change a new version."""


class NothingDue(Conflict):
    """The player owes no collection at the moment."""


class StackTooSmall(TableError):
    """The fee would leave less than nine points, so it cannot come from the stack (R63)."""


class BadMethod(TableError):
    """The house does not take this way of paying."""


class HandForEmptySeat(TableError):
    """A hand was entered for a seat that was not dealt in."""


class HandMissing(TableError):
    """A seat that was dealt in has no hand in the entry."""


class WrongPosition(TableError):
    """The hand names another seat's position, or none where the seat has two hands (R35)."""


class TwoHandsNotAgreed(TableError):
    """Two hands each are for exactly two players, both must agree, and a race has none (R35, R54)."""


class NoReservedHands(TableError):
    """The round before cannot have reserved hands: it had other players or another deck (R43)."""


class MatchStakeRequired(TableError):
    """The first round of a match needs the stake its players agreed on (R42)."""


class MatchStakeUnwanted(TableError):
    """The game has no matches, or a match is running: leave the stake out (R42)."""


class StakeAboveStack(TableError):
    """The match stake is more than one of its players has (R42)."""


class MatchRunning(Conflict):
    """The player is in a match, so cannot leave until it is over or called off (R42)."""


class NoMatch(Conflict):
    """No match is running at this table (R42)."""


class FantasyLandNotEarned(TableError):
    """The seat has not earned fantasy land (R41), or this is the player's second hand (R54)."""


class StalePage(Conflict):
    """The page is older than what is recorded. Load it again."""


class ClaimPaid(Conflict):
    """The claim has been paid already (R58)."""


class SeatOfMatch(Conflict):
    """The player has played a match in this seat, and keeps it: a match names its players by their seats
    (R42).
    """


class AlreadySettled(Conflict):
    """The round has already been settled."""


class NotSettled(Conflict):
    """The round has not been settled, so there is nothing to correct."""


class RoundVoid(Conflict):
    """The round was voided."""


class NothingChanges(TableError):
    """The request would change nothing: the same cards, or the rate the table already has."""


class CorrectionOpen(Conflict):
    """A correction or settlement by hand of this round is already waiting for approval."""


class CorrectionDecided(Conflict):
    """The correction or settlement by hand has already been approved, refused or overtaken."""


class SettledByHand(Conflict):
    """The round was settled by hand because its cards are gone, so cards cannot correct it (R58)."""


class NotCorrectable(TableError):
    """This kind of entry is not corrected here: only buy-ins, add-ons, tokes and cash-outs are."""


class RaceByHand(TableError):
    """A round of a race cannot be settled by hand, because it scores for a match (R42). Void it instead."""


class NoDealer(Conflict):
    """No dealer is at the table. Push one in first (R52)."""


class TokeAboveStack(TableError):
    """The toke is more than the player has in front of them (R52)."""


class NoTokes(Conflict):
    """The dealer has no tokes to be paid out."""


class CountIncomplete(TableError):
    """The chip count leaves out somebody who sits at the table, or counts an empty seat."""


class TimeCalled(Conflict):
    """Time has already been called on this hand (R57)."""


class NotADealer(TableError):
    """This person does not deal here, so cannot be pushed in."""


class NotYourTable(TableError, status=404):
    """A dealer sees and deals only the table they are pushed in at."""


class DealerInRound(TableError, status=409):
    """The dealer is dealing a round at another table; the floor is asked once more before it loses its
    dealer.
    """


class DealerDeals(TableError, status=409):
    """The dealer is at a table, so goes on no break and is in no line: somebody else is pushed in first."""


class BadTime(TableError):
    """The time is in the future, or before the table opened."""


class BadEntry(TableError):
    """A field is missing or cannot be read."""


class NotDemo(Conflict):
    """The database is not marked as a demo, so made-up play must not be entered."""


class UnknownTable(TableError):
    """The house has no table with this number."""


class UnknownRate(TableError):
    """No such rate is in force: another limit, house or day, or a newer version has replaced it (R60)."""


class ApprovalRequired(TableError):
    """A rate is published only with the reference of its approval (R60)."""


class BadEffectiveDate(TableError):
    """A rate cannot be published for a day that is over (R60)."""


class OtherLimit(TableError):
    """A new version of a rate keeps its limit. Publish another limit under another option (R60)."""


class TooManyRates(TableError):
    """More fees would be in force for one limit than the law allows (R60)."""


class OtherGame(TableError):
    """The round, the waiting list or the main game has another game or limit than this table."""


class UnknownReason(TableError):
    """This reason for waiving a fee is not published here for this day, or has been withdrawn."""


class ReasonPublished(Conflict):
    """A reason for waiving fees has already been published under this code."""


class FeeCollectable(Conflict):
    """The player's stack can pay this fee, so it cannot be given up (R63)."""


class SeatHeld(Conflict):
    """The seat is held for somebody else. The sentence says until when."""


class AlreadyWaiting(Conflict):
    """The player already has a place on this waiting list."""


class PlaceGone(Conflict):
    """The place on the waiting list is gone: the player was seated or has left the list."""


class PlaceUnknown(TableError, status=404):
    """A waiting player's page is over, or its address was never right. The desk knows."""


class MustMoveFirst(Conflict):
    """The free seats of a main game go first to players at its must-move table (R55)."""


class NotTheirTurn(Conflict):
    """Somebody else has been at the must-move table for longer, or this is not a must-move table (R55)."""


class MustMoveCircle(TableError):
    """The main game's own players must move to this table, directly or through another one (R55)."""


class PlayerMerged(Conflict):
    """The entry has been merged into another one of the same person."""


class SeatedTogether(Conflict):
    """Two entries sat at tables at the same time. Only the floor together with a manager or compliance may
    say that they are one person."""


# -- the time that the server's clock shows ------------------------------------------------------------------


class ClockBehind(TableError, status=503):
    """The server's clock is behind the newest record of this table (R65). Have it set right; nothing was
    recorded.
    """


class ClockDoubted(TableError, status=503):
    """The server's clock has jumped. No round starts and nothing is charged until the floor has confirmed the
    time (R65).
    """


# -- the manager's desk: tables and games --------------------------------------------------------------------


class TableRetired(Conflict):
    """The table has been retired, so it is not opened or retired again before it is brought back."""


class TableNumberTaken(Conflict):
    """The house has a table of this number, perhaps one that has been retired."""


class BadTableNumber(TableError):
    """A table has a number from 1 to 999."""


class GameNotOffered(Conflict):
    """A manager has taken this game off, so no table is opened with it."""


# -- the second person --------------------------------------------------------------------------------------


class WrongPin(TableError):
    """This name and PIN do not belong together, or this person has no PIN."""
