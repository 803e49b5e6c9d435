"""The records that rows of sessions, sittings, clock stops and accounts at tables follow from."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from ledger.proof.log.following import (
    Body,
    Follows,
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
    time_in,
)
from ledger.records.findings import Finding
from tables.floor.games import title_of
from tables.models import SheetVersion, Table, TableEvent, TableSession
from tables.rules.errors import RuleError
from tables.rules.game.sheet import parse_sheet

_EVENT, _Kind = "table_event", TableEvent.Kind
OPENED, CLOSED = (_EVENT, _Kind.OPENED.value), (_EVENT, _Kind.CLOSED.value)
SEATED, LEFT = (_EVENT, _Kind.SEATED.value), (_EVENT, _Kind.LEFT.value)
STOPPED = (_EVENT, _Kind.CLOCK_STOPPED.value)
STAFF = ("house_event", "staff_changed")
CASHED_OUT, MOVED, CORRECTED = ("entry", "cash_out"), ("entry", "table_move"), ("entry", "correction")
TOKE = ("entry", "toke")


def _opened_with(body: Body, known: dict[Any, Any]) -> None:
    match body.get("data"):
        case {"sheet": {"code": str(code), "version": int(version), "sha256": str(sha)}}:
            known.setdefault((code, version, sha), body.get("id"))


def sheets(site: Any, known: dict[Any, Any]) -> Iterator[Finding]:
    """Compare stored game sheets with their hash and title, and the hash with their sessions; one finding for
    each sheet, with the event that first opened a table with it."""
    stored = {}
    for version in SheetVersion.objects.order_by("pk"):
        stored[version.code, version.version] = version
        if wrong := _wrong_sheet(version):
            yield Finding("sheet_changed", wrong, None, f"sheet {version.code}")
    for (code, number, sha), event in known.items():
        sheet = stored.get((code, number))
        if sheet is None or sheet.sha256 != sha:
            name = f"sheet {code} version {number}"
            sentence = f"is not the one in table event {event}, which opened a table with it."
            yield Finding("sheet_changed", sentence, None, name)
    elsewhere = {*TableSession.objects.exclude(table__site=site).values_list("sheet_id", flat=True)}
    for place, version in stored.items():
        if place not in {used[:2] for used in known} and version.pk not in elsewhere:
            name = f"sheet {version.code} version {version.version}"
            yield Finding("no_record", "no record says that a table was opened with it.", None, name)


def _wrong_sheet(version: SheetVersion) -> str:
    if sha256(bytes(version.raw)).hexdigest() != version.sha256:
        return "its bytes have changed since it was stored."
    try:
        sheet = parse_sheet(bytes(version.raw), f"{version.code}.toml")
    except RuleError:
        return "no game can be read from its bytes."
    return "" if title_of(sheet) == version.title else "its title is not the one in its bytes."


def sessions() -> Follows:
    """Match a session with its opening event; rate, dealer, box and main game with the newest ones."""
    session, changed = "tables.TableSession", (_EVENT, _Kind.RATE_CHANGED.value)
    none_announced = nothing("next_rate_id", "next_max_buy_in_cents")
    opened = {
        **declared(OPENED, session),
        **fields(of, table__site_id="site", opened_at="recorded_at", opened_by_id="actor"),
        **nothing("dealer_id", "must_move_to_id", "closer_cents", "closed_at", "closed_by_id"),
    }
    key = (of("session"),)
    says = {
        OPENED: Says(key, opened | none_announced, begins=True),
        (_EVENT, _Kind.PUSHED.value): Says(key, {"dealer_id": data("dealer")}),
        (_EVENT, _Kind.MUST_MOVE_SET.value): Says(key, {"must_move_to_id": data("to_session")}),
        (_EVENT, _Kind.BOX_CHANGED.value): Says(key, {"box__number": data("installed")}),
        (_EVENT, _Kind.RATE_ANNOUNCED.value): Says(
            key,
            {
                "next_rate_id": lambda body: body["data"]["rate"]["id"],
                "next_max_buy_in_cents": data("max_buy_in_cents"),
            },
        ),
        (_EVENT, _Kind.RATE_WITHDRAWN.value): Says(key, none_announced),
        changed: Says(key, declared(changed, session) | none_announced),
        CLOSED: Says(
            key, declared(CLOSED, session) | fields(of, closed_at="recorded_at", closed_by_id="actor")
        ),
    }
    return Follows(session, says, site="table__site", open={"closed_at": None})


def sittings() -> Follows:
    """Match a sitting with its events, and the chips taken away with the newest entry."""

    def taken_away(body: Body) -> Any:
        entered = body["evidence"]
        return entered["cents"] if "cents" in entered else sum(line["cents"] for line in body["transfers"])

    def of_leaving(body: Body) -> Iterator[Body]:
        if body["evidence"].get("of") in (CASHED_OUT[1], MOVED[1]):
            yield body

    key = (data("sitting"),)
    seated = {
        **declared(SEATED, "tables.Sitting"),
        **nothing("left_at", "taken_away_cents"),
        "sitting_out": always(False),
    }
    left = {"left_at": of("recorded_at"), "fantasy_land": always(False)}
    away = {"taken_away_cents": taken_away}
    says = {
        SEATED: Says(key, seated, begins=True),
        (_EVENT, _Kind.SEAT_CHANGED.value): Says(key, {"seat": data("to_seat")}),
        (_EVENT, _Kind.SAT_OUT.value): Says(key, {"sitting_out": always(True)}),
        (_EVENT, _Kind.RETURNED.value): Says(key, {"sitting_out": always(False)}),
        LEFT: Says(key, left),
        CASHED_OUT: Says((evidence("sitting"),), away),
        MOVED: Says((evidence("sitting"),), away),
        CORRECTED: Says((evidence("sitting"),), away, each=of_leaving),
    }
    return Follows("tables.Sitting", says, site="session__table__site", open={"session__closed_at": None})


def clock_stops() -> Follows:
    stopped = declared(STOPPED, "tables.ClockStop") | {"stopped_by_id": of("actor")}
    stopped |= nothing("started_at", "started_by_id")
    started = fields(of, started_at="recorded_at", started_by_id="actor")
    says = {
        STOPPED: Says((of("session"), of("recorded_at")), stopped, begins=True),
        (_EVENT, _Kind.CLOCK_STARTED.value): Says((of("session"), time_in(data("stopped_at"))), started),
    }
    key = ("session_id", "stopped_at")
    return Follows("tables.ClockStop", says, key=key, site="session__table__site", open={"started_at": None})


class _AtTables:
    def __init__(self) -> None:
        self._tables: dict[Any, str] = {}
        self._banks: dict[Any, tuple[Any, ...]] = {}
        self._stacks: dict[Any, Any] = {}
        self._names: dict[Any, Any] = {}
        self._tokes: set[Any] = set()

    def opened(self, body: Body) -> Iterator[Body]:
        data, session = body["data"], body["session"]
        self._tables[session] = str(Table(number=data["table"]))
        self._banks[session] = data["bank_chips"], data["bank_cash"]
        for account, asset in zip(self._banks[session], ("chips", "cash"), strict=True):
            yield self._account(body, account, "table_bank", self._tables[session], asset)

    def closed(self, body: Body) -> Iterator[Body]:
        return ({"account": one, "at": body["recorded_at"]} for one in self._banks.pop(body["session"], ()))

    def seated(self, body: Body) -> Iterator[Body]:
        data = body["data"]
        self._stacks[data["sitting"]] = data["stack"]
        if body["session"] in self._tables:
            label = f"{self._tables[body['session']]}, seat {data['seat']}"
            yield self._account(body, data["stack"], "stack", label)

    def left(self, body: Body) -> Iterator[Body]:
        stack = self._stacks.pop(body["data"]["sitting"], None)
        if stack is not None:
            yield {"account": stack, "at": body["recorded_at"]}

    def named(self, body: Body) -> Iterator[Body]:
        data = body["data"]
        if isinstance(data.get("after"), dict):
            self._names[data["staff"]] = data["after"].get("username")
        return iter(())

    def toke(self, body: Body) -> Iterator[Body]:
        """Yield the dealer's account at the first toke, which opens it."""
        evidence = body["evidence"]
        if evidence["account"] not in self._tokes and evidence["dealer"] in self._names:
            self._tokes.add(evidence["account"])
            yield self._account(
                body, evidence["account"], "tokes", f"Tokes of {self._names[evidence['dealer']]}"
            )

    def _account(self, body: Body, account: Any, kind: str, label: str, asset: str = "chips") -> Body:
        opened = {"account": account, "kind": kind, "label": label, "asset": asset}
        return opened | {"at": body["recorded_at"], "site": body["site"]}


