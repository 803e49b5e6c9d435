"""Posting and reversing, in any order, do what a dictionary of balances and a list of entries do."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction
from hypothesis import settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from ledger.chart import ALLOWED, BEYOND_THE_HOUSE, MAY_BE_NEGATIVE
from ledger.errors import LedgerError
from ledger.journal import balances, records
from ledger.journal.posting import (
    EntryDraft,
    Move,
    close_account,
    house_account,
    mirror,
    open_account,
    post_all,
)
from ledger.models import Account, AuditRecord, JournalEntry, Site
from tests.support.acting import acting
from tests.support.balances import differences
from tests.support.lengths import tries

NOW = datetime(2026, 11, 22, 4, 0, tzinfo=UTC)
APPROVABLE = ("reversal", "correction")
which = st.integers(0, 9)
some_cents = st.integers(1, 900)


class Books(RuleBasedStateMachine):
    """A room's books beside a model of them: all balances, and all entries in order. A step predicts every
    reason for which it may be refused: with any, it must be refused for one of them, without, it must be
    posted. Afterwards books and model must be equal."""

    def __init__(self, dealer, floor):
        super().__init__()
        self.dealer, self.floor = dealer, floor
        self.night = transaction.atomic()
        self.night.__enter__()
        self.site = Site.objects.create(name="The Sixth Street Room", licence="GEGE-6")
        elsewhere = Site.objects.create(name="The Seventh Street Room", licence="GEGE-7")
        self.elsewhere = house_account(elsewhere, "patrons", "chips").pk
        self.holds, self.places = Counter(), {}
        self.closed, self.sealed = set(), set()
        self.journal, self.steps, self.reversed = [], [], set()
        self.keys = 0

    def teardown(self):
        transaction.set_rollback(True)
        self.night.__exit__(None, None, None)

    @initialize()
    def found(self):
        for asset in ("chips", "cash"):
            for kind in ("vault", *(one for one, of in BEYOND_THE_HOUSE.items() if of == asset)):
                self.places[house_account(self.site, kind, asset).pk] = (kind, asset)
            for kind in ("table_bank", "drop_box", "transit"):
                self.open(kind, asset)
        self.the_float_is_issued(9000, 9000)
        self.a_document_is_sent(3000)
        self.a_document_is_received(3000)
        for cents in (900, 500, 50):
            self.open("stack", "chips")
            self.a_player_buys_in(0, cents, False)
        self.chips_are_accepted_beyond_the_books(700)

    # --- What happens ---

    @rule(chips=some_cents, cash=some_cents)
    def the_float_is_issued(self, chips, cash):
        moves = [self.move("chip_maker", "vault", chips, "chips"), self.move("bank", "vault", cash, "cash")]
        self.attempt(self.draft("float_issue", moves, approver=self.floor))

    @rule(chips=some_cents)
    def a_document_is_sent(self, chips):
        self.attempt(self.draft("document_sent", [self.move("vault", "transit", chips)]))

    @rule(chips=some_cents)
    def a_document_is_received(self, chips):
        """Includes more than is under way."""
        self.attempt(self.draft("document_received", [self.move("transit", "table_bank", chips)]))

    @rule(cents=some_cents)
    def chips_are_accepted_beyond_the_books(self, cents):
        move = self.move("chip_maker", "patrons", cents)
        self.attempt(self.draft("chips_beyond_books", [move], **self.approved()))

    @rule(stack=which, cents=some_cents, brought=st.booleans())
    def a_player_buys_in(self, stack, cents, brought):
        paid = self.move("public", "table_bank", cents, "cash")
        sold = [paid, self.move("table_bank", "stack", cents, target=stack)]
        self.attempt(
            self.draft("buy_in", [self.move("patrons", "stack", cents, target=stack)] if brought else sold)
        )

    @rule(payments=st.lists(st.tuples(which, st.integers(1, 2), some_cents), max_size=4))
    def a_round_is_settled(self, payments):
        """Includes a stack that pays more than it has, or pays itself if it is alone."""
        moves = [
            self.move("stack", "stack", cents, source=payer, target=payer + beside)
            for payer, beside, cents in payments
        ]
        self.attempt(self.draft("round", moves))

    @rule(stack=which, cents=some_cents)
    def a_fee_is_taken(self, stack, cents):
        self.attempt(self.draft("collection", [self.move("stack", "drop_box", cents, source=stack)]))

    @rule(stack=which, leaves=st.booleans())
    def a_player_cashes_out(self, stack, leaves):
        pk = self.place("stack", "chips", stack)
        if self.holds[pk]:
            self.attempt(
                self.draft("cash_out", [self.move("stack", "patrons", self.holds[pk], source=stack)])
            )
            if leaves:
                self.close(pk)

    @rule(box=which)
    def a_box_is_dropped(self, box):
        whole = self.holds[self.place("drop_box", "chips", box)]
        if whole:
            self.attempt(self.draft("drop", [self.move("drop_box", "vault", whole, source=box)]))

    @rule(kind=st.sampled_from(["stack", "drop_box"]))
    def a_place_is_opened(self, kind):
        self.open(kind, "chips")

    @rule(kind=st.sampled_from(["stack", "drop_box"]), one=which)
    def a_place_is_closed(self, kind, one):
        pk = self.place(kind, "chips", one)
        if not self.holds[pk]:
            self.close(pk)
            return
        with pytest.raises(LedgerError) as refused:
            close_account(Account.objects.get(pk=pk), NOW)
        assert refused.value.code == "account_not_empty"

    @rule(one=which)
    def a_box_is_pulled(self, one):
        pk = self.place("drop_box", "chips", one)
        Account.objects.filter(pk=pk).update(sealed_at=NOW)
        self.sealed.add(pk)

    @rule(kind=st.sampled_from(["round", "buy_in", "drop"]), stack=which, cents=some_cents)
    def somebody_mixes_up_the_assets(self, kind, stack, cents):
        source, target = self.place("table_bank", "cash"), self.place("stack", "chips", stack)
        self.attempt(self.draft(kind, [Move(source, target, cents)]))

    @rule(cents=some_cents)
    def somebody_takes_a_way_that_is_not_in_the_chart(self, cents):
        self.attempt(self.draft("round", [self.move("patrons", "vault", cents)]))

    @rule(stack=which, cents=some_cents)
    def somebody_names_a_place_of_another_house(self, stack, cents):
        self.attempt(self.draft("buy_in", [Move(self.elsewhere, self.place("stack", "chips", stack), cents)]))

    # --- The same request once more ---

    @precondition(lambda self: self.steps)
    @rule(step=which, later=st.booleans())
    def a_request_comes_again(self, step, later):
        entries, drafts = self.steps[step % len(self.steps)]
        if later:  # from another terminal, and the clock has moved on
            drafts = [
                replace(each, act=replace(each.act, terminal="t2"), occurred_at=NOW + timedelta(hours=1))
                for each in drafts
            ]
        assert self.post(drafts) == entries

    @precondition(lambda self: self.steps)
    @rule(step=which, how=st.sampled_from(["content", "actor", "kind", "one more", "one less"]))
    def a_key_comes_with_something_else(self, step, how):
        drafts = list(self.steps[step % len(self.steps)][1])
        first = drafts[0]
        if how == "content":
            drafts[0] = replace(first, content={"other": True})
        elif how == "actor":
            actor, approver = (self.floor, self.dealer) if first.act.approver else (self.floor, None)
            drafts[0] = replace(first, act=replace(first.act, actor=actor, approver=approver))
        elif how == "kind" and first.kind not in APPROVABLE:
            drafts[0] = replace(first, kind="add_on" if first.kind == "buy_in" else "buy_in")
        elif how == "one more":
            drafts.append(self.draft("round", []))
        elif how == "one less" and len(drafts) > 1:
            assert self.post(drafts[1:]) == self.steps[step % len(self.steps)][0][1:]
            return
        else:
            return
        self.refused({"key_reused"}, drafts)

    # --- Taking back ---

    @precondition(lambda self: self.journal)
    @rule(one=which)
    def an_entry_is_reversed(self, one):
        """It may have been reversed before, or be a reversal."""
        self.attempt(self.reversal(self.entry(one)))

    @precondition(lambda self: self.reversed)
    @rule(one=which)
    def a_reversal_is_reversed(self, one):
        taken_back = sorted(self.reversed)[one % len(self.reversed)]
        self.attempt(self.reversal(JournalEntry.objects.get(reverses=taken_back)))

    @precondition(lambda self: self.journal)
    @rule(one=which, cents=st.lists(some_cents, max_size=3), kept=st.booleans())
    def an_entry_is_corrected(self, one, cents, kept):
        """Taken back and posted again in one step, as it was or with other amounts."""
        entry = self.entry(one)
        before = [Move(back.target, back.source, back.cents) for back in mirror(entry)]
        anew = [replace(move, cents=other) for move, other in zip(before, cents, strict=False)]
        self.attempt(
            self.reversal(entry), self.draft("correction", before if kept else anew, **self.approved())
        )

    @precondition(lambda self: self.journal)
    @rule(one=which)
    def an_entry_is_reversed_twice_in_one_step(self, one):
        entry = self.entry(one)
        self.refused(
            {"already_reversed", *self.faults([self.reversal(entry)] * 2)},
            [self.reversal(entry), self.reversal(entry)],
        )

    @precondition(lambda self: self.journal)
    @rule(one=which, extra=some_cents)
    def a_reversal_moves_something_else(self, one, extra):
        wrong = self.reversal(self.entry(one))
        self.attempt(replace(wrong, moves=(*wrong.moves, self.move("patrons", "vault", extra))))

    @precondition(lambda self: self.journal)
    @rule(one=which, how=st.sampled_from(["nobody", "oneself", "no reason"]))
    def a_reversal_lacks_what_it_needs(self, one, how):
        changed = {
            "nobody": {"approver": None},
            "oneself": {"approver": self.dealer},
            "no reason": {"reason": " "},
        }
        code = "reason_required" if how == "no reason" else "second_person"
        reversal = self.reversal(self.entry(one))
        self.refused({code}, [replace(reversal, act=replace(reversal.act, **changed[how]))])

    # --- What has to hold after every step ---

    @invariant()
    def books_and_model_are_the_same(self):
        held = dict(Account.objects.filter(site=self.site).values_list("pk", "balance_cents"))
        assert held == {pk: self.holds[pk] for pk in self.places}
        assert balances.asset_sums(self.site) == {"chips": 0, "cash": 0}
        assert differences(self.site) == {}
        entries = JournalEntry.objects.filter(site=self.site).order_by("pk").prefetch_related("transfers")
        written = [(e.key, e.kind, e.reverses_id, lines_of(e)) for e in entries]
        assert written == [
            (entry.key, str(draft.kind), draft.reverses and draft.reverses.pk, draft.moves)
            for entry, draft in self.journal
        ]
        recorded = AuditRecord.objects.filter(site=self.site, kind=records.ENTRY).order_by("subject")
        assert list(recorded.values_list("subject", flat=True)) == [entry.pk for entry, _ in self.journal]

    # --- The model ---

    def open(self, kind, asset):
        account = open_account(
            site=self.site, kind=kind, asset=asset, label=f"{kind} {len(self.places)}", now=NOW
        )
        self.places[account.pk] = (kind, asset)

    def close(self, pk):
        close_account(Account.objects.get(pk=pk), NOW)
        self.closed.add(pk)

    def place(self, kind, asset="chips", one=0):
        """Return one of the accounts of a kind; the newest is the first."""
        found = [pk for pk, place in self.places.items() if place == (kind, asset)]
        return found[-1 - one % len(found)]

    def move(self, source_kind, target_kind, cents, asset="chips", source=0, target=0):
        return Move(self.place(source_kind, asset, source), self.place(target_kind, asset, target), cents)

    def entry(self, one):
        """Return one of the last entries: an old one has mostly been reversed."""
        return self.journal[-1 - one % len(self.journal)][0]

    def approved(self):
        return {"reason": "misread", "approver": self.floor}

    def draft(self, kind, moves, **more):
        self.keys += 1
        asked = {"now": NOW, "actor": self.dealer, "evidence": {}, "content": {"n": self.keys}}
        return acting(EntryDraft, key=f"k{self.keys}", kind=kind, moves=tuple(moves), **asked, **more)

    def reversal(self, entry):
        return self.draft("reversal", mirror(entry), reverses=entry, **self.approved())

    def attempt(self, *drafts):
        faults = self.faults(drafts)
        if faults:
            self.refused(faults, drafts)
            return
        entries = self.post(drafts)
        self.steps.append((entries, list(drafts)))
        self.journal += zip(entries, drafts, strict=True)
        self.reversed |= {draft.reverses.pk for draft in drafts if draft.reverses}
        self.holds.update(changes_of(drafts))

    def post(self, drafts):
        with transaction.atomic():
            return post_all(site=self.site, drafts=list(drafts))

    def refused(self, codes, drafts):
        with pytest.raises(LedgerError) as refused:
            self.post(drafts)
        assert refused.value.code in codes

    def faults(self, drafts):
        """Return every code for which these may be refused."""
        moves = [move for draft in drafts for move in draft.moves]
        if any(pk not in self.places for move in moves for pk in (move.source, move.target)):
            return {"unknown_account"}
        faults = {fault for draft in drafts for fault in self.faults_of(draft)}
        changes = changes_of(drafts)
        correcting = any(draft.reverses for draft in drafts)
        dropping = all(draft.kind == "drop" for draft in drafts)
        for pk in {pk for move in moves for pk in (move.source, move.target)}:
            passed_through = correcting and not changes[pk]
            if pk in self.closed and not passed_through:
                faults.add("account_closed")
            if pk in self.sealed and not (passed_through or dropping):
                faults.add("box_pulled")
            if self.holds[pk] + changes[pk] < 0 and self.places[pk][0] not in MAY_BE_NEGATIVE:
                of_patrons = self.places[pk][0] == "patrons"
                faults.add("chips_beyond_books" if of_patrons else "insufficient_funds")
        return faults

    def faults_of(self, draft):
        for move in draft.moves:
            (source, asset), (target, other) = self.places[move.source], self.places[move.target]
            if move.source == move.target:
                yield "same_account"
            if asset != other:
                yield "asset_mismatch"
            if not draft.reverses and (source, target, asset) not in ALLOWED[draft.kind]:
                yield "not_in_chart"
        if draft.kind == "correction" and self.sold(draft, "public") != self.sold(draft, "table_bank"):
            yield "not_in_chart"
        if draft.reverses:
            if draft.moves != mirror(draft.reverses):
                yield "not_the_mirror"
            if draft.reverses.kind in ("document_sent", "document_received"):
                yield "not_in_chart"
            if draft.reverses.kind == "reversal":
                yield "reversal_of_reversal"
            if draft.reverses.pk in self.reversed:
                yield "already_reversed"

    def sold(self, draft, source):
        """What comes from the public as cash, or goes to players as chips, less what comes back."""
        there = ("table_bank",) if source == "public" else ("stack", "patrons")
        ways = [
            (self.places[move.source][0], self.places[move.target][0], move.cents) for move in draft.moves
        ]
        return sum(
            cents * ((one == source and other in there) - (one in there and other == source))
            for one, other, cents in ways
        )


def changes_of(drafts):
    changes = Counter()
    for move in (move for draft in drafts for move in draft.moves):
        changes[move.source] -= move.cents
        changes[move.target] += move.cents
    return changes


def lines_of(entry):
    lines = sorted(entry.transfers.all(), key=lambda transfer: transfer.line)
    return tuple(Move(transfer.source_id, transfer.target_id, transfer.cents) for transfer in lines)


@pytest.mark.django_db
def test_posting_and_reversing_do_what_the_model_does(dealer, floor):
    # The model is of what is posted, not of the database, which is slower at rolling back.
    examples = tries(15, 12 if connection.vendor == "sqlite" else 6)
    run_state_machine_as_test(
        lambda: Books(dealer, floor), settings=settings(max_examples=examples, stateful_step_count=30)
    )
