"""Payments of fees, waivers and their reasons, uncollected fees and recoveries: which records their rows follow from."""

from collections.abc import Iterator
from typing import Any

from ledger.log.following import Body, Follows, Says, always, data, evidence, following, of
from ledger.log.row_checks import Question
from tables.models import TableEvent

COLLECTED, WAIVED = ("entry", "collection"), ("entry", "waiver")
REVERSED, UNDONE = ("entry", "reversal"), ("entry", "undo")
PUBLISHED, WITHDRAWN = ("house_event", "waiver_reason_published"), ("house_event", "waiver_reason_withdrawn")
UNCOLLECTED = ("table_event", TableEvent.Kind.FEE_UNCOLLECTED.value)
CLAIM_PAID = ("table_event", TableEvent.Kind.CLAIM_PAID.value)


def payments() -> Follows:
    """A payment of a fee is its entry's; it comes after the reversal of the one before it, if there was one."""
    taken_back: dict[Any, Any] = {}

    def back(body: Body) -> Iterator[Body]:
        if "charge" in body["evidence"]:
            taken_back[body["evidence"]["charge"]] = body["id"]
        return iter(())

    columns = {
        **{f"{name}_id": evidence(name) for name in ("charge", "sitting")},
        "method": evidence("method"),
        "taken_at": of("recorded_at"),
        "after_id": lambda body: taken_back.get(body["evidence"]["charge"]),
    }
    key = (of("id"),)
    paid, reversal = Says(key, columns, begins=True), Says(key, each=back)
    says = {COLLECTED: paid, WAIVED: paid, REVERSED: reversal, UNDONE: reversal}
    return Follows("tables.FeePayment", says, key=("entry_id",), site="entry__site", memory=(taken_back,))


def waivers() -> Follows:
    """A waiver has the number and the reason of its entry."""
    columns = {
        "site_id": of("site"),
        "number": lambda body: body["evidence"]["waiver"]["number"],
        "reason__code": lambda body: body["evidence"]["waiver"]["code"],
        "reason__site_id": of("site"),
    }
    says = {WAIVED: Says((of("id"),), columns, begins=True)}
    return Follows("tables.Waiver", says, key=("payment__entry_id",))


def recoveries() -> Follows:
    """A recovery has the numbers of its entry."""

    def recovered(body: Body) -> Iterator[Body]:
        if "recovery" in body["evidence"]:
            yield body

    columns = {
        "site_id": of("site"),
        "number": evidence("recovery"),
        "uncollected__number": evidence("uncollected"),
        "uncollected__charge_id": evidence("charge"),
    }
    says = {COLLECTED: Says((of("id"),), columns, begins=True, each=recovered)}
    return Follows("tables.Recovery", says, key=("payment__entry_id",))


def uncollected() -> Follows:
    """An uncollected fee is its event's."""
    columns = {
        "site_id": of("site"),
        "number": data("number"),
        "charge_id": data("charge"),
        "player_id": data("player"),
        "gaming_day": data("gaming_day"),
        "recorded_at": of("recorded_at"),
    }
    says = {UNCOLLECTED: Says((of("id"),), columns, begins=True)}
    return Follows("tables.Uncollected", says, key=("event_id",))


def claim_payments() -> Follows:
    """The payment of a claim was seen by who recorded it."""
    columns = {"claim_id": data("claim"), "seen_by_id": of("actor"), "seen_at": of("recorded_at")}
    says = {CLAIM_PAID: Says((of("id"),), columns, begins=True)}
    return Follows("tables.ClaimPayment", says, key=("event_id",), site="claim__site")


def reasons() -> Follows:
    """A reason for waivers is as it was published, and withdrawn from the day that an event names."""
    names = ("code", "text", "approval_reference", "effective_from")
    published = {"site_id": of("site"), "withdrawn_on": always(None), **{name: data(name) for name in names}}
    says = {
        PUBLISHED: Says((data("reason"),), published, begins=True),
        WITHDRAWN: Says((data("reason"),), {"withdrawn_on": data("withdrawn_on")}),
    }
    return Follows("tables.WaiverReason", says, open={})


QUESTIONS: tuple[Question, ...] = (
    ("fee payments against their entries", following(payments)),
    ("waivers against their entries", following(waivers)),
    ("recoveries against their entries", following(recoveries)),
    ("uncollected fees against their events", following(uncollected)),
    ("payments of claims against their events", following(claim_payments)),
    ("reasons for waivers against their events", following(reasons)),
)