def accounts_at_tables() -> Follows:
    """Match banks and stacks with their tables and sittings, and tokes' accounts with the first toke."""
    at_tables, key = _AtTables(), (of("account"),)
    opened = fields(of, "kind", "asset", "label", site_id="site", opened_at="at")
    opened |= nothing("sealed_at", "closed_at")
    closed = {"closed_at": of("at")}
    says = {
        OPENED: Says(key, opened, begins=True, each=at_tables.opened),
        CLOSED: Says(key, closed, each=at_tables.closed),
        SEATED: Says(key, opened, begins=True, each=at_tables.seated),
        LEFT: Says(key, closed, each=at_tables.left),
        STAFF: Says(key, each=at_tables.named),
        TOKE: Says(key, opened, begins=True, each=at_tables.toke),
    }
    kinds = {"kind__in": ("table_bank", "stack", "tokes")}
    return Follows("ledger.Account", says, whole=kinds, open={"closed_at": None}, memory=(at_tables,))


def toke_accounts() -> Follows:
    says = {TOKE: Says((evidence("account"),), declared(TOKE, "ledger.TokeAccount"), begins=True)}
    return Follows("ledger.TokeAccount", says, key=("account_id",))


_SHEETS = {"tables.SheetVersion": ("code", "version", "title", "raw", "sha256")}

QUESTIONS: tuple[Question, ...] = (
    ("game sheets against their hashes and sessions", at_end(sheets, _SHEETS, {OPENED: _opened_with})),
    ("sessions against their events", following(sessions)),
    ("sittings against their events and entries", following(sittings)),
    ("clock stops against their events", following(clock_stops)),
    ("accounts at tables against events and entries", following(accounts_at_tables)),
    ("tokes against their entries", following(toke_accounts)),
)
