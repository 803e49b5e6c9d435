"""A closed day is one thing, wherever it is read: on the portal, in its saved papers,
in its own export and in the whole log's."""

import csv
import io
import json
import random
import zipfile
from collections import Counter
from datetime import timedelta
from decimal import Decimal

import pytest

from casino.models import Staff
from casino.sign_in import noting
from ledger.journal.acts import Act
from ledger.models import ClosedDay, Transfer
from ledger.papers.books import ClosingBalancesPaper, StaffPaper
from ledger.papers.controls import ControlsPaper
from ledger.papers.paper import names_of
from ledger.proof.audit.export.verdict import Brought, verify_bundle
from ledger.proof.log import exporting, sealing
from ledger.reports import journal_csv
from tables.audit.main import FromFirstRecord
from tables.audit.reconciling import RECONCILIATION
from tables.audit.table_papers import RatesPaper
from tables.log.paper_files import folder_of, write_papers
from tables.reports import day_reconciliation
from tables.reports.reconciliation import collections_of
from tests.support.acting import acting
from tests.support.days import ACTS, DAY, NEXT, SIX, House, act
from tests.support.lengths import CLOSED_NIGHTS
from tests.support.made_up import adds_up

HONEST = (*(what for what in ACTS if what != "poor"), "toke")
"""What happens at the tables, without stacks that are set behind the books."""


def played(house, rng):
    """Two gaming days at two tables, each counted and closed in the next one, with play before,
    between and after.

    Returns the checkpoint that was handed out in the first hour.
    """
    game, minute = house.game, SIX - 120
    house.minute(minute)
    game.seat("Ann", "Bob", "Cat")
    game.play()
    sealing.seal(game.site, now=game.now)
    held = acting(exporting.take_checkpoint, site=game.site, now=game.now)
    for day, six in ((DAY, SIX), (NEXT, SIX + 24 * 60)):
        owe_here_and_pay_there(house, six - 110)
        for seat in (1, 2, 3):
            act(house, "come", seat)
        for what in ("add on", "leave", "come"):
            act(house, what, 1)
        for at in range(six - 50, six + rng.randint(10, 60), rng.randint(4, 14)):
            minute = max(minute, at)
            house.minute(minute)
            act(house, rng.choice(HONEST), rng.randint(1, 5), rng.choice(house.games))
        minute = max(minute, six) + rng.randint(15, 40)
        house.end_the_day(minute, day)
        rename(game.dealer, f"Dealer who was Dora until {day}", Act(game.floor, game.now))
    house.minute(minute + 10)
    for there in house.games:
        for seat in range(1, 6):
            act(house, "pay cash", seat, there)
        act(house, "play", 1, there)
    return held.note.encode()


def rename(person, name, act):
    with noting.acting(act):
        person = Staff.objects.get(pk=person.pk)
        person.full_name = name
        person.save()


def owe_here_and_pay_there(house, minute):
    """Dan gives nearly all chips away, leaves with a fee unpaid, and pays it at the other table."""
    here, there = house.games
    house.minute(minute)
    for seat in (1, 2, 4):  # whoever sits there comes here
        for game, what in ((there, "leave"), (here, "leave"), (here, "come")):
            act(house, what, seat, game)
    for what, later in (("toke", 1), ("play", 45), ("toke", 46), ("leave", 47)):
        house.minute(minute + later)
        act(house, what, 4)
    act(house, "come", 4, there)
    act(house, "pay stack", 4, there)


def export_of(game, tmp_path, held, days):
    """The papers of an export by name, after its verifier has found it right,
    and complete if its days are closed."""
    path = tmp_path / "export.zip"
    with path.open("wb") as out:
        acting(exporting.export, out, site=game.site, wanted=exporting.Wanted(days, held), now=game.now)
    verdict = verify_bundle(
        path, checks=lambda sheets: [FromFirstRecord(sheets)], brought=Brought(held=[held])
    )
    assert verdict.findings == []
    assert days == exporting.EVERY_DAY or verdict.incomplete == []
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(f"papers/{name}").splitlines() for name in names_of(players=False)}


def register_of(game, day):
    return b"".join(journal_csv.staff_blocks(game.site, day)).splitlines()


def of_day(lines, day):
    return [lines[0], *(line for line in lines if line.startswith(str(day).encode()))]


def without_balances(lines):
    return [line.rpartition(b",")[0] for line in lines]


def table(lines):
    return list(csv.DictReader(io.StringIO("\n".join(line.decode() for line in lines))))


def balances_in(lines):
    """What closing_balances.csv says that each account holds; the sum of each asset is zero."""
    found = {line["account"]: cents(line["balance"]) for line in table(lines)}
    assert found.pop("") == 0
    return {int(account): held for account, held in found.items()}


