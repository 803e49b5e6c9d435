"""Refusals of a round or a sheet. The codes are those of the score format (docs/rules.md, section 9)."""

from ledger.errors import Refusal


class RuleError(Refusal):
    """A refusal of a round or a sheet. `field` is the path in the entry: `hands.1.front`."""


class BadJson(RuleError):
    """The entry is not JSON, or does not have the form of a round."""


class UnknownSheet(RuleError):
    """No sheet with this code and version is loaded."""


class BadCard(RuleError):
    """This text is not a card. Write a rank (23456789TJQKA), then a suit (cdhs)."""


class CardCount(RuleError):
    """The segments of a hand are not 3, 5 and 5 cards, or an unset hand is not 13 cards (R7)."""


class DuplicateCard(RuleError):
    """A card occurs twice in the deal, or in two rounds dealt from one deck (R7, R43)."""


class BadSeat(RuleError):
    """A seat or the button is not 1 to 5, or a pair stake names two seats that do not play each other."""


class BadLimit(RuleError):
    """A limit, pair stake or match stake is not an amount above 0 with two decimals."""


class BadStack(RuleError):
    """A stack is not an amount with two decimals, or the two hands of one player give different stacks."""


class HandCount(RuleError):
    """There are fewer than 2 or more than 4 hands, a seat occurs too often, or the game needs more hands
    (R35)."""


class FalseDeclaration(RuleError):
    """The hand is not the clean sweep it declared, and this game refuses a false declaration (R22)."""


class UnknownCleanSweep(RuleError):
    """The game has no clean sweep of this name (R22)."""


class UnsetHand(RuleError):
    """The hand is not set, and the game needs its segments (R7, R20, R25)."""


class NoSurrender(RuleError):
    """A hand surrendered in a game without surrender (R27)."""


class NoPairStakes(RuleError):
    """Pair stakes were given in a game that has none (R32)."""


class DeclaresAndSurrenders(RuleError):
    """A hand cannot declare a clean sweep and surrender (R22)."""


class NotInFantasyLand(RuleError):
    """A hand is entered in fantasy land in a game that has none (R41)."""


class BadPoints(RuleError):
    """A round without its cards needs one whole number of points for every two players (R58)."""


class BadSheet(RuleError):
    """The sheet file has a key or word that the rules do not know, or contradicts itself."""


class BatchUnfit(RuleError):
    """Only the plain engine can score this sheet or amount; the batch engine cannot."""
