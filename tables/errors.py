"""What the floor's verbs refuse, each with a stable code; the sentence names the seat, the amount, the person."""


class TableError(Exception):
    """Something that cannot be done at a table. `code` is stable, `field` names the entry it is about."""

    code = "table_error"
    status = 400

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class Conflict(TableError):
    """The page the user acts on is no longer true."""

    code = "conflict"
    status = 409


class BuyInTooSmall(TableError):
    """A first buy-in below thirty times the limit, or below what the player took away (R52); also a stack that a player
    asks to carry to a table (R55)."""

    code = "buy_in_too_small"


class BuyInTooLarge(TableError):
    """A buy-in, an add-on, or a move that a player asked for, with a stack above the table's maximum (R52, R55)."""

    code = "buy_in_too_large"


class BadBuyInMaximum(TableError):
    """A maximum buy-in below the smallest buy-in of thirty times the limit."""

    code = "bad_buy_in_maximum"


class SeatTaken(Conflict):
    """Somebody sits there already."""

    code = "seat_taken"


class UnknownSeat(TableError):
    """A seat outside 1 to 5."""

    code = "unknown_seat"


class PlayerSeated(Conflict):
    """The player sits at this or another table already."""

    code = "player_seated"


class PlayerUnknown(TableError):
    """Neither a name, a number nor a description says who sits down, or no such player is known."""

    code = "player_unknown"


class SameTable(TableError):
    """A move to the table where the player sits already (R55)."""

    code = "same_table"


class NotSeated(Conflict):
    """The player has left the table."""

    code = "not_seated"


class RoundRunning(Conflict):
    """The player is dealt into a running round, or the table has one: it must be settled first (R52)."""

    code = "round_running"


class TooFewPlayers(TableError):
    """Fewer than two players are eligible: no round (R51)."""

    code = "too_few_players"


class ClockStopped(Conflict):
    """The table's clock stands still (R65)."""

    code = "clock_stopped"


class ClockRunning(Conflict):
    """The table's clock is running already, or has not started."""

    code = "clock_running"


class TableClosed(Conflict):
    """The session at this table has been closed."""

    code = "table_closed"


class TableOpen(Conflict):
    """The table is open already, or still has players."""

    code = "table_open"


class TablesAuthorised(Conflict):
    """As many tables are open as the house may have open at once (4 CCR 12391)."""

    code = "tables_authorised"


class NotConfigured(Conflict):
    """No table can be opened before something else is there: rates, chips, sheets, tables; the sentence lists all of it."""

    code = "not_configured"


class NoPlace(TableError):
    """A table is broken, and somebody who sits there was given neither a seat elsewhere nor a cash-out."""

    code = "no_place"


class UnknownGame(TableError):
    """No sheet with that code."""

    code = "unknown_game"


class SheetChanged(TableError):
    """A sheet's file has changed under a version that tables have used."""

    code = "sheet_changed"


class NothingDue(Conflict):
    """The player owes no collection at the moment."""

    code = "nothing_due"


class StackTooSmall(TableError):
    """Less than nine points would be left after the fee, so it cannot come from the stack (R63)."""

    code = "stack_too_small"


class BadMethod(TableError):
    """A way of paying that this house does not know."""

    code = "bad_method"


class HandForEmptySeat(TableError):
    """A hand was entered for a seat that was not dealt in."""

    code = "hand_for_empty_seat"


class HandMissing(TableError):
    """A seat that was dealt in has no hand in the entry."""

    code = "hand_missing"


class WrongPosition(TableError):
    """A hand names a position that is not its seat's, or none where the seat has two hands (R35)."""

    code = "wrong_position"


class TwoHandsNotAgreed(TableError):
    """Two hands each without both of exactly two players having agreed, or in a race (R35, R54)."""

    code = "two_hands_not_agreed"


class NoReservedHands(TableError):
    """Hands kept from the round before where none can have been: not the same two players, or not its deck (R43)."""

    code = "no_reserved_hands"


class MatchStakeRequired(TableError):
    """The first round of a match was started without the stake that its players agreed on (R42)."""

    code = "match_stake_required"


class MatchStakeUnwanted(TableError):
    """A match stake in a game without matches, or while a match runs (R42)."""

    code = "match_stake_unwanted"


class StakeAboveStack(TableError):
    """A match stake that the stack of one of its players does not cover (R42)."""

    code = "stake_above_stack"


class MatchRunning(Conflict):
    """The player is in a match that is neither over nor called off, so cannot leave the table (R42)."""

    code = "match_running"


class NoMatch(Conflict):
    """No match runs at this table, so there is none to call off (R42)."""

    code = "no_match"


class FantasyLandNotEarned(TableError):
    """Fantasy land was entered for a seat that has not earned it (R41), or for a player's second hand (R54)."""

    code = "fantasy_land_not_earned"


class StalePage(Conflict):
    """The page is older than what is recorded."""

    code = "stale_page"


class AlreadySettled(Conflict):
    """The round has been settled already."""

    code = "already_settled"


