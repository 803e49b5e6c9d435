"""Random people with random roles take random steps of random documents: what is accepted is what the
decision about documents of custody allows, read here anew; what is refused leaves nothing behind."""

from collections import Counter
from dataclasses import dataclass, field

from django.db import transaction
from hypothesis import Phase, example, given, settings, strategies as st

from ledger.errors import Refusal
from ledger.journal import balances
from ledger.journal.acts import Act
from ledger.models import Account, AuditRecord, Document, DocumentStep, JournalEntry
from ledger.rules.denominations import Pieces
from tables.floor import banks
from tests.support.balances import differences
from tests.support.lengths import tries

# docs/decisions/0031, read by hand: who may take the step, and from whom they differ.
DEALER, FLOOR, CASHIER, MANAGER = "dealer", "floor", "cashier", "manager"
AT_TABLE = {DEALER, FLOOR}
TO_TABLE = {
    ("", "requested"): (AT_TABLE, "nobody"),
    ("requested", "authorised"): ({FLOOR, MANAGER}, "before"),
    ("authorised", "sent"): ({CASHIER}, "all"),
    ("sent", "received"): (AT_TABLE, "before"),
    ("requested", "voided"): ({DEALER, FLOOR, MANAGER, CASHIER}, "nobody"),
    ("authorised", "voided"): ({DEALER, FLOOR, MANAGER, CASHIER}, "nobody"),
}
FROM_TABLE = {
    ("", "requested"): (AT_TABLE, "nobody"),
    ("requested", "sent"): (AT_TABLE, "before"),
    ("sent", "received"): ({CASHIER}, "all"),
    ("requested", "voided"): ({DEALER, FLOOR, MANAGER}, "nobody"),
}
BOOK = {"opener": TO_TABLE, "fill": TO_TABLE, "credit": FROM_TABLE}
SIGNS = {DEALER, FLOOR, CASHIER, MANAGER}
ROLES = {
    "Ada": {DEALER},
    "Bea": {DEALER, CASHIER},
    "Cleo": {FLOOR},
    "Dora": {FLOOR, DEALER},
    "Edda": {CASHIER},
    "Fay": {MANAGER},
    "Gil": {"regulator"},
    "Hal": {"counter"},
}
"""Ada is pushed in at the table; Bea deals at none."""
ASKED = [{500: 4}, {2500: 1}, {500: 1, 2500: 2}]
COUNTS = [*ASKED, {}, {500: 3}]


@dataclass
class Paper:
    """A document as the decision has it: `taken` are (step, person)."""

    kind: str
    pieces: dict[int, int]
    row: Document
    taken: list[tuple[str, str]] = field(default_factory=list)

    @property
    def last(self) -> str:
        return self.taken[-1][0]


def why_not(paper, step, person, counted, second, reason):
    """Return the codes of all reasons for which the decision does not allow a step; the house names one."""
    wrong = set()
    if paper.last in ("received", "differed", "voided"):
        return {"document_ended"}
    rule = BOOK[paper.kind].get((paper.last, step))
    if rule is None:
        wrong.add("wrong_step")
    else:
        roles, apart = rule
        if not ROLES[person] & roles:
            wrong.add("not_allowed")
        before = [one for _, one in paper.taken]
        if person in {"nobody": [], "before": before[-1:], "all": before}[apart]:
            wrong.add("second_person")
    if only_deals(person) and person != "Ada":
        wrong.add("not_your_table")
    differs = step == "received" and counted != paper.pieces
    if differs and not reason:
        wrong.add("not_as_sent")
    if step == "voided" and not reason:
        wrong.add("reason_required")
    if differs or step == "voided":
        if second in (None, person) or (differs and ("sent", second) in paper.taken):
            wrong.add("second_person")
        elif not ROLES[second] & SIGNS:
            wrong.add("not_allowed")
    return wrong


def only_deals(person):
    return DEALER in ROLES[person] and not ROLES[person] & {FLOOR, CASHIER, MANAGER, "regulator"}


