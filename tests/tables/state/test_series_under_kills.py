"""Every series of numbers, taken by two processes that are killed at any moment: no gap, no number twice, and
each number that somebody was told is in the books."""

import random
from collections import Counter
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from ledger.cage import beyond, boxes, count_sheets, documents, drawers, stocking, taking_back
from ledger.chart import Asset
from ledger.journal.acts import Act
from ledger.models import (
    CageSlip,
    CountSheet,
    Document,
    DocumentStep,
    Drawer,
    DropBox,
    KeptPaper,
    Receipt,
    ReversalSlip,
    Site,
)
from ledger.proof.log import keeping_papers
from ledger.proof.log.forms import AskedPaper
from ledger.rules.denominations import Pieces
from ledger.rules.documents import KINDS, Step
from tables.collection import taking_back as fees, waivers
from tables.floor import opening, waiting
from tables.floor.disputes import take_dispute
from tables.models import Dispute, PlayerMerge, TableSession, WaitingPlace, Waiver, WaiverReason
from tables.seats.player_entries import merge_players
from tables.seats.players import Person, enter_player
from tests.support.acting import acting
from tests.support.cage import close_drawer, pieces, sell
from tests.support.counting import count_box
from tests.support.killing import Say, Told, Work, keep_killing
from tests.support.lengths import SERIES_NUMBERS
from tests.support.together import run_together

pytestmark = pytest.mark.django_db(transaction=True)
HERE = "tests.tables.state.test_series_under_kills"
AT_ONCE = 50
"""Numbers of each series before those who wait for an answer are given one."""
CHIPS, CASH = Pieces({500: 2}), Pieces(cash={2000: 3})
TAKEN = {"box_deposited", "document_ended", "wrong_step", "nothing_due", "already_reversed"}
"""What one process is told where the other has been before it."""


