"""The views of the dealer's tablet: one verb per request, and reads; and the search of the
books. All errors have one shape."""

from dataclasses import asdict
from typing import Any, ClassVar

from django import forms
from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ledger.journal.acts import Act
from ledger.journal.particulars import of_the_house
from ledger.rights import require
from ledger.views.api import BooksView, answer, checked
from ledger.views.day import the_site
from ledger.views.fields import DJANGO_CODES, CodedForm
from ledger.views.pages import found_or_404
from ledger.views.terminal import act_of
from tables.api import shapes
from tables.api.entries import (
    DISCREPANCY,
    DRAFT,
    HANDS,
    KEY,
    PLAN,
    PLAYED_BY,
    REASON,
    SHUFFLE,
    START,
    ApiEntry,
)
from tables.errors import BadEntry, StalePage
from tables.floor import disputes, tablets
from tables.models import CorrectionRequest, Round, TableSession
from tables.reports import searching
from tables.reports.players import SEARCH_LENGTH
from tables.rights import ASK_CORRECTIONS, READ_TABLES
from tables.rounds import corrections, running, settling, starting
from tables.rounds.entry import RoundEntry
from tables.rounds.pushes import require_sight
from tables.rounds.scoring import check_entry
from tables.state.plan import plan_round
from tables.state.rows import HANDS as HANDS_OF, ROUND, SESSION
from tables.state.table_state import state_of


def _session(request: Request, session_id: int) -> TableSession:
    session = found_or_404(SESSION.first(session_id))
    require_sight(request.user, session)
    return session


def _round(request: Request, round_id: int) -> Round:
    round_ = found_or_404(ROUND.first(round_id))
    require_sight(request.user, round_.session)
    return round_


def _require_correction(correction_id: int) -> None:
    asked = CorrectionRequest.objects.filter(of_the_house("round__session__table__site"), pk=correction_id)
    if not asked.filter(hands__isnull=False).exists():
        raise Http404


def _shape_after(acted: Round) -> dict[str, Any]:
    round_ = acted if acted.fresh else ROUND.get(acted.pk)
    return shapes.round_shape(round_.session, round_)


class EntryView(APIView):
    """A view with the entry that it takes; for a read, in its address."""

    authentication_classes = (SessionAuthentication,)
    entry: ClassVar = ApiEntry()

    def sent(self, request: Request) -> tuple[dict[str, Any], Act]:
        """Return the values of the entry, and the act with its key and its reason."""
        sent = self.entry.read(request.data)
        of_act = {name: sent.pop(name) for name in ("key", "reason") if name in sent}
        return sent, act_of(request, "tablet", **of_act)


class PlanView(EntryView):
    """What starting a round would do now, with the choices in `?decline=3&cash=2,4&two_hands=`; `tablet` says
    which one asks."""

    entry = PLAN

    def get(self, request: Request, session_id: int) -> Response:
        require(request.user, READ_TABLES)
        session, now, asked = _session(request, session_id), timezone.now(), request.query_params
        twice = next((name for name in self.entry.fields if len(asked.getlist(name)) > 1), None)
        if twice:
            raise BadEntry(f"{twice} occurs twice in the address.", field=twice)
        state = state_of(session)
        choices = self.entry.read(asked)
        device = choices.pop("tablet")
        plan = plan_round(state, now, **choices)
        if session.dealer_id == request.user.pk:
            tablets.hear(session, device, now)
        return Response(shapes.plan_shape(state, plan))


class RoundsView(EntryView):
    """Starting a round."""

    entry = START

    def post(self, request: Request, session_id: int) -> Response:
        session = _session(request, session_id)
        sent, act = self.sent(request)
        started = starting.start_round(session_id=session_id, entry=starting.StartEntry(**sent), act=act)
        return Response(shapes.round_shape(session, started), status=201)


class RoundView(EntryView):
    """One round: the hands entered so far and, once settled, its result."""

    def get(self, request: Request, round_id: int) -> Response:
        require(request.user, READ_TABLES)
        round_ = _round(request, round_id)
        return Response(shapes.round_shape(round_.session, round_))


