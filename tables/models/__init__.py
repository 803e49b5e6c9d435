"""The rows of the floor, by subject; import every model from here. A model never decides a rule."""

from tables.models.collection import (
    Charge as Charge,
    ClockStop as ClockStop,
    Down as Down,
    FeePayment as FeePayment,
    Rate as Rate,
    Recovery as Recovery,
    Uncollected as Uncollected,
    Waiver as Waiver,
    WaiverReason as WaiverReason,
)
from tables.models.events import (
    Attention as Attention,
    Dispute as Dispute,
    DisputeDecision as DisputeDecision,
    TableEvent as TableEvent,
    TabletContact as TabletContact,
)
from tables.models.player import (
    Player as Player,
    PlayerChange as PlayerChange,
    PlayerMerge as PlayerMerge,
    PlayerWord as PlayerWord,
)
from tables.models.round import (
    Claim as Claim,
    ClaimPayment as ClaimPayment,
    CorrectionRequest as CorrectionRequest,
    Hand as Hand,
    Match as Match,
    MatchPlayer as MatchPlayer,
    Round as Round,
    Settlement as Settlement,
)
from tables.models.session import (
    GameOffer as GameOffer,
    SheetVersion as SheetVersion,
    Sitting as Sitting,
    Table as Table,
    TableSession as TableSession,
)
from tables.models.waiting import PlaceAct as PlaceAct, WaitingPlace as WaitingPlace
