"""Corrected buy-ins, add-ons, tokes, cash-outs and moves: reversed and posted again, by two people in one
act. Pure. If the player has moved on or left since, the amount carried along or taken away is corrected
with it."""

from typing import Final

from ledger.records.books import EntryRecord
from tables.audit.floor.floor import Floor
from tables.audit.floor.house import moment
from tables.audit.floor.sitting import BroughtBounds, EntryChips, ReplayedSitting, ReversedChips
from tables.audit.floor.table import Awaited, ReplayedTable
from tables.audit.judging.contradiction import Contradiction
from tables.audit.judging.moments import between_rounds, happened_when_recorded
from tables.audit.records.entries import ChipsCorrected, ChipsTakenBack, TokeTakenBack
from tables.rules.table import buy_ins

BROUGHT: Final = ("buy_in", "add_on")
TOKE: Final = "toke"
_KINDS: Final = frozenset({"entry reversal", "entry correction"})
_ONE: Final = ("over_short", "patrons", "public")
"""The kinds of account that a house has once."""
Line = tuple[int | str | None, int | str | None, int]


def remember(table: ReplayedTable, entry: EntryRecord, sitting: ReplayedSitting) -> None:
    """Keep an entry of chips for later corrections, with what R52 needs if chips were brought."""
    evidence, kind, bounds = entry["evidence"], entry["kind"], None
    if kind in BROUGHT:
        left = table.last_left(sitting.player) if kind == "buy_in" else None
        at, limit = entry["recorded_at"], table.rate.limit_cents
        bounds = BroughtBounds(at, limit, table.most, sitting.cents, left)
    # The evidence of a cash-out has no amount, as nothing would judge it there.
    moved = sum(line["cents"] for line in entry["transfers"])
    table.chips[entry["id"]] = EntryChips(
        first=entry["id"],
        kind=kind,
        sitting=sitting,
        cents=moved if kind == "cash_out" else evidence["cents"],
        source=evidence.get("source", ""),
        over_short=evidence.get("over_short_cents", 0) if kind == "correction" else 0,
        bank_cash=_net(entry, table.bank_cash),
        bank_chips=_net(entry, table.bank_chips),
        bounds=bounds,
        at=entry["recorded_at"],
        dealer=evidence.get("dealer"),
        account=evidence.get("account"),
    )


def _net(entry: EntryRecord, account: int) -> int:
    lines = entry["transfers"]
    return sum(line["cents"] * ((line["to"] == account) - (line["from"] == account)) for line in lines)


def taken_back(table: ReplayedTable, entry: EntryRecord) -> EntryChips:
    """Return the chips of the entry that is taken back, once."""
    chips = table.chips.pop(entry["reverses"] or 0, None)
    if chips is None:
        raise Contradiction("other_entry", f"Entry {entry['reverses']} stands for no chips at its table.")
    return chips


def reversal(floor: Floor, table: ReplayedTable, entry: EntryRecord, evidence: ChipsTakenBack) -> None:
    chips, number = taken_back(table, entry), entry["reverses"] or 0
    if evidence["reverses"] != number:
        raise Contradiction("other_entry", f"Its evidence is not about entry {number}.")
    of_entry(table, chips, evidence)
    happened_when_recorded(entry)
    between_rounds(floor.find(chips.sitting.session), chips.sitting)
    table.reversed_chips[number] = ReversedChips(chips, (entry["actor"], entry["approver"], entry["reason"]))
    sentence = "The entry was taken back and not posted again."
    table.awaits = Awaited(floor.mark(entry), "not_posted_again", sentence, _KINDS)


def of_entry(
    table: ReplayedTable, chips: EntryChips, evidence: ChipsTakenBack | TokeTakenBack | ChipsCorrected
) -> None:
    sitting = chips.sitting
    for name, value, right in (
        ("of", evidence["of"], chips.kind),
        ("session", evidence["session"], table.session),
        ("sitting", evidence["sitting"], sitting.id),
        ("seat", evidence["seat"], sitting.seat),
        ("player", evidence["player"], sitting.player),
    ):
        if value != right:
            raise Contradiction("other_entry", f"Its {name} is {value}; that of the entry is {right}.")


def correction(floor: Floor, table: ReplayedTable, entry: EntryRecord, evidence: ChipsCorrected) -> None:
    number = evidence["corrects"]
    taken = table.reversed_chips.pop(number, None)
    if taken is None:
        raise Contradiction("other_entry", f"Entry {number} had not been taken back for it.")
    chips, sitting = taken.chips, taken.chips.sitting
    of_entry(table, chips, evidence)
    if (entry["actor"], entry["approver"], entry["reason"]) != taken.by:
        sentence = "It is not by the people who took the entry back, or not for their reason."
        raise Contradiction("not_asked", sentence)
    happened_when_recorded(entry)
    _right_chips(floor, table, chips, entry, evidence)
    if not table.reversed_chips:
        table.awaits = None
    if chips.kind in BROUGHT:
        _carry(sitting, evidence["cents"] - chips.cents)
    elif chips.kind != TOKE:
        sitting.taken_away = evidence["cents"]
        after, sitting.more = sitting.more, 0
        if sitting.moved_to is not None:
            _carry(sitting.moved_to, after)
    remember(table, entry, sitting)
    again = table.chips[entry["id"]]
    table.chips[entry["id"]] = again._replace(
        first=chips.first, kind=chips.kind, bounds=chips.bounds, at=chips.at
    )


def _carry(sitting: ReplayedSitting, more: int) -> None:
    sitting.more = more if sitting.left else 0


