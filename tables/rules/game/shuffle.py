"""How a round's cards were shuffled and dealt. Optional; no point depends on it.

{"order": "As Td - 2c", "deck": "blue 3", "shuffler": "machine 2", "collected": "by rows"}

`order` has the cards as they came off the deck, `-` for an unknown one: with it, a bad shuffle shows after
some rounds, without it after thousands."""

from collections import Counter
from typing import Final

from tables.rules.errors import BadJson, DuplicateCard
from tables.rules.game.cards import DECK, check_cards, quoted

UNKNOWN: Final = "-"
NOTES: Final = ("deck", "shuffler", "collected")
LONGEST_NOTE: Final = 60


def check_shuffle(shuffle: object) -> None:
    """Refuse a `shuffle` that is not of this form: `bad_json`, `bad_card`, `duplicate_card`."""
    if type(shuffle) is not dict or not shuffle:
        raise BadJson("shuffle must be a JSON object that says something", field="shuffle")
    for name, text in shuffle.items():
        path = f"shuffle.{name}" if name in (*NOTES, "order") else "shuffle"
        if path == "shuffle":
            raise BadJson(
                f"{quoted(name)} is not a key of shuffle, which has order, {', '.join(NOTES)}", field=path
            )
        if type(text) is not str or not text.strip() or not text.isprintable():
            raise BadJson(f"{name} must be a text", field=path)
        if name == "order":
            _check_order(text.split(), path)
        elif len(text) > LONGEST_NOTE:
            raise BadJson(f"{name} must be a text of at most {LONGEST_NOTE} characters", field=path)


def _check_order(cards: list[str], path: str) -> None:
    known = [card for card in cards if card != UNKNOWN]
    check_cards(known, owner="the order: ", field=path)
    card, times = max(Counter(known).items(), key=lambda one: one[1], default=("", 0))
    if times > 1:
        raise DuplicateCard(f"the order: {card} occurs twice", field=path)
    if len(cards) > len(DECK):
        raise BadJson(f"the order has at most {len(DECK)} cards", field=path)
