"""What the floor refuses, one class for each reason. The sentence names the seat, the amount, the person."""

from ledger.errors import ReasonRequired as ReasonRequired
from ledger.errors import Refusal


class TableError(Refusal):
    """The floor refuses an act."""

    code = "table_error"


class Conflict(TableError):
    """The state that the user acted on is no longer so, or is not so yet."""

    code = "conflict"
    status = 409


class BuyInTooSmall(TableError):
    """The buy-in is below thirty times the limit, or below what the player took away (R52, R55)."""

    code = "buy_in_too_small"


class BuyInTooLarge(TableError):
    """The stack would be above the table's maximum (R52, R55)."""

    code = "buy_in_too_large"


class BadBuyInMaximum(TableError):
    """The maximum buy-in is below the smallest buy-in, thirty times the limit."""

    code = "bad_buy_in_maximum"


class SeatTaken(Conflict):
    """Somebody already sits in this seat."""

    code = "seat_taken"


class UnknownSeat(TableError):
    """The seat is not 1 to 5."""

    code = "unknown_seat"


class PlayerSeated(Conflict):
    """The player already sits at this or another table."""

    code = "player_seated"


class PlayerUnknown(TableError):
    """The entry does not say who this is, or nobody is known under this card number."""

    code = "player_unknown"


class SameTable(TableError):
    """The player already sits at this table (R55)."""

    code = "same_table"


class NotSeated(Conflict):
    """The player has left the table."""

    code = "not_seated"


class RoundRunning(Conflict):
    """A round is running, and must be settled first (R52)."""

    code = "round_running"


class TooFewPlayers(Conflict):
    """A round needs two players who can be dealt in (R51)."""

    code = "too_few_players"


class ClockStopped(Conflict):
    """The table's clock is stopped (R65)."""

    code = "clock_stopped"


class ClockRunning(Conflict):
    """The table's clock is running, or has not started yet."""

    code = "clock_running"


class TableClosed(Conflict):
    """The session at this table has been closed."""

    code = "table_closed"


class TableOpen(Conflict):
    """The table is already open, or players still sit at it."""

    code = "table_open"


class TablesAuthorised(Conflict):
    """The house already has as many tables open as it is authorised to (4 CCR 12391)."""

    code = "tables_authorised"


class NotConfigured(Conflict):
    """The house is not ready to open tables. The sentence lists what is missing: rates, chips, sheets, tables."""

    code = "not_configured"


class NoPlace(TableError):
    """The table is being broken, and a player was given neither a seat elsewhere nor a cash-out."""

    code = "no_place"


class UnknownGame(TableError):
    """No sheet has this code."""

    code = "unknown_game"


class SheetChanged(Conflict):
    """The sheet's file has changed under a version that tables have used. Give the change a new version."""

    code = "sheet_changed"


class NothingDue(Conflict):
    """The player owes no collection at the moment."""

    code = "nothing_due"


class StackTooSmall(TableError):
    """The fee would leave less than nine points, so it cannot come from the stack (R63)."""

    code = "stack_too_small"


class BadMethod(TableError):
    """The house does not take this way of paying."""

    code = "bad_method"


class HandForEmptySeat(TableError):
    """A hand was entered for a seat that was not dealt in."""

    code = "hand_for_empty_seat"


class HandMissing(TableError):
    """A seat that was dealt in has no hand in the entry."""

    code = "hand_missing"


class WrongPosition(TableError):
    """The hand names another seat's position, or none where the seat has two hands (R35)."""

    code = "wrong_position"


class TwoHandsNotAgreed(TableError):
    """Two hands each are for exactly two players, both must agree, and a race has none (R35, R54)."""

    code = "two_hands_not_agreed"


class NoReservedHands(TableError):
    """No hands can have been kept from the round before: other players, or another deck (R43)."""

    code = "no_reserved_hands"


class MatchStakeRequired(TableError):
    """The first round of a match needs the stake its players agreed on (R42)."""

    code = "match_stake_required"


class MatchStakeUnwanted(TableError):
    """The game has no matches, or a match is running: leave the stake out (R42)."""

    code = "match_stake_unwanted"


class StakeAboveStack(TableError):
    """The match stake is more than one of its players has (R42)."""

    code = "stake_above_stack"


class MatchRunning(Conflict):
    """The player is in a match, so cannot leave until it is over or called off (R42)."""

    code = "match_running"


class NoMatch(Conflict):
    """No match is running at this table (R42)."""

    code = "no_match"


class FantasyLandNotEarned(TableError):
    """The seat has not earned fantasy land (R41), or this is the player's second hand (R54)."""

    code = "fantasy_land_not_earned"


class StalePage(Conflict):
    """The page is older than what is recorded. Load it again."""

    code = "stale_page"


class ClaimPaid(Conflict):
    """The claim has been paid already (R58)."""

    code = "claim_paid"


