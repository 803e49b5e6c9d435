"""The rows of the books, by subject; import every model from here. A model never decides a rule."""

from ledger.models.books import (
    Account,
    BankSignOff,
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
    Receipt,
    ReversalSlip,
    TokeAccount,
    Withheld,
    WithheldBatch,
    WithheldInBatch,
)
from ledger.models.closings import ClosedDay, ClosedShift
from ledger.models.counting import BoxReceipt, CountNote, CountSheet, CountSheetReceipt, CountSheetSignature
from ledger.models.custody import Document, DocumentBox, DocumentStep, StruckCount
from ledger.models.kept_papers import KeptPaper
from ledger.models.log import AuditLog, AuditRecord, Checkpoint, Cosignature, HouseEvent, Leaf, Tile

__all__ = [
    "Account",
    "AuditLog",
    "AuditRecord",
    "BankSignOff",
    "BoxReceipt",
    "CageSlip",
    "CageSlipResult",
    "Checkpoint",
    "ClosedDay",
    "ClosedShift",
    "Cosignature",
    "Count",
    "CountNote",
    "CountSheet",
    "CountSheetReceipt",
    "CountSheetSignature",
    "Document",
    "DocumentBox",
    "DocumentStep",
    "Drawer",
    "DropBox",
    "DropSignOff",
    "Exclusion",
    "HouseEvent",
    "JournalEntry",
    "KeptPaper",
    "Leaf",
    "Receipt",
    "ReversalSlip",
    "Site",
    "StruckCount",
    "Tile",
    "TokeAccount",
    "Transfer",
    "Withheld",
    "WithheldBatch",
    "WithheldInBatch",
    "record_of",
]