def moved(paper, step, counted):
    """Return what a step adds to each place, in cents."""
    sent, came = worth(paper.pieces), worth(counted)
    source, target = ("bank", "vault") if paper.kind == "credit" else ("vault", "bank")
    if step == "sent":
        return {source: -sent, "under way": sent}
    if step == "received":
        return {"under way": -sent, target: came, "over": sent - came}
    return {}


def worth(pieces):
    return sum(value * number for value, number in pieces.items())


PEOPLE = st.sampled_from(sorted(ROLES))
STEPS = st.sampled_from(["requested", "authorised", "sent", "received", "voided", "differed", "gone"])
BEGIN = st.tuples(
    st.just("begin"), st.sampled_from(sorted(BOOK)), PEOPLE | st.just("Cleo"), st.sampled_from(ASKED)
)
WHATEVER = st.tuples(
    *(st.just("take"), st.integers(0, 3), STEPS, PEOPLE, st.sampled_from(COUNTS)),
    *(st.none() | PEOPLE, st.sampled_from(["", "it is so"])),
)
# What comes next by somebody who may do it, so that documents come as far as their ends.
FOLLOWS = st.tuples(
    *(st.just("on"), st.just(0) | st.integers(0, 3), st.integers(0, len(ROLES) - 1)),
    st.sampled_from(["next", "next", "next", "next", "short", "empty", "voided", "voided"]),
)
FIRST = st.tuples(st.just("begin"), st.sampled_from(sorted(BOOK)), st.just("Cleo"), st.sampled_from(ASKED))
MORE = st.lists(BEGIN | WHATEVER | FOLLOWS | FOLLOWS | FOLLOWS, min_size=12, max_size=40)


class House:
    """The house in one example, and what the decision makes of it."""

    def __init__(self, game, people, seen):
        self.game, self.people, self.seen = game, people, seen
        self.papers, self.numbers = [], Counter(opener=1)
        self.accounts = {
            "bank": game.session.bank_chips,
            "vault": Account.objects.get(site=game.site, kind="vault", asset="chips"),
        }
        self.expected = {name: held(account) for name, account in self.accounts.items()}
        self.expected |= {"under way": 0, "over": self.over()}

    def over(self):
        """Return what is missing by the books: over/short, whose sign is that of the chips that lack."""
        found = Account.objects.filter(site=self.game.site, kind="over_short", asset="chips").first()
        return held(found) if found else 0

    def act(self, person, second=None, reason=""):
        key, signs = self.game.key(), self.people[second] if second else None
        return Act(self.people[person], self.game.now, key, approver=signs, reason=reason)

    def begin(self, kind, person, pieces):
        roles, _ = BOOK[kind]["", "requested"]
        wrong = set() if ROLES[person] & roles else {"not_allowed"}
        if only_deals(person) and person != "Ada":
            wrong.add("not_your_table")
        asked = {"session_id": self.game.session.pk, "kind": kind, "pieces": Pieces(pieces)}
        row = self.judged(wrong, banks.ask, act=self.act(person), **asked)
        if row is not None:
            self.numbers[kind] += 1
            assert (row.kind, row.number) == (kind, self.numbers[kind])
            self.papers.append(Paper(kind, pieces, row, [("requested", person)]))

    def on(self, number, first, how):
        """Take the step that comes next, or void, by the first person from the `first` on who may."""
        if not self.papers:
            return
        paper = self.papers[number % len(self.papers)]
        follows = [to for before, to in BOOK[paper.kind] if before == paper.last and to != "voided"]
        step = "voided" if how == "voided" else follows[0] if follows else "received"
        counted = {"short": {500: 3}, "empty": {}}.get(how, paper.pieces)
        names = sorted(ROLES)
        signs = [
            (person, second)
            for person in [*names[first:], *names[:first]]
            for second in (None, *names)
            if not why_not(paper, step, person, counted, second, "it is so")
        ]
        person, second = next(iter(signs), (names[first], None))
        self.take(number, step, person, counted, second, "it is so")

    def take(self, number, asked, person, counted, second, reason):
        """Ask for a step; who asks for `differed` receives, and the count decides which of them it is."""
        if not self.papers:
            return
        paper, step = self.papers[number % len(self.papers)], "received" if asked == "differed" else asked
        wrong = why_not(paper, step, person, counted, second, reason)
        said = {"document": paper.row, "step": asked, "pieces": Pieces(counted)}
        written = self.judged(wrong, banks.take_step, act=self.act(person, second, reason), **said)
        if written is None:
            return
        became = "differed" if step == "received" and counted != paper.pieces else step
        assert written.step == became
        if step in ("sent", "received"):
            signed = self.people[second].pk if became == "differed" else None
            assert written.entry.approver_id == signed
        self.seen[paper.kind, became] += 1
        for place, cents in moved(paper, step, counted).items():
            self.expected[place] += cents
        paper.taken.append((became, person))

    def judged(self, wrong, verb, **options):
        before = self.rows()
        try:
            with transaction.atomic():
                done = verb(**options)
        except Refusal as refused:
            code = refused.code
        else:
            assert not wrong
            return done
        assert code in wrong
        assert self.rows() == before
        return None

    def rows(self):
        counted = [model.objects.count() for model in (Document, DocumentStep, JournalEntry, AuditRecord)]
        return counted, sorted(Account.objects.values_list("pk", "balance_cents", "closed_at"))

    def require_as_expected(self):
        under_way = 0
        for paper in self.papers:
            steps = paper.row.steps.order_by("ordinal").select_related("person")
            taken = [(step.step, step.person.username) for step in steps]
            assert taken == [(step, person.lower()) for step, person in paper.taken]
            transit = held(paper.row.transit_chips)
            assert transit == (worth(paper.pieces) if paper.last == "sent" else 0)
            assert held(paper.row.transit_cash) == 0
            under_way += transit
        there = {name: held(account) for name, account in self.accounts.items()}
        assert there | {"under way": under_way, "over": self.over()} == self.expected
        assert balances.asset_sums(self.game.site) == {"chips": 0, "cash": 0}
        assert differences(self.game.site) == {}


