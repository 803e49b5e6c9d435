"""Tokes: chips from a player to the dealer between rounds, paid out at the cage (R52)."""

import json
from typing import Any

from django.db import transaction

from ledger.cage import taking_back, tokes
from ledger.errors import NotTakenBack
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.money import checked_cents, dollars
from ledger.rights import WORK_CAGE, require
from ledger.rules.denominations import Pieces
from tables.errors import NoDealer, NoTokes, StalePage, TokeAboveStack
from tables.models import Sitting, TableSession
from tables.rights import DEAL, HANDLE_CHIPS
from tables.seats.sitting import post_about
from tables.state.clock import clock_kept
from tables.state.locks import at_seat, require_seated
from tables.state.requirements import require_not_built_on, require_not_dealt_in

KIND = "toke"


def give_toke(*, sitting_id: int, cents: int, act: Act) -> Sitting:
    """Move chips from a stack to the tokes of the table's dealer, or of the actor if a dealer (R52). Refuses
    `no_dealer`, `round_running` for a player who is dealt in, `toke_above_stack`, `not_seated`,
    `bad_amount`."""
    require(act.actor, HANDLE_CHIPS)
    checked_cents(cents)
    content = {"sitting": sitting_id, "cents": cents}
    with at_seat(sitting_id, act) as (session, sitting, act):
        site = session.table.site
        if posting.earlier(site=site, kind=KIND, content=content, act=act):
            return sitting
        require_seated(sitting)
        require_not_dealt_in(sitting)
        stack = sitting.stack.balance_cents
        if not 0 < cents <= stack:
            raise TokeAboveStack(f"{sitting.player} has {dollars(stack)}.", field="amount")
        dealer = _dealer_at(session, act.actor)
        account = tokes.account_of(site=site, dealer=dealer, now=act.now)
        with clock_kept(session, act.now):
            moves = (posting.Move(sitting.stack_id, account.pk, cents),)
            given = {"dealer": dealer.pk, "account": account.pk}
            post_about(session, sitting, KIND, moves, content=content, act=act, **given)
    return sitting


def undo_toke(*, entry: Any, act: Act) -> list[Any]:
    """Undo a toke alone within ten seconds; return its reversal slip. Refuses `not_taken_back`, `built_on`,
    `insufficient_funds` if the dealer has been paid for it, and what `take_back` refuses."""
    require(act.actor, HANDLE_CHIPS)
    if entry.kind != KIND:
        raise NotTakenBack("Only a toke is given back here.", field="entry")
    given = json.loads(entry.evidence)
    with at_seat(given["sitting"], act) as (session, sitting, act):
        site = session.table.site
        if not taking_back.taken_back_before(site, [entry], act):
            taking_back.require_in_force([entry])
            require_not_built_on(session, sitting, [entry])
        with clock_kept(session, act.now):
            slips = taking_back.take_back(site=site, entries=[entry], evidence={entry.pk: given}, act=act)
    return slips


def _dealer_at(session: TableSession, actor: Any) -> Any:
    """Return the dealer last pushed in, or the actor if a dealer. Refuses `no_dealer`."""
    if session.dealer is not None:
        return session.dealer
    if actor.has_perm(DEAL):
        return actor
    raise NoDealer("No dealer has been pushed in at this table: the dealer must enter the toke.")


def lying_for(site: Any, dealer: Any) -> int:
    """Return what waits for a dealer at the cage, in cents."""
    return next((one.cents for one in tokes.to_pay_out(site) if one.dealer.pk == dealer.pk), 0)


def pay_out_tokes(*, site: Any, dealer: Any, cents: int, pieces: Pieces | None, act: Act) -> Any:
    """Pay out all of a dealer's tokes in cash at the cage; return the entry. `cents` is what the page showed,
    `pieces` the chips that were counted. Refuses `stale_page`, `no_tokes`, and what
    `ledger.cage.tokes.pay_out` refuses."""
    require(act.actor, WORK_CAGE)
    content = {"dealer": dealer.pk, "cents": cents}
    with transaction.atomic():
        earlier = posting.earlier(site=site, kind="toke_payout", content=content, act=act)
        if earlier is not None:
            return earlier
        lying = lying_for(site, dealer)
        if not lying:
            raise NoTokes(f"{dealer} has no tokes to be paid out.")
        if lying != cents:
            raise StalePage(f"{dealer} now has {dollars(lying)} in tokes, not {dollars(cents)}.")
        return tokes.pay_out(site=site, dealer=dealer, cents=cents, pieces=pieces, act=act)
