"""Fees, downs, claims, rates and players. Pure."""

from typing import Annotated, NotRequired, TypedDict

from ledger.records.declaring import Cents, Column, Day, Digest, Id, Moment, Record, declare


class NamedRate(TypedDict):
    """which rate"""

    id: Id
    option: int
    version: int


class ChargeRecord(Record):
    """a player owes a fee for a down"""

    session: Id
    down: Annotated[int, "its number at the table", Column("down__number")]
    down_id: Id
    down_started_at: Annotated[Moment, Column("down__started_at")]
    sitting: Id
    player: Id
    entered_at: Annotated[Moment, "when the player sat down, or had to be charged from"]
    minute_seconds: Annotated[
        str | None, "how far the down was then, in seconds with six digits; null if it began with them"
    ]
    rule: Annotated[str, "`full` or `half`"]
    fee_cents: Annotated[Cents, "of the rate"]
    cents: Annotated[Cents, "that is owed"]
    rate: NamedRate
    charged_at: Moment
    charged_by: Id
    gaming_day: Day
    round_id: Annotated[Id | None, "the round that made it due; null if it is paid ahead"]


class DownRecord(Record):
    """a down began, at a rate"""

    session: Id
    number: int
    rate: Id
    started_at: Moment
    waited_from: Annotated[Moment | None, "since when it had waited for a round, if it had"]


class TableEventRecord(Record):
    """something at a table that moves nothing: somebody sat down, a round started, a clock was stopped,
    chips were counted ..."""

    session: Id
    kind: str
    at: Annotated[Moment, "when it happened", Column("started_at", "tables.Round")]
    actor: Id
    data: Annotated[dict, "by its kind"]  # type: ignore[type-arg]


class ClaimRecord(Record):
    """what a correction could not move, between two players"""

    number: int
    settlement: Annotated[Id, "the correction"]
    round_id: Annotated[Id, Column("settlement__round_id")]
    debtor: Id
    creditor: Id
    cents: Cents


class RateRecord(Record):
    """a collection rate was published"""

    option: int
    version: int
    limit_cents: Cents
    fee_cents: Cents
    approval_reference: str
    effective_from: Day
    published_by: Id | None


class PlayerChangeRecord(Record):
    """a player was entered (`before` is empty), or their name, description or alias was changed:
    commitments to the entry before and after"""

    player: Id
    before: Annotated[str, Column("follows")]
    after: Annotated[Digest, Column("commitment")]
    actor: Id
    terminal: str
    key: str


class PlayerMergeRecord(Record):
    """two entries of one person became one, by two people: `merged` is answered by `into` since"""

    number: int
    merged: Id
    into: Id
    actor: Id
    approver: Id
    terminal: str
    reason: str
    key: str


class DisputeRecord(Record):
    """somebody disputed something at a table, or complained"""

    number: Annotated[int, "of disputes and complaints, from 1"]
    session: Annotated[Id | None, "of the table; a complaint has none"]
    round_id: Annotated[Id | None, "the round that is disputed"]
    players: Annotated[list[Id], "who dispute it, as far as they sat there"]
    what: Annotated[str, "`cards`, `payment`, `chips`, `fee`, `time`, `conduct` or `other`"]
    text: Annotated[str, "what they say"]
    entered_by: Annotated[Id | None, "who entered the result of the round that stood then"]
    played_by: NotRequired[Annotated[Id, "who had played it without the house, if another sent it"]]
    taken_by: Id
    taken_at: Moment
    terminal: str
    key: str


class DisputeDecisionRecord(Record):
    """a dispute or a complaint was decided"""

    dispute: Id
    outcome: Annotated[str, "`as_dealt`, `corrected`, `upheld`, `not_upheld` or `referred`"]
    entry: Annotated[Id | None, "the entry that corrected it"]
    text: Annotated[str, "what was decided, in a sentence"]
    told: Annotated[bool, "whether the players were told"]
    decided_by: Id
    decided_at: Moment
    terminal: str
    key: str


declare(
    {
        "charge": ChargeRecord,
        "down": DownRecord,
        "table_event": TableEventRecord,
        "claim": ClaimRecord,
        "rate": RateRecord,
        "player_change": PlayerChangeRecord,
        "player_merge": PlayerMergeRecord,
        "dispute": DisputeRecord,
        "dispute_decision": DisputeDecisionRecord,
    }
)
