"""A house with one of everything that a URL can name, and a valid entry for each URL."""

import json
from dataclasses import asdict, replace
from datetime import date, timedelta
from itertools import combinations

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group
from django.utils import timezone

from casino.house.first_start import mark_of
from casino.models import ApiToken, Attempts, Terminal
from casino.sign_in import terminals, tokens
from ledger.cage import boxes, drawers, exclusions, stocking
from ledger.journal import withholding
from ledger.journal.acts import Act
from ledger.journal.particulars import particulars_of
from ledger.models import JournalEntry, Site
from ledger.proof.log import keeping_papers
from ledger.proof.log.forms import AskedPaper
from ledger.rules.denominations import Pieces
from tables.collection import waivers
from tables.floor import banks, disputes, handover, tables, waiting
from tables.models import Claim, FeePayment, TableSession
from tables.rounds.by_hand import names_of
from tables.seats import tokes
from tables.seats.players import Person, enter_player
from tests.support import second_steps
from tests.support.cage import give_drawer, sell, stock
from tests.support.cast import PIN
from tests.support.counting import enter_count
from tests.support.game import FULL_HOUSE, HANDS, OPENING, PLAIN, QUEENS, Game

DAY = date(2026, 3, 7)
KEY = {"key": "a-key-of-this-act"}
SECOND = {"second": "floor2", "second_pin": PIN}