class AtWork:
    """A process that takes numbers, with what its people need for each series; `kind` of a document."""

    def __init__(self, number: int, role: str, session_id: int, now: str) -> None:
        from casino.models import Staff

        self.people = {person.username: person for person in Staff.objects.all()}
        self.session = TableSession.objects.get(pk=session_id)
        self.site, self.now = Site.objects.get(), datetime.fromisoformat(now)
        self.number, self.turn = number, 0
        self.own = self.people[role]

    @property
    def key(self) -> str:
        return f"{self.number}-{self.turn}"

    def act(self, who: str, more: str = "", *, second: str = "", now: datetime | None = None) -> Act:
        approver = self.people.get(second)
        reason = "as it is" if second else ""
        key = f"{self.key}{more}"
        return Act(self.people[who], now or self.now, key, reason=reason, approver=approver)

    def document(self, kind: str) -> int:
        who = "cashier" if KINDS[kind].is_beyond else "floor"
        bank = documents.HoldingPlace("Table 1", self.session.bank_chips, self.session.bank_cash)
        place = documents.LeftBehind("Seat 4") if KINDS[kind].is_held else bank
        asked = {"place": None if KINDS[kind].is_beyond and not KINDS[kind].is_held else place}
        if kind == "unclaimed":
            who = "floor"
        if kind == "deposit":
            self._void_deposit()
            asked |= {"boxes": [DropBox.objects.get(sign_off__isnull=False).pk]}
        of = CHIPS if Asset.CHIPS in KINDS[kind].assets else CASH
        return documents.begin(site=self.site, kind=kind, pieces=of, act=self.act(who), **asked).number

    def _void_deposit(self) -> None:
        voided = DocumentStep.objects.filter(step=Step.VOIDED).values("document")
        waits = Document.objects.filter(kind="deposit").exclude(pk__in=voided).first()
        if waits is not None:
            documents.take(document=waits, step=Step.VOIDED, act=self.act("cashier", "/v", second="manager"))

    def drawer(self) -> int:
        if (held := drawers.drawer_of(self.site, self.own)) is not None:
            for left in CageSlip.objects.filter(drawer=held, result=None):  # who counted first was killed
                act = self.act(self.own.username, f"/left-{left.number}")
                stocking.withdraw_slip(slip=left, act=replace(act, reason="nobody counted again"))
            by = {"by": self.own, "second": self.people["floor"], "now": self.now}
            close_drawer(held, chips=0, cash=0, **by, key=f"{self.key}/closed")
        return drawers.open_drawer(site=self.site, act=self.act(self.own.username)).number

    def slip(self) -> int:
        counted = pieces(self.site, chips=500)
        return stocking.count_first(
            site=self.site, way="count", pieces=counted, act=self.act("cashier")
        ).number

    def receipt(self) -> int:
        return sell(site=self.site, cents=100, act=self.act("cashier")).receipt.number

    def reversal(self) -> int:
        sold = sell(site=self.site, cents=100, act=self.act("cashier"))
        (slip,) = taking_back.take_back_at_window(entry=sold, act=self.act("cashier", "/back"))
        return slip.number

    def box(self) -> int:
        return boxes.install_box(site=self.site, place=f"Place {self.key}", act=self.act("floor")).number

    def sheet(self) -> int:
        """Count a box of a gaming day of its own."""
        now = self.now + timedelta(days=1 + self.number * 60 + self.turn // len(SERIES))
        act = self.act("floor", now=now)
        box = boxes.install_box(site=self.site, place=f"Place {self.key}", act=act)
        box = boxes.pull_box(box=box, second=self.people["dealer"], act=act)
        act = self.act("counter1", now=now)
        return count_sheets.begin_sheet(site=self.site, day=box.gaming_day, act=act).number

    def paper(self) -> int:
        day = date.fromordinal(1 + self.number * 800 + self.turn)
        asked = AskedPaper(keeping_papers.BUNDLE, keeping_papers.ZIP, (day, day), False)
        return keeping_papers.ask(site=self.site, asked=asked, act=self.act("manager")).number

    def beyond_books(self) -> int:
        beyond.accept(site=self.site, cents=100, act=self.act("cashier", second="floor"))
        return next(number for number, one in beyond.accepted(self.site) if one.key == self.key)

    def merge(self) -> int:
        one, other = (
            enter_player(site=self.site, name=f"Zoe {self.key} {which}", act=self.act("floor")).pk
            for which in "ab"
        )
        return merge_players(merged_id=one, into_id=other, act=self.act("floor", second="manager")).number

    def waiver(self) -> int:
        # One that was killed left the fee waived.
        if (left := Waiver.objects.filter(payment__entry__reversed_by=None).first()) is not None:
            fees.take_back_fee(payment_id=left.payment_id, act=self.act("floor", "/left"))
        sitting = self.session.sittings.get(seat=1)
        waiver = waivers.waive_fee(
            sitting_id=sitting.pk, reason=WaiverReason.objects.get(), act=self.act("floor")
        )
        fees.take_back_fee(payment_id=waiver.payment_id, act=self.act("floor", "/back"))
        return waiver.number

    def dispute(self) -> int:
        return take_dispute(site=self.site, session=self.session, what="cards", act=self.act("floor")).number

    def place(self) -> int:
        who = Person(name=f"Yan {self.key.replace('-', 'x')}")  # 11-7 and 1-17 are spelled alike
        return waiting.join(
            site=self.site, game="face-up", limit_cents=500, who=who, act=self.act("floor")
        ).number


def accepted_numbers() -> list[int]:
    return [number for number, _ in beyond.accepted(Site.objects.get())]


OWN = {
    "drawer": (AtWork.drawer, Drawer),
    "slip": (AtWork.slip, CageSlip),
    "receipt": (AtWork.receipt, Receipt),
    "reversal": (AtWork.reversal, ReversalSlip),
    "box": (AtWork.box, DropBox),
    "sheet": (AtWork.sheet, CountSheet),
    "paper": (AtWork.paper, KeptPaper),
    "merge": (AtWork.merge, PlayerMerge),
    "waiver": (AtWork.waiver, Waiver),
    "place": (AtWork.place, WaitingPlace),
    "dispute": (AtWork.dispute, Dispute),
    "beyond": (AtWork.beyond_books, None),
}
SERIES = (*KINDS, *OWN)


def take_numbers(*, session: int, now: str, numbers: int, part: int) -> list[Told]:
    """Keep two processes alive that take a number of one series after the other, and kill one after the
    other until there are so many of each."""

    def works(role: str) -> Work:
        return lambda number, say: _take_for_ever(say, AtWork(number + 300 * part, role, session, now))

    def is_enough(lines: list[Told]) -> bool:
        told = Counter(what for _, what, _ in lines)
        return all(told[name] >= numbers for name in SERIES)

    two = {"cashier2": works("cashier2"), "cashier3": works("cashier3")}
    return keep_killing(two, times=max(numbers // 2, 4), seed=part, is_enough=is_enough, lives=10)


def _take_for_ever(say: Say, work: AtWork) -> None:
    from ledger.errors import Refusal

    begins = random.Random(work.number).randrange(len(SERIES))
    for turn in range(1_000_000):
        name, work.turn = SERIES[(begins + turn) % len(SERIES)], turn
        try:
            number = OWN[name][0](work) if name in OWN else work.document(name)
        except Refusal as refused:
            if refused.code not in TAKEN:
                raise
            continue
        say(name, str(number))


def numbers_of(name: str) -> list[int]:
    if name == "beyond":
        return accepted_numbers()
    rows = Document.objects.filter(kind=name) if name in KINDS else OWN[name][1].objects.all()
    return sorted(rows.values_list("number", flat=True))


@pytest.fixture
def busy(game, floor2, cashier, manager, counter1, counter2, employ):
    """A table with a fee to waive, and a signed-off box with cash to deposit."""
    for name in ("cashier2", "cashier3"):
        employ(name, "cashier")
    game.seat("Ann", "Bob")
    game.play()
    game.minute(41)
    asked = {"text": "The cards were replaced", "approval_reference": "BGC-7", "key": "publish"}
    since = {"effective_from": date(2026, 1, 1), "actor": manager, "now": game.now}
    acting(waivers.publish_waiver_reason, site=game.site, code="cards", **asked, **since)
    box, by = game.session.box, {"now": game.now}
    pull = {"second": game.dealer, "actor": game.floor, "key": "pull"}
    acting(opening.change_box, session_id=game.session.pk, **pull, **by)
    count_box(box, (counter1, counter2), game.now, chips=box.chips.balance_cents, cash=6_000)
    acting(boxes.sign_off, box=box, cause="nobody entered it", actor=cashier, **by, key="sign")
    return game


def test_no_series_has_a_gap_or_a_number_twice_after_kills(busy):
    asked = {"session": busy.session.pk, "now": busy.now.isoformat(), "numbers": min(SERIES_NUMBERS, AT_ONCE)}
    lines = []
    for part in range(SERIES_NUMBERS // asked["numbers"]):
        (told,) = run_together(f"{HERE}:take_numbers", [asked | {"part": part}])
        lines += told
    assert [said for _, what, said in lines if what == "refused"] == []
    for name in SERIES:
        told = [int(said) for _, what, said in lines if what == name]
        found = numbers_of(name)
        assert (name, found) == (name, list(range(1, len(found) + 1)))
        assert len(told) == len(set(told)) >= SERIES_NUMBERS, name
        assert set(told) <= set(found), name
