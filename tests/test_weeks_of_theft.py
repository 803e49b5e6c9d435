"""Nights with mistakes and thefts in them: the over/short of each day, and its reconciliation, name the place
where something is missing, with its cause, and nothing else; both verifiers find the books right, whatever is
missing. What the house has exported says the same to a stranger, and a line that is gone from it is named."""

import csv
import io
import random
import subprocess
import sys
from datetime import date, timedelta

import pytest

from ledger.cage import banks as differences, boxes, documents, drawers, taking_back
from ledger.journal import closing
from ledger.journal.acts import Act
from ledger.journal.bank_differences import bank_differences
from ledger.proof.audit.export.verdict import verify_bundle
from ledger.proof.log import exporting, sealing, verifying
from ledger.rules.denominations import Pieces
from tables.audit import main as judge
from tables.floor import banks
from tests.support.cage import close_drawer, count_vault, give_drawer, redeem
from tests.support.changed_exports import members_of, packed
from tests.support.counting import count_box, enter_count, sign_sheet
from tests.support.game import FULL_HOUSE, PLAIN, QUEENS, Game
from tests.support.lengths import LONG

FIRST = date(2026, 3, 7)
DAY, MORNING = 24 * 60, 17 * 60 + 6
"""Minutes of a day, and from the opening to when its day can be closed."""
RACK, FEW = 50_000, 500
LARGE = 100  # dollars from which a difference has its evidence
WEEKS = 6 if LONG else 1
PAPER = "over_short.csv"
PAPERS = (PAPER, "reconciliation.csv", "exceptions.csv")


class Night:
    """A table of two players from its opening to its closed day. What goes wrong sets what is missing where,
    in cents, as people then count it: below zero if somebody has taken it."""

    def __init__(self, site, people, players, number):
        self.site, self.people, self.number = site, people, number
        self.day = FIRST + timedelta(days=number)
        self.missing = dict.fromkeys(("drop_box", "table_bank", "vault"), 0)
        self.in_drawers = {}
        self.expected = []
        self.afterwards = []
        self.round_corrected = False
        minute = number * DAY
        self.game = Game(site, people["floor"], people["dealer"], players, number=number + 1, minute=minute)
        self.drawer(people["cashier"])
        self.game.seat("Ann", "Bob")
        self.round = self.game.play()

    @property
    def cause(self):
        return f"Missing in night {self.number}"

    @property
    def now(self):
        return self.game.now

    def act(self, who, second=None, **more):
        second = self.people[second] if second else None
        return Act(actor=self.people[who], approver=second, now=self.now, key=self.game.key(), **more)

    def drawer(self, cashier):
        """Return the drawer that this cashier works from; one is opened at need."""
        found = drawers.drawer_of(self.site, cashier)
        key = f"drawer of {cashier} in night {self.number}"
        by = {"by": cashier, "second": self.people["floor"], "now": self.now, "key": key}
        return found or give_drawer(self.site, chips=500_000, cash=500_000, **by)

    def expect(self, place, cents):
        """Say that so much is found over or short in a place of this day, and nothing is in another."""
        self.expected.append((str(self.day), place, cents))

    def takes(self, place, cents):
        """Somebody takes so much out of a place, past the books."""
        self.missing[place] -= cents
        self.expect(place, -cents)

    def end(self):
        """Everybody leaves; all is counted, each difference signed off with its cause, the day closed."""
        game = self.game.minute(self.number * DAY + 60)
        for seat in (1, 2):
            game.cash_out(seat)
        redeem(site=self.site, cents=20_000, act=self.act("cashier"))
        game.close(self.people["floor2"], chips_over=self.missing["table_bank"])
        self.count_box(game.minute(self.number * DAY + 90).session.box)
        for happens in self.afterwards:
            happens()
        for drawer in drawers.open_drawers(self.site):
            chips, cash = self.in_drawers.get(drawer.cashier.username, (0, 0))
            held = {"chips": drawer.chips.balance_cents + chips, "cash": drawer.cash.balance_cents + cash}
            by = {"by": drawer.cashier, "second": self.people["floor"], "now": self.now, "key": game.key()}
            close_drawer(drawer, **held, **by)
        count_vault(self.site, self.now, chips=self.missing["vault"])
        for one in bank_differences(self.site, bank_sign_off=None):
            act = self.act("cashier2", "manager")
            if self.people["cashier2"].pk in one.barred:
                act = self.act("manager", "cashier")
            signed = {"cause": self.cause, "evidence": f"clip {self.number}"}
            differences.sign_off_bank(site=self.site, entry_id=one.entry.pk, **signed, act=act)
        game.minute(self.number * DAY + MORNING)
        closing.close_day(site=self.site, day=self.day, act=self.act("cashier", "floor"))

    def count_box(self, box):
        counters = self.people["counter1"], self.people["counter2"]
        box.refresh_from_db()
        found = {"chips": box.chips.balance_cents + self.missing["drop_box"], "cash": box.cash.balance_cents}
        count_box(box, counters, self.now, **found)
        cause = self.cause if self.missing["drop_box"] else ""
        boxes.sign_off(box=box, cause=cause, act=self.act("cashier", "manager" if cause else None))


