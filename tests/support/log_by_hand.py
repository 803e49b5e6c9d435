"""A small house's log, written by hand: a night with a correction, a cage sale, a drop, and a closed day."""

import copy
import io
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from typing import Any
from zoneinfo import ZoneInfoNotFoundError

from ledger.proof.audit.export.bundle_writing import BundleContents, write_bundle
from ledger.proof.audit.export.manifest import Consistency, Earlier, Manifest, Proofs
from ledger.proof.audit.export.register import may_be_earlier, may_be_later, rate_named
from ledger.proof.audit.tree.checkpoints import TreeHead, following
from ledger.proof.audit.tree.merkle import consistency_proof, inclusion_proof, leaf_hash, root_of
from ledger.proof.log.keys import Signer
from ledger.records import canonical
from ledger.records.canonical import body_of
from ledger.records.house import CLOCKS
from ledger.rules.local_time import Offsets, offsets_of
from tests.support.closing_by_hand import closing
from tests.support.entries_by_hand import (
    ANNA,
    BANK,
    BANK_CASH,
    BANK_CHIPS,
    BERT,
    BOX_CASH,
    BOX_CHIPS,
    DRAWER_CASH,
    DRAWER_CHIPS,
    MAKER,
    PATRONS,
    PUBLIC,
    VAULT_CASH,
    VAULT_CHIPS,
    WAY_CASH,
    WAY_CHIPS,
    document_step,
    entry,
    house_event,
    other,
    table_event,
)
from tests.support.trees import in_memory
from tests.support.whole_records import DAY, Body, at

ORIGIN = "house/gega-1/1"
SIGNER = Signer(ORIGIN, bytes(range(32)))
KEY = SIGNER.key
OTHER_SIGNER = Signer(ORIGIN, bytes(range(1, 33)))
OTHER_KEY = OTHER_SIGNER.key
SIGNED_AT = datetime(2026, 11, 21, 20, tzinfo=UTC)
SHEET = b'code = "western"\nversion = 1\n'
RATE = {
    "id": 7,
    "option": 3,
    "version": 1,
    "limit_cents": 500,
    "fee_cents": 1500,
    "approval_reference": "GEGA-000123",
    "effective_from": "2026-01-01",
}
VERIFIER = b"PK no real program"


def charge(number: int, sitting: int, player: int, minute: int) -> Body:
    return other(
        "charge",
        number,
        minute,
        session=5,
        down=1,
        down_id=31,
        down_started_at=at(10),
        sitting=sitting,
        player=player,
        entered_at=at(5),
        minute_seconds=None,
        rule="full",
        fee_cents=1500,
        cents=1500,
        rate={"id": 7, "option": 3, "version": 1},
        charged_at=at(minute),
        charged_by=3,
        gaming_day=DAY,
        round_id=41,
    )