def held(account):
    return Account.objects.get(pk=account.pk).balance_cents


def test_whatever_people_try_is_done_if_the_decision_allows_it_and_leaves_nothing_if_not(game, employ):
    people = {name: employ(name.lower(), *sorted(roles)) for name, roles in ROLES.items()}
    game.push(people["Ada"])
    seen = Counter()

    # A night is costly to try again: the one that failed is shown as it was found.
    @settings(max_examples=tries(25, 8), phases=[Phase.explicit, Phase.generate])
    @given(FIRST, MORE)
    @example(("begin", "opener", "Cleo", {500: 4}), [*[("on", 0, 0, "next")] * 3])
    @example(("begin", "fill", "Cleo", {500: 4}), [*[("on", 0, 0, "next")] * 2, ("on", 0, 0, "short")])
    @example(("begin", "fill", "Cleo", {500: 4}), [("on", 0, 0, "next"), ("on", 0, 0, "voided")])
    @example(("begin", "credit", "Cleo", {500: 4}), [*[("on", 0, 0, "next")] * 2])
    @example(("begin", "credit", "Cleo", {500: 4}), [("on", 0, 0, "next"), ("on", 0, 0, "empty")])
    @example(("begin", "credit", "Cleo", {500: 4}), [("on", 0, 0, "voided")])
    def night(first, more):
        with transaction.atomic():
            house = House(game, people, seen)
            for what, *asked in (first, *more):
                getattr(house, what)(*asked)
            house.require_as_expected()
            transaction.set_rollback(True)

    night()
    # Every end is reached, to a table and back.
    reached = {(kind == "credit", step) for kind, step in seen}
    assert {(back, end) for back in (True, False) for end in ("received", "differed", "voided")} <= reached
