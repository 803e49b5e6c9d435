"""Sealing undone behind the triggers' back, by somebody with the database but not the key: what exposes it,
and what the checkpoints outside add."""

import base64
import io
from datetime import timedelta

import pytest
from django.conf import settings as current
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from ledger.db import append_only
from ledger.errors import CheckpointNotKept, CheckpointsUnreadable, NotContinued
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import Checkpoint, HouseEvent, JournalEntry, Leaf
from ledger.proof.audit.kept import KeptFolder, files_in, folder_of, line_of
from ledger.proof.audit.tree import note
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.log import exporting, keys, outside, sealing, verifying
from ledger.proof.log.tree import KEPT, Outside
from tests.support.behind import behind_the_triggers
from tests.support.evidence import data_of
from tests.support.kept import kept as kept_beneath
from tests.support.receipts import post_with_receipt
from tests.support.unsealing import drop_checkpoints, files_of_the_log, put_back, rebuild, take_out

pytestmark = pytest.mark.usefixtures("books_alone")

LATER = timedelta(minutes=5)


@kept_beneath
def sealed(stocked, stacks, house, draft, now):
    """Six sales of chips, each sealed and signed; the checkpoints that left the house, and the key."""
    for number in range(6):
        paid = house("public", "cash"), house("drawer", "cash"), 10_000
        moves = (paid, (house("drawer"), house("patrons"), 10_000))
        post_with_receipt(stocked, draft(f"sale {number}", "chip_sale", *moves))
        sealing.seal(stocked, now=now)
    return stocked, files_of_the_log()


@pytest.fixture
def night(sealed):
    """The house after those six sales, with key and checkpoints where this test has them."""
    site, files = sealed
    put_back(files)
    return site


def folder(site):
    return KeptFolder(current.CHECKPOINTS, sealing.log_of(site).origin)


def kept_files(site):
    return files_in(folder_of(current.CHECKPOINTS, sealing.log_of(site).origin))


def found(site, now, kept=True, later=LATER):
    """Return the codes of the findings some minutes later, with or without the folder."""
    asked = Outside(folder=folder(site) if kept else None)
    return [one.code for one in verifying.Verification(site, outside=asked, now=now + later).run()]


def sale(number):
    return JournalEntry.objects.get(key=f"sale {number}")


EVERYTHING = sorted(append_only.PROTECTED)


def test_an_honest_night_is_right_with_its_checkpoints_outside(night, now):
    asked = verifying.Verification(night, outside=Outside(folder=folder(night)), now=now + LATER)
    assert [str(finding) for finding in asked.run()] == []
    assert asked.checked[KEPT] == asked.checked["checkpoints"] == 6


@pytest.mark.parametrize("kept", [False, True])
def test_every_checkpoint_deleted_is_named(night, now, kept):
    with behind_the_triggers(*EVERYTHING):
        drop_checkpoints()
    assert found(night, now, kept) == ["not_signed", *["checkpoint_missing"] * kept]


@pytest.mark.parametrize("kept", [False, True])
def test_the_newest_checkpoints_deleted_are_named(night, now, kept):
    size = Checkpoint.objects.order_by("-size")[2].size
    with behind_the_triggers(*EVERYTHING):
        drop_checkpoints(size)
    asked = verifying.Verification(
        night, outside=Outside(folder=folder(night) if kept else None), now=now + LATER
    )
    first, *more = asked.run()
    assert (first.code, first.leaf) == ("not_signed", size)
    assert [one.code for one in more] == ["checkpoint_missing"] * kept


@pytest.mark.parametrize("kept", [False, True])
def test_a_checkpoint_deleted_between_others_breaks_the_series(night, now, kept):
    middle = Checkpoint.objects.order_by("size")[2]
    with behind_the_triggers(*EVERYTHING):
        Checkpoint.objects.filter(pk=middle.pk)._raw_delete("default")
    assert found(night, now, kept) == ["series_broken", *["checkpoint_missing"] * kept]


@pytest.mark.parametrize("kept", [False, True])
def test_leaves_that_were_cut_off_leave_their_records_waiting(night, now, kept):
    """Leaves and checkpoints gone, records left: the next sealing would sign them again, in any order."""
    size = Checkpoint.objects.order_by("-size")[3].size
    with behind_the_triggers(*EVERYTHING):
        drop_checkpoints(size)
        Leaf.objects.filter(number__gte=size)._raw_delete("default")
    assert found(night, now, kept) == [*["log_cut"] * kept, "not_sealed", "not_sealed", "not_sealed"]
    with pytest.raises(NotContinued):
        sealing.seal(night, now=now + LATER)
    assert Checkpoint.objects.order_by("-size").first().size == size


