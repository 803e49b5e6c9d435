"""Take a dispute or a complaint, and decide it (4 CCR 12392). Neither moves a chip: a correction is an act of
its own, on which the decision then stands."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet

from ledger import lengths
from ledger.db.compiled import Compiled
from ledger.errors import SecondPerson
from ledger.journal import keys, posting, records
from ledger.journal.acts import Act
from ledger.journal.posting import checked_text
from ledger.money import signed_dollars
from ledger.rights import require
from tables.errors import BadEntry, BadOutcome, DisputeDecided, NotCorrected
from tables.models import Dispute, DisputeDecision, Round, Sitting, TableSession
from tables.rights import DEAL, MANAGE_HOUSE, RUN_FLOOR
from tables.rounds.handed_in import handed_in_by, people_of, player_of
from tables.rounds.pushes import require_sight
from tables.rules.table.disputes import CORRECTING, OUTCOMES, Decided, wrong_decision
from tables.state import runners
from tables.state.events import next_number
from tables.state.evidence import net_of, standing_evidence

DECIDERS = (RUN_FLOOR, MANAGE_HOUSE)
"""Who takes and decides disputes and complaints."""
REFUSALS = {"bad_outcome": BadOutcome, "not_corrected": NotCorrected}


def take_dispute(
    *,
    site: Any,
    session: TableSession | None = None,
    round_: Round | None = None,
    seats: Collection[int] = (),
    what: str,
    act: Act,
) -> Dispute:
    """Note a dispute at a table; without one, a complaint, which says in words what it is about. `seats` are
    those of the players who dispute. The act's reason is what they say, without names. Refuses
    `reason_required`, `bad_text`, `key_reused`, and `bad_entry` for a round of another table."""
    require(act.actor, *DECIDERS)
    if session is None:
        act = act.stated("Enter what the complaint is about.")
    if round_ is not None and (session is None or round_.session_id != session.pk):
        raise BadEntry("This round is of another table.", field="round")
    said = {"session": session, "round": round_, "what": what}
    left = handed_in_by(round_)
    people = {"entered_by_id": _entered_by(round_), "played_by_id": left[-1][0] if left else None}
    return _note(site, act, _players(session, seats), people, **said)


def _note(site: Any, act: Act, players: list[int], people: Mapping[str, int | None], **said: Any) -> Dispute:
    text = checked_text(act.reason.strip(), lengths.POSTED_REASON, "reason", empty=True)
    posting.check_texts(act)
    with transaction.atomic():
        number = next_number(Dispute, site)
        said |= {"text": text, "taken_by": act.actor}
        if earlier := keys.made_before(Dispute, site.pk, act.key, **said):
            return earlier
        dispute = Dispute.objects.create(
            site=site,
            number=number,
            players=players,
            taken_at=act.now,
            terminal=act.terminal,
            key=act.key,
            **people,
            **said,
        )
        records.keep(site.pk, act.now, dispute)
    return dispute


@dataclass(frozen=True, slots=True)
class TabletResult:
    """What a dealer's tablet showed of round `number` while the house was away: `net` cents by seat. `why`
    the house did not take it; `played_at`, in the house's time, if it started for the house in a later down;
    `played_by` if the teller did not play it."""

    number: int
    net: Mapping[int, int]
    why: str = ""
    played_at: str = ""
    played_by: int | None = None

    def told(self, settled: Mapping[int, int] | None) -> str:
        came = f"settled {_amounts(settled)}" if settled is not None else f"refused it: {self.why}"
        late = " It started for the house in a later down: look at its fees (R61)." if self.played_at else ""
        at = f" at {self.played_at}" if self.played_at else ""
        return (
            f"Round {self.number} was played{at} while the house was away. The tablet showed"
            f" {_amounts(self.net)}; the house {came.removesuffix('.')}.{late}"
        )


def report_discrepancy(
    *, session: TableSession, round_: Round | None, shown: TabletResult, act: Act
) -> Dispute | None:
    """Note for the floor that the house settled a round otherwise than a dealer's tablet had shown while the
    house was away, did not take it, or dated it into another down. Return None where nothing differs;
    refuses `bad_entry` for a round of another table, and `not_your_table` for who never dealt here."""
    require(act.actor, DEAL)
    if act.actor.pk not in runners.of_session(session.pk):  # who was pushed out meanwhile still tells it
        require_sight(act.actor, session)
    settled: Mapping[int, int] | None = None
    if round_ is not None and round_.session_id != session.pk:
        raise BadEntry("This round is of another table.", field="round")
    if round_ is not None and round_.state == Round.State.SETTLED:
        settled = net_of(standing_evidence(round_))
        if settled == shown.net and not shown.played_at:
            return None
    said = {"session": session, "round": round_, "what": "payment"}
    act = act.because(shown.told(settled))
    player = player_of(session, shown.played_by, act)
    people = {"entered_by_id": act.actor.pk, "played_by_id": player and player.pk}
    return _note(session.table.site, act, [], people, **said)


def _amounts(net: Mapping[int, int]) -> str:
    amounts = (f"seat {seat} {signed_dollars(cents)}" for seat, cents in sorted(net.items()))
    return ", ".join(amounts) or "no result"


def _players(session: TableSession | None, seats: Collection[int]) -> list[int]:
    if session is None or not seats:
        return []
    seated = session.sittings.filter(left_at=None, seat__in=seats).order_by("seat")
    return list(seated.values_list("player_id", flat=True))


def _entered_by(round_: Round | None) -> int | None:
    """Return who entered the result that stands, or is dealing the round."""
    if round_ is None:
        return None
    standing = round_.settlements.select_related("entry").last()
    return int(round_.dealer_id if standing is None else standing.entry.actor_id)


def decide_dispute(*, dispute: Dispute, outcome: str, told: bool, act: Act) -> DisputeDecision:
    """Close a dispute or a complaint with a sentence, the act's reason. One that was corrected stands on the
    newest entry that corrects or takes back there since. Refuses `reason_required`, `dispute_decided`,
    `bad_outcome`, `not_corrected`, `second_person`, `key_reused`."""
    require(act.actor, *DECIDERS)
    act = act.stated("Enter what was decided, in a sentence.")
    checked_text(act.reason, lengths.POSTED_REASON, "reason")
    posting.check_texts(act)
    with transaction.atomic():
        posting.lock_house(dispute.site)
        same = {"dispute_id": dispute.pk, "outcome": outcome, "text": act.reason, "told": told}
        same |= {"decided_by_id": act.actor.pk}
        if earlier := keys.made_before(DisputeDecision, dispute.site_id, act.key, **same):
            return earlier
        if DisputeDecision.objects.filter(dispute=dispute).exists():
            raise DisputeDecided(f"{dispute} has been decided already.")
        corrects = outcome in OUTCOMES and OUTCOMES[outcome].corrects
        entry = _corrected_by(dispute) if corrects else None
        people = (act.actor.pk, dispute.session_id is not None, dispute.taken_by_id, dispute.entered_by_id)
        left = (*people_of(dispute.round), dispute.played_by_id)
        wrong = wrong_decision(Decided(outcome, entry, *people, left))
        if wrong is not None:
            code, sentence = wrong
            raise REFUSALS.get(code, SecondPerson)(
                sentence, field=None if code == "second_person" else "outcome"
            )
        decision = DisputeDecision.objects.create(
            site=dispute.site, entry_id=entry, decided_at=act.now, terminal=act.terminal, key=act.key, **same
        )
        records.keep(dispute.site_id, act.now, decision)
    return decision


def _corrected_by(dispute: Dispute) -> int | None:
    """Return the newest entry since the dispute that corrected its round or, without a round, a stack at its
    table."""
    if dispute.round is not None:
        again = dispute.round.settlements.filter(settled_at__gte=dispute.taken_at, ordinal__gt=1)
        return again.order_by("-ordinal").values_list("entry", flat=True).first()
    stacks = Sitting.objects.filter(session=dispute.session_id).values("stack")
    touched = Q(transfers__source__in=stacks) | Q(transfers__target__in=stacks)
    since = dispute.site.entries.filter(touched, kind__in=CORRECTING, recorded_at__gte=dispute.taken_at)
    return since.order_by("-pk").values_list("pk", flat=True).first()


_TOLD = Compiled(
    lambda site: Dispute.objects.filter(
        site=site, decision=None, session__isnull=False, taken_by=F("entered_by")
    ).order_by("number"),
    joined="session session__table",
)


def reported_discrepancies(site: Any) -> list[tuple[TableSession, Dispute]]:
    """Return the open disputes that a dealer's tablet told the floor, each with its table."""
    return [(told.session, told) for told in _TOLD.rows(site.pk) if told.session is not None]


def open_disputes(site: Any) -> QuerySet[Dispute]:
    """Return what is not decided, the oldest first."""
    return Dispute.objects.filter(site=site, decision=None).order_by("number")


def disputes_of(site: Any) -> QuerySet[Dispute]:
    """Return all disputes with the rows that a page shows, the newest first."""
    shown = ("session__table", "round", "taken_by", "played_by", "decision__decided_by")
    return Dispute.objects.filter(site=site).select_related(*shown).order_by("-number")
