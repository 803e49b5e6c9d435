"""A played table's log is handed out as a zip,
and plain Python in an empty folder says whether it is right."""

import io
import json
import re
import subprocess
import sys
import zipfile
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from ledger.cage import boxes
from ledger.errors import BadPeriod, CheckpointAhead
from ledger.journal import closing, house_events
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.models import DropBox, HouseEvent, Leaf
from ledger.papers.paper import declared
from ledger.proof.audit.checks.days import GamingDays
from ledger.proof.log import exporting, keys, proofs, sealing, slices
from ledger.proof.log.sealing import leaves
from ledger.proof.log.slices import leaves_of
from ledger.records.canonical import body_of
from tables.audit import main as verifier
from tables.floor import opening
from tables.floor.tables import write_table
from tests.support.acting import acting
from tests.support.behind import behind_the_triggers
from tests.support.cage import close_cage
from tests.support.counting import count_box
from tests.support.game import HANDS
from tests.support.kept import kept

DAY = date(2026, 3, 7)


@kept
def played(game, floor2):
    """A table with four rounds, a void and a correction, a move to the next gaming day,
    its records sealed."""
    game.seat("Ann", "Bob", "Cat", "Dan")
    first = game.play()
    game.minute(15).void(game.start())
    game.approve(game.ask(first, HANDS[::-1]), actor=floor2)
    game.minute(45).play()
    sealing.seal(game.site, now=game.now)
    game.minute(24 * 60).play()
    return game


def exported(game, **asked):
    out = io.BytesIO()
    by, wanted = asked.pop("actor", None), exporting.Wanted(**asked)
    manifest = acting(exporting.export, out, site=game.site, wanted=wanted, actor=by, now=game.now)
    return out.getvalue(), manifest


@kept
def played_export(played):
    """All of it, as it is handed out."""
    return exported(played)[0]


def verify(tmp_path, data, *more):
    """Run the export's own verifier as a stranger would: plain Python, an empty folder, nothing installed."""
    folder = tmp_path / "empty"
    folder.mkdir(exist_ok=True)
    (folder / "export.zip").write_bytes(data)
    (folder / "verify.pyz").write_bytes(zipfile.ZipFile(io.BytesIO(data)).read("verify.pyz"))
    run = subprocess.run(
        [sys.executable, "-I", "-S", "verify.pyz", "export.zip", *more],
        cwd=folder,
        env={},
        capture_output=True,
        text=True,
    )
    return run.returncode, run.stdout + run.stderr


@pytest.fixture
def judged(tmp_path, capsys):
    """What the same verifier says of an export in this process: `judged(data, "--key", fingerprint)`."""

    def judge(data, *more):
        (tmp_path / "export.zip").write_bytes(data)
        capsys.readouterr()
        status = verifier.main([str(tmp_path / "export.zip"), *more])
        return status, capsys.readouterr().out

    return judge


