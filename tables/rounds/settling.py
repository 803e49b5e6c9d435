"""Settle a round: the rules compute, the ledger moves chips, under the table's lock."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from ledger.db.compiled import adapted
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.writing import ExtraStatement
from ledger.rights import require
from tables.errors import AlreadySettled, RoundVoid
from tables.live import publish
from tables.models import Hand, Round, Sitting, TableSession
from tables.rights import DEAL
from tables.rounds.entry import RoundEntry, normal_form
from tables.rounds.handed_in import note_handed_in
from tables.rounds.matches import outcome_of
from tables.rounds.pushes import require_dealer
from tables.rounds.scoring import payment_moves, score_entry, settlement_evidence, who_pays
from tables.rules.game.rounds import RoundScore
from tables.state.clock import clock_kept
from tables.state.locks import lock_dealt
from tables.state.rows import Fresh


def require_dealt(round_: Round) -> None:
    if round_.state == Round.State.SETTLED:
        raise AlreadySettled(f"Round {round_.number} has already been settled.")
    if round_.state == Round.State.VOID:
        raise RoundVoid(f"Round {round_.number} was voided.")


def settle_round(*, entry: RoundEntry, act: Act) -> Round:
    """Score and pay a round, once, and a match that it ends (R31-R34, R42). Refuses `key_reused`,
    `already_settled`, `round_void`, `not_your_table`, `bad_entry`, and whatever `score_entry` refuses."""
    require(act.actor, DEAL)
    act = act.under(entry.key)
    with transaction.atomic():
        session, round_, dealt, latest_down_at, act = lock_dealt(entry.round_id, act)
        site = session.table.site
        content = {"round": entry.round_id, "hands": normal_form(dealt, entry.hands)}
        if entry.shuffle is not None:
            content["shuffle"] = entry.shuffle
        if entry.played_by is not None:
            content["played_by"] = entry.played_by
        # A running round has no entry; `post` refuses a reused key.
        if round_.state != Round.State.DEALT:
            if posting.earlier(site=site, kind="round", content=content, act=act):
                return round_
            require_dealt(round_)
        require_dealer(session, act)
        deal, scored = score_entry(session, round_, dealt, entry.hands, entry.shuffle)
        outcome = outcome_of(round_, scored)
        paying, sittings = who_pays(dealt, scored, outcome)
        stacks = {seat: sitting.stack_id for seat, sitting in sittings.items()}
        with clock_kept(session, act.now, latest_down_at):
            posting.post(
                site=site,
                draft=posting.EntryDraft(
                    kind="round",
                    moves=payment_moves(paying, stacks),
                    evidence=settlement_evidence(round_, 1, deal, scored, outcome),
                    content=content,
                    act=act,
                ),
                extra=(*first_settlement(round_, act.now), _newest_moment(session, act.now)),
            )
            mark_fantasy_land(dealt, scored)
        note_handed_in(session, round_, entry.played_by, act)
        round_.fresh = Fresh(dealt, deal, scored)
        publish(session.pk)
    return round_


def first_settlement(round_: Round, now: datetime, *, by_hand: bool = False) -> tuple[ExtraStatement, ...]:
    """End a round; return the SQL that writes its first settlement with the entry."""
    round_.state, round_.ended_at = Round.State.SETTLED, now
    at = adapted(now)
    return (
        ExtraStatement(
            "INSERT INTO tables_settlement (round_id, ordinal, entry_id, settled_at, by_hand)"
            " SELECT %s, 1, id, %s, %s FROM written",
            (round_.pk, at, by_hand),
        ),
        ExtraStatement(
            "UPDATE tables_round SET state = %s, ended_at = %s WHERE id = %s AND EXISTS (SELECT 1 FROM"
            " written)",
            (str(round_.state), at, round_.pk),
        ),
    )


def _newest_moment(session: TableSession, now: datetime) -> ExtraStatement:
    """Return the SQL that notes `now` as the table's newest moment (R65) with the entry."""
    session.latest_at = now
    return ExtraStatement(
        "UPDATE tables_tablesession SET latest_at = %s WHERE id = %s AND EXISTS (SELECT 1 FROM written)",
        (adapted(now), session.pk),
    )


def mark_fantasy_land(dealt: Sequence[Hand], scored: RoundScore) -> None:
    """Mark the sittings that receive their next hand face down (R41), earned with either hand (R54)."""
    earned = {hand.seat for hand in scored.hands if hand.fantasy_land_next}
    for marked in (True, False):
        changed = [
            hand.sitting_id
            for hand in dealt
            if (hand.seat in earned) is marked and hand.sitting.fantasy_land is not marked
        ]
        if changed:
            Sitting.objects.filter(pk__in=changed, left_at__isnull=True).update(fantasy_land=marked)
