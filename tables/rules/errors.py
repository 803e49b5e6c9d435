"""Every reason for which the rules refuse a round or a sheet: one small class with a stable code each.

The codes of rounds are those of the score format (docs/rules.md, section 9). Messages name the seat, and
the card as `7h`. What a table refuses (a full seat, a fee that is due) is not here.
"""

from __future__ import annotations

from typing import ClassVar


class RuleError(Exception):
    """A round or sheet that the rules refuse.

    `field` is the place in the entry, as a path of keys and indexes (`hands.1.front`), where there is one.
    """

    code: ClassVar[str] = "rule"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class BadJson(RuleError):
    """The entry is not JSON, or not of the form of a round."""

    code = "bad_json"


class UnknownSheet(RuleError):
    """No sheet of this code and version is loaded."""

    code = "unknown_sheet"


class BadCard(RuleError):
    """A text that is no card: a rank of 23456789TJQKA and then a suit of cdhs."""

    code = "bad_card"


class CardCount(RuleError):
    """A hand whose segments do not hold 3, 5 and 5 cards, or whose dealt cards are not 13 (R7)."""

    code = "card_count"


class DuplicateCard(RuleError):
    """A card that occurs twice in the deal, or twice over two rounds that share a pack (R7, R43)."""

    code = "duplicate_card"


class BadSeat(RuleError):
    """A seat or button that is not one of 1 to 5, or a pair stake between seats that do not oppose each other."""

    code = "bad_seat"


class BadLimit(RuleError):
    """A limit or pair stake that is not an amount with two places above 0."""

    code = "bad_limit"


class BadStack(RuleError):
    """A stack that is not an amount with two places, or differs between the two hands of a player."""

    code = "bad_stack"


class HandCount(RuleError):
    """Fewer than 2 or more than 4 hands, a seat listed too often, or too few hands for the sheet (R35)."""

    code = "hand_count"


class FalseDeclaration(RuleError):
    """A clean sweep was declared that the hand does not have, where the sheet refuses that (R22)."""

    code = "false_declaration"


class UnknownCleanSweep(RuleError):
    """A clean sweep was declared that the sheet does not have (R22)."""

    code = "unknown_clean_sweep"


class UnsetHand(RuleError):
    """A hand came without segments where the game needs them (R7, R20, R25)."""

    code = "unset_hand"


class NoSurrender(RuleError):
    """A hand surrendered in a game without surrender (R27)."""

    code = "no_surrender"


class NoPairStakes(RuleError):
    """Pair stakes in a game that has none (R32)."""

    code = "no_pair_stakes"


class DeclaresAndSurrenders(RuleError):
    """A hand declared a clean sweep and surrendered at once (R22)."""

    code = "declares_and_surrenders"


class NotInFantasyLand(RuleError):
    """A hand was entered as in fantasy land in a game that has none (R41)."""

    code = "not_in_fantasy_land"


class BadPoints(RuleError):
    """Points for a round whose cards are gone that are not one whole number for every two players (R58)."""

    code = "bad_points"


class BadSheet(RuleError):
    """A sheet file with a key or word the rules do not know, or with parts that contradict each other."""

    code = "bad_sheet"


class BatchUnfit(RuleError):
    """A sheet or an amount for which only the plain engine has the rules, not the form that scores many rounds at once."""

    code = "batch_unfit"
