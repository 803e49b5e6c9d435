"""Check hands against the rules while they are being entered, for the entry screen."""

from collections.abc import Mapping, Sequence
from typing import Any

from tables.models import Hand, Round, TableSession
from tables.rounds.checked import EntryCheck, check_hands
from tables.rounds.scoring import round_before, score_entry
from tables.rules.game.sheet import Library
from tables.state.table_state import sheet_of


def check_entry(
    session: TableSession, round_: Round, dealt: Sequence[Hand], entered: Sequence[Mapping[str, Any]]
) -> EntryCheck:
    """Check the hands entered so far, and score them once they are complete."""
    sheet = sheet_of(session)
    before = round_before(round_, Library.of(sheet))
    return check_hands(
        dealt,
        entered,
        sheet,
        lambda hands: score_entry(session, round_, dealt, hands)[1],
        before.cards if before else frozenset(),
    )
