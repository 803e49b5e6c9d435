"""Every collection of a charge: taken once, to the cent, from and to the right account (R63); and fees not
paid: waivers, uncollected fees and recoveries with their reasons and amounts. Pure. A fee may be taken at
another table to which its player moved (R51); the record is of that table and names the charge's."""

from decimal import Decimal

from ledger.records.books import EntryRecord
from tables.audit.floor.fees import ReplayedCharge
from tables.audit.floor.floor import Floor
from tables.audit.floor.house import same_moment
from tables.audit.floor.sitting import ReplayedSitting
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging.charges import wrong_day
from tables.audit.judging.contradiction import Contradiction
from tables.audit.records.entries import Fee, WaiverSlip
from tables.audit.records.events import FeeUncollected
from tables.audit.records.rows import TableEventRecord
from tables.rules.table.paying import METHODS, WAYS, Method


def due_session(evidence: Fee) -> int:
    """Return the session at which a fee fell due: nearly always the one that takes it."""
    return evidence.get("due_session", evidence["session"])


def charge_of(floor: Floor, entry: EntryRecord, evidence: Fee) -> ReplayedCharge | None:
    """Return the charge of a fee; None, and counted, if it fell due at a session that is not judged."""
    charge, due = floor.charges.get(evidence["charge"]), due_session(evidence)
    if charge is None:
        if due == evidence["session"] or floor.find(due) is not None or not floor.is_unknown(due):
            sentence = f"It is about charge {evidence['charge']}, and no such charge is due."
            raise Contradiction("charge_missing", sentence)
        floor.leave_unjudged(due, entry)
    return charge


def collected(floor: Floor, table: ReplayedTable | None, entry: EntryRecord, evidence: Fee) -> None:
    """Judge a payment or a waiver; `table` is None if the session of the fee is no longer remembered."""
    charge = charge_of(floor, entry, evidence)
    if charge is None:
        return
    floor.count("collections")
    if charge.paid is not None:
        raise Contradiction("collection_twice", f"{charge.name} had been taken already.")
    payer = charge.sitting if table is None else table.sittings.get(evidence["sitting"])
    wrong = _wrong_words(charge, evidence) or _wrong_payer(floor, charge, payer, evidence)
    if not wrong and payer is not None:
        wrong = _wrong_transfers(charge, table, payer, entry, evidence) or _wrong_turn(
            floor, charge, payer, evidence
        )
    if not wrong and entry["kind"] == "waiver":
        wrong = _wrong_waiver(floor, entry, entry["evidence"]["waiver"])
    day, at = entry["gaming_day"], entry["recorded_at"]
    wrong = wrong or _wrong_recovery(charge, evidence)
    wrong = wrong or wrong_day(floor, day, at, {charge.body["gaming_day"]}, "collection")
    if wrong:
        raise Contradiction("collection_differs", wrong)
    floor.take_fee(charge, entry, evidence)


def _wrong_words(charge: ReplayedCharge, evidence: Fee) -> str:
    due, session = charge.body, due_session(evidence)
    for name, value, right in (
        ("rule", evidence["rule"], due["rule"]),
        ("fee_cents", evidence["fee_cents"], due["fee_cents"]),
        ("cents", evidence["cents"], due["cents"]),
        ("down", evidence["down"], due["down"]),
        ("player", evidence["player"], due["player"]),
        ("minute_seconds", _seconds(evidence["minute_seconds"]), _seconds(due["minute_seconds"])),
    ):
        if value != right:
            return f"It says {name} {value}; {charge.name} says {right}."
    for name, at, right_at in (
        ("down_started_at", evidence["down_started_at"], due["down_started_at"]),
        ("entered_at", evidence["entered_at"], due["entered_at"]),
    ):
        if not same_moment(at, right_at):
            return f"It says {name} {at}; {charge.name} says {right_at}."
    if session != due["session"] or evidence.get("due_session") == evidence["session"]:
        return f"It says session {session}; {charge.name} says {due['session']}."
    if evidence["rate"] != {"option": due["rate"]["option"], "version": due["rate"]["version"]}:
        return f"Its rate is not that of {charge.name}."
    return ""


def _seconds(minute: str | None) -> Decimal | None:
    return None if minute is None else Decimal(minute)


def _wrong_payer(floor: Floor, charge: ReplayedCharge, payer: ReplayedSitting | None, evidence: Fee) -> str:
    where = evidence["sitting"], evidence["seat"]
    same = payer is not None and floor.person(payer.player) == floor.person(charge.sitting.player)
    if payer is None or not same or where != (payer.id, payer.seat):
        return f"Sitting {where[0]} in seat {where[1]} is not the one that owes {charge.name}."
    if "due_session" in evidence and payer.left:
        return f"Sitting {payer.id} had left, and {charge.name} is of another table."
    cover, covered = evidence.get("covered_by"), charge.body["rule"] == "covered"
    if cover != (payer.covered_by if covered else None):
        return f"It says that charge {cover} covers it; that is not so."
    if covered != (evidence["method"] == Method.COVERED):
        return f"A fee of rule {charge.body['rule']} is not taken by {evidence['method']}."
    return ""