class House:
    """One of everything at a game and a table `beside`; `cast` is the staff by name."""

    def __init__(self, game, beside, cast):
        self.game, self.beside, self.site, self.cast = game, beside, game.site, cast
        self.keys = 0

    def act(self, who, **options):
        self.keys += 1
        return Act(actor=self.cast[who], now=self.game.now, key=f"furnishing-{self.keys:03d}", **options)

    def furnish(self):
        """Create one of everything; return ids by URL argument, and others by names of ours."""
        return self.play() | self.at_the_desks() | {"bank": self.counted_short()}

    def counted_short(self):
        """Open a table and close it with a chip missing; return the entry of its bank."""
        table = Game(self.site, self.cast["floor"], self.cast["dealer"], {}, number=8)
        table.now = self.game.now
        table.close(self.cast["floor2"], chips_over=-500)
        return JournalEntry.objects.filter(site=self.site, kind="bank_count").latest("pk").pk

    def play(self):
        """A table with a settled round, a claim, a round awaiting a correction, and a running one."""
        game = self.game
        game.seat("Ann", "Bob", "Cat")
        old = game.play([QUEENS, FULL_HOUSE, PLAIN])
        bought_in = JournalEntry.objects.filter(site=self.site, kind="buy_in").earliest("pk")
        game.cash_out(1)
        game.approve(game.ask(old, [PLAIN, FULL_HOUSE, QUEENS]), actor=self.cast["floor2"])
        game.minute(25).buy_in("Eve", 5)
        game.pay(5, "cage", actor=self.cast["cashier"])
        settled = game.minute(30).play()
        asked = game.ask(settled, HANDS[2::-1])
        here = game.sitting(2)
        tokes.give_toke(sitting_id=here.pk, cents=200, act=self.act("dealer"))
        toke = JournalEntry.objects.filter(site=self.site, kind="toke").latest("pk")
        paid = FeePayment.objects.filter(entry__site=self.site).select_related("entry")
        box = boxes.pull_box(box=game.session.box, second=self.cast["dealer"], act=self.act("floor"))
        sheet = enter_count(box, self.cast["counts"], game.now).sheet
        running = game.minute(31).start()
        return {
            "session_id": game.session.pk,
            "round_id": settled.pk,
            "running": running.pk,
            "dealt": [hand.seat for hand in running.hands.all()],
            "pairs": list(combinations(names_of(running), 2)),
            "settled": [hand.seat for hand in settled.hands.all()],
            "sittings": list(game.session.sittings.filter(left_at=None).values_list("pk", flat=True)),
            "seats": sorted(game.stacks()),
            "rate": game.rate.pk,
            "sitting_id": here.pk,
            "seat": 4,
            "player_id": here.player_id,
            "other_id": game.sitting(3).player_id,
            "dealer_id": self.cast["dealer"].pk,
            "table_id": game.session.table_id,
            "down_id": settled.down_id,
            "entry_id": bought_in.pk,
            "account_id": here.stack_id,
            "correction_id": asked.pk,
            "claim_id": Claim.objects.filter(debtor__site=self.site).earliest("pk").pk,
            "box_id": box.pk,
            "sheet_id": sheet.pk,
            "toke": toke.pk,
            "fee": paid.filter(method="stack").earliest("pk").entry_id,
            "receipt": paid.get(method="cage").entry_id,
            "day": DAY,
            "number": 1,
            "code": "face-up",
            "does": "line",
            "take": "take",
            "packed": "rules.zip",
            "name": "staff",
            "form": "csv",
            "dispute_id": self.disputed(game, settled).pk,
            "record_kind": "entry",
            "control": "no_gaps",
            "subject": bought_in.pk,
        }

    def disputed(self, game, settled):
        session, act = game.session, self.act("floor2")
        return disputes.take_dispute(site=self.site, session=session, round_=settled, what="cards", act=act)

    def at_the_desks(self):
        """Items at the cage, on lists and in the office of a house of three shifts."""
        self.site.shifts = 3
        self.site.save(update_fields=["shifts"])
        limit = {"game": "face-up", "limit_cents": self.game.limit}
        waits = waiting.join(site=self.site, who=Person("Walt"), act=self.act("floor"), **limit)
        slip = stocking.count_first(
            site=self.site, way="count", pieces=Pieces({500: 1}), act=self.act("cashier")
        )
        fill = banks.ask(
            session_id=self.game.session.pk, kind="fill", pieces=Pieces({500: 1}), act=self.act("floor")
        )
        sold = sell(site=self.site, cents=10_000, act=self.act("cashier"))
        published = {"code": "first-night", "text": "First night", "approval_reference": "BGC-2"}
        reason = waivers.publish_waiver_reason(
            site=self.site, effective_from=DAY, act=self.act("manager"), **published
        )
        listed = {"name": "Mallory", "reference": "GEGE-7", "effective_from": DAY}
        excluded = exclusions.add_exclusion(site=self.site, act=self.act("compliance"), **listed)
        paper = AskedPaper("journal", "csv", (DAY, DAY), players=False)
        keeping_papers.ask(site=self.site, asked=paper, act=self.act("compliance"))
        empty = tables.add_table(site=self.site, number=90, seat_one="left", act=self.act("manager"))
        now = particulars_of(self.site)
        terminals.enrol(name=f"Tablet of {self.site}", act=self.act("floor"))
        reader, _ = Group.objects.get(name="regulator").user_set.get_or_create(username="rex")
        bureau = {"person_id": reader.pk, "name": "Laptop", "last": DAY + timedelta(days=29)}
        tokens.make(**bureau, act=replace(self.act("manager"), key=f"token of {self.site}"))
        lock, _ = Attempts.objects.get_or_create(
            at="terminal", subject="0" * 64, judged=200, refused=200, last_at=self.game.now
        )
        waiting_for = {one.which: "" for one in handover.to_hand_over(self.site, self.game.now)}
        act = self.act("floor", approver=self.cast["floor2"])
        handover.hand_over(site=self.site, notes=waiting_for, act=act)
        return {
            "place_id": waits.pk,
            "slip_id": slip.pk,
            "drawer_id": drawers.drawer_of(self.site, self.cast["cashier"]).pk,
            "document_id": fill.pk,
            "kind": "fill",
            "sold": sold.pk,
            "reason_id": reason.pk,
            "exclusion_id": excluded.pk,
            "batch_id": withholding.commit(self.site, now=self.game.now).pk,
            "empty": empty.pk,
            "lock_id": lock.pk,
            "person_id": self.cast["floor2"].pk,
            "comes": self.cast["comes"].pk,
            "particulars": asdict(now) | {"seen": mark_of(now)},
            "beside": self.beside.session.pk,
            "bureau": {"person": reader.pk, "name": "Laptop", "last": str(bureau["last"])},
            "terminal": Terminal.objects.latest("pk").pk,
            "token": ApiToken.objects.latest("pk").pk,
        }