def nothing(night):
    pass


def box_is_short(night):
    """Somebody fishes a chip out of the drop box."""
    night.takes("drop_box", FEW)


def bank_is_short_by_a_rack(night):
    night.takes("table_bank", RACK)


def vault_is_short(night):
    night.takes("vault", RACK)


def counters_misread_a_chip(night):
    """One of them first reads the box otherwise; their second counts agree, and nothing is missing."""
    counters = night.people["counter1"], night.people["counter2"]

    def count(box):
        box.refresh_from_db()
        enter_count(box, counters[0], night.now, chips=box.chips.balance_cents + FEW)
        for counter in (counters[1], *counters):
            enter_count(box, counter, night.now)
        sign_sheet(box, counters, night.now)
        boxes.sign_off(box=box, cause="", act=night.act("cashier"))

    night.count_box = count


def redemption_is_wrong_and_taken_back(night):
    night.game.sell(30_000, night.people["cashier"])
    entry = redeem(site=night.site, cents=30_000, act=night.act("cashier"))
    act = night.act("cashier", "floor", reason="They were another house's chips.")
    taking_back.take_back_at_window(entry=entry, act=act)


def redemption_is_invented(night):
    """The cashier takes cash for chips that nobody brought, while patrons hold as many."""
    night.game.sell(30_000, night.people["cashier"])
    redeem(site=night.site, cents=30_000, act=night.act("cashier"))
    night.in_drawers["cashier"] = (-30_000, 0)
    night.expect("drawer", -30_000)


def fill_is_voided(night):
    """A fill is asked for at the wrong table, and voided by two before anything leaves the vault."""
    asked = Pieces(chips={500: 100})
    document = banks.ask(session_id=night.game.session.pk, kind="fill", pieces=asked, act=night.act("dealer"))
    void = night.act("floor", "dealer", reason="It was another table.")
    banks.take_step(document=document, step="voided", act=void)


def fill_arrives(night, sent, came, *receivers, **shown):
    """The floor and the dealer ask for a fill, a cashier sends it, and two receive something else."""
    session = night.game.session.pk
    document = banks.ask(
        session_id=session, kind="fill", pieces=sent, dealer=night.game.dealer, act=night.act("floor")
    )
    banks.take_step(document=document, step="sent", act=night.act("cashier"))
    counted = night.act(*receivers, reason=night.cause, **shown)
    banks.take_step(document=document, step="received", pieces=came, act=counted)
    night.expect("fill", came.chips_cents - sent.chips_cents)


def fill_arrives_short(night):
    """A chip is missing when the dealer counts what was sent, and stays so."""
    fill_arrives(night, Pieces(chips={500: 100}), Pieces(chips={500: 99}), "floor", "floor2")


def fill_of_a_rack_arrives_as_a_chip(night):
    """The dealer takes it; a manager who had nothing to do with it looks at the camera, and signs."""
    shown = {"evidence": f"clip {night.number}"}
    fill_arrives(night, Pieces(chips={500: 1000}), Pieces(chips={50: 1}), "dealer", "manager", **shown)