@pytest.mark.parametrize("kept", [False, True])
def test_an_entry_taken_out_of_mid_night_is_seen_although_all_behind_it_was_rebuilt(night, now, kept):
    with behind_the_triggers(*EVERYTHING):
        number = take_out(sale(2))
        drop_checkpoints(number)
        rebuild(night)
    outside = ["checkpoint_missing", "log_cut"] * kept
    shown = [*["other_tree"] * kept, "number_gap", "not_signed", *outside]
    assert found(night, now, kept) == shown


def test_without_the_folder_no_later_signature_covers_up_that_an_entry_was_taken_out(night, now):
    with behind_the_triggers(*EVERYTHING):
        drop_checkpoints(take_out(sale(2)))
        rebuild(night)
    with pytest.raises(NotContinued):
        sealing.seal(night, now=now)
    for file in kept_files(night):
        file.unlink()
    sealing.seal(night, now=now)
    # The gap in the receipts alone is left: as docs/audit.md says, this is what the folder is for.
    assert found(night, now, kept=False) == ["number_gap"]


@pytest.mark.parametrize("kept", [False, True])
def test_the_last_entry_cut_off_with_its_checkpoint_is_seen_from_outside_alone(night, now, kept):
    with behind_the_triggers(*EVERYTHING):
        drop_checkpoints(take_out(sale(5)))
    assert found(night, now, kept) == ["log_cut"] * kept  # nothing in the database says that there was more
    with pytest.raises(NotContinued):
        sealing.seal(night, now=now)


@pytest.mark.parametrize("kept", [False, True])
def test_leaves_and_tiles_rebuilt_under_the_old_checkpoints_lead_to_another_tree(night, now, kept):
    with behind_the_triggers(*EVERYTHING):
        take_out(sale(2))
        rebuild(night)
    codes = found(night, now, kept)
    assert codes[0] == "other_tree"
    assert "log_cut" in codes


@pytest.mark.parametrize("kept", [False, True])
def test_a_tree_that_somebody_signed_with_a_key_of_their_own_is_not_covered(night, now, kept):
    size = Checkpoint.objects.order_by("-size")[2].size
    with behind_the_triggers(*EVERYTHING):
        drop_checkpoints(size)
        for file in kept_files(night) if not kept else ():
            file.unlink()
        forged = Checkpoint.objects.order_by("-size").first()
        forged.pk, forged.size = None, size + 2
        forged.save(force_insert=True)
    codes = found(night, now, kept)
    assert codes[0] == "series_broken"
    assert "not_signed" in codes


def codes_by(site, key=None):
    """Return the findings without the folder, with the given key, if any."""
    asked = Outside(fingerprint=key.fingerprint if key else "")
    return [one.code for one in verifying.Verification(site, outside=asked).run()]


def sign_again(log, checkpoint, *seeds):
    """Sign a stored tree with other keys, as the owner of the database could."""
    tree = TreeHead.parse(note.parse(checkpoint.note.encode()).text)
    signers = [keys.Signer(log.origin, seed) for seed in seeds]
    forged = keys.signed_by_all(signers, tree, now=checkpoint.signed_at).decode()
    fingerprint = signers[-1].key.fingerprint
    Checkpoint.objects.filter(pk=checkpoint.pk).update(note=forged, key_fingerprint=fingerprint)


def test_a_key_that_the_key_before_has_not_signed_for_is_named(night, now, settings):
    """The owner of the database makes a key, seals, and signs with it."""
    log, own, lost = sealing.log_of(night), b"o" * 32, keys.known_keys(sealing.log_of(night))[0]
    settings.AUDIT_KEY_FILE.unlink()
    settings.AUDIT_KEY = base64.b64encode(own).decode()
    mine = sealing.rotate(night, act=Act(actor=None, now=now)).key
    assert codes_by(night) == ["key_not_signed"]
    assert codes_by(night, lost) == ["other_key", "key_not_signed"]
    assert codes_by(night, mine) == []  # as if the house had lost its key, and published another
    house_events.note(night, HouseEvent.Kind.EXPORTED, **data_of("exported"), act=Act(actor=None, now=now))
    sealing.seal(night, now=now)
    assert codes_by(night) == ["key_not_signed"]
    assert keys.history(log)[-1][:2] == (sealing.size_of(log) - 2, mine)


