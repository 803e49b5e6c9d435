"""The rows of the floor, by subject; every model is imported from here. No rule of an act is decided in a model."""

from tables.models.attention import Attention
from tables.models.collection import (
    Charge,
    ClockStop,
    Down,
    FeePayment,
    Rate,
    Recovery,
    Uncollected,
    Waiver,
    WaiverReason,
)
from tables.models.events import TableEvent
from tables.models.match import Match, MatchPlayer
from tables.models.player import Player, PlayerChange, PlayerMerge, PlayerWord
from tables.models.round import Claim, ClaimPayment, CorrectionRequest, Hand, Round, Settlement
from tables.models.session import GameOffer, SheetVersion, Table, TableSession
from tables.models.sitting import Sitting
from tables.models.waiting import PlaceAct, WaitingPlace

__all__ = [
    "Attention",
    "Charge",
    "Claim",
    "ClaimPayment",
    "ClockStop",
    "CorrectionRequest",
    "Down",
    "FeePayment",
    "GameOffer",
    "Hand",
    "Match",
    "MatchPlayer",
    "PlaceAct",
    "Player",
    "PlayerChange",
    "PlayerMerge",
    "PlayerWord",
    "Rate",
    "Recovery",
    "Round",
    "Settlement",
    "SheetVersion",
    "Sitting",
    "Table",
    "TableEvent",
    "TableSession",
    "Uncollected",
    "WaitingPlace",
    "Waiver",
    "WaiverReason",
]