def rewritten(data, member, change):
    """The zip with one member changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            kept = old.read(info)
            new.writestr(info, change(kept) if info.filename == member else kept)
    return out.getvalue()


def steps_of(page):
    """The commands of a page, block by block, with the lines that it says come out;
    numbers are whatever they are."""
    for commands, promised in re.findall(r"```sh\n(.*?)```(?:\n\n```text\n(.*?)```)?", page, re.S):
        yield commands, as_said(promised)


def as_said(text):
    return [re.sub(r"[0-9]+", "0", line) for line in text.splitlines()]


def of_the_house(commands, capsys):
    """The commands, with what the house itself is asked done, and what it said in a file."""
    asked = re.match(r"\.venv/bin/python manage\.py (\w+) ([^|\n]+)", commands)
    if asked is None:
        return commands
    call_command(asked[1], *asked[2].split())
    Path("house").write_text(capsys.readouterr().out)
    return commands.replace(asked[0], "cat house ")


def test_an_inspector_s_hour_goes_as_its_page_says(played, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (Path(settings.BASE_DIR) / "docs" / "inspector.md").read_text()
    for commands, promised in steps_of(page):
        run = subprocess.run(["bash", "-euc", of_the_house(commands, capsys)], capture_output=True, text=True)
        assert run.returncode == 0, (commands, run.stdout, run.stderr)
        assert set(promised) <= set(as_said(run.stdout)), (commands, run.stdout)


def test_plain_python_finds_an_honest_export_right_and_says_what_it_checked(played, tmp_path):
    data, manifest = exported(played)
    status, said = verify(tmp_path, data)
    assert status == 0, said
    assert f"{manifest.count:,} records" in said
    assert "rounds" in said
    assert "charges" in said


def test_a_session_is_counted_once_however_many_checks_look_at_it(played_export, judged):
    _, said = judged(played_export)
    counted = [line.split(maxsplit=1) for line in said.splitlines() if "sessions opened" in line]
    assert counted == [["1", "sessions opened"]]


def test_the_key_may_be_given_by_its_fingerprint_and_another_one_is_refused(played, tmp_path):
    data, _ = exported(played)
    key = keys.known_keys(sealing.log_of(played.site))[-1]
    assert verify(tmp_path, data, "--key", key.fingerprint)[0] == 0
    other = keys.Signer(key.name, b"t" * 32).key
    assert verify(tmp_path, data, "--key", other.fingerprint)[0] == 1


@pytest.mark.parametrize(
    ("member", "change", "named"),
    [
        ("records.jsonl", lambda data: data.replace(b'"cents":1000', b'"cents":1001', 1), "leaf"),
        ("records.jsonl", lambda data: data.replace(b'"cents":1000', b'"cents":1001'), "charge"),
        ("records.jsonl", lambda data: b"\n".join(data.split(b"\n")[1:]), "records"),
        ("records.jsonl", lambda data: b"\n".join(data.split(b"\n")[:-2]) + b"\n", "records"),
        ("rates.json", lambda data: data.replace(b"1000", b"1001"), "rates.json"),
        ("sheets/face-up.1.toml", lambda data: data + b"\n", "sheets/face-up.1.toml"),
        ("papers/journal.csv", lambda data: data.replace(b"10.00", b"11.00", 1), "papers/journal.csv"),
        (
            "papers/collections.csv",
            lambda data: data.replace(b"10.00", b"11.00", 1),
            "papers/collections.csv",
        ),
        ("checkpoint", lambda data: data.replace(b"\n", b"1\n", 2), "checkpoint"),
        ("proofs.json", lambda data: data.replace(b"A", b"B"), "proof"),
    ],
)
def test_whatever_is_changed_in_an_export_is_found_and_named(played_export, judged, member, change, named):
    data = played_export
    assert member in zipfile.ZipFile(io.BytesIO(data)).namelist()
    status, said = judged(rewritten(data, member, change))
    assert status == 1
    assert named in said


def test_an_export_of_a_day_holds_its_records_and_proves_them(played, judged):
    data, first = exported(played, days=(DAY, DAY))
    assert first.first_leaf == 0  # before the house's first day nothing was dated or closed
    assert judged(data)[0] == 0
    later, second = exported(played, days=(DAY + timedelta(days=1),) * 2)
    assert 0 < second.first_leaf < second.count
    assert judged(later)[0] == 0


def test_an_export_continues_a_checkpoint_that_had_left_the_house(played, tmp_path, judged):
    log = sealing.log_of(played.site)
    left = sealing.latest(log).note.encode()
    data, _ = exported(played, since=left)
    assert json.loads(zipfile.ZipFile(io.BytesIO(data)).read("proofs.json"))["consistency"]
    (tmp_path / "left").write_bytes(left)
    status, said = judged(data, "--checkpoint", str(tmp_path / "left"))
    assert status == 0, said


def test_days_without_records_and_days_in_the_wrong_order_are_refused(played):
    with pytest.raises(BadPeriod):
        exported(played, days=(DAY, DAY - timedelta(days=1)))
    with pytest.raises(BadPeriod):
        exported(played, days=(date(2020, 1, 1), date(2020, 1, 2)))


def test_a_checkpoint_of_a_longer_log_is_refused(played):
    from ledger.proof.audit.tree.checkpoints import TreeHead

    log = sealing.log_of(played.site)
    signer = keys.signer_of(log, now=played.now)
    ahead = TreeHead(log.origin, 10_000, bytes(32))
    with pytest.raises(CheckpointAhead):
        exported(played, since=signer.signed(ahead, now=played.now))


def test_every_export_is_noted_in_the_log_it_is_taken_from(played, floor):
    exported(played, actor=floor, days=(DAY, None))
    noted = HouseEvent.objects.get(kind="exported")
    assert (noted.actor, noted.data["from_day"], noted.at) == (floor, "2026-03-07", played.now)
    assert sealing.lag(played.site).waiting == 1


def test_the_command_writes_the_whole_file_or_none(played, tmp_path, capsys, judged):
    call_command("audit", "export", "-o", str(tmp_path / "all.zip"))
    assert "records" in capsys.readouterr().out
    with pytest.raises(CommandError, match="bad_period"):
        call_command(
            "audit", "export", "--from", "2020-01-01", "--to", "2020-01-02", "-o", str(tmp_path / "no.zip")
        )
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ""] == ["all.zip"]
    assert judged((tmp_path / "all.zip").read_bytes())[0] == 0


@kept
def closed(played, cashier, counter1, counter2):
    """The table's session from Saturday into Sunday; Saturday was counted and closed on Sunday,
    after a round of Sunday."""
    game = played
    acting(
        opening.change_box,
        session_id=game.session.pk,
        second=game.dealer,
        actor=game.floor,
        now=game.now,
        key=game.key(),
    )
    (box,) = DropBox.objects.filter(pulled_at__isnull=False)
    count_box(box, (counter1, counter2), game.now)
    acting(boxes.sign_off, box=box, cause="", actor=cashier, now=game.now, key=game.key())
    act = Act(actor=cashier, approver=game.floor, now=game.now, key=game.key())
    close_cage(game.site, act.now)
    closing.close_day(site=game.site, day=DAY, act=act)
    return game.minute(45)


def records_in(data):
    lines = zipfile.ZipFile(io.BytesIO(data)).read("records.jsonl").splitlines()
    return [json.loads(line)[1] for line in lines]


def test_an_export_of_a_closed_day_reaches_to_its_closing(closed, judged):
    data, _ = exported(closed, days=(DAY, DAY))
    found = records_in(data)
    assert {"count", "sign_off", "closed_day"} <= {body["record"] for body in found}
    assert found[-1]["record"] == "closed_day"
    status, said = judged(data)
    assert status == 0, said
    assert "NOT COMPLETE" not in said


def test_an_export_of_a_day_reads_the_log_back_no_further_than_its_tables_opening(closed, monkeypatch):
    game = closed.minute(3 * 24 * 60)
    table = write_table(site=game.site, number=2, act=Act(game.floor, game.now, game.key()))
    offered = {"game": "face-up", "rate": game.rate, "max_buy_in_cents": 50_000}
    opening.open_table(table=table, **offered, act=Act(game.floor, game.now, game.key()))
    sealing.seal(game.site, now=game.now)
    monkeypatch.setattr(slices, "AT_ONCE", 5)
    began = []
    monkeypatch.setattr(
        slices.sealing, "leaves", lambda log, *part: began.append(part[0]) or leaves(log, *part)
    )
    day, log, size = gaming_day(game.site, game.now), game.site.log, Leaf.objects.count()
    first, _ = leaves_of(log, (day, day), size)
    assert first - 2 * slices.AT_ONCE <= min(began) <= first


def test_the_proofs_of_many_leaves_read_each_tile_once(closed, django_assert_num_queries):
    size = Leaf.objects.count()
    with django_assert_num_queries(1):  # fewer than 256 leaves are in one tile
        inclusion = proofs.inclusions(closed.site.log, size)
        found = [inclusion(number) for number in range(size)]
    assert found[1] == proofs.inclusion(closed.site.log, 1, size)


def test_an_export_of_an_open_day_says_first_that_it_is_not_complete(closed, judged):
    sunday = DAY + timedelta(days=1)
    for days in ((sunday, sunday), (DAY, sunday), exporting.EVERY_DAY):
        status, said = judged(exported(closed, days=days)[0])
        assert (status, said.splitlines()[0]) == (
            0,
            f"NOT COMPLETE: gaming day {sunday} had not been closed when this was exported.",
        )


def test_an_export_of_a_day_without_a_closing_begins_with_what_shows_that_none_is_left_out(closed):
    quiet = closed.now + timedelta(days=5)
    house_events.note(closed.site, HouseEvent.Kind.DOWNLOADED, act=Act(actor=None, now=quiet))
    day = gaming_day(closed.site, quiet)
    first, *_, last = records_in(exported(closed, days=(day, day))[0])
    assert (first["record"], first["gaming_day"], last["kind"]) == ("closed_day", str(DAY), "downloaded")


def test_a_days_papers_are_the_same_in_its_own_export_and_in_one_of_the_whole_log(closed):
    day, whole = (
        zipfile.ZipFile(io.BytesIO(exported(closed, days=days)[0]))
        for days in ((DAY, DAY), exporting.EVERY_DAY)
    )
    for paper in (one for one in declared(players=False) if one.name != "controls.csv"):
        head, *lines = whole.read(f"papers/{paper.name}").splitlines()
        of_day = [line for line in lines if not paper.by_day or line.startswith(str(DAY).encode())]
        assert day.read(f"papers/{paper.name}").splitlines() == [head, *of_day]


def test_a_period_goes_by_what_the_records_say_and_not_by_the_times_of_leaves(closed):
    before = exported(closed, days=(DAY, DAY))[1]
    with behind_the_triggers("ledger_leaf"):
        Leaf.objects.filter(number__gte=5).update(recorded_at=closed.now - timedelta(days=900))
    after = exported(closed, days=(DAY, DAY))[1]
    assert (after.first_leaf, after.count) == (before.first_leaf, before.count)


def test_an_export_of_a_day_from_which_an_entry_is_missing_is_found_wrong(closed):
    log = sealing.log_of(closed.site)
    sealing.seal(closed.site, now=closed.now)
    first, count = leaves_of(log, (DAY, DAY), sealing.size_of(log))
    bodies = [body_of(text) for text in exporting._leaves(log, first, count, "record__text")]
    for cut, codes in ((0, []), (40, ["wrong_total"])):
        days = GamingDays(whole=False, since=str(DAY))
        found = []
        for body in bodies[cut:]:
            judge = days.entry if body["record"] == "entry" else days.take
            found += judge(body)
        assert [code for code, _ in found] == codes
        assert days.closed == 1


def test_the_same_closed_days_make_the_same_records_and_papers(closed):
    one, other = (zipfile.ZipFile(io.BytesIO(exported(closed, days=(None, DAY))[0])) for _ in range(2))
    for name in ("records.jsonl", "leaves", "papers/journal.csv", "papers/rounds.csv", "verify.pyz"):
        assert one.read(name) == other.read(name)
