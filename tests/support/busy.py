"""A small house with rows in every table, for tests of every column."""

from dataclasses import replace
from datetime import date, timedelta
from itertools import count

from casino.demo.nights.bank import go_beyond
from casino.sign_in import terminals
from casino.staff import hiring
from ledger.cage import banks, box_custody, boxes, count_sheets, drawers, exclusions, taking_back
from ledger.cage.seals import Pulling
from ledger.cage.tokes import to_pay_out
from ledger.journal import closing
from ledger.journal.acts import Act
from ledger.journal.closing_shifts import close_shift
from ledger.journal.particulars import change_house, particulars_of
from ledger.models import Account, Site
from ledger.proof.log import sealing
from tables.collection import clock, taking, taking_back as fees_back, uncollected, waivers
from tables.floor import disputes, games, opening, tables
from tables.models import Claim
from tables.rounds import claims, matches
from tables.rounds.corrections import ask_settlement_by_hand, refuse_correction
from tables.seats import tokes
from tables.seats.chip_corrections import correct_chips
from tables.seats.player_entries import merge_players
from tables.seats.players import enter_player
from tests.support.cage import close_cage, close_drawer, pieces, sell, stock, with_drawer
from tests.support.counting import begin_sheet, enter_count, sign_sheet
from tests.support.desk import Desk
from tests.support.game import HANDS, OPENING, Game
from tests.support.race import STAKE, wins

YESTERDAY = OPENING - timedelta(days=1)
LATE = 120  # minutes after the opening
NOW = OPENING + timedelta(days=2)
"""The time of the check, long after everything."""