def our_house(game, beside, floor, floor2, dealer, cashier, manager, employ):
    cast = {"floor": floor, "floor2": floor2, "dealer": dealer, "cashier": cashier, "manager": manager}
    cast |= {"compliance": employ("carla", "compliance"), "comes": employ("del", "dealer")}
    cast |= {"counts": employ("cora", "counter")}
    return House(game, beside, cast).furnish() | {"cast": cast, "now": game.now}


def another_house(cast):
    """A second house in the same database; nothing of it belongs on a screen of the first."""
    site = Site.objects.create(name="The Other Room", licence="GEGE-2")
    by = {"by": cast["cashier"], "second": cast["floor"], "now": OPENING}
    stock(site, chips=50_000_000, cash=10_000_000, **by)
    give_drawer(site, chips=5_000_000, cash=5_000_000, **by)
    names = ("Ann", "Bob", "Cat", "Eve")
    players = {name: enter_player(site=site, name=name, act=Act(cast["floor"], OPENING)) for name in names}
    game, beside = (Game(site, cast["floor"], cast["dealer"], players, number=number) for number in (1, 2))
    return House(game, beside, cast | {"dealer": game.dealer}).furnish()


# -- what to send ----------------------------------------------------------------------------------

# Where a URL means another object than the first of its kind.
RUNNING = ("api-draft", "api-settle", "api-void", "void-round", "call-time", "settle-by-hand")
OTHER_PARTS = {name: {"round_id": "running"} for name in RUNNING} | {
    "retire-table": {"table_id": "empty"},
    "restore-table": {"table_id": "empty"},
    "turn-table": {"table_id": "empty"},
    "undo-at-cage": {"entry_id": "sold"},
    "take-back-at-cage": {"entry_id": "sold"},
    "undo": {"entry_id": "toke"},
    "take-back": {"entry_id": "fee"},
    "receipt": {"entry_id": "receipt"},
    "cashier-bank": {"entry_id": "bank"},
    "order-line": {"dealer_id": "comes"},
    "change-need": {"does": "take"},
    "tablet-file": {"name": "packed"},
}
NOTHING = ("places", "steps")
A_KEY = (
    *("start-clock", "withdraw-rate", "approve-correction", "pay-claim", "confirm-time", "put-back"),
    *("order-line", "who-is-it"),
    *("sit-out", "return", "cash-out", "undo", "undo-at-cage", "withdraw-reason"),
    *("retire-table", "restore-table", "staff-let-go", "staff-lift-lock"),
    *("cashier-box", "api-approve", "call-place", "place-page", "begin-count-sheet", "cancel-paper"),
)
A_REASON = (
    *("stop-clock", "call-off", "void-round", "refuse-correction", "leave-list", "left-unpaid"),
    *("withdraw-slip", "lift-exclusion", "open-withheld", "api-void"),
)
CLOSER = {"chips_100000": "50", "second_chips_100000": "50"}
TWO_PEOPLE = {**KEY, **SECOND}
REASON = {**KEY, "reason": "a card was exposed"}
TAKEN_BACK = {**TWO_PEOPLE, "reason": "it was another player"}
AMOUNT, CENTS = {**KEY, "amount": "20.00"}, {**KEY, "cents": "1000"}
PATRON = {**AMOUNT, "name": "Pat", "number": "", "known": "", "chips_500": "4"}
CHANGED = {**KEY, "chips_500": "1", "given_chips_100": "5"}
WALT = {**KEY, "number": "", "name": "Wanda", "description": "", "known": ""}
PUBLISHED = {"approval_reference": "BGC-3", "effective_from": "2026-03-08"}
PIECES = {**KEY, "chips_500": "1"}
NEW_PASSKEY = json.dumps(second_steps.made_passkey("a new one"))
FIXED = {
    **{name: {} for name in NOTHING},
    **dict.fromkeys(A_KEY, KEY),
    **dict.fromkeys(A_REASON, REASON),
    **dict.fromkeys(("take-back", "take-back-at-cage"), TAKEN_BACK),
    **dict.fromkeys(("sell-chips", "redeem-chips"), PATRON),
    "change-chips": CHANGED,
    **dict.fromkeys(("pay-at-cage", "take-cash"), CENTS),
    "pay-out-tokes": {**CENTS, "chips_500": "2", "second": "dealer", "second_pin": PIN},
    **dict.fromkeys(
        ("stock-cage", "vault-count", "drawer-take", "drawer-give-back", "drawer-close"),
        PIECES,
    ),
    "keep-replay": {**KEY, "query": f"first={DAY}&last={DAY}"},
    "keep-paper": {**KEY, "paper": "journal", "form": "pdf", "first": str(DAY), "last": str(DAY)},
    "controls": {**KEY, "first": str(DAY), "last": str(DAY)},
    "control": {**KEY, "first": str(DAY), "last": str(DAY)},
    "open-drawer": KEY,
    **dict.fromkeys(("unclaimed-count", "reserve-count"), PIECES),
    "toke": AMOUNT,
    "ask-bank": PIECES,
    **dict.fromkeys(("begin-chip-purchase", "begin-destruction"), PIECES),
    **dict.fromkeys(("begin-reserve-set", "begin-reserve-release"), PIECES),
    **{key: {**KEY, "cash_2000": "3"} for key in ("begin-cash-order", "begin-capital-out")},
    "begin-unclaimed": {**PIECES, "where": "under table 1"},
    "document": {**KEY, "step": "authorised"},
    "void-document": TAKEN_BACK,
    "terminals": {**KEY, "name": "Table 3"},
    "staff-access": {**KEY, "second": "carla", "second_pin": PIN},
    "staff-hire": {**KEY, "username": "nora", "full_name": "Nora North", "roles": ["dealer"]},
    "staff-person": {**KEY, "full_name": "Flora Two", "roles": ["floor"]},
    "count-box": {**PIECES, "step": "confirm"},
    "count-sheet": {**KEY, "pin": PIN, "second": "cora", "second_pin": PIN},
    "receive-sheet": PIECES,
    "receive-boxes": {**KEY, "place": "storage", **SECOND},
    "note-on-count-sheet": {**KEY, "kind": "told", "text": "the count begins"},
    "exclusions": {**KEY, "name": "Max", "reference": "GEGE-8", "effective_from": "2026-03-08"},
    "house-games": {**KEY, "games": ["face-up", "western"]},
    "add-table": {**KEY, "number": "91", "seat_one": "left"},
    "turn-table": {**KEY, "seat_one": "right"},
    "take-dispute": {**KEY, "what": "cards"},
    "take-complaint": {**REASON, "what": "conduct"},
    "decide-dispute": {**REASON, "outcome": "referred"},
    "change-box": TWO_PEOPLE,
    "close-day": TWO_PEOPLE,
    "close-shift": TWO_PEOPLE,
    "cashier-bank": {**KEY, "cause": "a chip rolled away"},
    "close-table": {**TWO_PEOPLE, **CLOSER},
    "count-bank": {**TWO_PEOPLE, **CLOSER},
    "pick-up": {**TWO_PEOPLE, **CLOSER, "reason": "it was counted twice"},
    "publish-rate": {**KEY, "option": "new", "limit": "7.00", "fee": "10.00", **PUBLISHED},
    "publish-reason": {**KEY, "code": "birthday", "text": "Birthday", **PUBLISHED},
    "waiting": {**WALT, "listed": "face-up-500"},
    "buy-in": {**WALT, "amount": "300.00", "source": "cash"},
    "hold-seat": {**WALT, "until": "13:00"},
    "seat-place": {**AMOUNT, "source": "cash"},
    "add-on": {**AMOUNT, "source": "cash"},
    "pay-fee": {**KEY, "method": "stack"},
    "correct-chips": {**TAKEN_BACK, "amount": "310.00", "source": "cash"},
    "change-seat": {**KEY, "seat": "4"},
    "cage-slip": {**PIECES, **SECOND},
    "chips-beyond-books": {**TAKEN_BACK, "amount": "20.00"},
    "player": {**KEY, "name": "Bobby", "description": "", "alias": ""},
    "api-check-correction": {"hands": []},
    "api-refuse": {"reason": "a card was exposed"},
    "api-rounds": KEY,
}