def test_a_new_key_signs_after_the_old_one_and_the_old_one_signs_nothing_any_more(night, now, settings):
    log = sealing.log_of(night)
    old = base64.b64decode(settings.AUDIT_KEY_FILE.read_text())
    retired = keys.known_keys(log)[0]
    new = sealing.rotate(night, act=Act(actor=None, now=now)).key
    assert codes_by(night) == codes_by(night, retired) == codes_by(night, new) == []
    house_events.note(night, HouseEvent.Kind.EXPORTED, **data_of("exported"), act=Act(actor=None, now=now))
    sealing.seal(night, now=now)
    assert codes_by(night) == codes_by(night, new) == []
    assert codes_by(night, retired) == ["other_key"]
    with behind_the_triggers(*EVERYTHING):
        sign_again(log, sealing.latest(log), old)
    assert codes_by(night) == ["bad_checkpoint"]


def test_a_checkpoint_of_before_a_key_is_not_signed_by_it(night, now, settings):
    sealing.rotate(night, act=Act(actor=None, now=now))
    new = base64.b64decode(settings.AUDIT_KEY_FILE.read_text())
    with behind_the_triggers(*EVERYTHING):
        sign_again(sealing.log_of(night), Checkpoint.objects.order_by("size")[2], new)
    assert codes_by(night) == ["bad_checkpoint"]


def test_a_sealer_that_still_has_the_old_key_signs_nothing_after_it_was_replaced(night, now):
    log = sealing.log_of(night)
    stale = keys.signer_of(log, now=now)
    sealing.rotate(night, act=Act(actor=None, now=now))
    house_events.note(night, HouseEvent.Kind.EXPORTED, **data_of("exported"), act=Act(actor=None, now=now))
    sealing._seal_all(log, whole=False)
    assert sealing._sign(log, [stale], now=now, rest=timedelta()) is None


def test_a_key_that_is_replaced_while_it_signs_has_signed_nothing(night, now, monkeypatch):
    log, signing = sealing.log_of(night), keys.signed_by_all
    stale = keys.signer_of(log, now=now)
    house_events.note(night, HouseEvent.Kind.EXPORTED, **data_of("exported"), act=Act(actor=None, now=now))
    sealing._seal_all(log, whole=False)

    def replaced_meanwhile(*signed, **options):
        keys.replace(log, act=Act(actor=None, now=now))
        return signing(*signed, **options)

    monkeypatch.setattr(keys, "signed_by_all", replaced_meanwhile)
    assert sealing._sign(log, [stale], now=now, rest=timedelta()) is None


def flipped(note, half):
    """Return a note with a bit changed in one of its two signatures."""
    signature = note.splitlines()[-half].split()[-1]
    data = base64.b64decode(signature)
    return note.replace(signature, base64.b64encode(data[:-1] + bytes([data[-1] ^ 1])).decode())


@pytest.mark.parametrize("half", [1, 2])
@pytest.mark.parametrize("kept", [False, True])
def test_a_bit_flipped_in_either_signature_is_named(night, now, kept, half):
    newest = Checkpoint.objects.order_by("-size").first()
    with behind_the_triggers(*EVERYTHING):
        Checkpoint.objects.filter(pk=newest.pk).update(note=flipped(newest.note, half))
    assert found(night, now, kept) == ["bad_checkpoint", "not_signed"]


@pytest.mark.parametrize("half", [1, 2])
def test_a_bit_flipped_in_either_signature_outside_is_named_where_it_is(night, now, half):
    newest = Checkpoint.objects.order_by("-size").first()
    (file,) = kept_files(night)
    *lines, _ = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines, line_of(flipped(newest.note, half))]))
    asked = verifying.Verification(night, outside=Outside(folder=folder(night)), now=now + LATER)
    assert [(one.code, one.record) for one in asked.run()] == [("bad_checkpoint", f"{file.name} line 6")]


