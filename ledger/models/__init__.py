"""The rows of the books, by subject; import every model from here. A model never decides a rule."""

from ledger.models.books import (
    Account,
    BankSignOff,
    ClosedDay,
    Count,
    DropBox,
    DropSignOff,
    JournalEntry,
    Site,
    Transfer,
    record_of,
)
from ledger.models.cage import (
    CageSlip,
    CageSlipResult,
    Drawer,
    Exclusion,
    ReversalSlip,
    TokeAccount,
    Withheld,
    WithheldBatch,
    WithheldInBatch,
)
from ledger.models.custody import Document, DocumentStep
from ledger.models.log import AuditLog, AuditRecord, Checkpoint, Cosignature, HouseEvent, Leaf, Tile

__all__ = [
    "Account",
    "AuditLog",
    "AuditRecord",
    "BankSignOff",
    "CageSlip",
    "CageSlipResult",
    "Checkpoint",
    "ClosedDay",
    "Cosignature",
    "Count",
    "Document",
    "DocumentStep",
    "Drawer",
    "DropBox",
    "DropSignOff",
    "Exclusion",
    "HouseEvent",
    "JournalEntry",
    "Leaf",
    "ReversalSlip",
    "Site",
    "Tile",
    "TokeAccount",
    "Transfer",
    "Withheld",
    "WithheldBatch",
    "WithheldInBatch",
    "record_of",
]
