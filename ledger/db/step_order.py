"""Triggers for rows that SQL writes past the program: a document's steps are in order and by the right
people, a box is on one deposit, and a cashier has one open drawer. They follow from
`ledger/rules/documents.py` and are created again after every `migrate`."""

from ledger.chart import AccountKind
from ledger.db import guards
from ledger.rules.documents import KINDS, Step

TABLE, BOXES, DRAWERS = "ledger_documentstep", "ledger_documentbox", "ledger_drawer"
SLIPS = "ledger_cageslip"
_RULES = ", ".join(
    f"('{kind.code}', '{rule.after}', '{rule.step}', {int(rule.apart)}, {int(bool(rule.reference))})"
    for kind in KINDS.values()
    for rule in kind.rules
)
# The rule of the new step; the columns of VALUES are called alike on both databases.
_RULE = f"""FROM (VALUES {_RULES}) AS rule
    JOIN ledger_document AS paper ON paper.kind = rule.column1 AND paper.site_id = NEW.site_id
    LEFT JOIN {TABLE} AS before ON before.id = NEW.after_id
  WHERE paper.id = NEW.document_id AND rule.column3 = NEW.step
    AND rule.column2 = coalesce(before.step, '')
    AND (before.id IS NULL OR (before.document_id = paper.id AND before.ordinal = NEW.ordinal - 1))"""
_OUT_OF_ORDER = f"NOT EXISTS (SELECT 1 {_RULE})"
_ONE_PERSON = f"""EXISTS (SELECT 1 {_RULE}
    AND EXISTS (SELECT 1 FROM {TABLE} AS other WHERE other.document_id = paper.id
      AND other.person_id = NEW.person_id
      AND (rule.column4 = 2 OR rule.column4 = 1 AND other.id = NEW.after_id)))"""  # noqa: S608
_UNNAMED = f"NOT EXISTS (SELECT 1 {_RULE} AND (rule.column5 = 1) = (NEW.reference <> ''))"
_OF_BOXES = ", ".join(f"'{kind.code}'" for kind in KINDS.values() if kind.of_boxes)
# A box is signed off before; it is named before the first step, and again only where the last was voided.
_TWICE = f"""NOT EXISTS (SELECT 1 FROM ledger_document AS paper
    JOIN ledger_dropbox AS box ON box.id = NEW.box_id AND box.site_id = paper.site_id
    JOIN ledger_dropsignoff AS signed ON signed.box_id = box.id AND signed.counted_cash > 0
  WHERE paper.id = NEW.document_id AND paper.kind IN ({_OF_BOXES}) AND paper.site_id = NEW.site_id
    AND NOT EXISTS (SELECT 1 FROM {TABLE} AS step WHERE step.document_id = paper.id)
    AND (NEW.attempt = 1 OR EXISTS (SELECT 1 FROM {BOXES} AS earlier
      JOIN {TABLE} AS ended ON ended.document_id = earlier.document_id AND ended.step = '{Step.VOIDED}'
      WHERE earlier.box_id = NEW.box_id AND earlier.attempt = NEW.attempt - 1)))"""  # noqa: S608
_SECOND_DRAWER = f"""EXISTS (SELECT 1 FROM {DRAWERS} AS other
    JOIN ledger_account AS chips ON chips.id = other.chips_id AND chips.closed_at IS NULL
  WHERE other.site_id = NEW.site_id AND other.cashier_id = NEW.cashier_id)"""  # noqa: S608
_COUNTED_AT_ONCE = f"""NEW.way = 'closing' AND EXISTS (SELECT 1 FROM {SLIPS} AS other
  LEFT JOIN ledger_cageslipresult AS ended ON ended.slip_id = other.id
  WHERE other.drawer_id = NEW.drawer_id AND other.way = 'closing' AND ended.id IS NULL)"""  # noqa: S608
