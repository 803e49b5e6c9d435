"""The records that rows of payments, waivers, uncollected fees and recoveries follow from."""

from collections.abc import Iterator
from typing import Any

from ledger.proof.log.following import (
    Body,
    Follows,
    Question,
    Says,
    data,
    declared,
    fields,
    following,
    nothing,
    of,
)
from tables.audit import records as _  # noqa: F401 (what the floor declares)
from tables.models import TableEvent

COLLECTED, WAIVED = ("entry", "collection"), ("entry", "waiver")
REVERSED, UNDONE = ("entry", "reversal"), ("entry", "undo")
PUBLISHED, WITHDRAWN = ("house_event", "waiver_reason_published"), ("house_event", "waiver_reason_withdrawn")
UNCOLLECTED = ("table_event", TableEvent.Kind.FEE_UNCOLLECTED.value)
CLAIM_PAID = ("table_event", TableEvent.Kind.CLAIM_PAID.value)


def payments() -> Follows:
    """Match a payment with its entry, after the reversal of an earlier one, if any."""
    taken_back: dict[Any, Any] = {}

    def back(body: Body) -> Iterator[Body]:
        if "charge" in body["evidence"]:
            taken_back[body["evidence"]["charge"]] = body["id"]
        return iter(())

    columns = {
        **declared(COLLECTED, "tables.FeePayment"),
        "taken_at": of("recorded_at"),
        "after_id": lambda body: taken_back.get(body["evidence"]["charge"]),
    }
    key = (of("id"),)
    paid, reversal = Says(key, columns, begins=True), Says(key, each=back)
    says = {COLLECTED: paid, WAIVED: paid, REVERSED: reversal, UNDONE: reversal}
    return Follows("tables.FeePayment", says, key=("entry_id",), site="entry__site", memory=(taken_back,))


def waivers() -> Follows:
    columns = declared(WAIVED, "tables.Waiver") | {"reason__site_id": of("site")}
    says = {WAIVED: Says((of("id"),), columns, begins=True)}
    return Follows("tables.Waiver", says, key=("payment__entry_id",))


def recoveries() -> Follows:
    def recovered(body: Body) -> Iterator[Body]:
        if "recovery" in body["evidence"]:
            yield body

    columns = declared(COLLECTED, "tables.Recovery")
    says = {COLLECTED: Says((of("id"),), columns, begins=True, each=recovered)}
    return Follows("tables.Recovery", says, key=("payment__entry_id",))


def uncollected() -> Follows:
    says = {UNCOLLECTED: Says((of("id"),), declared(UNCOLLECTED, "tables.Uncollected"), begins=True)}
    return Follows("tables.Uncollected", says, key=("event_id",))


def claim_payments() -> Follows:
    columns = declared(CLAIM_PAID, "tables.ClaimPayment")
    columns |= fields(of, seen_by_id="actor", seen_at="recorded_at")
    says = {CLAIM_PAID: Says((of("id"),), columns, begins=True)}
    return Follows("tables.ClaimPayment", says, key=("event_id",), site="claim__site")


def reasons() -> Follows:
    published = declared(PUBLISHED, "tables.WaiverReason") | nothing("withdrawn_on")
    says = {
        PUBLISHED: Says((data("reason"),), published, begins=True),
        WITHDRAWN: Says((data("reason"),), declared(WITHDRAWN, "tables.WaiverReason")),
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