def _wrong_transfers(
    charge: ReplayedCharge,
    table: ReplayedTable | None,
    payer: ReplayedSitting,
    entry: EntryRecord,
    evidence: Fee,
) -> str:
    """Judge the transfer of a fee: one, to the account of its method (R63); none for a fee of nothing."""
    lines, cents, method = entry["transfers"], charge.body["cents"], evidence["method"]
    if method not in METHODS:
        return f"No fee is paid by {method}."
    if (entry["kind"] == "waiver") != (method == Method.WAIVED):
        return f"A fee is not {method} by an entry of the kind {entry['kind']}."
    if method not in WAYS or cents == 0:
        return "Nothing is due, and yet something moves." if lines else ""
    if len(lines) != 1 or lines[0]["cents"] != cents:
        return f"It does not move the {cents} cents of {charge.name}, and nothing else."
    (line,) = lines
    asset, source, target = WAYS[method]
    if (line["asset"], line["from_kind"], line["to_kind"]) != (asset, source, target):
        return f"Paid by {method}, {asset} go from {source} to {target}."
    if method == Method.STACK and line["from"] != payer.stack:
        return f"It takes chips of account {line['from']}, which is not the stack of sitting {payer.id}."
    if table is None or method == Method.CAGE:
        return ""
    if line["to"] != (table.box_chips if method == Method.STACK else table.box_cash):
        return f"It goes into account {line['to']}, which is not that of the table's box."
    return ""


def _wrong_turn(floor: Floor, charge: ReplayedCharge, payer: ReplayedSitting, evidence: Fee) -> str:
    """Judge the order of payment: a fee not owed yet can only be paid ahead (R61), and a seated player pays
    the oldest fee first (R51), unless the stack can only pay a smaller one."""
    if evidence["method"] == Method.COVERED:
        return ""
    there = floor.find(charge.session)
    ahead = there is not None and there.down is charge.down and not payer.left
    if not ahead and not floor.owes(charge):
        return f"{charge.name} is not owed: no round of its down started with the player there (R61)."
    if evidence["method"] == Method.WAIVED or payer.left:
        return ""
    for other in floor.open_fees(payer.player):
        if other.id < charge.id and other.body["cents"] <= charge.body["cents"]:
            return f"{other.name} is older, and stays open (R51)."
    return ""


# -- what nobody paid ----------------------------------------------------------------------------------------


def _wrong_waiver(floor: Floor, entry: EntryRecord, evidence: WaiverSlip) -> str:
    days = floor.house.days_of(entry["recorded_at"])
    if entry["reason"] != evidence["text"]:
        return "Its reason differs from the reason in its evidence."
    known = floor.house.reasons.get(evidence["code"])
    if known is None:
        return f"No reason {evidence['code']} had been published." if floor.whole else ""
    text, since, until = known
    if text and text != evidence["text"]:
        return f"The reason {evidence['code']} was published with another text."
    if floor.whole and days and not any(since <= day < until for day in days):
        return f"The reason {evidence['code']} was not in force."
    return ""


def _wrong_recovery(charge: ReplayedCharge, evidence: Fee) -> str:
    """Judge a recovery: a fee recorded as uncollected is recovered under that number, and no other fee is."""
    lost = None if evidence["method"] == Method.WAIVED else charge.uncollected
    if evidence.get("uncollected") != lost or ("recovery" in evidence) != (lost is not None):
        known = "none" if lost is None else f"number {lost}"
        return (
            f"It recovers uncollected fee {evidence.get('uncollected')}; of {charge.name} there is {known}."
        )
    return ""


def uncollected(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: FeeUncollected) -> None:
    """Judge an uncollected fee: once, of an open charge that the stack cannot pay (R63)."""
    charge, sitting = floor.charges.get(data["charge"]), table.sittings.get(data["sitting"])
    if charge is not None and sitting is not None and charge.body["cents"] <= sitting.cents:
        raise Contradiction("unpaid_fees", "A fee is given up that the stack could pay (R63).")
    if charge is None:
        raise Contradiction("uncollected_differs", f"Charge {data['charge']} is not due.")
    if wrong := _wrong_uncollected(floor, charge, table, sitting, data):
        raise Contradiction("uncollected_differs", wrong)
    due = {charge.body["gaming_day"]}
    if wrong := wrong_day(floor, data["gaming_day"], event["recorded_at"], due, "uncollected fee"):
        raise Contradiction("uncollected_differs", wrong)
    charge.uncollected = data["number"]
    if table.awaits is not None and table.awaits.code == "uncollected_missing":
        table.awaits = None


def _wrong_uncollected(
    floor: Floor,
    charge: ReplayedCharge,
    table: ReplayedTable,
    sitting: ReplayedSitting | None,
    data: FeeUncollected,
) -> str:
    due = charge.body
    if charge.paid is not None:
        return f"{charge.name} had been taken."
    if charge.uncollected is not None:
        return f"{charge.name} had been recorded as uncollected fee {charge.uncollected}."
    if not floor.owes(charge):
        return f"{charge.name} is not owed: no round of its down started with the player there (R61)."
    if (
        charge.session != table.session
        or sitting is None
        or (sitting.left and not charge.reopened)
        or floor.person(sitting.player) != floor.person(due["player"])
    ):
        return f"Sitting {data['sitting']} at its table does not owe {charge.name}."
    if (data["player"], data["seat"], data["cents"]) != (due["player"], sitting.seat, due["cents"]):
        return f"Its player, seat or amount is not that of {charge.name}."
    return "" if data["reason"].strip() else "It gives no reason."


def left_unpaid(floor: Floor, table: ReplayedTable, player: int) -> None:
    """Judge the charges of a leaving player: each is paid, or recorded as uncollected (R63)."""
    for charge in floor.open_fees(player):
        if charge.session == table.session and charge.uncollected is None:
            unpaid = f"{charge.name} was left unpaid, and it is no numbered uncollected fee (R63)."
            raise Contradiction("uncollected_missing", unpaid)