# Of chips held for a player: claimed by another, or released before they are due.
_NOT_THEIRS = f"""EXISTS (SELECT 1 FROM {TABLE} AS held
  JOIN {TABLE} AS begun ON begun.document_id = held.document_id AND begun.ordinal = 0
  WHERE held.id = NEW.after_id AND (
    NEW.step = '{Step.CLAIMED}' AND begun.player <> coalesce(NEW.player, 0)
    OR NEW.step = '{Step.RELEASED}' AND NEW.gaming_day < held.due))"""  # noqa: S608
# Much else arrived than was sent, alone or with what differed before in the gaming day, of who receives it or
# at the table: without evidence, or signed by somebody who took a step of it before.
_DIFFERS = "abs({0}.chips_cents - {1}.chips_cents) + abs({0}.cash_cents - {1}.cash_cents)"
_AT_TABLE = ", ".join(f"'{kind.code}'" for kind in KINDS.values() if kind.place == AccountKind.TABLE_BANK)
_BEFORE = f"""coalesce((SELECT sum({_DIFFERS.format("small", "its")}) FROM {TABLE} AS small
      JOIN ledger_document AS its ON its.id = small.document_id
    WHERE small.site_id = NEW.site_id AND small.gaming_day = NEW.gaming_day
      AND small.step = '{Step.DIFFERED}' AND small.evidence = '' AND {{}}), 0)"""  # noqa: S608
_TOGETHER = f"""{_DIFFERS.format("NEW", "paper")} + {_BEFORE.format("small.person_id = NEW.person_id")}
      >= NEW.threshold_cents OR paper.kind IN ({_AT_TABLE}) AND {_DIFFERS.format("NEW", "paper")}
      + {_BEFORE.format("its.chips_id = paper.chips_id")} >= NEW.threshold_cents"""
_UNSHOWN = f"""NEW.step = '{Step.DIFFERED}' AND (NEW.threshold_cents IS NULL OR EXISTS (
  SELECT 1 FROM ledger_document AS paper WHERE paper.id = NEW.document_id AND ({_TOGETHER})
    AND (NEW.evidence = '' OR EXISTS (SELECT 1 FROM {TABLE} AS other
      WHERE other.document_id = paper.id AND other.person_id = NEW.second_id))))"""  # noqa: S608
# Much is handed out that nobody was known to own: likewise.
_UNVOUCHED = f"""NEW.step = '{Step.CLAIMED}' AND EXISTS (SELECT 1 FROM {TABLE} AS begun
  WHERE begun.document_id = NEW.document_id AND begun.ordinal = 0 AND begun.player IS NULL)
  AND (NEW.threshold_cents IS NULL OR NEW.chips_cents >= NEW.threshold_cents
    AND (NEW.evidence = '' OR EXISTS (SELECT 1 FROM {TABLE} AS other
      WHERE other.document_id = NEW.document_id AND other.person_id = NEW.second_id)))"""  # noqa: S608
_WRONG = (
    (TABLE, "order", _OUT_OF_ORDER, "the steps of a document follow each other"),
    (TABLE, "apart", _ONE_PERSON, "two steps need two people"),
    (TABLE, "reference", _UNNAMED, "a step has its reference where it needs one"),
    (TABLE, "theirs", _NOT_THEIRS, "what is held goes to its owner, or is due"),
    (TABLE, "shown", _UNSHOWN, "a large difference has its evidence, and is signed by somebody uninvolved"),
    (TABLE, "vouched", _UNVOUCHED, "what nobody owned is handed out with evidence, by somebody uninvolved"),
    (BOXES, "once", _TWICE, "the cash of a signed-off box is deposited once"),
    (DRAWERS, "one_open", _SECOND_DRAWER, "a cashier has one drawer open"),
    (SLIPS, "one_closing", _COUNTED_AT_ONCE, "one count that closes a drawer waits at a time"),
)

HELD = guards.Guard(
    guards.refusing(TABLE, _WRONG),
    "a document's steps could be out of order, or one person's, a box deposited or a drawer opened twice",
    "ledger.E005",
)
