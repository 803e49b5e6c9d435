"""Buy in and add on: bring chips to a stack, within the bounds of R52."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ledger.errors import SecondPerson
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day, open_day
from ledger.money import dollars
from ledger.rights import require
from tables.collection.taking import write_charges
from tables.errors import BadMethod, BuyInTooLarge, BuyInTooSmall
from tables.models import Charge, Player, Sitting, TableEvent, TableSession
from tables.rights import HANDLE_CHIPS, RUN_FLOOR
from tables.rules.table import buy_ins, downs
from tables.seats.players import Person, know_player, require_welcome_once
from tables.seats.sitting import (
    SEATING,
    SELLING,
    post_about,
    require_free,
    require_not_seated,
    seated,
    sit_down,
)
from tables.state.clock import clock_kept
from tables.state.events import record
from tables.state.held_seats import sat_down
from tables.state.locks import at_seat, at_table, require_open, require_seated
from tables.state.persons import entries_of
from tables.state.requirements import require_not_dealt_in
from tables.state.table_state import state_of


def chip_moves(session: TableSession, stack_id: int, cents: int, source: str) -> tuple[posting.Move, ...]:
    """Return the transfers that bring chips: `cash` from the table bank, `chips` from the cage."""
    site = session.table.site
    if source == "cash":
        return (
            posting.Move(posting.house_account(site, "public", "cash").pk, session.bank_cash_id, cents),
            posting.Move(session.bank_chips_id, stack_id, cents),
        )
    if source == "chips":
        return (posting.Move(posting.house_account(site, "patrons", "chips").pk, stack_id, cents),)
    raise BadMethod(f"Chips cannot be bought with {source!r}.", field="source")


@dataclass(frozen=True, slots=True)
class FirstBuyIn:
    """What a player sits down with: seat, cents and source. `entered_at`: late entry; `ordered`: see R55."""

    seat: int
    cents: int
    source: str
    entered_at: datetime | None = None
    ordered: bool = False

    def content(self, session_id: int, player: Player) -> dict[str, Any]:
        return {
            "session": session_id,
            "seat": self.seat,
            "player": player.pk,
            "cents": self.cents,
            "source": self.source,
            "entered_at": self.entered_at and self.entered_at.isoformat(),
            **({"ordered": True} if self.ordered else {}),
        }


def buy_in(*, session_id: int, who: Person | Player, entry: FirstBuyIn, act: Act) -> Sitting:
    """Seat a player, known or new, with a first buy-in (R52, R61), after an exclusion look-up. Refuses
    `see_floor` and what `bring_in` refuses; then no player is added."""
    require(act.actor, RUN_FLOOR if entry.ordered else HANDLE_CHIPS)
    site = TableSession.objects.select_related("table__site").get(pk=session_id).table.site
    require_welcome_once(who, site=site, doing=SEATING, act=act)
    with at_table(session_id, act) as (session, act):
        return bring_in(session, who, entry, act=act)


def bring_in(session: TableSession, who: Person | Player, entry: FirstBuyIn, *, act: Act) -> Sitting:
    """Seat a player at a locked table, as `buy_in` does after the look-up. Refuses `player_unknown`,
    `player_seated`, `bad_time`, `second_person`, and what `require_free` and `require_bounds` refuse."""
    site = session.table.site
    player = who if isinstance(who, Player) else _known(who, site, act)
    content = entry.content(session.pk, player)
    earlier = posting.earlier(site=site, kind="buy_in", content=content, act=act)
    if earlier is not None:
        return Sitting.objects.get(stack__in=earlier.transfers.values("target"))
    require_open(session)
    require_free(session, entry.seat, player, act.now, ordered=entry.ordered)
    require_not_seated(player)
    with clock_kept(session, act.now):
        require_bounds(session, player, entry.cents, act.now)
        sitting = sit_down(session, entry.seat, player, entry.entered_at or act.now, act.now)
        _post_buy_in(session, sitting, entry, act)
    if entry.entered_at is not None:
        _settle_claimed_entry(session, sitting, act=act)
    record(session, TableEvent.Kind.SEATED, at=sitting.entered_at, act=act, **seated(sitting))
    sat_down(sitting, act=act)
    return sitting


def _known(who: Person, site: Any, act: Act) -> Player:
    """Return the player this act seated before, even one with only a description; else as `know_player`."""
    seated_by = {"entry__site": site, "entry__key": act.key, "entry__kind": "buy_in"}
    before = Player.objects.filter(
        **{f"sittings__stack__incoming__{name}": value for name, value in seated_by.items()}, **who.given()
    ).first()
    return before or know_player(who, site=site, act=act)


def _post_buy_in(session: TableSession, sitting: Sitting, entry: FirstBuyIn, act: Act) -> None:
    site, entered = session.table.site, sitting.entered_at
    content = entry.content(session.pk, sitting.player)
    posting.post(
        site=site,
        draft=posting.EntryDraft(
            kind="buy_in",
            occurred_at=entered,
            gaming_day=open_day(site, gaming_day(site, entered), act.now),
            moves=chip_moves(session, sitting.stack_id, entry.cents, entry.source),
            evidence={**content, "sitting": sitting.pk, "recorded_at": act.now.isoformat()},
            content=content,
            act=act,
        ),
    )


def require_bounds(session: TableSession, player: Player, cents: int, now: datetime) -> None:
    """Refuse a first buy-in out of bounds (R52), for the down kept current by `clock_kept`."""
    taken = buy_ins.taken_away(_carried(session, player, now))
    bounds = buy_ins.buy_in_bounds(session.limit_cents, session.most_on_a_stack_cents, taken)
    match buy_ins.wrong_buy_in(cents, bounds):
        case "buy_in_too_small":
            why = "what was taken away" if taken.least == bounds.least else "thirty times the limit"
            raise BuyInTooSmall(
                f"The buy-in must be at least {dollars(bounds.least)}, {why}.", field="amount"
            )
        case "buy_in_too_large":
            raise BuyInTooLarge(f"The buy-in may be at most {dollars(bounds.most)}.", field="amount")


def _carried(session: TableSession, player: Player, now: datetime) -> Iterator[int]:
    """Yield the chips a returning player took away, then what was left of them at each later table."""
    since = buy_ins.came_back_since(now, session.table.site.return_minutes)
    left = Sitting.objects.filter(entries_of(player.pk), session=session, left_at__gte=since)
    sitting = left.order_by("-left_at", "-pk").first()
    while sitting is not None:
        yield (sitting.stack.balance_cents if sitting.left_at is None else sitting.taken_away_cents) or 0
        sitting = Sitting.objects.filter(moved_from=sitting).select_related("stack").first()


def _settle_claimed_entry(session: TableSession, sitting: Sitting, *, act: Act) -> None:
    """Charge a back-dated entry for rounds started since; any change requires an approver (R61)."""
    state = state_of(session)
    changed = False
    for down in session.downs.select_related("rate").order_by("number"):
        fee = down.rate.fee_cents
        owed = downs.owed(fee, down.started_at, sitting.entered_at, state.rule_stops)
        first = down.rounds.filter(started_at__gte=sitting.entered_at).order_by("started_at").first()
        current = state.latest_down is not None and down.pk == state.latest_down.pk
        if current and downs.owed(fee, down.started_at, act.now, state.rule_stops).cents != owed.cents:
            changed = True
        if first is None or Charge.objects.filter(entries_of(sitting.player_id), down=down).exists():
            continue
        changed = True
        write_charges(session, [(sitting, owed)], down=down, round_=first, act=act)
    if changed and act.approver is None:
        raise SecondPerson("This time of entry changes the fee: a second person must approve it.")
    if act.approver is not None:
        require(act.approver, RUN_FLOOR)


def add_on(*, sitting_id: int, cents: int, source: str, act: Act) -> Sitting:
    """Add chips to a stack between rounds, up to the table's maximum (R52). Refuses `round_running` for a
    player who is dealt in, `buy_in_too_large`, `not_seated`."""
    require(act.actor, HANDLE_CHIPS)
    if source == "cash":
        buyer = Player.objects.select_related("site").get(sittings=sitting_id)
        require_welcome_once(buyer, site=buyer.site, doing=SELLING, act=act)
    content = {"sitting": sitting_id, "cents": cents, "source": source}
    with at_seat(sitting_id, act) as (session, sitting, act):
        if posting.earlier(site=session.table.site, kind="add_on", content=content, act=act):
            return sitting
        require_seated(sitting)
        require_not_dealt_in(sitting)
        with clock_kept(session, act.now):
            stack, most = sitting.stack.balance_cents, session.most_on_a_stack_cents
            if buy_ins.wrong_add_on(stack, cents, most):
                raise BuyInTooLarge(
                    f"The stack may be at most {dollars(most)} after adding on; {sitting.player} has"
                    f" {dollars(stack)}.",
                    field="amount",
                )
            moves = chip_moves(session, sitting.stack_id, cents, source)
            post_about(session, sitting, "add_on", moves, content=content, act=act)
    return sitting