class BusyHouse:
    """Its site, staff and players by name, and the tables in the order of opening."""

    def __init__(self, site, people, players):
        self.site, self.people, self.players = site, people, dict(players)
        self.keys = count(1)
        self.tables = []

    def by(self, who, now, **more):
        return Act(self.people[who], now, f"busy-{next(self.keys):03}", "Desk 1", **more)

    def with_second(self, now, reason):
        return self.by("floor", now, approver=self.people["floor2"], reason=reason)

    def table(self, number, sheet, minute, *names):
        """Open a table with these players from this minute on."""
        crew = self.people["floor"], self.people["dealer"]
        table = Game(self.site, *crew, self.players, number=number, sheet=sheet, minute=minute)
        self.tables.append(table)
        table.seat(*names)
        return table

    def play(self):
        self.desk()
        self.players |= {
            name: enter_player(site=self.site, name=name, act=self.by("floor", OPENING))
            for name in ("Fay", "Gus", "Hal", "Ida")
        }
        self.corrected()
        self.agreed()
        self.raced()
        self.cage()
        self.waiting()
        sealing.seal(self.site, now=self.tables[1].now)
        return self

    # -- the manager's desk, and compliance's ------------------------------------------------------

    def desk(self):
        site, at = self.site, YESTERDAY
        two_shifts = replace(particulars_of(site), shifts=2)
        change_house(site=site, particulars=two_shifts, act=self.by("manager", at))
        for number in (11, 12):
            table = tables.write_table(site=site, number=number, act=self.by("manager", at))
        tables.retire_table(table_id=table.pk, act=self.by("manager", at))
        offered = [sheet.code for sheet in games.offered_games(site) if sheet.code != "zaarly"][1:]
        games.choose_games(site=site, codes={*offered, "face-up"}, act=self.by("manager", at))
        for code in ("equipment", "gone-by"):
            reason = waivers.publish_waiver_reason(
                site=site,
                code=code,
                text=f"Because of {code}",
                approval_reference="BGC-7",
                effective_from=date(2026, 1, 1),
                act=self.by("manager", at),
            )
        waivers.withdraw_waiver_reason(reason_id=reason.pk, act=self.by("manager", at))
        for name in ("Mo", "Flo"):
            said = {"name": name, "number": f"9-{name}", "reference": "list 4", "effective_from": at.date()}
            listed = exclusions.add_exclusion(site=site, **said, act=self.by("compliance", at))
        appealed = self.by("compliance", at, reason="an appeal was granted")
        exclusions.lift_exclusion(exclusion_id=listed.pk, act=appealed)
        for name in ("Table 1", "Cage 1"):
            terminals.enrol(name=name, act=self.by("manager", at))
        last = terminals.Terminal.objects.get(name="Cage 1")
        terminals.revoke(terminal_id=last.pk, act=self.by("manager", at))
        hiring.hire(
            username="newcomer",
            full_name="Nell Newcomer",
            badge="B-17",
            badge_expires=date(2027, 1, 1),
            roles=frozenset(["dealer"]),
            act=self.by("manager", at),
        )
        complaint = disputes.take_dispute(
            site=site, what="conduct", act=self.by("floor", at, reason="the floor was slow")
        )
        why = self.by("floor2", at, reason="a second floor person comes on Fridays")
        disputes.decide_dispute(dispute=complaint, outcome="upheld", told=True, act=why)
        twice = enter_player(site=site, name="Anna", number="77", act=self.by("floor", at))
        into = self.players["Ann"].pk
        merge_players(merged_id=twice.pk, into_id=into, act=self.with_second(at, "one licence"))
        close_cage(site, OPENING)
        two = {"approver": self.people["floor"]}
        close_shift(site=site, day=at.date(), number=1, act=self.by("cashier", OPENING, **two))
        closing.close_day(site=site, day=at.date(), act=self.by("cashier", OPENING, **two))

    # -- at the tables -----------------------------------------------------------------------------

    def corrected(self):
        """Corrections and fees of every kind, a stopped clock, a changed box, and the closing."""
        table = self.table(1, "face-up", 0, "Ann", "Bob", "Cat", "Dan", "Eve")
        session, floor2 = table.session.pk, self.people["floor2"]
        first = table.play(in_cash=[4])
        second = table.minute(5).play(HANDS[::-1])
        table.void(table.start())
        table.minute(10).cash_out(2)
        disputed = disputes.take_dispute(
            site=self.site,
            session=table.session,
            round_=first,
            seats=[1, 3],
            what="cards",
            act=self.by("floor", table.now, reason="seat 3 had a flush"),
        )
        table.approve(table.ask(first, HANDS[::-1]), actor=floor2)
        seen = self.by("floor2", table.now, reason="the camera shows the flush")
        disputes.decide_dispute(dispute=disputed, outcome="corrected", told=True, act=seen)
        refused = table.ask(second, HANDS)
        reason = "the camera shows it"
        refuse_correction(request_id=refused.pk, act=self.by("floor2", table.now, reason=reason))
        claims.mark_paid(claim_id=Claim.objects.order_by("pk")[0].pk, act=self.by("floor", table.now))
        table.approve(self.by_points(table, table.minute(15).start()), actor=floor2)
        overtaken = table.start()
        self.by_points(table, overtaken)
        table.settle(overtaken)
        table.approve(table.ask(overtaken, HANDS[::-1]), actor=floor2)
        why = "a light went out"
        clock.stop_clock(session_id=session, act=self.by("floor", table.minute(20).now, reason=why))
        clock.start_clock(session_id=session, act=self.by("floor", table.minute(25).now))
        self.fees(table)
        opening.change_box(session_id=session, second=self.people["dealer"], act=self.by("floor", table.now))
        for seat in table.stacks():
            table.cash_out(seat)
        bought = self.site.entries.filter(kind="buy_in").order_by("pk")[0]
        correct_chips(
            entry=bought,
            cents=35_000,
            source="cash",
            act=self.with_second(table.now, "he had brought seventy points"),
        )
        table.close(floor2, chips_over=-500)
        banks.sign_off_bank(
            site=self.site,
            entry_id=self.site.entries.get(kind="bank_count").pk,
            cause="a chip rolled away",
            act=self.by("cashier", table.now, approver=self.people["manager"]),
        )

    def by_points(self, table, round_):
        seats = sorted({hand.seat for hand in round_.hands.all()})
        points = [(one, other, one - 2) for one in seats for other in seats if one < other]
        act = self.by("floor", table.now, reason="the cards were mucked")
        return ask_settlement_by_hand(round_id=round_.pk, points=points, act=act)

    def fees(self, table):
        """One fee paid, taken back and paid again, one waived, one left unpaid and recovered."""
        (paid,) = table.minute(46).pay(1)
        act = self.with_second(table.now, "it was somebody else who paid")
        fees_back.take_back_fee(payment_id=paid.pk, act=act)
        table.pay(1)
        reason = waivers.reasons_in_force(self.site, table.now)[0]
        act = self.by("floor", table.now)
        waivers.waive_fee(sitting_id=table.sitting(3).pk, reason=reason, act=act)
        leaving = table.sitting(4)
        cents = leaving.stack.balance_cents - 500
        tokes.give_toke(sitting_id=leaving.pk, cents=cents, act=self.by("dealer", table.now))
        table.play(HANDS[:3])
        act = self.by("floor", table.now, reason="went home without a word")
        uncollected.declare_uncollected(sitting_id=leaving.pk, act=act)
        table.cash_out(4)
        act = self.by("cashier", table.minute(50).now)
        with_drawer(self.site, act.actor, act.now)
        taking.pay_fees(sitting_id=leaving.pk, method="cage", act=act)

    def agreed(self):
        """Stakes of two players, kept hands, a move; a stopped clock, an announced rate, an open request."""
        table = self.table(2, "western", LATE, "Ann", "Bob")
        table.play(HANDS[:2])
        table.settle(table.start(reserved=True), HANDS[2:])
        beside = self.table(3, "pokerlistings", LATE, "Cat", "Dan", "Eve")
        beside.play(HANDS[:3], pair_stakes={(1, 3): 1000})
        beside.move(1, table, 4, ordered=True)
        table.minute(LATE + 5).sit_out(4)
        table.announce(beside.rate, 200 * table.limit)
        table.ask(table.session.rounds.get(number=1), HANDS[1::-1])
        beside.start()
        beside.minute(LATE + 5)
        why = "the shuffler jammed"
        clock.stop_clock(session_id=table.session.pk, act=self.by("floor", table.now, reason=why))

    def raced(self):
        table = self.table(4, "first-to-11", LATE, "Fay", "Gus")
        for _ in range(4):
            wins(table, 1, stake=None if table.session.matches.exists() else STAKE)
        wins(table, 2, stake=STAKE)
        act = self.by("floor", table.now, reason="too late")
        matches.call_off(session_id=table.session.pk, act=act)

    # -- the cage, and the lists -------------------------------------------------------------------

    def cage(self):
        """Boxes counted and signed off; chips sold, and the sale undone."""
        at = self.tables[0].minute(LATE).now
        pulled = self.site.boxes.filter(pulled_at__isnull=False).select_related("chips", "cash")
        brought = self.by("counter1", at, approver=pulled[0].pulled_by)
        box_custody.receive_box(box=pulled[0], place="count_room", read=Pulling(), act=brought)
        sheet = begin_sheet(pulled[0], self.people["counter1"], at)
        told = {"kind": "told", "text": "the count begins"}
        count_sheets.note_on_sheet(sheet=sheet, **told, act=self.by("counter1", at))
        for box in pulled:
            short = min(500, box.chips.balance_cents)
            found = {"chips": box.chips.balance_cents - short, "cash": box.cash.balance_cents}
            for who in ("counter1", "counter2"):
                enter_count(box, self.people[who], at, **found)
        sign_sheet(box, (self.people["counter1"], self.people["counter2"]), at, miscounts=True)
        for box in self.site.boxes.filter(pulled_at__isnull=False).select_related("chips"):
            cause = "a chip is missing" if box.chips.balance_cents else ""
            boxes.sign_off(box=box, cause=cause, act=self.by("cashier", at))
        go_beyond(site=self.site, at=at, prefix="busy", apart=timedelta(0))
        with_drawer(self.site, self.people["cashier"], at)
        for lying in to_pay_out(self.site):
            act = self.by("cashier", at, approver=lying.dealer)
            chips = pieces(self.site, chips=lying.cents)
            tokes.pay_out_tokes(site=self.site, dealer=lying.dealer, cents=lying.cents, pieces=chips, act=act)
        sold = sell(site=self.site, cents=500, act=self.by("cashier", at))
        second = {"approver": self.people["floor"], "reason": "the player left without them"}
        taking_back.take_back_at_window(entry=sold, act=self.by("cashier", at, **second))
        self.drawer(at)

    def drawer(self, at):
        """Some of the drawer goes back, the rest is counted a dollar short, and a manager signs that."""
        drawer = drawers.drawer_of(self.site, self.people["cashier"])
        by = {"by": self.people["cashier"], "second": self.people["floor"], "now": at}
        stock(self.site, cash=1_000, way="from_drawer", drawer=drawer, key="from the drawer", **by)
        chips, cash = (Account.objects.get(pk=pk).balance_cents for pk in (drawer.chips_id, drawer.cash_id))
        closed = close_drawer(drawer, chips=chips, cash=cash - 100, **by)
        said = {"cause": "not found", "evidence": "clip 12"}
        banks.sign_off_bank(site=self.site, entry_id=closed.pk, **said, act=self.by("manager", at))

    def waiting(self):
        beside = self.tables[2]
        desk = Desk(beside)
        listed = {"game": "pokerlistings"}
        desk.join("Hal", **listed)
        desk.call(desk.join("Ida", **listed), beside, 4)
        desk.leave(desk.join("Joe", **listed))
        desk.hold(beside, 5, "Kay")


def play(site, people, players):
    return BusyHouse(Site.objects.get(pk=site.pk), people, players).play()