@pytest.mark.parametrize("column", ["key_fingerprint", "signed_at"])
def test_a_checkpoint_s_columns_say_what_was_signed(night, now, column):
    newest = Checkpoint.objects.order_by("-size").first()
    value = "0" * 64 if column == "key_fingerprint" else newest.signed_at + timedelta(seconds=1)
    with behind_the_triggers(*EVERYTHING):
        Checkpoint.objects.filter(pk=newest.pk).update(**{column: value})
    assert found(night, now) == ["bad_checkpoint"]


@pytest.mark.parametrize("kept", [False, True])
def test_a_trigger_that_is_gone_is_named(night, now, kept):
    name = append_only.TRIGGERS[connection.vendor][0]
    with connection.cursor() as cursor:
        on = " ON ledger_transfer" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER ledger_transfer_{name}{on}")
    asked = verifying.Verification(night, outside=Outside(folder=folder(night) if kept else None), now=now)
    assert [(one.code, one.record) for one in asked.run()] == [
        ("trigger_missing", f"trigger ledger_transfer_{name}")
    ]


def test_a_record_may_wait_for_a_minute_and_is_named_after_that(night, house, draft, now):
    sale_of_one = (
        (house("public", "cash"), house("drawer", "cash"), 100),
        (house("drawer"), house("patrons"), 100),
    )
    entry = post_with_receipt(night, draft("late", "chip_sale", *sale_of_one))
    assert found(night, now, later=timedelta(seconds=59)) == []
    asked = verifying.Verification(night, now=now + timedelta(seconds=61))
    assert [(one.code, one.record) for one in asked.run()] == [("not_sealed", f"entry {entry.pk}")]
    # A date to come makes nothing young.
    assert found(night, now - LATER, later=timedelta()) == ["wrong_time", "not_sealed"]


HOUR = timedelta(hours=1)


def sign_more(site, now):
    """Seal one more record, and sign, at this time."""
    house_events.note(site, HouseEvent.Kind.EXPORTED, **data_of("exported"), act=Act(actor=None, now=now))
    sealing.seal(site, now=now)
    return sealing.latest(sealing.log_of(site)).size


def test_a_checkpoint_that_was_signed_before_the_one_that_it_follows_is_named(night, now):
    assert found(night, now) == []
    sign_more(night, now - timedelta(seconds=59))  # as far as the clocks of two machines may be apart
    assert found(night, now) == []
    size = sign_more(night, now - HOUR)
    (wrong,) = verifying.Verification(night, now=now + LATER).run()
    assert (wrong.code, wrong.record) == ("wrong_time", f"checkpoint {size}")
    assert "after one that was signed" in wrong.sentence


def test_a_checkpoint_that_is_still_to_be_signed_is_named_once(night, now):
    sizes = [sign_more(night, now + hours * HOUR) for hours in (2, 3)]
    (wrong,) = verifying.Verification(night, now=now).run()
    assert (wrong.code, wrong.record) == ("wrong_time", f"checkpoint {sizes[0]}")
    assert found(night, now + 3 * HOUR) == []


def test_a_clock_that_the_house_knows_was_ahead_is_no_fault(night, now):
    sign_more(night, now + HOUR)
    told = {
        "clock": now.isoformat(),
        "doubted": None,
        "running": "1",
        "boot": "b",
        "key": "k",
        "at": now,
    }
    until = (now + HOUR).isoformat()
    act = Act(actor=None, now=now)
    house_events.note(night, HouseEvent.Kind.TIME_CONFIRMED, **told, ahead_until=until, act=act)
    sealing.seal(night, now=now)
    assert "wrong_time" not in found(night, now + HOUR)


def test_a_checkpoint_that_was_not_kept_outside_is_named(night, now, tmp_path):
    asked = Outside(folder=KeptFolder(tmp_path, sealing.log_of(night).origin))
    (one,) = verifying.Verification(night, outside=asked, now=now + LATER).run()
    assert one.code == "not_kept"
    assert "6 checkpoints" in one.sentence
    assert list(verifying.Verification(night, outside=asked, now=now).run()) == []


# -- the folder ----------------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_written_stops_nothing_and_is_caught_up_with(
    night, house, draft, now, settings
):
    honest, settings.CHECKPOINTS = settings.CHECKPOINTS, settings.AUDIT_KEY_FILE
    moves = (
        (house("public", "cash"), house("drawer", "cash"), 100),
        (house("drawer"), house("patrons"), 100),
    )
    post_with_receipt(night, draft("late", "chip_sale", *moves))
    with pytest.raises(CheckpointNotKept):
        sealing.seal(night, now=now)
    assert sealing.lag(night).waiting == 0
    settings.CHECKPOINTS = honest
    assert sealing.seal(night, now=now) == 0
    assert found(night, now) == []


