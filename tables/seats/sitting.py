"""A stay in a seat: sit down, sit out, change seats, leave; and whether seat and player are free."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Q

from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.records import moment
from ledger.rights import require
from tables import errors
from tables.collection.taking import Taking, take
from tables.collection.uncollected import LEFT_SHORT, lock_open_charges, write_uncollected
from tables.models import MatchPlayer, Player, Sitting, TableEvent, TableSession
from tables.rights import HANDLE_CHIPS, RUN_FLOOR
from tables.rules.table.dealing import SEATS
from tables.rules.table.moves import SeatRefused, wrong_seat_change
from tables.rules.table.paying import Method
from tables.seats.players import require_own
from tables.state.clock import clock_kept
from tables.state.events import record, recorded_before
from tables.state.held_seats import clock_text, left_table
from tables.state.locks import at_seat, require_seated
from tables.state.requirements import (
    require_feeders_served,
    require_not_dealt_in,
    require_not_held,
    require_not_in_match,
)
from tables.state.table_state import state_of

SEATING = "seating"
SELLING = "selling chips at the table"
"""The occasions on which the exclusion list is looked up here."""
_REFUSALS: dict[SeatRefused, errors.TableError] = {
    "unknown_seat": errors.UnknownSeat("A table has seats 1 to 5.", field="seat"),
    "nothing_changes": errors.NothingChanges("The player sits in this seat already.", field="seat"),
    "seat_taken": errors.SeatTaken("Somebody sits in this seat.", field="seat"),
    "round_running": errors.RoundRunning("Settle the running round first: seats change between rounds."),
    "seat_of_match": errors.SeatOfMatch(
        "This player has played a match in this seat, and its rounds name players by seat."
    ),
}


def seated(sitting: Sitting) -> dict[str, Any]:
    """Return the log data of a sitting's start, from which fees and chips are worked out."""
    return {
        "seat": sitting.seat,
        "sitting": sitting.pk,
        "player": sitting.player_id,
        "stack": sitting.stack_id,
        "entered_at": moment(sitting.entered_at),
        "covered_by": sitting.covered_by_id,
        "from_sitting": sitting.moved_from_id,
    }


def sit_down(
    session: TableSession, seat: int, player: Player, entered: datetime, now: datetime, **more: Any
) -> Sitting:
    """Begin a sitting with an empty stack; `more` are further fields."""
    if entered > now or entered < session.opened_at:
        raise errors.BadTime(
            "The time of entry must be between the table's opening and now.", field="entered_at"
        )
    overlapping = Sitting.objects.filter(
        Q(session=session, seat=seat) | Q(player=player), left_at__gt=entered
    ).first()
    if overlapping is not None:
        raise errors.BadTime(
            f"At that time {overlapping.player} still sat in seat {overlapping.seat}.", field="entered_at"
        )
    if entered < now:
        # Refuse a claimed time at which the seat was another player's (`bad_time`).
        changes = session.events.filter(kind=TableEvent.Kind.SEAT_CHANGED, recorded_at__gt=entered)
        for data in changes.values_list("data", flat=True):
            if data["seat"] == seat:
                raise errors.BadTime(
                    f"At that time somebody else still sat in seat {seat}.", field="entered_at"
                )
    label = f"{session.table}, seat {seat}"
    return Sitting.objects.create(
        session=session,
        player=player,
        seat=seat,
        stack=posting.open_account(
            site=session.table.site, kind="stack", asset="chips", label=label, now=now
        ),
        entered_at=entered,
        recorded_at=now,
        **more,
    )


def require_free(
    session: TableSession, seat: int, player: Player, now: datetime, *, ordered: bool = False
) -> None:
    """Refuse a seat (`unknown_seat`, `seat_taken`, `seat_held`; `must_move_first` unless `ordered`)."""
    if seat not in SEATS:
        raise errors.UnknownSeat("A table has seats 1 to 5.", field="seat")
    taken = Sitting.objects.filter(session=session, seat=seat, left_at__isnull=True).first()
    if taken:
        since = clock_text(session.table.site, taken.entered_at)
        raise errors.SeatTaken(f"Seat {seat} has been taken by {taken.player} since {since}.", field="seat")
    require_not_held(session, seat, player, now)
    if not ordered:
        require_feeders_served(session, seat, player, now)


def require_not_seated(player: Player) -> None:
    """Refuse a player who sits at a table (`player_seated`), and a merged entry (`player_merged`)."""
    locked = Player.objects.select_for_update(no_key=True, of=("self",)).get(pk=player.pk)
    require_own(locked, "player")
    elsewhere = (
        Sitting.objects.filter(player=player, left_at__isnull=True).select_related("session__table").first()
    )
    if elsewhere:
        raise errors.PlayerSeated(
            f"{player} sits at {elsewhere.session.table}, seat {elsewhere.seat}.", field="player"
        )


