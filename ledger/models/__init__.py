"""The rows of the books, by subject; import every model from here. A model never decides a rule."""

from ledger.models.books import (
    Account as Account,
    BankSignOff as BankSignOff,
    Count as Count,
    DropBox as DropBox,
    DropSignOff as DropSignOff,
    JournalEntry as JournalEntry,
    Site as Site,
    Transfer as Transfer,
    record_of as record_of,
)
from ledger.models.cage import (
    CageSlip as CageSlip,
    CageSlipResult as CageSlipResult,
    Drawer as Drawer,
    Exclusion as Exclusion,
    Receipt as Receipt,
    ReversalSlip as ReversalSlip,
    TokeAccount as TokeAccount,
    Withheld as Withheld,
    WithheldBatch as WithheldBatch,
    WithheldInBatch as WithheldInBatch,
)
from ledger.models.closings import ClosedDay as ClosedDay, ClosedShift as ClosedShift
from ledger.models.counting import (
    BoxReceipt as BoxReceipt,
    CountNote as CountNote,
    CountSheet as CountSheet,
    CountSheetReceipt as CountSheetReceipt,
    CountSheetSignature as CountSheetSignature,
)
from ledger.models.custody import (
    Document as Document,
    DocumentBox as DocumentBox,
    DocumentStep as DocumentStep,
    StruckCount as StruckCount,
)
from ledger.models.log import (
    AuditLog as AuditLog,
    AuditRecord as AuditRecord,
    Checkpoint as Checkpoint,
    Cosignature as Cosignature,
    HouseEvent as HouseEvent,
    KeptPaper as KeptPaper,
    Leaf as Leaf,
    Tile as Tile,
)
