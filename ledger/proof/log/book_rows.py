"""Rows of the books without a record of their own, and the records they follow from. Withheld texts are
compared with their commitments in the log; no finding quotes one."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from ledger.cage import exclusions
from ledger.chart import ONE_PER_SITE, TITLES, AccountKind, Asset, EntryKind
from ledger.journal.records import moment
from ledger.journal.withholding import EVERY, payload_of
from ledger.models import DropBox, HouseEvent, Leaf, Site, Withheld, WithheldBatch
from ledger.proof.log.following import (
    Body,
    Follows,
    Kind,
    Question,
    Says,
    always,
    at_end,
    data,
    declared,
    evidence,
    fields,
    following,
    nothing,
    of,
)
from ledger.proof.log.state import LATE_AFTER
from ledger.records import canonical
from ledger.records.findings import Finding
from ledger.records.withheld import commitment_of_batch
from ledger.rules.documents import ENDS, KINDS
from ledger.rules.window import OF_RECEIPTS

AT_ONCE = 1000  # batches or texts in memory

_Kind = HouseEvent.Kind
_OPENED, _CLOSED = ("drawer", ""), ("entry", EntryKind.DRAWER_CLOSE.value)
INSTALLED, PULLED = ("house_event", _Kind.BOX_INSTALLED.value), ("house_event", _Kind.BOX_PULLED.value)
SIGNED_OFF = ("sign_off", "")
# The chart allows rounds no account of the house: their chips move between stacks.
_ENTRIES = tuple(("entry", kind.value) for kind in EntryKind if kind != EntryKind.ROUND)


def house() -> Follows:
    """A house's particulars are those in its newest event about them; its clock has events of its own."""
    opened, changed, doubted, confirmed = (
        ("house_event", kind.value)
        for kind in (_Kind.HOUSE_OPENED, _Kind.HOUSE_CHANGED, _Kind.CLOCK_DOUBTED, _Kind.TIME_CONFIRMED)
    )
    key, site = (of("site"),), "ledger.Site"
    begun = declared(opened, site) | nothing("clock_doubted_at", "ahead_until")
    says = {
        opened: Says(key, begun, begins=True),
        changed: Says(key, declared(changed, site)),
        doubted: Says(key, declared(doubted, site)),
        confirmed: Says(key, declared(confirmed, site) | nothing("clock_doubted_at")),
    }
    return Follows(site, says, site="pk", name="house", open={})


def boxes() -> Follows:
    nobody = nothing("pulled_by_id", "pulled_with_id", "pulled_at")
    installed = declared(INSTALLED, "ledger.DropBox")
    installed |= fields(of, installed_by_id="actor", installed_at="recorded_at")
    pulled = declared(PULLED, "ledger.DropBox") | fields(of, pulled_by_id="actor", pulled_at="recorded_at")
    installed |= dict.fromkeys(("pulled_seal", "seal_reason", "emergency"), always(""))
    says = {
        INSTALLED: Says((data("box"),), installed | nobody, begins=True),
        PULLED: Says((data("box"),), pulled),
    }
    return Follows("ledger.DropBox", says, open={"pulled_at": None})


def reversal_slips() -> Follows:
    return _of_entries("ledger.ReversalSlip", "slip", EntryKind.REVERSAL, EntryKind.UNDO)


def receipts() -> Follows:
    return _of_entries("ledger.Receipt", "receipt", *OF_RECEIPTS)


def _of_entries(model: str, said_as: str, *kinds: EntryKind) -> Follows:
    """Match papers whose number is in the evidence of their entries."""

    def paper(body: Body) -> Iterator[Body]:
        if said_as in body["evidence"]:
            yield body

    numbered = fields(of, site_id="site") | fields(evidence, number=said_as)
    says = Says((of("id"),), numbered, begins=True, each=paper)
    return Follows(model, {("entry", kind.value): says for kind in kinds}, key=("entry_id",))