def sit_out(*, sitting_id: int, out: bool, act: Act) -> Sitting:
    require(act.actor, HANDLE_CHIPS)
    kind = TableEvent.Kind.SAT_OUT if out else TableEvent.Kind.RETURNED
    with at_seat(sitting_id, act) as (session, sitting, act):
        if recorded_before(session, kind, act, sitting=sitting.pk):
            return sitting
        require_seated(sitting)
        if sitting.sitting_out != out:
            with clock_kept(session, act.now):
                sitting.sitting_out = out
                sitting.save(update_fields=["sitting_out"])
            record(session, kind, seat=sitting.seat, sitting=sitting.pk, key=act.key, act=act)
    return sitting


def change_seat(*, sitting_id: int, seat: int, act: Act) -> Sitting:
    """Move a player to another free seat of the table, between rounds. Refuses `not_seated`, `unknown_seat`,
    `nothing_changes`, `seat_taken`, `seat_held`, `round_running`, and `seat_of_match` for a player of one of
    the table's matches."""
    require(act.actor, RUN_FLOOR)
    with at_seat(sitting_id, act) as (session, sitting, act):
        kind = TableEvent.Kind.SEAT_CHANGED
        if recorded_before(session, kind, act, sitting=sitting.pk, to_seat=seat):
            return sitting
        require_seated(sitting)
        state = state_of(session)
        wrong = wrong_seat_change(
            sitting.seat,
            seat,
            [other.seat for other in state.sittings],
            round_running=state.running_round is not None,
            played_match=MatchPlayer.objects.filter(sitting=sitting).exists(),
        )
        if wrong is not None:
            raise _REFUSALS[wrong]
        require_not_held(session, seat, sitting.player, act.now)
        before, sitting.seat = sitting.seat, seat
        sitting.save(update_fields=["seat"])
        record(session, kind, sitting=sitting.pk, seat=before, to_seat=seat, key=act.key, act=act)
    return sitting


def cash_out(*, sitting_id: int, act: Act) -> Sitting:
    """Cash a player out with the whole stack, after taking the fees due from it (R52, R63). A fee that the
    stack cannot pay stays due. Refuses `round_running`, `match_running`."""
    require(act.actor, HANDLE_CHIPS)
    content = {"sitting": sitting_id}
    with at_seat(sitting_id, act) as (session, sitting, act):
        site = session.table.site
        if posting.earlier(site=site, kind="cash_out", content=content, act=act):
            return sitting
        require_seated(sitting)
        require_not_dealt_in(sitting)
        require_not_in_match(session, sitting)
        with clock_kept(session, act.now):
            unpaid = pay_on_leaving(session, sitting, act=act)
            cents = sitting.stack.balance_cents
            patrons = posting.house_account(site, "patrons", "chips")
            moves = (posting.Move(sitting.stack_id, patrons.pk, cents),) if cents else ()
            post_about(session, sitting, "cash_out", moves, content=content, act=act, unpaid_fees=unpaid)
            posting.close_account(sitting.stack, act.now)
            end_sitting(sitting, cents, act.now)
        record(session, TableEvent.Kind.LEFT, seat=sitting.seat, sitting=sitting.pk, act=act)
        left_table(sitting, act=act)
    return sitting


def pay_on_leaving(session: TableSession, sitting: Sitting, *, act: Act) -> list[int]:
    """Take the fees due from a leaving player's stack (R51, R63); return the charges it cannot pay. Each of
    those becomes a numbered uncollected fee. Rereads the stack."""
    paid, unpaid = [], []
    left = sitting.stack.balance_cents
    for charge in lock_open_charges(session, sitting.player_id):
        if charge.cents > left:
            unpaid.append(charge)
            continue
        left -= charge.cents
        paid.append(Taking(sitting, charge, Method.STACK, f"{act.key}/leave/{charge.pk}"))
    take(session, paid, act=act)
    write_uncollected(session=session, sitting=sitting, charges=unpaid, reason=LEFT_SHORT, act=act)
    sitting.stack.refresh_from_db()
    return [charge.pk for charge in unpaid]


def end_sitting(sitting: Sitting, cents: int, now: datetime) -> None:
    sitting.left_at, sitting.taken_away_cents, sitting.fantasy_land = now, cents, False
    sitting.save(update_fields=["left_at", "taken_away_cents", "fantasy_land"])


def post_about(
    session: TableSession,
    sitting: Sitting,
    kind: str,
    moves: tuple[posting.Move, ...],
    *,
    content: Mapping[str, Any],
    act: Act,
    **more: Any,
) -> None:
    """Post an entry about a sitting's chips, with the content, the sitting and `more` as evidence."""
    evidence = {"session": session.pk, "seat": sitting.seat, "player": sitting.player_id, **content, **more}
    draft = posting.EntryDraft(kind=kind, moves=moves, evidence=evidence, content=content, act=act)
    posting.post(site=session.table.site, draft=draft)
