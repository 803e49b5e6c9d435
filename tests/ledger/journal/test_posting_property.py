"""Whatever is posted: chips and cash are conserved, nothing goes below zero, balances are sums of
transfers."""

from collections import Counter
from datetime import UTC, datetime

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings, strategies as st

from ledger.chart import BEYOND_THE_HOUSE, EVENTS, MAY_BE_NEGATIVE, OF_DOCUMENTS, ONE_PER_SITE, AccountKind
from ledger.errors import ChipsBeyondBooks, InsufficientFunds, NotInChart, SameAccount
from ledger.journal import balances
from ledger.journal.posting import EntryDraft, Move, house_account, mirror, open_account, post, post_all
from ledger.models import Account
from tests.support.acting import acting, recorded_at
from tests.support.balances import differences

NOW = datetime(2026, 11, 22, 4, 0, tzinfo=UTC)
OF_EACH = 2
"""Accounts of each kind and asset of which a site may have several."""

PLAIN = [event for event in EVENTS.values() if event.lines and not (event.approved or event.signed_by)]
# A transfer: a line of the event's, which of the accounts of that kind at each end, and how much.
transfers = st.tuples(
    st.integers(0, 9), st.integers(0, OF_EACH - 1), st.integers(0, OF_EACH - 1), st.integers(1, 900)
)
events = st.tuples(st.sampled_from(PLAIN), st.lists(transfers, max_size=6))
# An event, a repetition of an earlier one, or a reversal with a part posted again.
steps = st.one_of(
    st.tuples(st.just("new"), events),
    st.tuples(st.just("again"), st.integers(0, 99)),
    st.tuples(st.just("correct"), st.integers(0, 99), st.booleans()),
)


class Room:
    """A new room, and its accounts' balances by simple addition."""

    def __init__(self, site, actor, approver):
        self.site, self.actor, self.approver = site, actor, approver
        self.accounts = {
            (kind, asset): [
                house_account(site, kind, asset).pk
                if kind in ONE_PER_SITE
                else open_account(site=site, kind=kind, asset=asset, label=f"{kind} {n}", now=NOW).pk
                for n in range(1 if kind in ONE_PER_SITE else OF_EACH)
            ]
            for kind in AccountKind
            for asset in ("chips", "cash")
            if BEYOND_THE_HOUSE.get(kind, asset) == asset
        }
        self.kinds = {pk: kind for (kind, _), pks in self.accounts.items() for pk in pks}
        self.should_hold = Counter()
        self.posted = []
        self.reversed = set()

    def moves(self, event, transfers):
        """What is paid for goes with its payment."""
        for number, source, target, cents in transfers:
            chosen = event.lines[number % len(event.lines)]
            for line in event.sides if chosen in event.sides else (chosen,):
                sources = self.accounts[line.source, line.asset]
                targets = self.accounts[line.target, line.asset]
                yield Move(sources[source % len(sources)], targets[target % len(targets)], cents)

    def attempt(self, *drafts):
        after = Counter(self.should_hold)
        for move in (move for draft in drafts for move in draft.moves):
            after[move.source] -= move.cents
            after[move.target] += move.cents
        overdrawn = any(cents < 0 and self.kinds[pk] not in MAY_BE_NEGATIVE for pk, cents in after.items())
        to_itself = any(move.source == move.target for draft in drafts for move in draft.moves)
        lacking = any(not draft.moves and EVENTS[draft.kind].moves for draft in drafts)
        unsent = any(draft.reverses is not None and draft.reverses.kind in OF_DOCUMENTS for draft in drafts)
        try:
            entries = post_all(site=self.site, drafts=drafts)
        except NotInChart:
            assert lacking or unsent
        except SameAccount:
            assert to_itself
        except (InsufficientFunds, ChipsBeyondBooks):
            assert overdrawn
        else:
            assert not lacking
            assert not unsent
            assert not overdrawn
            assert not to_itself
            self.should_hold = after
            self.posted += zip(entries, drafts, strict=True)
            return True
        return False

    def draft(self, kind, moves, **more):
        key = f"{len(self.posted)} {kind}"
        return acting(
            EntryDraft,
            kind=kind,
            occurred_at=NOW,
            moves=moves,
            evidence={},
            content={},
            key=key,
            actor=self.actor,
            now=NOW,
            **more,
        )

    def take(self, step):
        match step:
            case "new", (event, transfers):
                counted = {"approver": self.approver} if event.counted else {}
                self.attempt(self.draft(event.kind, tuple(self.moves(event, transfers)), **counted))
            case "again", which if self.posted:
                entry, draft = self.posted[which % len(self.posted)]
                if len(mirror(entry)) == len(draft.moves) and draft.reverses is None:
                    assert post(site=self.site, draft=recorded_at(draft, NOW)) == entry
            case "correct", which, anew if self.posted:
                entry, draft = self.posted[which % len(self.posted)]
                if entry.pk in self.reversed or draft.reverses is not None:
                    return
                approved = {"reason": "wrong", "approver": self.approver}
                drafts = [self.draft("reversal", mirror(entry), reverses=entry, **approved)]
                if anew:
                    drafts.append(self.draft("correction", draft.moves[:1], **approved))
                if self.attempt(*drafts):
                    self.reversed.add(entry.pk)

    def check(self):
        held = dict(Account.objects.filter(site=self.site).values_list("pk", "balance_cents"))
        assert held == {pk: self.should_hold[pk] for pk in held}
        assert all(cents >= 0 or self.kinds[pk] in MAY_BE_NEGATIVE for pk, cents in held.items())
        assert balances.asset_sums(self.site) == {"chips": 0, "cash": 0}
        assert differences(self.site) == {}


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(steps, max_size=12))
def test_chips_and_cash_are_conserved_whatever_happens(site, dealer, floor, what_happens):
    with transaction.atomic():
        room = Room(site, dealer, floor)
        for step in what_happens:
            room.take(step)
        room.check()
        transaction.set_rollback(True)
