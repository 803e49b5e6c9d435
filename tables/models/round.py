"""Rounds: the hands dealt, the dealer's draft, and the settlement; and races over several, for a stake."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from ledger import lengths
from ledger.db.keeping import check, mutable, numbered_from_one, recorded, unique, written_once


class Round(models.Model):
    """One deal, from the buttons to the settlement. `limit_cents` is the table's at the start (R64). `draft`
    is no evidence. `pair_stakes` (R32) and `reserved_from`, whose undealt hands are played (R43), are agreed
    before the start. In a race every round is of a `match` (R42)."""

    keeping = mutable("entry", "table_event")

    class State(models.TextChoices):
        DEALT = "dealt"
        SETTLED = "settled"
        VOID = "void"

    # Its keys begin with these two; nobody lists rounds by dealer alone.
    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+", db_index=False)
    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="rounds", db_index=False)
    number = models.PositiveIntegerField()
    limit_cents = models.BigIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.DEALT)
    key = models.CharField(max_length=64)
    content_hash = models.CharField(max_length=64)
    button_seat = models.PositiveSmallIntegerField()
    down = models.ForeignKey("tables.Down", models.PROTECT, related_name="rounds")
    dealer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    pair_stakes = models.JSONField(default=list, blank=True)
    reserved_from = models.ForeignKey(
        "self", models.PROTECT, related_name="reserved_for", null=True, blank=True
    )
    match = models.ForeignKey("tables.Match", models.PROTECT, related_name="rounds", null=True, blank=True)
    draft = models.JSONField(default=list)
    draft_version = models.PositiveIntegerField(default=0)
    void_reason = models.CharField(max_length=lengths.REASON, blank=True)
    void_key = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            unique("one_round_per_number", "session", "number"),
            unique("one_round_per_key", "site", "key"),
            unique("one_void_per_key", "site", "void_key", where=~Q(void_key="")),
            unique("one_running_round_per_table", "session", where=Q(state="dealt")),
        ]

    fresh: Any = None
    """What the act that has just started or settled it knows (`tables/state/rows.py`: `Fresh`)."""

    def __str__(self) -> str:
        return f"Round {self.number}"


class Hand(models.Model):
    """A dealt hand: position (R30), starting stack (R33), fantasy land (R41)."""

    keeping = written_once("table_event")

    round = models.ForeignKey(Round, models.PROTECT, related_name="hands", db_index=False)
    sitting = models.ForeignKey("tables.Sitting", models.PROTECT, related_name="hands")
    seat = models.PositiveSmallIntegerField()
    position = models.PositiveSmallIntegerField()
    stack_cents = models.BigIntegerField()
    fantasy_land = models.BooleanField(default=False)

    class Meta:
        ordering = ["position"]
        constraints = [numbered_from_one("tables_hand"), unique("one_hand_per_position", "round", "position")]

    def __str__(self) -> str:
        return f"Seat {self.seat} in round {self.round_id}"


class Settlement(models.Model):
    """A settlement of a round: the journal entry that paid it; a correction adds the next `ordinal`.
    `by_hand`: by points that two people entered (R58)."""

    keeping = written_once("entry")

    round = models.ForeignKey(Round, models.PROTECT, related_name="settlements", db_index=False)
    ordinal = models.PositiveSmallIntegerField()
    entry = models.OneToOneField("ledger.JournalEntry", models.PROTECT, related_name="+")
    settled_at = models.DateTimeField()
    by_hand = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            numbered_from_one("tables_settlement"),
            unique("one_settlement_per_ordinal", "round", "ordinal"),
        ]

    def __str__(self) -> str:
        return f"Settlement {self.ordinal} of round {self.round_id}"


class CorrectionRequest(models.Model):
    """Cards or points for a round, asked for by one person and decided by another (R58). `points` are [first
    seat, second seat, points the first wins from the second], once for every pair. A request for points is
    overtaken if the cards turn up."""

    keeping = mutable("table_event")

    class State(models.TextChoices):
        ASKED = "asked"
        APPROVED = "approved"
        REFUSED = "refused"
        OVERTAKEN = "overtaken"

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+", db_index=False)
    round = models.ForeignKey(Round, models.PROTECT, related_name="corrections")
    key = models.CharField(max_length=64)
    hands = models.JSONField(null=True)
    points = models.JSONField(null=True)
    reason = models.CharField(max_length=lengths.REASON)
    state = models.CharField(max_length=9, choices=State, default=State.ASKED)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True)
    decided_at = models.DateTimeField(null=True)
    decision_key = models.CharField(max_length=64, blank=True)
    decision_reason = models.CharField(max_length=lengths.REASON, blank=True)
    settlement = models.OneToOneField(Settlement, models.PROTECT, related_name="correction", null=True)

    class Meta:
        constraints = [
            unique("one_correction_per_key", "site", "key"),
            unique("one_correction_decided_per_key", "site", "decision_key", where=~Q(decision_key="")),
            unique("one_open_correction_per_round", "round", where=Q(state="asked")),
            check(
                "correction_takes_two_people",
                Q(decided_by__isnull=True) | ~Q(decided_by=models.F("asked_by")),
            ),
            check(
                "correction_by_cards_or_by_points",
                Q(hands__isnull=False, points__isnull=True) | Q(hands__isnull=True, points__isnull=False),
            ),
        ]
        indexes = [
            models.Index(fields=["site", "state"], name="corrections_that_wait"),
            models.Index(fields=["site", "asked_at"], name="corrections_of_a_day"),
        ]

    def __str__(self) -> str:
        return f"{'Settlement by hand' if self.by_hand else 'Correction'} of round {self.round_id}"

    @property
    def by_hand(self) -> bool:
        return self.points is not None


class Claim(models.Model):
    """Chips a correction could not move: owed between two players, never by the house (R58)."""

    keeping = recorded("claim")
    SHOWN_WITH: ClassVar[tuple[str, ...]] = ("debtor", "creditor", "settlement__round", "payment__seen_by")

    site = models.ForeignKey("ledger.Site", models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    settlement = models.ForeignKey(Settlement, models.PROTECT, related_name="claims")
    debtor = models.ForeignKey("tables.Player", models.PROTECT, related_name="+")
    creditor = models.ForeignKey("tables.Player", models.PROTECT, related_name="+")
    cents = models.BigIntegerField()

    class Meta:
        constraints = [
            numbered_from_one("tables_claim"),
            unique("one_claim_per_number", "site", "number"),
            check("claim_above_zero", Q(cents__gt=0)),
        ]

    def __str__(self) -> str:
        return f"Claim {self.number}"


class ClaimPayment(models.Model):
    keeping = written_once("table_event")

    claim = models.OneToOneField(Claim, models.PROTECT, related_name="payment")
    event = models.OneToOneField("tables.TableEvent", models.PROTECT, related_name="+")
    seen_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [numbered_from_one("tables_claimpayment")]

    def __str__(self) -> str:
        return f"Payment of {self.claim}"


class Match(models.Model):
    """A race over rounds (R42): stake and players are those of its first round. Points and winner follow from
    the settlements in force. A match called off is over, and nobody pays."""

    keeping = mutable("entry", "table_event")

    session = models.ForeignKey("tables.TableSession", models.PROTECT, related_name="matches")
    number = models.PositiveIntegerField()
    stake_cents = models.BigIntegerField()
    called_off_at = models.DateTimeField(null=True, blank=True)
    called_off_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    called_off_reason = models.CharField(max_length=lengths.REASON, blank=True)

    class Meta:
        constraints = [
            unique("one_match_per_number", "session", "number"),
            check("match_stake_above_zero", Q(stake_cents__gt=0)),
            check(
                "match_called_off_with_reason",
                Q(called_off_at__isnull=True, called_off_by__isnull=True, called_off_reason="")
                | Q(called_off_at__isnull=False, called_off_by__isnull=False) & ~Q(called_off_reason=""),
            ),
        ]

    def __str__(self) -> str:
        return f"Match {self.number}"


class MatchPlayer(models.Model):
    keeping = written_once("entry")

    match = models.ForeignKey(Match, models.PROTECT, related_name="players")
    sitting = models.ForeignKey("tables.Sitting", models.PROTECT, related_name="matches")

    class Meta:
        constraints = [numbered_from_one("tables_matchplayer"), unique("once_in_a_match", "match", "sitting")]

    def __str__(self) -> str:
        return f"{self.sitting} in match {self.match_id}"