def accounts_of_house() -> Follows:
    """Match accounts: one of which a house has only one begins with the first entry that names it, others
    with their box."""
    known: set[int] = set()
    installed: dict[Any, tuple[Any, ...]] = {}

    def once(body: Body) -> Iterator[Body]:
        for line in body["transfers"]:
            for end in ("from", "to"):
                if line[f"{end}_kind"] in ONE_PER_SITE and line[end] not in known:
                    known.add(line[end])
                    kind = line[f"{end}_kind"]
                    opened = {"account": line[end], "kind": kind, "asset": line["asset"]}
                    yield opened | {"label": TITLES[AccountKind(kind)]}

    def of_box(body: Body) -> Iterator[Body]:
        box, assets = body["data"], (Asset.CHIPS.value, Asset.CASH.value)
        installed[box["box"]] = tuple(box[asset] for asset in assets)
        alike = {"kind": AccountKind.DROP_BOX.value, "at": body["recorded_at"]}
        alike |= {"label": str(DropBox(number=box["number"], place=box["place"]))}
        for asset in assets:
            yield alike | {"account": box[asset], "asset": asset}

    def at_box(box: Callable[[Body], Any], at: str) -> Callable[[Body], Iterator[Body]]:
        return lambda body: ({"account": one, "at": body[at]} for one in installed.get(box(body), ()))

    key = (of("account"),)
    unused = fields(of, "asset", "kind", "label", opened_at="at") | nothing("sealed_at", "closed_at")
    in_use = Says(key, unused, begins=True, each=of_box)
    pulled = Says(key, {"sealed_at": of("at")}, each=at_box(data("box"), "recorded_at"))
    closed = Says(key, {"closed_at": of("at")}, each=at_box(of("box"), "signed_at"))
    says = dict.fromkeys(_ENTRIES, Says(key, unused, each=once))
    says |= {INSTALLED: in_use, PULLED: pulled, SIGNED_OFF: closed}
    boxes_of = {"kind": AccountKind.DROP_BOX.value}
    return Follows(
        "ledger.Account", says, whole=boxes_of, open={"closed_at": None}, memory=(known, installed)
    )


def accounts_under_way() -> Follows:
    """Match a document's transit accounts, which its last step closes."""

    def opens(body: Body) -> tuple[int, int, str, str]:
        label = f"{KINDS[body['kind']].title} {body['number']}, {body['place']}"
        return body["transit_chips"], body["transit_cash"], label, body["recorded_at"]

    def closes(body: Body) -> tuple[Any, str]:
        return body["document"] if body["step"] in ENDS else None, body["at"]

    begun = tuple(("document", code) for code in KINDS)
    return _accounts_between(AccountKind.TRANSIT, begun, ("document_step", ""), opens, closes)


def accounts_of_drawers() -> Follows:
    """A drawer's accounts begin with it, and end with the entry that closes it."""

    def opens(body: Body) -> tuple[int, int, str, str]:
        return body["chips"], body["cash"], f"Drawer {body['number']}", body["opened_at"]

    def closes(body: Body) -> tuple[Any, str]:
        return body["evidence"]["drawer"], body["recorded_at"]

    return _accounts_between(AccountKind.DRAWER, (_OPENED,), _CLOSED, opens, closes)


def _accounts_between(
    kind: AccountKind,
    begun: tuple[Kind, ...],
    ended: Kind,
    opens: Callable[[Body], tuple[int, int, str, str]],
    closes: Callable[[Body], tuple[Any, str]],
) -> Follows:
    """Match two accounts that one record opens and another closes. `opens` says both, their label and the
    time; `closes` the id of the record that opened them, None if it closes none, and the time."""
    opened: dict[Any, tuple[int, int]] = {}

    def opening(body: Body) -> Iterator[Body]:
        chips, cash, label, at = opens(body)
        opened[body["id"]] = chips, cash
        alike = {"kind": kind.value, "label": label, "at": at, "site": body["site"]}
        for account, asset in ((chips, Asset.CHIPS), (cash, Asset.CASH)):
            yield alike | {"account": account, "asset": asset.value}

    def closing(body: Body) -> Iterator[Body]:
        record, at = closes(body)
        for account in opened.pop(record, ()):
            yield {"account": account, "at": at}

    key, whole = (of("account"),), {"kind": kind.value}
    unused = fields(of, "kind", "asset", "label", site_id="site", opened_at="at")
    in_use = Says(key, unused | nothing("sealed_at", "closed_at"), begins=True, each=opening)
    says = dict.fromkeys(begun, in_use) | {ended: Says(key, {"closed_at": of("at")}, each=closing)}
    return Follows("ledger.Account", says, whole=whole, open={"closed_at": None}, memory=(opened,))


