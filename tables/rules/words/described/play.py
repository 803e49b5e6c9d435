"""What holds at the table in any game (R50-R53, R60, R61); how the game is dealt, set and scored (R1-R12,
R35, R42, R43, R56); and who pays whom, in what order, and how much (R14, R30-R36)."""

from datetime import timedelta
from typing import Final

from tables.rules.game.ranking import CATEGORIES
from tables.rules.game.sheet import Sheet
from tables.rules.table.buy_ins import BUY_IN_POINTS, DEALT_IN_POINTS
from tables.rules.table.downs import DOWN, HALF_FROM
from tables.rules.words.described.bonuses import sweeps_by_segments
from tables.rules.words.described.rows import Saying, Section
from tables.rules.words.names import CATEGORY_NAMES, listed, points_text


def deal_section(sheet: Sheet) -> Section:
    if sheet.dealing == "open-face":
        dealing = Saying(
            "Cards are dealt face up, one at a time, from the button's left, until each hand has five. In"
            " turn each player lays these, at most 3, 5 and 5. Then each gets one card at a time, face down,"
            " and lays it face up. A card that lies is never moved.",
            ("R56",),
        )
    else:
        dealing = Saying("All 13 cards come face down, and their player sets them before the showdown.")
    undealt = Saying(
        "With three players the fourth hand is discarded unseen. Two players may keep the two undealt hands"
        " for their next round; no card may then occur twice over both rounds. A kept hand is not looked at"
        " before its round begins.",
        ("R43",),
    )
    left_over = sheet.dealing == "closed" and sheet.hands_per_player == 1
    deck = Saying("One deck of 52 cards, without a joker.", ("R1",))
    return Section("deal", "The deal", (deck, _players(sheet), dealing, *([undealt] if left_over else [])))


def _players(sheet: Sheet) -> Saying:
    if sheet.hands_per_player == 2:
        return Saying(
            "Two players have two hands of 13 cards each. Each hand meets the other player's two, and no card"
            " is exchanged between one's own. The stack, with its limits, is the player's.",
            ("R35",),
        )
    dealt = "Two to four players have a hand of 13 cards each."
    if sheet.race_to:
        return Saying(dealt, ("R51",))
    return Saying(
        f"{dealt} Exactly two may agree on two hands each: each hand then meets the other player's two, no"
        " card is exchanged between one's own, and the stack, with its limits, is the player's.",
        ("R35", "R51", "R54"),
    )


def setting_section(sheet: Sheet) -> Section:
    ranked = listed([CATEGORY_NAMES[category].lower() for category in reversed(CATEGORIES)])
    sayings = (
        Saying(
            "A hand is set in three segments: three cards in front (top), five in the middle, five in the"
            " back (bottom).",
            ("R7",),
        ),
        Saying(f"Five cards rank, from the top: {ranked}. Suits are equal.", ("R1",)),
        Saying(_front(sheet), ("R3",)),
        Saying(
            "5-4-3-2-A is the second-best straight, under A-K-Q-J-10 and over K-Q-J-10-9, suited or not."
            if sheet.wheel == "second"
            else "The ace is low in one place, 5-4-3-2-A, the lowest straight.",
            ("R2",),
        ),
        *_order(sheet),
    )
    return Section("setting", "Setting a hand", sayings)


def _front(sheet: Sheet) -> str:
    kinds = sweeps_by_segments(sheet)
    besides = f", except towards the clean sweeps {listed(kinds)}" if kinds else ""
    return (
        "The front ranks three of a kind, pair, high card. Straights and flushes do not count in"
        f" it{besides}."
    )


def _order(sheet: Sheet) -> tuple[Saying, ...]:
    runs_out = " Where the front runs out of cards with all ranks equal, the five cards are higher."
    if sheet.middle == "low":
        return (
            Saying(
                "The middle is played low, deuce to seven: the worse poker hand wins. Aces are high there,"
                " straights and flushes count against the hand, and 7-5-4-3-2 in more than one suit is the"
                " best.",
                ("R6",),
            ),
            Saying(
                f"The back must rank higher than the front, or the hand is foul.{runs_out}",
                ("R4", "R5", "R6"),
            ),
        )
    equal = (
        "An equal middle and back are allowed; any other order is foul."
        if sheet.equal_segments == "allowed"
        else "Any other order is foul, and so are an equal middle and back."
    )
    order = "The back must rank higher than the middle, and the middle higher than the front."
    return (Saying(f"{order} {equal}{runs_out}", ("R4", "R5")),)


def points_section(sheet: Sheet) -> Section:
    ties = (
        "Equal segments are won by the player with the button; between two others they push."
        if sheet.ties == "button"
        else "Equal segments push: nobody wins them."
    )
    sayings = [
        Saying(
            f"Of two hands the better front, the better middle and the better back win 1 point each. {ties}",
            ("R10",),
        )
    ]
    if sheet.majority:
        more = f"Winning two or three segments is worth {points_text(sheet.majority)} more"
        sayings.append(Saying(f"{more}, also where the third is tied. One each and a tie is not.", ("R11",)))
    if sheet.scoop:
        besides = " besides" if sheet.majority else ""
        more = f"Winning all three is worth {points_text(sheet.scoop)} more{besides}"
        sayings.append(Saying(f"{more}. A push is not a win.", ("R12",)))
    return Section("points", "Points", tuple(sayings))


