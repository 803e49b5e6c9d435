"""The records that rows of rounds, hands, settlements, matches and correction requests follow from."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ledger.money import cents_of
from ledger.proof.log.following import (
    Body,
    Follows,
    Question,
    Says,
    always,
    data,
    declared,
    evidence,
    fields,
    following,
    nothing,
    of,
)
from tables.models import CorrectionRequest, Round

_State = CorrectionRequest.State
STARTED, VOIDED, CALLED_OFF = (
    ("table_event", kind) for kind in ("round_started", "round_voided", "match_called_off")
)
ASKED, REFUSED = (("table_event", f"correction_{what}") for what in ("asked", "refused"))
HAND_ASKED, HAND_REFUSED = (("table_event", f"hand_settlement_{what}") for what in ("asked", "refused"))
BY_CARDS, BY_HAND, AGAIN = ("entry", "round"), ("entry", "hand_settlement"), ("entry", "correction")


def rounds() -> Follows:
    started = {
        **declared(STARTED, "tables.Round"),
        "dealer_id": lambda body: body["data"].get("dealer", body["actor"]),
        "pair_stakes": lambda body: body["data"].get("pair_stakes", []),
        "reserved_from__session_id": _session_with("reserved_from"),
        "match__session_id": _session_with("match"),
        "state": always(Round.State.DEALT.value),
        "ended_at": always(None),
        "void_reason": always(""),
    }
    voided = {
        "state": always(Round.State.VOID.value),
        "ended_at": of("recorded_at"),
        "void_reason": data("reason"),
    }
    settled = Says(
        (evidence("round_id"),), {"state": always(Round.State.SETTLED.value), "ended_at": of("recorded_at")}
    )
    says = {
        STARTED: Says((data("round_id"),), started, begins=True),
        VOIDED: Says((data("round_id"),), voided),
        BY_CARDS: settled,
        BY_HAND: settled,
    }
    return Follows("tables.Round", says, open={"ended_at": None})


def _session_with(name: str) -> Callable[[Body], Any]:
    return lambda body: body["session"] if body["data"].get(name) is not None else None


def hands() -> Follows:
    def dealt(body: Body) -> Iterator[Body]:
        for hand in body["data"]["hands"]:
            yield {**hand, "round_id": body["data"]["round_id"]}

    columns = fields(of, "seat", "stack_cents", "fantasy_land", sitting_id="sitting")
    says = Says((of("round_id"), of("position")), columns, begins=True, each=dealt)
    key = ("round_id", "position")
    return Follows("tables.Hand", {STARTED: says}, key=key, site="round__site")


def settlements() -> Follows:
    columns = {
        **declared(BY_CARDS, "tables.Settlement"),
        "by_hand": lambda body: body["evidence"].get("by_hand") is True,
        "settled_at": of("recorded_at"),
    }
    says = Says((of("id"),), columns, begins=True, each=_of_round)
    kinds = dict.fromkeys((BY_CARDS, BY_HAND, AGAIN), says)
    return Follows("tables.Settlement", kinds, key=("entry_id",), site="round__site")


def _of_round(body: Body) -> Iterable[Body]:
    """Skip corrections of chips brought or taken away."""
    return (body,) if "round_id" in body["evidence"] else ()


def matches() -> Follows:
    started = {
        "stake_cents": lambda body: cents_of(body["data"]["match_stake"]),
        "called_off_reason": always(""),
    }
    started |= nothing("called_off_at", "called_off_by_id")
    called_off = fields(of, called_off_at="recorded_at", called_off_by_id="actor")
    called_off |= fields(data, called_off_reason="reason")
    key = (of("session"), data("match"))
    says = {STARTED: Says(key, started, begins=True, each=_of_match), CALLED_OFF: Says(key, called_off)}
    key_of_row, going_on = ("session_id", "number"), {"session__closed_at": None}
    return Follows("tables.Match", says, key_of_row, site="session__table__site", open=going_on)


def _of_match(body: Body) -> Iterable[Body]:
    return (body,) if body["data"].get("match") is not None else ()


def match_players() -> Follows:
    def dealt(body: Body) -> Iterator[Body]:
        for match in _of_match(body):
            for hand in match["data"]["hands"]:
                yield {"session": body["session"], "match": body["data"]["match"], "sitting": hand["sitting"]}

    says = Says((of("session"), of("match"), of("sitting")), begins=True, each=dealt)
    key = ("match__session_id", "match__number", "sitting_id")
    return Follows("tables.MatchPlayer", {STARTED: says}, key=key, site="match__session__table__site")


class _Open:
    def __init__(self) -> None:
        self._waiting: dict[tuple[Any, Any], tuple[Any, bool]] = {}

    def asked(self, body: Body) -> Iterator[Body]:
        """Yield a request, and the request for points that it supersedes once the cards turn up."""
        data, round_ = body["data"], (body["session"], body["data"]["round"])
        by_hand = "points" in data
        before = self._waiting.get(round_)
        if before is not None and before[1] and not by_hand:
            yield {"request": before[0], "state": _State.OVERTAKEN.value, "decided_at": body["recorded_at"]}
        request = data["request"] if by_hand else data["correction"]
        self._waiting[round_] = request, by_hand

    def refused(self, body: Body) -> Iterator[Body]:
        self._waiting.pop((body["session"], body["data"]["round"]), None)
        yield body

    def approved(self, body: Body) -> Iterator[Body]:
        evidence = body["evidence"]
        waiting = self._waiting.pop((evidence.get("session"), evidence.get("round")), None)
        if waiting is not None and "round_id" in evidence:
            yield {**body, "request": waiting[0]}


def requests() -> Follows:
    waiting = _Open()
    undecided = {
        "state": always(_State.ASKED.value),
        "decision_reason": always(""),
        **nothing("decided_by_id", "decided_at", "settlement__entry_id"),
    }
    asked = undecided | fields(data, "points", "reason", round__number="round")
    asked |= fields(
        of, site_id="site", round__session_id="session", asked_by_id="actor", asked_at="recorded_at"
    )
    refused = {"state": always(_State.REFUSED.value)} | fields(data, decision_reason="reason")
    refused |= fields(of, decided_by_id="actor", decided_at="recorded_at")
    approved = {"state": always(_State.APPROVED.value)}
    approved |= fields(of, decided_by_id="approver", decided_at="recorded_at", settlement__entry_id="id")
    overtaken = Says((of("request"),), fields(of, "state", "decided_at"), each=waiting.asked)
    carried_out = Says((of("request"),), approved, each=waiting.approved)
    says: dict[tuple[str, str], Says | tuple[Says, ...]] = {
        ASKED: (overtaken, Says((data("correction"),), asked, begins=True)),
        HAND_ASKED: (overtaken, Says((data("request"),), asked, begins=True)),
        REFUSED: Says((data("correction"),), refused, each=waiting.refused),
        HAND_REFUSED: Says((data("request"),), refused, each=waiting.refused),
        BY_HAND: carried_out,
        AGAIN: carried_out,
    }
    return Follows("tables.CorrectionRequest", says, open={"decided_at": None}, memory=(waiting,))


QUESTIONS: tuple[Question, ...] = (
    ("rounds against their events and entries", following(rounds)),
    ("hands against the starts of their rounds", following(hands)),
    ("settlements against their entries", following(settlements)),
    ("matches against their rounds", following(matches)),
    ("players of matches against their rounds", following(match_players)),
    ("corrections against who asked and decided", following(requests)),
)