class SeatOfMatch(Conflict):
    """The player has played a match in this seat, and keeps it: a match names its players by their seats (R42)."""

    code = "seat_of_match"


class AlreadySettled(Conflict):
    """The round has already been settled."""

    code = "already_settled"


class NotSettled(Conflict):
    """The round has not been settled, so there is nothing to correct."""

    code = "not_settled"


class RoundVoid(Conflict):
    """The round was voided."""

    code = "round_void"


class NothingChanges(TableError):
    """The request would change nothing: the same cards, or the rate the table already has."""

    code = "nothing_changes"


class CorrectionOpen(Conflict):
    """A correction or settlement by hand of this round is already waiting for approval."""

    code = "correction_open"


class CorrectionDecided(Conflict):
    """The correction or settlement by hand has already been approved, refused or overtaken."""

    code = "correction_decided"


class SettledByHand(Conflict):
    """The round was settled by hand because its cards are gone, so cards cannot correct it (R58)."""

    code = "settled_by_hand"


class NotCorrectable(TableError):
    """This kind of entry is not corrected here: only buy-ins, add-ons, tokes and cash-outs are."""

    code = "not_correctable"


class RaceByHand(TableError):
    """A round of a race cannot be settled by hand, because it scores for a match (R42). Void it instead."""

    code = "race_by_hand"


class NoDealer(Conflict):
    """No dealer is at the table. Push one in first (R52)."""

    code = "no_dealer"


class TokeAboveStack(TableError):
    """The toke is more than the player has in front of them (R52)."""

    code = "toke_above_stack"


class NoTokes(Conflict):
    """The dealer has no tokes to be paid out."""

    code = "no_tokes"


class CountIncomplete(TableError):
    """The chip count leaves out somebody who sits at the table, or counts an empty seat."""

    code = "count_incomplete"


class TimeCalled(Conflict):
    """Time has already been called on this hand (R57)."""

    code = "time_called"


class NotADealer(TableError):
    """This person does not deal here, so cannot be pushed in."""

    code = "not_a_dealer"


class NotYourTable(TableError):
    """A dealer sees and deals only the table they are pushed in at."""

    code = "not_your_table"
    status = 404


class DealerInRound(TableError):
    """The dealer is dealing a round at another table; the floor is asked once more before it loses its dealer."""

    code = "dealer_in_round"
    status = 409


class BadTime(TableError):
    """The time is in the future, or before the table opened."""

    code = "bad_time"


class BadEntry(TableError):
    """A field is missing or cannot be read."""

    code = "bad_entry"


class NotDemo(Conflict):
    """The database is not marked as a demo, so made-up play must not be entered."""

    code = "not_demo"


class UnknownTable(TableError):
    """The house has no table with this number."""

    code = "unknown_table"


class UnknownRate(TableError):
    """No such rate is in force: another limit, house or day, or a newer version has replaced it (R60)."""

    code = "unknown_rate"


class ApprovalRequired(TableError):
    """A rate is published only with the reference of its approval (R60)."""

    code = "approval_required"


class BadEffectiveDate(TableError):
    """A rate cannot be published for a day that is over (R60)."""

    code = "bad_effective_date"


class OtherLimit(TableError):
    """A new version of a rate keeps its limit. Publish another limit under another option (R60)."""

    code = "other_limit"


class TooManyRates(TableError):
    """More fees would be in force for one limit than the law allows (R60)."""

    code = "too_many_rates"


class OtherGame(TableError):
    """The round, the waiting list or the main game has another game or limit than this table."""

    code = "other_game"


class UnknownReason(TableError):
    """This reason for waiving a fee is not published here for this day, or has been withdrawn."""

    code = "unknown_reason"


class ReasonPublished(Conflict):
    """A reason for waiving fees has already been published under this code."""

    code = "reason_published"


class FeeCollectable(Conflict):
    """The player's stack can pay this fee, so it cannot be given up (R63)."""

    code = "fee_collectable"


class SeatHeld(Conflict):
    """The seat is held for somebody else. The sentence says until when."""

    code = "seat_held"


class AlreadyWaiting(Conflict):
    """The player already has a place on this waiting list."""

    code = "already_waiting"


class PlaceGone(Conflict):
    """The place on the waiting list is gone: the player was seated or has left the list."""

    code = "place_gone"


class MustMoveFirst(Conflict):
    """The free seats of a main game go first to players at its must-move table (R55)."""

    code = "must_move_first"


class NotTheirTurn(Conflict):
    """Somebody else has been at the must-move table for longer, or this is not a must-move table (R55)."""

    code = "not_their_turn"


class MustMoveCircle(TableError):
    """The main game's own players must move to this table, directly or through another one (R55)."""

    code = "must_move_circle"


class PlayerMerged(Conflict):
    """The entry has been merged into another one of the same person."""

    code = "player_merged"


class SeatedTogether(Conflict):
    """Two entries whose sittings ran at the same time are two people and cannot be merged."""

    code = "seated_together"