def deposit_is_short_at_the_bank(night):
    """The carrier takes a note on the way; the bank's slip says so."""
    night.game.minute(night.number * DAY + 41).play(in_cash=[1, 2])

    def deposit():
        box = night.game.session.box
        box.sign_off.refresh_from_db()
        held = Pieces(cash={100: box.sign_off.counted_cash // 100})
        asked = {"site": night.site, "kind": "deposit", "pieces": held, "boxes": [box.pk]}
        document = documents.begin(**asked, act=night.act("cashier"))
        documents.take(document=document, step="authorised", act=night.act("floor"))
        documents.take(document=document, step="sent", reference="Carl", act=night.act("cashier"))
        came, act = Pieces(cash={100: held.cash[100] - 5}), night.act("manager", "floor2", reason=night.cause)
        documents.take(document=document, step="received", pieces=came, reference="slip 7", act=act)

    night.afterwards.append(deposit)
    night.expect("deposit", -500)


def round_is_corrected(night):
    """Two hands had been entered the wrong way round; it is corrected while both still sit there."""
    asked = night.game.ask(night.round, [FULL_HOUSE, QUEENS, PLAIN][:2])
    night.game.approve(asked, actor=night.people["floor2"])
    night.round_corrected = True


def round_is_corrected_late(night):
    """The same, after the table has closed and before the day is."""
    night.afterwards.append(lambda: round_is_corrected(night))


def drawer_lends_to_another(night):
    """One cashier hands another $300 across the window, and neither writes it down."""
    night.drawer(night.people["cashier2"])
    night.in_drawers |= {"cashier": (0, -30_000), "cashier2": (0, 30_000)}
    night.expect("drawer", -30_000)
    night.expect("drawer", 30_000)


MISCHIEF = (
    *(box_is_short, counters_misread_a_chip, redemption_is_wrong_and_taken_back, redemption_is_invented),
    *(fill_is_voided, fill_arrives_short, bank_is_short_by_a_rack, vault_is_short, drawer_lends_to_another),
    *(fill_of_a_rack_arrives_as_a_chip, deposit_is_short_at_the_bank),
    *(round_is_corrected, round_is_corrected_late, nothing),
)


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(WEEKS))
def test_what_is_missing_is_named_with_its_cause_and_nothing_else(
    seed, tmp_path, stocked_site, floor, floor2, dealer, cashier, counter1, counter2, manager, employ, players
):
    people = {"floor": floor, "floor2": floor2, "dealer": dealer, "cashier": cashier, "manager": manager}
    people |= {"counter1": counter1, "counter2": counter2, "cashier2": employ("cashier2", "cashier")}
    nights = random.Random(seed).sample(MISCHIEF, len(MISCHIEF))
    every, expected = [], []
    for number, happens in enumerate(nights):
        night = Night(stocked_site, people, players, number)
        happens(night)
        night.end()
        every.append(night)
        expected += night.expected
    lines, reconciled, exceptions = papers_of(stocked_site, night.now)
    for paper in (lines, reconciled):
        assert sorted(found(paper)) == sorted(expected)
        for line in paper:
            number = (date.fromisoformat(line["gaming_day"]) - FIRST).days
            missing = line["over_short"] != "0.00"
            assert line["cause"] == (f"Missing in night {number}" if missing else ""), line
            large = abs(float(line["over_short"])) >= LARGE
            shown = line.get("evidence", "not in this paper"), line["signed_by"], line["second"]
            assert not large or all(shown), line
    corrected = [str(one.day) for one in every if one.round_corrected]
    told = {line["gaming_day"] for line in exceptions if line["kind"] == "correction"}
    assert sorted(told) == corrected
    sealing.seal(stocked_site, now=night.now, whole=True)
    assert [str(one) for one in verifying.Verification(stocked_site).run()] == []

    export = exported(stocked_site, night, tmp_path)
    assert judged_by_a_stranger(export) == (0, lines, reconciled, exceptions)
    causes = sorted({line["cause"] for line in lines if line["cause"]})
    for cause in causes if LONG else causes[:1]:
        assert judged_without(export, cause) == ["paper_differs"]


def papers_of(site, now):
    """Return the lines of the papers of over and short, of reconciliation, without their sums, and of
    exceptions."""
    with exporting.papers_taken(site, (FIRST, None), now=now) as taken:
        return [lines_of(taken.files[name].read()) for name in PAPERS]


def lines_of(paper):
    return [line for line in csv.DictReader(io.StringIO(paper.decode())) if line.get("entry", "none here")]


def exported(site, night, folder):
    """The house hands all of it out; return the file."""
    export = folder / "export.zip"
    with export.open("wb") as out:
        exporting.export(out, site=site, act=night.act("manager"))
    return export


def judged_by_a_stranger(export):
    """Run the export's own verifier in plain Python; return its status, and the lines of the papers that it
    made again from the records and found the same."""
    members = members_of(export.read_bytes())
    verifier = export.with_name("verify.pyz")
    verifier.write_bytes(members["verify.pyz"])
    command = [sys.executable, "-I", "-S", verifier, export]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout[-2000:], done.stderr[-2000:])
    return done.returncode, *(lines_of(members[f"papers/{name}"]) for name in PAPERS)


def judged_without(export, cause):
    """Return what the judge finds once the line of this cause is gone from the paper of over and short."""
    members = members_of(export.read_bytes())
    lines = members[f"papers/{PAPER}"].splitlines(keepends=True)
    members[f"papers/{PAPER}"] = b"".join(line for line in lines if cause.encode() not in line)
    changed = export.with_name("changed.zip")
    changed.write_bytes(packed(members))
    return [finding.code for finding in verify_bundle(changed, checks=judge.checks).findings]


def found(lines):
    for line in lines:
        if line["over_short"] != "0.00":
            yield line["gaming_day"], line["what"], round(float(line["over_short"]) * 100)