def test_a_key_is_replaced_and_an_export_made_though_the_folder_cannot_be_written_and_both_say_so(
    night, now, settings, capsys, caplog
):
    honest, settings.CHECKPOINTS = settings.CHECKPOINTS, settings.AUDIT_KEY_FILE
    call_command("audit", "rotate")
    said = capsys.readouterr()
    known = keys.known_keys(sealing.log_of(night))
    assert (len(known), known[-1].fingerprint in said.out.replace(" ", "")) == (2, True)
    assert "checkpoint_not_kept" in said.err
    now = timezone.now()  # by which the key was replaced
    house_events.note(night, HouseEvent.Kind.EXPORTED, **data_of("exported"), act=Act(actor=None, now=now))
    manifest = exporting.export(io.BytesIO(), site=night, act=Act(actor=None, now=now))
    assert manifest.count == sealing.latest(sealing.log_of(night)).size
    assert "cannot be kept" in caplog.text
    settings.CHECKPOINTS = honest
    sealing.seal(night, now=now)
    assert found(night, now) == []


def test_a_folder_that_cannot_be_read_stops_the_signing_alone(night, now, monkeypatch):
    def unreadable(path):
        raise PermissionError(13, "Permission denied")

    house_events.note(night, HouseEvent.Kind.EXPORTED, **data_of("exported"), act=Act(actor=None, now=now))
    monkeypatch.setattr(outside, "files_in", unreadable)
    size = sealing.lag(night).size
    with pytest.raises(CheckpointsUnreadable):
        sealing.seal(night, now=now)
    assert (sealing.lag(night).waiting, sealing.lag(night).size) == (0, size)
    with pytest.raises(CheckpointsUnreadable):
        sealing.rotate(night, act=Act(actor=None, now=now))
    assert len(keys.known_keys(sealing.log_of(night))) == 1


def test_a_line_that_a_power_cut_tore_is_written_again_and_passed_over(night, now):
    (file,) = kept_files(night)
    data = file.read_bytes()
    file.write_bytes(data[:-40])
    sealing.seal(night, now=now)
    assert file.read_bytes() == data[:-40] + b"\n" + data.splitlines(keepends=True)[-1]
    assert found(night, now) == []


def test_lines_go_on_in_the_newest_file_where_the_clock_was_ahead(night, now):
    (file,) = kept_files(night)
    ahead = file.with_name("2027-01-01.jsonl")
    file.rename(ahead)
    sealing.rotate(night, act=Act(actor=None, now=now))
    assert kept_files(night) == [ahead]
    assert found(night, now) == []


def test_what_was_signed_after_the_folder_was_opened_is_not_held_against_older_books(night, now):
    opened = folder(night)
    (file,) = kept_files(night)
    with file.open("ab") as out:
        out.write(line_of(sealing.latest(sealing.log_of(night)).note))
    asked = verifying.Verification(night, outside=Outside(folder=opened), now=now)
    assert list(asked.run()) == []
    assert found(night, now) == ["not_growing"]


def test_what_is_no_checkpoint_of_this_log_accuses_nobody_and_is_named(night, now):
    (file,) = kept_files(night)
    log = sealing.log_of(night)
    size, newest = sealing.latest(log).size, sealing.latest(log).note
    with file.open("ab") as out:
        out.write(line_of(newest.replace(f"\n{size}\n", f"\n{size + 90}\n")))
        out.write(b"5\nno json\n" + line_of("no note") + line_of(newest.replace(log.origin, "another/log")))
        out.write(b'"\\ud800"\n' + b"[" * 100_000 + b"\n")
    assert found(night, now) == ["bad_checkpoint"] * 7
    assert f"\n{size + 90}\n" in outside.Folder(current.CHECKPOINTS, log.origin).newest()


def test_what_is_no_checkpoint_of_this_log_stops_no_sealing(night, now):
    (file,) = kept_files(night)
    with file.open("ab") as out:
        out.write(b'"no note"\n"\\ud800"\n' + b"[" * 50_000 + b"\n")
    sealing.rotate(night, act=Act(actor=None, now=now))
    assert line_of(sealing.latest(sealing.log_of(night)).note) == file.read_bytes().splitlines(True)[-1]