def added_up(site, day):
    """The same, of every transfer that was ever dated in this day or before it."""
    held = Counter()
    for one in Transfer.objects.filter(entry__site=site, entry__gaming_day__lte=day):
        held[one.target_id] += one.cents
        held[one.source_id] -= one.cents
    return {account: balance for account, balance in held.items() if balance}


KINDS = {"buy_in", "cash_out", "collection", "round", "drop"}
"""What each day has to have had to be worth comparing."""


def cents(text):
    return int(Decimal(text or 0) * 100)


def taken(lines):
    """What collections.csv says was taken, by method, and which recoveries it lists."""
    ways = Counter()
    for line in lines:
        if line["taken_by"] in ("stack", "cash", "cage"):
            ways[line["taken_by"]] += cents(line["amount"])
    return +ways, sorted(int(line["recovery"]) for line in lines if line["recovery"])


def taken_at_tables(own):
    """The same, as the master report and the details of downs have it."""
    ways = Counter()
    for line in table(own["master.csv"]):
        ways += Counter({way: cents(line[f"fees_{way}"]) for way in ("stack", "cash", "cage")})
    return ways


def shown_as_taken(site, day):
    """The same, as the portal's page of the day has it."""
    page = collections_of(site, day)
    ways = Counter({way: getattr(page.sums, f"{way}_cents") for way in ("stack", "cash", "cage")})
    for late in page.late:
        ways[str(late.method)] += late.charge.cents
    return +ways, sorted(one.number for one in page.recoveries)


@pytest.mark.parametrize("seed", range(CLOSED_NIGHTS))
def test_a_closed_day_is_the_same_on_the_portal_in_its_papers_and_in_every_export(
    game, beside, cashier, counter1, counter2, tmp_path, seed
):
    held = played(House(game, cashier, counter1, counter2, beside), random.Random(seed))
    write_papers(game.site, tmp_path / "papers", game.now + timedelta(days=1))
    whole = export_of(game, tmp_path, held, exporting.EVERY_DAY)
    both = export_of(game, tmp_path, held, (DAY, NEXT))
    to_now, to_the_next = whole.pop(StaffPaper.name), both.pop(StaffPaper.name)
    rates = whole.pop(RatesPaper.name)
    assert both.pop(RatesPaper.name) == rates
    for of_more_days in (whole, both):
        del of_more_days[ControlsPaper.name]
    assert to_now == register_of(game, NEXT + timedelta(days=1)) != to_the_next
    recovered = []
    for day in (DAY, NEXT):
        own = export_of(game, tmp_path, held, (day, day))
        saved = folder_of(tmp_path / "papers", game.site) / str(day)
        closed = ClosedDay.objects.get(gaming_day=day)
        for name, portal in (
            ("journal.csv", journal_csv.blocks(game.site, day)),
            (StaffPaper.name, journal_csv.staff_blocks(game.site, day)),
            (ClosingBalancesPaper.name, journal_csv.closing_blocks(closed)),
            (RECONCILIATION, day_reconciliation.blocks(game.site, day, closed.closed_at)),
        ):
            assert b"".join(portal).splitlines() == own[name]
        sessions = {path.name for path in saved.glob("table-*-session-*.csv")}
        assert {path.name for path in saved.iterdir()} - sessions == {name.replace("_", "-") for name in own}
        for name, lines in own.items():
            assert (saved / name.replace("_", "-")).read_bytes().splitlines() == lines
        assert balances_in(own[ClosingBalancesPaper.name]) == added_up(game.site, day)
        assert (own.pop(StaffPaper.name) == to_the_next) == (day == NEXT)
        assert own.pop(RatesPaper.name) == rates
        del own[ControlsPaper.name]
        listed = table(own["collections.csv"])
        assert taken_at_tables(own) == taken(listed)[0]
        detail = {line["charge"]: cents(line["paid"]) for line in table(own["down_detail.csv"])}
        assert detail == {
            charge: taken([one for one in listed if one["charge"] == charge])[0].total() for charge in detail
        }
        boxes = [line for line in table(own[RECONCILIATION]) if line["what"] == "drop_box"]
        assert boxes
        assert all(map(adds_up, boxes))
        shown = table(own["journal.csv"])
        assert taken(table(own["collections.csv"])) == shown_as_taken(game.site, day)
        recovered += shown_as_taken(game.site, day)[1]
        assert {line["kind"] for line in shown} >= KINDS
        sums = {}
        for line in table(own["trial_balance.csv"]):
            ways = {way: cents(line[way]) for way in ("in", "out")}
            sums.setdefault(line["account_kind"], {})[line["asset"]] = ways
        assert sums == json.loads(closed.totals)
        own["trial_balance.csv"] = without_balances(own["trial_balance.csv"])
        for other in (whole, both):
            kept = {name: of_day(lines, day) for name, lines in other.items()}
            kept["trial_balance.csv"] = without_balances(kept["trial_balance.csv"])
            assert own == kept
    assert recovered, "nobody paid a fee at another table than it fell due at"