class NotSettled(Conflict):
    """The round has not been settled, so there is nothing to correct."""

    code = "not_settled"


class RoundVoid(Conflict):
    """The round was voided."""

    code = "round_void"


class ReasonRequired(TableError):
    """A void, a correction or a stop of the clock needs a reason."""

    code = "reason_required"


class NothingChanges(TableError):
    """The correction is the same as what stands; or a change of rate is announced, or taken back, that is none."""

    code = "nothing_changes"


class CorrectionOpen(Conflict):
    """A correction or a settlement by hand of this round waits for approval already."""

    code = "correction_open"


class CorrectionDecided(Conflict):
    """The correction or settlement by hand was approved, refused or overtaken already."""

    code = "correction_decided"


class SettledByHand(Conflict):
    """The round was settled by hand, because its cards are gone: it cannot be corrected by cards (R58)."""

    code = "settled_by_hand"


class NotCorrectable(TableError):
    """An entry that is corrected elsewhere, or not at all: here buy-ins, add-ons and cash-outs are."""

    code = "not_correctable"


class RaceByHand(TableError):
    """A round of a race is not settled by hand: it scores for a match, not between two players (R42). It can be voided."""

    code = "race_by_hand"


class NoDealer(TableError):
    """No dealer stands at the table: for a round that the floor would start, or to whom a toke could go (R52)."""

    code = "no_dealer"


class TokeAboveStack(TableError):
    """A toke of more than lies on the stack (R52)."""

    code = "toke_above_stack"


class NoTokes(TableError):
    """The dealer has no tokes to be paid out."""

    code = "no_tokes"


class CountIncomplete(TableError):
    """A chip count that leaves out the stack of somebody who sits at the table, or counts a seat where nobody sits."""

    code = "count_incomplete"


class TimeCalled(Conflict):
    """Time has been called on this hand already (R57)."""

    code = "time_called"


class WrongPin(TableError):
    """A name and a PIN that do not belong together, or of somebody who has none."""

    code = "wrong_pin"


class TooManyAttempts(TableError):
    """Too many wrong PINs of one person: they wait for some minutes."""

    code = "too_many_attempts"
    status = 429


class BadPin(TableError):
    """A new PIN that is not 4 to 8 digits, or that everybody knows."""

    code = "bad_pin"


class NotADealer(TableError):
    """Somebody was to be pushed in who does not deal here."""

    code = "not_a_dealer"


class NotYourTable(TableError):
    """A dealer asked for, or acted at, a table that they are not pushed in at."""

    code = "not_your_table"
    status = 403


class BadTime(TableError):
    """A claimed time in the future, or before the table opened."""

    code = "bad_time"


class BadEntry(TableError):
    """A form or request that lacks a field or has one that cannot be read."""

    code = "bad_entry"


class NotDemo(TableError):
    """The database is not marked as a demo, so made-up play may not be entered."""

    code = "not_demo"


class UnknownTable(TableError):
    """The house has no table of that number."""

    code = "unknown_table"


class UnknownSchedule(TableError):
    """No schedule has been published for that limit, this house or this day, or a newer version has replaced it (R60)."""

    code = "unknown_schedule"


class ApprovalRequired(TableError):
    """A rate is published without the reference of its approval (R60)."""

    code = "approval_required"


class BadEffectiveDate(TableError):
    """A rate is published for a day that is over (R60)."""

    code = "bad_effective_date"


class OtherLimit(TableError):
    """A version of a rate for another limit than its option has: another limit is another option (R60)."""

    code = "other_limit"


class TooManyRates(TableError):
    """More distinct fees would be in force for one limit than the law allows (R60)."""

    code = "too_many_rates"


class OtherGame(TableError):
    """The round, the waiting list or the main game is of another game or limit than the open table plays."""

    code = "other_game"


class UnknownReason(TableError):
    """A reason for waiving a fee that is not published here for this day, or has been withdrawn."""

    code = "unknown_reason"


class ReasonPublished(Conflict):
    """A reason for waiving fees has been published under this code already."""

    code = "reason_published"


class FeeCollectable(Conflict):
    """A fee cannot be given up while the stack could pay it (R63)."""

    code = "fee_collectable"


class SeatHeld(Conflict):
    """The seat is kept for somebody else who was called to it or has reserved it, until a time that the sentence says."""

    code = "seat_held"


class AlreadyWaiting(Conflict):
    """The player has a place on this list already."""

    code = "already_waiting"


class PlaceGone(Conflict):
    """The place on the list stands no more: the player was seated or has left the list."""

    code = "place_gone"


class MustMoveFirst(Conflict):
    """The free seats of a main game belong to those who play at its must-move table (R55)."""

    code = "must_move_first"


class NotTheirTurn(Conflict):
    """Somebody else has been at the must-move table for longer, or the table is none (R55)."""

    code = "not_their_turn"


class MustMoveCircle(TableError):
    """The main game's own players must move to this table, directly or by another one (R55)."""

    code = "must_move_circle"