class DraftView(EntryView):
    """Stores the dealer's draft and returns the rules' check of it."""

    entry = DRAFT

    def put(self, request: Request, round_id: int) -> Response:
        round_ = _round(request, round_id)
        sent, act = self.sent(request)
        try:
            saved = running.save_draft(round_id=round_id, act=act, **sent)
        except StalePage as error:
            newer = _round(request, round_id)
            draft = {"version": newer.draft_version, "draft": {"hands": newer.draft}}
            return Response(error.as_json() | draft, status=error.status)
        check = check_entry(round_.session, saved, HANDS_OF.rows(saved.pk), sent["hands"])
        return Response(check.as_json(saved.draft_version))


class SettleView(EntryView):
    """Confirms a round."""

    entry = ApiEntry(key=KEY, hands=HANDS, shuffle=SHUFFLE, played_by=PLAYED_BY)

    def post(self, request: Request, round_id: int) -> Response:
        _round(request, round_id)
        sent, act = self.sent(request)
        entry = RoundEntry(round_id, act.key, **sent)
        return Response(_shape_after(settling.settle_round(entry=entry, act=act)))


class DiscrepancyView(EntryView):
    """Tells the floor that a round came out otherwise than the tablet showed while the house was away."""

    entry = DISCREPANCY

    def post(self, request: Request, session_id: int) -> Response:
        session = found_or_404(SESSION.first(session_id))
        sent, act = self.sent(request)
        round_id = sent.pop("round_id")
        round_ = None if round_id is None else found_or_404(ROUND.first(round_id))
        shown = disputes.TabletResult(**sent)
        told = disputes.report_discrepancy(session=session, round_=round_, shown=shown, act=act)
        return Response({"dispute": told and told.number})


class VoidView(EntryView):
    """Voids a round that has not been settled."""

    entry = ApiEntry(key=KEY, reason=REASON)

    def post(self, request: Request, round_id: int) -> Response:
        _round(request, round_id)
        _, act = self.sent(request)
        return Response(_shape_after(running.void_round(round_id=round_id, act=act)))


class CorrectionsView(EntryView):
    """Asks for a settled round to be scored again; answers what would change."""

    entry = ApiEntry(key=KEY, hands=HANDS, reason=REASON)

    def post(self, request: Request, round_id: int) -> Response:
        _round(request, round_id)
        sent, act = self.sent(request)
        asked = corrections.ask_correction(entry=RoundEntry(round_id, act.key, **sent), act=act)
        return Response(shapes.correction_shape(asked) | shapes.preview_shape(asked), status=201)


class CheckCorrectionView(EntryView):
    """Scores other cards for a settled round, and answers what they would change. Writes nothing."""

    entry = ApiEntry(hands=HANDS)

    def post(self, request: Request, round_id: int) -> Response:
        require(request.user, ASK_CORRECTIONS)
        round_ = _round(request, round_id)
        sent, _ = self.sent(request)
        return Response(shapes.correction_check_shape(round_.session, round_, sent["hands"]))


class ApproveView(EntryView):
    """Approves a correction that somebody else asked for."""

    entry = ApiEntry(key=KEY)

    def post(self, request: Request, correction_id: int) -> Response:
        _require_correction(correction_id)
        _, act = self.sent(request)
        approved = corrections.approve_correction(request_id=correction_id, act=act)
        return Response(shapes.correction_shape(approved))


class RefuseView(EntryView):
    """Refuses a correction that somebody else asked for."""

    entry = ApiEntry(reason=REASON)

    def post(self, request: Request, correction_id: int) -> Response:
        _require_correction(correction_id)
        _, act = self.sent(request)
        refused = corrections.refuse_correction(request_id=correction_id, act=act)
        return Response(shapes.correction_shape(refused))


class WordsForm(CodedForm):
    """A text, as one types it into the box."""

    codes = DJANGO_CODES

    q = forms.CharField(required=False, max_length=SEARCH_LENGTH, label="What to find")


class FindView(BooksView):
    """What a text finds, as in the box of every page."""

    def get(self, request: Request) -> HttpResponseBase:
        text = checked(request, WordsForm(request._request.GET))["q"]
        search = searching.Search(the_site(), request.user, text, timezone.now())
        found = searching.results(search)
        kinds = [
            {"kind": kind.title, "more": kind.more, "lines": [*map(asdict, kind.lines)]} for kind in found
        ]
        return answer(request, {"found": kinds}, "search.json")
