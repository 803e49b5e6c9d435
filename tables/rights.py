"""Rights at the tables, by name. Verbs require them (`ledger.rights.require`); casino/roles.py gives them."""

from ledger.rights import DEAL as DEAL, MANAGE_HOUSE as MANAGE_HOUSE, RUN_FLOOR as RUN_FLOOR

HANDLE_CHIPS = "tables.handle_chips"
ASK_CORRECTIONS = "tables.ask_corrections"
APPROVE_CORRECTIONS = "tables.approve_corrections"
READ_TABLES = "tables.read_tables"