def round_evidence(net: int, **more: Any) -> Body:
    """Return a settlement's evidence, as far as the papers read it."""
    return {
        "rules_version": 1,
        "session": 5,
        "round": 1,
        "round_id": 41,
        "input": {"sheet": "western", "version": 1, "limit": "5.00"},
        "answer_hash": "0b" * 32,
        "result": {"1": [net // 500, net], "2": [-net // 500, -net]},
        **more,
    }


FLOAT = {"chips": [[10_000, 80], [2_500, 80]], "cash": [[10_000, 50]]}
TAKEN: Body = {"chips": [[2_500, 20]], "cash": []}
OPENER: Body = {"chips": [[2_500, 80]], "cash": []}
COUNTED = {
    "pieces": FLOAT,
    "chips_cents": 1_000_000,
    "cash_cents": 500_000,
    "key": "slip 1",
    "gaming_day": DAY,
}


def night() -> list[Body]:
    """Return all records of the night in the order of their leaves; all are valid."""
    return [*_opening(), *_play(), *closing()]


def _opening() -> list[Body]:
    return [
        house_event(
            *(1, "house_opened", 0, None),
            name="House",
            licence="GEGA-1",
            time_zone="America/Los_Angeles",
            day_starts_at=6,
            shifts=1,
            return_minutes=120,
            demo=False,
        ),
        house_event(2, "audit_key", 0, None, verifier_key=KEY.text, replaces=None),
        other("rate", 7, 0, published_by=None, **{name: RATE[name] for name in RATE if name != "id"}),
        other(
            "cage_slip", 111, 0, **COUNTED, number=1, way="in", counted_by=3, counted_at=at(0), terminal=""
        ),
        entry(
            *(100, "float_issue", 1, (MAKER, VAULT_CHIPS, 1_000_000), (BANK, VAULT_CASH, 500_000)),
            approver=4,
            evidence={"slip": 111, "number": 1, "way": "in", "pieces": FLOAT, "counted_by": [3, 4]},
        ),
        other(
            *("cage_slip_result", 112, 1),
            **{name: COUNTED[name] for name in COUNTED if name != "gaming_day"},
            slip=111,
            outcome="posted",
            person=4,
            at=at(1),
            reason="",
            entry=100,
        ),
        house_event(
            *(3, "box_installed", 2),
            box=21,
            number=1,
            place="Table 1",
            gaming_day=DAY,
            chips=BOX_CHIPS,
            cash=BOX_CASH,
        ),
        table_event(
            *(51, "opened", 2),
            table=1,
            sheet={"code": "western", "version": 1, "sha256": sha256(SHEET).hexdigest()},
            rate={name: RATE[name] for name in ("id", "option", "version", "fee_cents", "limit_cents")},
            limit_cents=500,
            max_buy_in_cents=50_000,
            bank_chips=BANK_CHIPS,
            bank_cash=BANK_CASH,
            box=1,
            box_chips=BOX_CHIPS,
            box_cash=BOX_CASH,
        ),
        *_opener(),
    ]


def _opener() -> list[Body]:
    """Return the opener's document: asked for by 5, authorised by 3, sent by 4, received by 5."""
    said = {"pieces": OPENER, "chips_cents": 200_000, "cash_cents": 0}
    accounts = {"chips": BANK_CHIPS, "cash": BANK_CASH, "transit_chips": WAY_CHIPS, "transit_cash": WAY_CASH}
    named = {"document": 121, "kind": "opener", "number": 1, "pieces": OPENER}
    return [
        other(
            "document", 121, 2, kind="opener", number=1, place="Table 1", gaming_day=DAY, **accounts, **said
        ),
        document_step(131, "requested", 5, ordinal=0, after=None),
        document_step(132, "authorised", 3, ordinal=1, after=131),
        entry(
            *(101, "document_sent", 2, (VAULT_CHIPS, WAY_CHIPS, 200_000)),
            actor=4,
            evidence=named | {"step": "sent"},
        ),
        document_step(133, "sent", 4, ordinal=2, after=132, entry=101, **said),
        entry(
            *(96, "document_received", 2, (WAY_CHIPS, BANK_CHIPS, 200_000)),
            actor=5,
            evidence=named | {"step": "received"},
        ),
        document_step(134, "received", 5, ordinal=3, after=133, entry=96, **said),
    ]


def drawer(minute: int = 18, *, ahead: int = 23 * 60) -> list[Body]:
    """Return the drawer of 3 and what was taken into it. It stays open over the end of the night, because the
    clock was so many minutes ahead as it was opened."""
    said = {"pieces": TAKEN, "chips_cents": 50_000, "cash_cents": 0}
    slip = {"slip": 112, "number": 2, "way": "to_drawer", "pieces": TAKEN, "counted_by": [3, 4]}
    then = minute + ahead
    day = f"2026-11-{20 + (then + 6 * 60) // (24 * 60)}"
    opened = {"number": 1, "cashier": 3, "chips": DRAWER_CHIPS, "cash": DRAWER_CASH, "opened_at": at(then)}
    counted = {"number": 2, "way": "to_drawer", "counted_by": 3, "counted_at": at(minute)}
    ended = {"slip": 112, "outcome": "posted", "person": 4, "at": at(minute), "entry": 97}
    return [
        other("drawer", 141, then, **opened, gaming_day=day),
        other("cage_slip", 112, minute, **said, **counted, drawer=141, gaming_day=DAY),
        entry(
            *(97, "drawer_issue", minute, (VAULT_CHIPS, DRAWER_CHIPS, 50_000)),
            approver=4,
            evidence=slip | {"drawer": 141, "drawer_number": 1},
        ),
        other("cage_slip_result", 113, minute, **said, **ended),
    ]


def _play() -> list[Body]:
    two = {"approver": 4, "reason": "=misread the back"}
    return [
        entry(102, "buy_in", 5, (PUBLIC, BANK_CASH, 20_000), (BANK_CHIPS, ANNA, 20_000)),
        table_event(52, "seated", 5, seat=1, sitting=61, player=71, stack=ANNA),
        entry(
            *(99, "chips_beyond_books", 6, (MAKER, PATRONS, 15_000)),
            **two | {"reason": "Bert had them before the books", "evidence": {"cents": 15_000, "number": 1}},
        ),
        entry(103, "buy_in", 6, (PATRONS, BERT, 15_000)),
        table_event(53, "seated", 6, seat=2, sitting=62, player=72, stack=BERT),
        other("down", 31, 10, session=5, number=1, rate=1, started_at=at(10), waited_from=None),
        charge(81, 61, 71, 10),
        entry(104, "collection", 10, (ANNA, BOX_CHIPS, 1500), evidence={"charge": 81, "method": "stack"}),
        charge(82, 62, 72, 10),
        charge(83, 63, 73, 10),
        table_event(54, "round_started", 10, round=1, round_id=41),
        entry(105, "round", 14, (BERT, ANNA, 9_000), evidence=round_evidence(9000)),
        entry(
            *(106, "collection", 15, (PUBLIC, BOX_CASH, 1500)),
            evidence={"charge": 82, "method": "cash"},
        ),
        table_event(55, "correction_asked", 16, round=1),
        entry(107, "reversal", 17, (ANNA, BERT, 9_000), reverses=105, evidence={"reverses": 105}, **two),
        entry(
            *(108, "correction", 17, (BERT, ANNA, 4_500)),
            evidence=round_evidence(4500, corrects=105),
            **two,
        ),
        other("claim", 91, 17, number=1, settlement=2, round_id=41, debtor=71, creditor=72, cents=500),
        *drawer(),
        entry(
            109, "chip_sale", 18, (PUBLIC, DRAWER_CASH, 10_000), (DRAWER_CHIPS, PATRONS, 10_000), receipt=1
        ),
        entry(110, "cash_out", 30, (ANNA, PATRONS, 23_000)),
        table_event(56, "left", 30, seat=1, sitting=61),
        entry(111, "cash_out", 31, (BERT, PATRONS, 10_500)),
    ]


def record(body: Body) -> bytes:
    return f"[1,{canonical.text(body)}]".encode()


def find(bodies: list[Body], kind: str, number: int) -> Body:
    return next(body for body in bodies if (body["record"], body["id"]) == (kind, number))


LEAVES = len(night())


def leaf_of(kind: str, number: int) -> int:
    bodies = night()
    return bodies.index(find(bodies, kind, number))


def changed(kind: str, number: int, change: Callable[[Body], Any]) -> list[Body]:
    """Return the night with one record changed before sealing."""
    bodies = copy.deepcopy(night())
    change(find(bodies, kind, number))
    return bodies


def checkpoint(
    leaves: list[bytes], signer: Signer = SIGNER, *, after: int | None = None, at: datetime = SIGNED_AT
) -> bytes:
    """Sign the tree of these leaves; it may name the size of the checkpoint before."""
    extensions = () if after is None else (following(after),)
    tree = TreeHead(signer.key.name, len(leaves), root_of(leaves), extensions)
    return _signed(signer, tree, at)


@cache
def _signed(signer: Signer, tree: TreeHead, at: datetime) -> bytes:
    """Cached, because ML-DSA-44 signs with fresh randomness, and the same log must make the same export."""
    return signer.signed(tree, now=at)


def bundle(bodies: list[Body] | None = None, **options: Any) -> bytes:
    """Return an export of leaves `first` to `end`, since the checkpoint of `since` leaves. That of the
    night as it is, which most tests change only afterwards, is written once for the same options."""
    if bodies is None and all(isinstance(value, int | str | bytes | None) for value in options.values()):
        return _of_the_night(**options)
    return _written(night() if bodies is None else bodies, **options)


@cache
def _of_the_night(**options: Any) -> bytes:
    return _written(night(), **options)


def _written(
    bodies: list[Body],
    *,
    first: int = 0,
    end: int | None = None,
    since: int | None = None,
    witnessed: bytes | None = None,
    records: Iterable[bytes] | None = None,
    sheets: dict[tuple[str, int], bytes] | None = None,
    verifier: bytes = VERIFIER,
    signer: Signer = SIGNER,
    **more: Any,
) -> bytes:
    sealed = [record(body) for body in bodies]
    leaves = [leaf_hash(data) for data in sealed]
    size, end = len(leaves), len(leaves) if end is None else end
    tree = in_memory(leaves)
    ends = [tuple(inclusion_proof(leaf, size, tree)) for leaf in ((first, end - 1) if end > first else ())]
    manifest = Manifest(ORIGIN, 1, first, end - first, size, None, None, (KEY.text,), "1")
    manifest = replace(manifest, offsets=local_offsets(map(body_of, sealed[:end] if end > first else ())))
    outside = [leaf for leaf in range(first) if _goes_along(sealed[leaf], sealed[first:end])]
    outside += [leaf for leaf in range(end, size) if may_be_later(body_of(sealed[leaf]))]
    out = io.BytesIO()
    contents = BundleContents(
        manifest=replace(manifest, **more),
        records=sealed[first:end] if records is None else records,
        leaves=leaves[first:end],
        checkpoint=checkpoint(leaves, signer),
        proofs=Proofs(
            *(ends or ((), ())),
            consistency=None if since is None else _consistency(leaves, since),
            witnessed=None if witnessed is None else _consistency(leaves, _size_of(witnessed)),
        ),
        sheets=_sheets_of(sealed[first:end]) if sheets is None else sheets,
        verifier=verifier,
        earlier=[Earlier(leaf, sealed[leaf], tuple(inclusion_proof(leaf, size, tree))) for leaf in outside],
        since=None if since is None else checkpoint(leaves[:since]),
        witnessed=witnessed,
    )
    write_bundle(out, contents)
    return out.getvalue()


def _goes_along(record: bytes, records: list[bytes]) -> bool:
    """Return whether a part of the log with these records needs this older one."""
    body = body_of(record)
    if body.get("record") == "rate":
        return body["id"] in map(rate_named, map(body_of, records))
    return "kind" in body and may_be_earlier(body, players=False)


def _sheets_of(records: list[bytes]) -> dict[tuple[str, int], bytes]:
    opened = any(body_of(record).get("kind") == "opened" for record in records)
    return {("western", 1): SHEET} if opened else {}


def local_offsets(bodies: Iterable[Body]) -> Offsets:
    """Return the offsets of local time as far as these records tell the zone."""
    zones, until = [], ""
    for body in bodies:
        if len(written := str(body.get("recorded_at"))) == len(at(0)):  # otherwise it is no valid record
            until = max(until, written)
        if body.get("kind") in CLOCKS:
            zones.append((body["recorded_at"], body["data"].get("time_zone")))
    try:
        return offsets_of(zones, until)
    except (ZoneInfoNotFoundError, ValueError):
        return ()


def _consistency(leaves: list[bytes], old: int) -> Consistency:
    size = len(leaves)
    return Consistency(old, root_of(leaves[:old]), tuple(consistency_proof(old, size, in_memory(leaves))))


def _size_of(checkpoint: bytes) -> int:
    return int(checkpoint.split(b"\n")[1])
