"""A closed day is one thing, wherever it is read: on the portal, in its saved papers, in its own export and in the whole log's."""

import csv
import io
import json
import random
import zipfile
from collections import Counter
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from casino.models import Staff
from ledger.audit.export.papers import NAMES
from ledger.audit.export.verdict import Brought, verify_bundle
from ledger.log import exporting, sealing
from ledger.models import Account, ClosedDay
from ledger.reports import journal_csv
from tables.audit.main import FromFirstRecord
from tables.reports.paper_files import folder_of, write_papers
from tables.reports.reconciliation import collections_of
from tests.support.acting import acting
from tests.support.days import ACTS, DAY, NEXT, SIX, House, act
from tests.support.lengths import CLOSED_NIGHTS

HONEST = tuple(what for what in ACTS if what != "poor")
"""What happens at the table, without stacks that are set behind the books."""


def played(house, rng):
    """Two gaming days at one table, each counted and closed in the next one, with play before, between and after.

    Returns the checkpoint that was handed out in the first hour.
    """
    game, minute = house.game, SIX - 60
    game.minute(minute).seat("Ann", "Bob", "Cat")
    game.play()
    sealing.seal(game.site, now=game.now)
    held = acting(exporting.take_checkpoint, site=game.site, now=game.now)
    for day, six in ((DAY, SIX), (NEXT, SIX + 24 * 60)):
        for seat in (1, 2, 3):
            act(house, "come", seat)
        for what in ("add on", "leave", "come"):
            act(house, what, 1)
        for at in range(six - 50, six + rng.randint(10, 60), rng.randint(4, 14)):
            minute = max(minute, at)
            game.minute(minute)
            act(house, rng.choice(HONEST), rng.randint(1, 5))
        minute = max(minute, six) + rng.randint(15, 40)
        house.end_the_day(minute, day)
    game.minute(minute + 10)
    for seat in range(1, 6):
        act(house, "pay cash", seat)
    act(house, "play", 1)
    return held.note.encode()


def export_of(game, tmp_path, held, days):
    """The papers of an export by name, after its verifier has found it right, and complete if its days are closed."""
    path = tmp_path / "export.zip"
    with path.open("wb") as out:
        acting(exporting.export, out, site=game.site, days=days, since=held, now=game.now)
    verdict = verify_bundle(
        path, checks=lambda sheets: [FromFirstRecord(sheets)], brought=Brought(held=[held])
    )
    assert verdict.findings == []
    assert days == exporting.EVERY_DAY or verdict.incomplete == []
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(f"papers/{name}").splitlines() for name in NAMES}


def of_day(lines, day):
    return [lines[0], *(line for line in lines if line.startswith(str(day).encode()))]


def without_balances(lines):
    return [line.rpartition(b",")[0] for line in lines]


def table(lines):
    return list(csv.DictReader(io.StringIO("\n".join(line.decode() for line in lines))))


SAME = ("entry", "kind", "key", "asset", "reason", "reverses", "gaming_day")
KINDS = {"add_on", "buy_in", "cash_out", "collection", "round", "drop"}
"""What each day has to have had to be worth comparing."""


def cents(text):
    return int(Decimal(text or 0) * 100)


def line_of(line, source, target, people, accounts):
    """A line of a journal, whichever wrote it: `people` and `accounts` say what its names stand for."""
    return {
        **{name: line[name] for name in SAME},
        **{name: people.get(line[name], line[name]) for name in ("actor", "approver")},
        **{name: datetime.fromisoformat(line[name]) for name in ("occurred_at", "recorded_at")},
        "amount": cents(line["amount"]),
        "ends": [(line[f"{end}_kind"], accounts.get(line[end], line[end])) for end in (source, target)],
    }


def as_portal(line):
    return line_of(line, "source", "target", {}, {})


def as_export(line):
    """Exports name nobody: people and accounts are numbers there."""
    people = {str(pk): name for pk, name in Staff.objects.values_list("pk", "username")}
    accounts = {str(pk): label for pk, label in Account.objects.values_list("pk", "label")}
    return line_of(line, "from", "to", people, accounts)


def taken(lines):
    """What collections.csv says was taken, by method, and which recoveries it lists."""
    ways = Counter()
    for line in lines:
        if line["taken_by"] in ("stack", "cash", "cage"):
            ways[line["taken_by"]] += cents(line["amount"])
    return +ways, sorted(int(line["recovery"]) for line in lines if line["recovery"])


def shown_as_taken(site, day):
    """The same, as the portal's page of the day has it."""
    page = collections_of(site, day)
    ways = Counter({way: getattr(page.sums, f"{way}_cents") for way in ("stack", "cash", "cage")})
    for late in page.late:
        ways[str(late.method)] += late.charge.cents
    return +ways, sorted(one.number for one in page.recoveries)


@pytest.mark.parametrize("seed", range(CLOSED_NIGHTS))
def test_a_closed_day_is_the_same_on_the_portal_in_its_papers_and_in_every_export(
    game, cashier, counter1, counter2, tmp_path, seed
):
    held = played(House(game, cashier, counter1, counter2), random.Random(seed))
    write_papers(game.site, tmp_path / "papers", game.now + timedelta(days=1))
    whole = export_of(game, tmp_path, held, exporting.EVERY_DAY)
    both = export_of(game, tmp_path, held, (DAY, NEXT))
    for day in (DAY, NEXT):
        own = export_of(game, tmp_path, held, (day, day))
        portal = b"".join(journal_csv.blocks(game.site, day))
        assert (folder_of(tmp_path / "papers", game.site) / str(day) / "journal.csv").read_bytes() == portal
        shown = table(portal.splitlines())
        assert list(map(as_portal, shown)) == list(map(as_export, table(own["journal.csv"])))
        assert taken(table(own["collections.csv"])) == shown_as_taken(game.site, day)
        assert {line["kind"] for line in shown} >= KINDS
        sums = {}
        for line in table(own["trial_balance.csv"]):
            ways = {way: cents(line[way]) for way in ("in", "out")}
            sums.setdefault(line["account_kind"], {})[line["asset"]] = ways
        assert sums == json.loads(ClosedDay.objects.get(gaming_day=day).totals)
        own["trial_balance.csv"] = without_balances(own["trial_balance.csv"])
        for other in (whole, both):
            kept = {name: of_day(lines, day) for name, lines in other.items()}
            kept["trial_balance.csv"] = without_balances(kept["trial_balance.csv"])
            assert own == kept
