"""The views of the dealer's tablet: one verb per request, and reads. All errors have one shape."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ledger.journal.particulars import of_the_house
from ledger.rights import require
from ledger.views.terminal import act_of
from tables.api import entries, shapes
from tables.errors import BadEntry, StalePage
from tables.models import CorrectionRequest, Round, TableSession
from tables.rights import ASK_CORRECTIONS, READ_TABLES
from tables.rounds import corrections, running, settling, starting
from tables.rounds.checking import check_entry
from tables.rounds.pushes import require_sight
from tables.rules.table.eligibility import NO_ROUND
from tables.state.plan import plan_round
from tables.state.round_rows import HANDS, ROUND, SESSION
from tables.state.table_state import state_of

HERE = "tablet"


def _body(request: Request, *known: str) -> dict[str, Any]:
    """Return the object that was sent; `known` are its allowed keys, else its parser checks them."""
    if not isinstance(request.data, dict):
        raise BadEntry("Send one JSON object.")
    if known:
        entries.require_known(request.data, known)
    return request.data


def _session(request: Request, session_id: int) -> TableSession:
    session = SESSION.first(session_id)
    if session is None:
        raise Http404
    require_sight(request.user, session)
    return session


def _round(request: Request, round_id: int) -> Round:
    found = ROUND.first(round_id)
    if found is None:
        raise Http404
    require_sight(request.user, found.session)
    return found


def _shape_after(acted: Round) -> dict[str, Any]:
    round_ = acted if acted.fresh else ROUND.get(acted.pk)
    return shapes.round_shape(round_.session, round_)


CHOICES = ("decline", "cash", "two_hands")


def _choices(request: Request) -> dict[str, list[int]]:
    """Return the seats that an address names for each choice, as `?decline=3&cash=2,4`."""
    asked = request.query_params
    entries.require_known(asked, CHOICES)
    for name in asked:
        if len(asked.getlist(name)) > 1:
            raise BadEntry(f"{name} occurs twice in the address.", field=name)
    return {name: _seats(name, asked.get(name, "")) for name in CHOICES}


def _seats(name: str, text: str) -> list[int]:
    if not all(seat in ("1", "2", "3", "4", "5") for seat in text.split(",") if seat):
        raise BadEntry(f"{name} must be seats from 1 to 5 with commas between, as 2,4.", field=name)
    return sorted({int(seat) for seat in text.split(",") if seat})


class PlanView(APIView):
    """What starting a round would do now, with the choices in `?decline=3&cash=2,4&two_hands=`."""

    def get(self, request: Request, session_id: int) -> Response:
        require(request.user, READ_TABLES)
        state = state_of(_session(request, session_id))
        asked = _choices(request)
        plan = plan_round(
            state,
            timezone.now(),
            declined=asked["decline"],
            in_cash=asked["cash"],
            two_hands=asked["two_hands"],
        )
        why_not = NO_ROUND[plan.problem] if plan.problem else None
        return Response(shapes.plan_shape(state, plan, why_not))


class RoundsView(APIView):
    """Starting a round."""

    def post(self, request: Request, session_id: int) -> Response:
        data = _body(request)
        session = _session(request, session_id)
        started = starting.start_round(
            session_id=session_id,
            entry=entries.parse_start_entry(data),
            act=act_of(request, HERE, key=entries.parse_key(data)),
        )
        return Response(shapes.round_shape(session, started), status=201)


class RoundView(APIView):
    """One round, with what has been entered and what it came to."""

    def get(self, request: Request, round_id: int) -> Response:
        require(request.user, READ_TABLES)
        round_ = _round(request, round_id)
        return Response(shapes.round_shape(round_.session, round_))


class DraftView(APIView):
    """Stores the dealer's draft and returns the rules' check of it."""

    def put(self, request: Request, round_id: int) -> Response:
        data = _body(request, "version", "hands")
        found = _round(request, round_id)
        hands = entries.parse_hands(data)
        try:
            saved = running.save_draft(
                round_id=round_id,
                version=entries.parse_number(data, "version", 2**31),
                hands=hands,
                act=act_of(request, HERE),
            )
        except StalePage as error:
            newer = _round(request, round_id)
            shape = {
                **shapes.error_shape(error),
                "version": newer.draft_version,
                "draft": {"hands": newer.draft},
            }
            return Response(shape, status=error.status)
        check = check_entry(found.session, saved, HANDS.rows(saved.pk), hands)
        return Response(shapes.check_shape(check, saved.draft_version))


class SettleView(APIView):
    """Confirms a round."""

    def post(self, request: Request, round_id: int) -> Response:
        _round(request, round_id)
        settled = settling.settle_round(
            entry=entries.parse_settlement(round_id, _body(request)),
            act=act_of(request, HERE),
        )
        return Response(_shape_after(settled))


class VoidView(APIView):
    """Voids a round that has not been settled."""

    def post(self, request: Request, round_id: int) -> Response:
        data = _body(request, "key", "reason")
        _round(request, round_id)
        voided = running.void_round(
            round_id=round_id,
            act=act_of(request, HERE, reason=entries.parse_text(data, "reason"), key=entries.parse_key(data)),
        )
        return Response(_shape_after(voided))


class CorrectionsView(APIView):
    """Asks for a settled round to be scored again; answers what would change."""

    def post(self, request: Request, round_id: int) -> Response:
        data = _body(request)
        _round(request, round_id)
        asked = corrections.ask_correction(
            entry=entries.parse_round_entry(round_id, data, "reason"),
            act=act_of(request, HERE, reason=entries.parse_text(data, "reason")),
        )
        return Response(
            {**shapes.correction_shape(asked), **shapes.preview_shape(asked)},
            status=201,
        )


class CheckCorrectionView(APIView):
    """What the rules say of other cards for a settled round, and what they would change. Keeps nothing."""

    def post(self, request: Request, round_id: int) -> Response:
        require(request.user, ASK_CORRECTIONS)
        round_ = _round(request, round_id)
        hands = entries.parse_hands(_body(request, "hands"))
        return Response(shapes.correction_check_shape(round_.session, round_, hands))


class ApproveView(APIView):
    """Approves a correction that somebody else asked for."""

    def post(self, request: Request, correction_id: int) -> Response:
        _require_correction(correction_id)
        approved = corrections.approve_correction(
            request_id=correction_id,
            act=act_of(request, HERE, key=entries.parse_key(_body(request, "key"))),
        )
        return Response(shapes.correction_shape(approved))


class RefuseView(APIView):
    """Refuses a correction that somebody else asked for."""

    def post(self, request: Request, correction_id: int) -> Response:
        _require_correction(correction_id)
        refused = corrections.refuse_correction(
            request_id=correction_id,
            act=act_of(request, HERE, reason=entries.parse_text(_body(request, "reason"), "reason")),
        )
        return Response(shapes.correction_shape(refused))


def _require_correction(correction_id: int) -> None:
    asked = CorrectionRequest.objects.filter(of_the_house("round__session__table__site"), pk=correction_id)
    if not asked.filter(hands__isnull=False).exists():
        raise Http404
