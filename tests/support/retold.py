"""Feed a night's audit records, in order, to the model of fees.py. Of fees only the way of payment is read
(cash, cage, waived), never what or when anybody owed."""

import json
from collections import defaultdict
from datetime import datetime

from ledger.models import AuditRecord
from tests.support.fees import House

OF_THE_MODEL = {"buy_in", "cash_out", "table_move", "collection", "waiver"}


class Retold:
    """The model after a whole night; `fees` has every fee by (session, down, player)."""

    def __init__(self, site):
        self.house = House()
        self.seats = {}  # sitting: (session, player)
        self.stacks = {}  # account of somebody who sits: (session, player)
        self.bought = {}  # account: cents of the buy-in, which is recorded before the sitting
        self.rates = {}
        self.cash = defaultdict(set)  # by session: sittings that pay the fee of the starting round in cash
        for text in AuditRecord.objects.filter(site=site).order_by("pk").values_list("text", flat=True):
            body = json.loads(text)[1]
            getattr(self, f"_{body['record']}", lambda body: None)(body)

    @property
    def fees(self):
        tables = self.house.tables.values()
        return {(table.name, fee.down, fee.player): fee for table in tables for fee in table.fees}

    def _rate(self, body):
        self.rates[body["id"]] = (body["limit_cents"], body["fee_cents"])

    def _entry(self, body):
        kind, told, now = body["kind"], body["evidence"], datetime.fromisoformat(body["recorded_at"])
        if kind == "buy_in":
            self.bought |= {
                line["to"]: line["cents"] for line in body["transfers"] if line["to_kind"] == "stack"
            }
        elif kind == "collection" and told["method"] in ("cash", "cage"):
            session, player = self.seats[told["sitting"]]
            if "/round/" in body["key"]:
                self.cash[session].add(player)
            else:
                self.house.pay(session, player, told["method"], now)
        elif kind == "waiver":
            session, player = self.seats[told["sitting"]]
            self.house.waive(session, player, told["down"], now, told.get("due_session"))
        if kind not in OF_THE_MODEL:
            self._moved(body["transfers"], now)

    def _moved(self, lines, now):
        changes = defaultdict(lambda: defaultdict(int))
        for line in lines:
            for end, sign in (("from", -1), ("to", 1)):
                if line[end] in self.stacks:
                    session, player = self.stacks[line[end]]
                    changes[session][player] += sign * line["cents"]
        for session, by_player in changes.items():
            self.house.chips(session, by_player, now)

    def _table_event(self, body):
        act = getattr(self, f"_{body['kind']}", None)
        if act is not None:
            now = datetime.fromisoformat(body["recorded_at"])
            act(body["session"], body["data"], now)

    def _opened(self, session, said, now):
        rate = said["rate"]
        self.house.open(session, (rate["limit_cents"], rate["fee_cents"]))

    def _rate_announced(self, session, said, now):
        self.house.announce(session, self.rates[said["rate"]["id"]], now)

    def _rate_withdrawn(self, session, said, now):
        self.house.announce(session, None, now)

    def _seated(self, session, said, now):
        self.seats[said["sitting"]] = self.stacks[said["stack"]] = (session, said["player"])
        if said["from_sitting"] is not None:
            old, player = self.seats[said["from_sitting"]]
            self.house.move(old, player, session, now, ordered=said["ordered"])
        else:
            entered = datetime.fromisoformat(said["entered_at"])
            self.house.sit(session, said["player"], self.bought[said["stack"]], entered, now)

    def _left(self, session, said, now):
        player = self.seats[said["sitting"]][1]
        self.stacks = {account: who for account, who in self.stacks.items() if who != (session, player)}
        if "to_session" not in said:
            self.house.leave(session, player, now)

    def _sat_out(self, session, said, now):
        self.house.sit_out(session, self.seats[said["sitting"]][1], now, out=True)

    def _returned(self, session, said, now):
        self.house.sit_out(session, self.seats[said["sitting"]][1], now, out=False)

    def _clock_stopped(self, session, said, now):
        self.house.stop(session, now)

    def _clock_started(self, session, said, now):
        self.house.go(session, now)

    def _round_started(self, session, said, now):
        self.house.round(session, now, cash=self.cash.pop(session, ()))