def _withheld_compared(site: Site) -> Iterator[Finding]:
    """Yield texts that differ from their commitment, changed batches, and texts left out."""
    batches = WithheldBatch.objects.filter(site=site).order_by("pk").iterator(AT_ONCE)
    while some := list(islice(batches, AT_ONCE)):
        texts: defaultdict[int, list[str]] = defaultdict(list)
        rows = Withheld.objects.filter(in_batch__batch__in=some).select_related("in_batch").order_by("pk")
        for one in rows.iterator(AT_ONCE):
            texts[one.in_batch.batch_id].append(one.commitment)
            yield from _text(site, one)
        for batch in some:
            if commitment_of_batch(batch.salt, texts[batch.pk]) != batch.commitment:
                sentence = (
                    "its texts do not come to the commitment in the log: one was changed, added or removed."
                )
                yield Finding("commitment_differs", sentence, None, str(batch))
    yield from _left_out(site)


def _text(site: Site, one: Withheld) -> Iterator[Finding]:
    name = f"withheld text {one.pk}"
    if canonical.commitment(one.salt, one.text) != one.commitment:
        yield Finding("commitment_differs", "its salt and text do not match its commitment.", None, name)
        return
    row = {"what": one.what, "at": moment(one.recorded_at)}
    payload = payload_of(one)
    if one.site_id != site.pk or any(payload.get(column) != value for column, value in row.items()):
        yield Finding("row_differs", "its house, kind or time differs from its text.", None, name)


def _left_out(site: Site) -> Iterator[Finding]:
    """Yield texts that should be in a batch: a newer batch exists, or records were sealed long after them."""
    batch = WithheldBatch.objects.filter(site=site).order_by("-pk").first()
    leaf = Leaf.objects.filter(log__site=site).order_by("-number").first()
    due: Iterable[datetime] = [
        *([batch.recorded_at - LATE_AFTER] if batch else ()),
        *([leaf.recorded_at - EVERY - LATE_AFTER] if leaf else ()),
    ]
    waiting = Withheld.objects.filter(site=site, in_batch__isnull=True)
    for one in waiting.order_by("pk").iterator(AT_ONCE):
        yield from _text(site, one)
        if any(one.recorded_at < latest for latest in due):
            sentence = "no record has committed to it, though later ones have been written."
            yield Finding("not_sealed", sentence, None, f"withheld text {one.pk}")


_LIST = ("site_id", "name", "number", "description", "reference", "effective_from", "until")
_LISTED = {"ledger.Exclusion": (*_LIST, "added_at", "added_by_id", "lifted_at", "lifted_by_id")}
_TEXTS = {
    "ledger.Withheld": ("site_id", "what", "salt", "text", "commitment", "recorded_at"),
    "ledger.WithheldBatch": ("salt",),
    "ledger.WithheldInBatch": ("batch_id", "withheld_id"),
}

QUESTIONS: tuple[Question, ...] = (
    ("the house's particulars and clock against their events", following(house)),
    ("drop boxes against their events", following(boxes)),
    ("reversal slips against their entries", following(reversal_slips)),
    ("receipts against their entries", following(receipts)),
    ("accounts of the house and its boxes against entries and events", following(accounts_of_house)),
    ("accounts of drawers against openings and closings", following(accounts_of_drawers)),
    ("accounts of what is under way against documents", following(accounts_under_way)),
    ("withheld texts against their commitments", at_end(_withheld_compared, _TEXTS)),
    ("the exclusion list against what was entered", at_end(exclusions.entries, _LISTED)),
)
