"""A closed day is one thing, wherever it is read: on the portal, in its saved papers, in its own export and in the whole log's."""

import csv
import io
import json
import random
import zipfile
from datetime import timedelta

import pytest

from ledger.audit.export.papers import NAMES
from ledger.audit.export.verdict import Brought, verify_bundle
from ledger.log import exporting, sealing
from ledger.models import ClosedDay
from ledger.reports import journal_csv
from tables.audit.main import FromFirstRecord
from tables.reports.paper_files import folder_of, write_papers
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


SAME = {"entry": "entry", "kind": "kind", "key": "key", "asset": "asset", "reason": "reason"}
SAME |= {
    "reverses": "reverses",
    "gaming_day": "gaming_day",
    "source_kind": "from_kind",
    "target_kind": "to_kind",
}


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
        assert [{name: line[name] for name in SAME} for line in shown] == [
            {name: line[other] for name, other in SAME.items()} for line in table(own["journal.csv"])
        ]
        assert sum(float(line["amount"] or 0) for line in table(own["journal.csv"])) == pytest.approx(
            sum(float(line["amount"]) for line in shown)
        )
        sums = {}
        for line in table(own["trial_balance.csv"]):
            ways = {way: round(float(line[way]) * 100) for way in ("in", "out")}
            sums.setdefault(line["account_kind"], {})[line["asset"]] = ways
        assert sums == json.loads(ClosedDay.objects.get(gaming_day=day).totals)
        own["trial_balance.csv"] = without_balances(own["trial_balance.csv"])
        for other in (whole, both):
            kept = {name: of_day(lines, day) for name, lines in other.items()}
            kept["trial_balance.csv"] = without_balances(kept["trial_balance.csv"])
            assert own == kept