def step_of(username):
    return Authenticator.objects.filter(user__username=username).values_list("pk", flat=True).first() or 1


def handed_over(house):
    """Everything that waits in this house, ticked, and the PIN of who comes."""
    site = TableSession.objects.get(pk=house["session_id"]).table.site
    waits = list(enumerate(handover.to_hand_over(site, timezone.now())))
    names = {f"which_{number}": "/".join(one.which) for number, one in waits}
    return TWO_PEOPLE | names | {f"told_{number}": "on" for number, _ in waits}


def entries(house, username):
    """Return a valid entry for each URL that takes one, for this house and person."""
    playing = house["dealt"]
    hands = [{"seat": seat, **cards} for seat, cards in zip(playing, HANDS, strict=False)]
    settled = [{"seat": seat, **cards} for seat, cards in zip(house["settled"], HANDS[1:], strict=False)]
    password = {"password": f"{username} signs in"}
    new = {"new_password": "a quite new one", "again": "a quite new one"}
    elsewhere = f"{house['beside']}-4"
    return FIXED | {
        "pin": {**password, "pin": "739154", "again": "739154"},
        "password": {**password, **new},
        "first": {**new, "pin": "739154", "pin_again": "739154"},
        "mail": {**password, "email": "me@example.com"},
        "add-app": {**password, "code": second_steps.shown()},
        "add-passkey": {**password, "name": "Tablet", "credential": NEW_PASSKEY},
        "remove-step": {**password, "step": step_of(username)},
        "new-codes": password,
        "places": password,
        "staff-hire": {**FIXED["staff-hire"], **password},
        **{act: {**KEY, **password} for act in ("staff-code", "staff-reset-factors", "staff-take-back")},
        "revoke-terminal": {**KEY, "terminal": house["terminal"]},
        "tokens": {**KEY, **password, **house["bureau"]},
        "revoke-token": {**KEY, "token": house["token"]},
        "house-particulars": {**KEY, **house["particulars"]},
        "begin-deposit": {**KEY, "boxes": [house["box_id"]], "cash_2000": "3"},
        "hand-over": {**KEY, "comes": "del", "pin": PIN},
        "push-dealer": {**KEY, "comes": "del", "pin": PIN},
        "take-table": {**KEY, "pin": PIN},
        "floor-open": {
            **KEY,
            "table": house["empty"],
            "game": "face-up",
            "rate": house["rate"],
        },
        "break-table": {
            **FIXED["close-table"],
            **{f"place_{sitting}": "cash-out" for sitting in house["sittings"]},
        },
        "change-rate": {**KEY, "rate": house["rate"]},
        "handovers": handed_over(house),
        "change-need": {**KEY, "need": "correction", "subject": house["correction_id"]},
        "call-time": {**KEY, "seat": playing[0]},
        "settle-by-hand": {**REASON, **{f"winner_{one}_{other}": "0" for one, other in house["pairs"]}},
        "count-chips": {**KEY, **{f"seat_{seat}": "300.00" for seat in house["seats"]}},
        "move-up": {**KEY, "place": elsewhere},
        "seat-place": {**FIXED["seat-place"], "place": elsewhere, "amount": "300.00"},
        "move": {**KEY, "place": elsewhere},
        "must-move": {**KEY, "main": house["beside"]},
        "table-change": {**KEY, "table": house["beside"]},
        "merge-players": {**TAKEN_BACK, "stays": house["player_id"]},
        "waive-fee": {**KEY, "fee": "now", "reason": house["reason_id"]},
        "api-draft": {"version": 0, "hands": hands},
        "api-settle": {**KEY, "hands": hands},
        "api-discrepancy": {**KEY, "number": 1, "net": [], "why": "too few players"},
        "api-corrections": {**REASON, "hands": settled},
    }