def _right_chips(
    floor: Floor, table: ReplayedTable, chips: EntryChips, entry: EntryRecord, evidence: ChipsCorrected
) -> None:
    cents, sitting = evidence["cents"], chips.sitting
    right: list[Line] = [(sitting.stack, chips.account, cents)]
    if chips.kind in BROUGHT:
        right = _brought(table, chips, cents, evidence["source"])
        _right_amount_brought(floor, table, chips, evidence)
    elif chips.kind == TOKE:
        _right_toke(chips, evidence)
    elif chips.kind == "table_move":
        right = [(sitting.stack, None if sitting.moved_to is None else sitting.moved_to.stack, cents)]
        if _more_is_known(floor, sitting) and (cents != chips.cents + sitting.more or not sitting.more):
            sentence = f"It carries {cents} cents; by the corrections before, it should carry another amount."
            raise Contradiction("wrong_amount", sentence)
    else:
        over = evidence["over_short_cents"]
        right = [*_between(sitting.stack, over), (sitting.stack, "patrons", cents)]
        if _more_is_known(floor, sitting):
            _right_leaving(chips, sitting.more, cents, over)
    if _lines(entry) != [line for line in right if line[2]]:
        sentence = f"It does not move {cents} cents between the accounts that it says."
        raise Contradiction("wrong_amount", sentence)


def _right_toke(chips: EntryChips, evidence: ChipsCorrected) -> None:
    """Judge a corrected toke: same dealer, other amount, player still seated."""
    if (evidence["dealer"], evidence["account"]) != (chips.dealer, chips.account):
        raise Contradiction("other_account", "It is about the tokes of another dealer (R52).")
    if evidence["cents"] == chips.cents:
        raise Contradiction("nothing_changes", "It changes nothing.")
    if chips.sitting.left:
        raise Contradiction("not_seated", "The player had left the table.")


def _more_is_known(floor: Floor, sitting: ReplayedSitting) -> bool:
    """Return whether earlier corrections are known, also at the table that the player came from."""
    source = sitting.from_sitting
    return source is None or any(source in one.sittings for one in floor.every())


def _right_amount_brought(
    floor: Floor, table: ReplayedTable, chips: EntryChips, evidence: ChipsCorrected
) -> None:
    sitting, cents = chips.sitting, evidence["cents"]
    _in_bounds(floor, chips, cents)
    if (cents, evidence["source"]) == (chips.cents, chips.source):
        raise Contradiction("nothing_changes", "It changes nothing.")
    left_too = any(
        one.chips.sitting is sitting and one.chips.kind not in BROUGHT
        for one in table.reversed_chips.values()
    )
    if cents != chips.cents and sitting.left and not left_too:
        sentence = "The player had left, and what was taken away was not posted again."
        raise Contradiction("wrong_amount", sentence)


def _brought(table: ReplayedTable, chips: EntryChips, cents: int, source: str) -> list[Line]:
    """Return the transfers for this amount. If the bank has been counted since, over/short absorbs the
    difference, so that the counted total stays."""
    stack, lines = chips.sitting.stack, list[Line]()
    if source == "chips" and cents:
        lines = [("patrons", stack, cents)]
    elif source == "cash" and cents:
        lines = [("public", table.bank_cash, cents), (table.bank_chips, stack, cents)]
    elif source or cents:
        lines = [("nowhere", stack, cents or 1)]
    if table.bank_counted > chips.first:
        sold = cents if source == "cash" else 0
        lines += _between(table.bank_cash, sold - chips.bank_cash)
        lines += _between(table.bank_chips, -sold - chips.bank_chips)
    return lines


def _right_leaving(chips: EntryChips, more: int, cents: int, over: int) -> None:
    """Judge a corrected cash-out by what left the stack before and all corrections since. A correction
    carried along changes what went to over/short, if anything did, else what the player took."""
    total = chips.cents + chips.over_short + more
    if cents < 0 or cents + over != total:
        sentence = f"The player left with {total} cents by the entries before."
        raise Contradiction("wrong_amount", sentence)
    if not more and cents == chips.cents:
        raise Contradiction("nothing_changes", "It changes nothing.")
    if more and (cents if chips.over_short else over) != (chips.cents if chips.over_short else 0):
        raise Contradiction(
            "wrong_amount", "Nobody has decided to divide it like this between the player and over/short."
        )


def _in_bounds(floor: Floor, chips: EntryChips, cents: int) -> None:
    """Judge R52 by what held when the chips were brought."""
    bounds = chips.bounds
    if bounds is None:
        return
    if chips.kind == "add_on":
        if code := buy_ins.wrong_add_on(bounds.before, cents, bounds.most):
            raise Contradiction(code, f"The stack would have been above {bounds.most} cents (R52).")
        return
    taken, left, minutes = buy_ins.NOTHING, bounds.returned, floor.house.return_minutes
    if left is not None and left.left_at is not None:
        if minutes is None:
            return
        if moment(left.left_at) >= buy_ins.came_back_since(moment(bounds.at), minutes):
            taken = buy_ins.taken_away_then(left.taken_away, carried=left.moved_to is not None)
    right = buy_ins.buy_in_bounds(bounds.limit, bounds.most, taken)
    if code := buy_ins.wrong_buy_in(cents, right):
        sentence = f"At least {right.least} and at most {right.most} cents could be brought (R52)."
        raise Contradiction(code, sentence)


def _between(account: int | None, cents: int) -> list[Line]:
    return [(account, "over_short", cents) if cents >= 0 else ("over_short", account, -cents)]


def _lines(entry: EntryRecord) -> list[Line]:
    """Return the transfers of an entry; an account of which a house has only one is named by its kind."""
    return [
        (
            line["from_kind"] if line["from_kind"] in _ONE else line["from"],
            line["to_kind"] if line["to_kind"] in _ONE else line["to"],
            line["cents"],
        )
        for line in entry["transfers"]
    ]