def race_section(sheet: Sheet) -> Section:
    sayings = (
        Saying(
            "In each round the best front, the best middle and the best back at the table score 1 point"
            " each. A tie for the best scores nobody.",
            ("R42",),
        ),
        Saying("Of four players, one who has all three scores 4 points.", ("R42",)),
        Saying("A foul hand scores nothing and cannot be the best.", ("R42",)),
        Saying(
            f"Points add up over rounds. The first player with {points_text(sheet.race_to)} wins the match."
            " Of two who get there in one round the higher total wins, then the one nearer clockwise from"
            " the button, whose own seat is the nearest.",
            ("R42",),
        ),
        Saying(
            "Each other player then pays the winner the match stake that was agreed before the first round,"
            " as far as their stack goes.",
            ("R34", "R42"),
        ),
    )
    return Section("race", "The race", sayings)


_MINUTE: Final = timedelta(minutes=1)


def table_section(sheet: Sheet) -> Section:
    sayings = [
        Saying(
            "The button begins at the first occupied seat, from the house dealer's left. After each round it"
            " moves clockwise to the next player who can be dealt in.",
            ("R50",),
        ),
        Saying(
            f"The first buy-in is at least {BUY_IN_POINTS} times the limit, before any fee, and at most the"
            " table's maximum. Up to that maximum chips are added between rounds.",
            ("R52",),
        ),
        Saying(
            f"A player who has fewer than {DEALT_IN_POINTS} points when a round starts ({DEALT_IN_POINTS}"
            " times the limit) is not dealt in.",
            ("R53",),
        ),
        Saying(
            f"The house takes a fee from each player for every {DOWN // _MINUTE} minutes: whole from those"
            f" who sit down before or in the first {HALF_FROM // _MINUTE} of them, half from those who come"
            " later. The rate card has the amount for each limit; it is never a share of wagers or winnings.",
            ("R60", "R61"),
        ),
    ]
    if sheet.hands_per_player != 2:
        fifth = Saying(
            "At most four of the five seats are dealt in: the button and the three players clockwise from it."
            " The fifth waits, and is the first to replace one who declines.",
            ("R51",),
        )
        sayings.insert(1, fifth)
    return Section("table", "At the table", tuple(sayings))


_FIRST: Final = {
    "button": "The player with the button",
    "left_of_button": "The next player clockwise from the button",
    "right_of_puck": "The next player counter-clockwise from the button, at the right of the puck,",
}
TABLE_STAKES: Final = {
    "starting_stack": (
        "Table stakes: at no moment of the settlement has a player lost, or won, more than the stack they"
        " began the round with. A payment is cut to what both sides have left of that; what was won earlier"
        " in the settlement can be lost again. What is cut is never owed later."
    ),
    "running_stack": (
        "Table stakes: in each payment the payer pays at most their stack, and the receiver gets at most"
        " theirs, both as they stand after the payments before. What is cut is never owed later."
    ),
    "uncapped_win": (
        "Table stakes: the payer pays at most their stack as it stands; what the receiver gets is not"
        " limited. What is cut is never owed later."
    ),
}


def settling_section(sheet: Sheet) -> Section:
    positions = Saying(f"{_FIRST[sheet.first]} is position 1, the others follow clockwise.", ("R30",))
    if sheet.hands_per_player == 2:
        positions = Saying(
            f"{_FIRST[sheet.first]} has positions 1 and 3 with a first and a second hand, the other player 2"
            " and 4.",
            ("R30", "R35"),
        )
        pairs = "1 and 2, 1 and 4, 2 and 3, 3 and 4"
    else:
        pairs = "1 and 2, 1 and 3, 1 and 4, 2 and 3, 2 and 4, 3 and 4"
    first = (
        "Clean sweeps are paid first, by position, each collecting clockwise from its holder. Then positions"
        " settle"
        if sheet.clean_sweep.kinds
        else "Positions settle"
    )
    sayings = [
        positions,
        Saying(f"{first} two by two, all between them in one payment: {pairs}.", ("R14", "R31")),
    ]
    if sheet.stakes == "none":
        return Section(
            "settling", "Settling", (*sayings, Saying("Points are scored, and no money moves.", ("R33",)))
        )
    between_two = "; two players may agree on a stake of their own between them" if sheet.pair_stakes else ""
    sayings += [
        Saying(f"A point is worth the table's limit{between_two}.", ("R32",)),
        Saying(TABLE_STAKES[sheet.stakes], ("R33",)),
    ]
    return Section("settling", "Settling", tuple(sayings))
