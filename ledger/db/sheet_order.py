"""Triggers that keep count sheets whole, for rows that SQL writes past the program. Nothing is added to a
signed sheet. A box is counted on one sheet of its own gaming day; a sealed box only after it is received in
the count room. It is signed off after the sheet was signed and received by a cashier."""

from ledger.db import guards

_SIGNED = "EXISTS (SELECT 1 FROM ledger_countsheetsignature AS one WHERE one.sheet_id = NEW.sheet_id)"
_ELSEWHERE = """EXISTS (SELECT 1 FROM ledger_count AS one
      WHERE one.box_id = NEW.box_id AND one.sheet_id <> NEW.sheet_id)
    OR NOT EXISTS (SELECT 1 FROM ledger_dropbox AS box JOIN ledger_countsheet AS paper
        ON paper.site_id = box.site_id AND paper.gaming_day = box.gaming_day
      WHERE box.id = NEW.box_id AND paper.id = NEW.sheet_id)"""
_UNSIGNED = """NOT EXISTS (SELECT 1 FROM ledger_count AS one
      JOIN ledger_countsheetsignature AS signed ON signed.sheet_id = one.sheet_id
      WHERE one.box_id = NEW.box_id)"""
_ANOTHER = """EXISTS (SELECT 1 FROM ledger_countsheet AS one
      LEFT JOIN ledger_countsheetsignature AS signed ON signed.sheet_id = one.id
      WHERE one.site_id = NEW.site_id AND one.gaming_day = NEW.gaming_day AND signed.id IS NULL)"""
_STRANGERS = """2 > (SELECT count(DISTINCT one.counter_id) FROM ledger_count AS one
      WHERE one.sheet_id = NEW.sheet_id AND one.counter_id IN (NEW.signed_by_id, NEW.signed_with_id))"""
_AS_SIGNED = "NOT EXISTS (SELECT 1 FROM ledger_countsheetsignature AS one WHERE one.sheet_id = NEW.sheet_id)"
_OWN = """EXISTS (SELECT 1 FROM ledger_count AS one
      WHERE one.sheet_id = NEW.sheet_id AND one.counter_id = NEW.received_by_id)"""
_UNRECEIVED = """EXISTS (SELECT 1 FROM ledger_count AS one
      JOIN ledger_countsheet AS paper ON paper.id = one.sheet_id AND paper.to_cashier
      JOIN ledger_countsheetsignature AS signed ON signed.sheet_id = paper.id
      LEFT JOIN ledger_countsheetreceipt AS got ON got.sheet_id = paper.id
      WHERE one.box_id = NEW.box_id AND got.id IS NULL)"""
_ON_ITS_WAY = """EXISTS (SELECT 1 FROM ledger_dropbox AS box WHERE box.id = NEW.box_id AND box.seal <> '')
    AND NOT EXISTS (SELECT 1 FROM ledger_boxreceipt AS one
      WHERE one.box_id = NEW.box_id AND one.place = 'count_room')"""
_AT_TABLE = "EXISTS (SELECT 1 FROM ledger_dropbox AS box WHERE box.id = NEW.box_id AND box.pulled_at IS NULL)"
_THERE = """EXISTS (SELECT 1 FROM ledger_boxreceipt AS one
      WHERE one.box_id = NEW.box_id AND one.place = 'count_room')"""
_SEAL_UNREAD = """EXISTS (SELECT 1 FROM ledger_dropbox AS box
      WHERE box.id = NEW.box_id AND box.seal <> NEW.seal AND (NEW.reason = '' OR NEW.seal = ''))"""
_STRANGER = """NEW.ordinal = 1 AND NOT EXISTS (SELECT 1 FROM ledger_dropbox AS box WHERE box.id = NEW.box_id
      AND (box.pulled_by_id IN (NEW.person_id, NEW.second_id)
        OR box.pulled_with_id IN (NEW.person_id, NEW.second_id)))"""
_SEAL_IN_USE = """NEW.seal <> '' AND EXISTS (SELECT 1 FROM ledger_dropbox AS box
      LEFT JOIN ledger_dropsignoff AS signed ON signed.box_id = box.id
      WHERE box.site_id = NEW.site_id AND box.seal = NEW.seal AND box.id <> NEW.id AND signed.id IS NULL)"""
# The money of a signed sheet, a document that was sent, the bank of an open table or a stack waits to be
# counted.
_NOT_WAITING = """NOT EXISTS (SELECT 1 FROM ledger_countsheetsignature AS signed
      LEFT JOIN ledger_countsheetreceipt AS got ON got.sheet_id = signed.sheet_id
      WHERE signed.sheet_id = NEW.sheet_id AND got.id IS NULL)
    AND NOT EXISTS (SELECT 1 FROM ledger_documentstep AS sent
      LEFT JOIN ledger_documentstep AS next ON next.after_id = sent.id
      WHERE sent.document_id = NEW.document_id AND sent.step = 'sent' AND next.id IS NULL)
    AND NOT EXISTS (SELECT 1 FROM ledger_account AS bank
      WHERE bank.id = NEW.bank_id AND bank.kind IN ('table_bank', 'stack') AND bank.asset = 'chips'
        AND bank.closed_at IS NULL)"""
_NOT_NEXT = """NEW.attempt <> 1 + (SELECT count(*) FROM ledger_struckcount AS one
      WHERE one.sheet_id = NEW.sheet_id OR one.document_id = NEW.document_id OR one.bank_id = NEW.bank_id)"""
# Table, name of the trigger, what must not be, what it says.
_WRONG = (
    ("ledger_count", "on_open_sheet", _SIGNED, "a signed count sheet takes no count"),
    ("ledger_count", "on_one_sheet", _ELSEWHERE, "a box is counted on one sheet of its gaming day"),
    ("ledger_countnote", "on_open_sheet", _SIGNED, "a signed count sheet takes no note"),
    ("ledger_countsheet", "one_open", _ANOTHER, "one count sheet of a day is open at a time"),
    ("ledger_countsheetsignature", "by_counters", _STRANGERS, "two who counted sign a count sheet"),
    ("ledger_dropsignoff", "after_sheet", _UNSIGNED, "a box is signed off after its count sheet"),
    ("ledger_dropsignoff", "after_receipt", _UNRECEIVED, "a cashier receives what was counted before"),
    ("ledger_countsheetreceipt", "of_signed_sheet", _AS_SIGNED, "counters sign before a cashier receives"),
    ("ledger_countsheetreceipt", "by_another", _OWN, "who counted does not receive what was counted"),
    ("ledger_count", "in_count_room", _ON_ITS_WAY, "a sealed box is counted in the count room"),
    ("ledger_boxreceipt", "after_pull", _AT_TABLE, "a box is pulled before it is received"),
    ("ledger_boxreceipt", "not_from_there", _THERE, "a box stays in the count room"),
    ("ledger_boxreceipt", "seal_read", _SEAL_UNREAD, "a box is received with its seal, or with a reason"),
    ("ledger_boxreceipt", "by_bringers", _STRANGER, "who pulled a box brings it"),
    ("ledger_struckcount", "before_receipt", _NOT_WAITING, "a refused count stands before the receipt"),
    ("ledger_struckcount", "in_order", _NOT_NEXT, "refused counts are numbered without gaps"),
    ("ledger_dropbox", "seal_free", _SEAL_IN_USE, "this seal is on another box"),
)

HELD = guards.Guard(
    guards.refusing("ledger_countsheetsignature", _WRONG),
    "a signed count sheet could be added to, or a box signed off before",
    "ledger.E006",
)
