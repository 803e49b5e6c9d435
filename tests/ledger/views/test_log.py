"""The audit log's page, its checkpoint and its export for readers of the books; the alarm for staff."""

import io
import zipfile
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import HouseEvent
from ledger.papers.paper import names_of
from ledger.proof.audit.export import bundle_writing
from ledger.proof.log import keys, sealing
from ledger.proof.log.state import note_refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(client, regulator):
    client.force_login(regulator)
    return client


def test_the_page_shows_how_far_the_log_is_sealed_and_by_which_key(reader, site):
    assert "not yet" in reader.get(reverse("audit-log")).text
    sealing.seal(site, now=timezone.now())
    page = reader.get(reverse("audit-log")).text
    assert keys.known_keys(sealing.log_of(site))[-1].text in page
    assert reverse("audit-checkpoint") in page


def test_the_checkpoint_is_handed_out_as_it_was_signed(reader, site):
    assert reader.get(reverse("audit-checkpoint")).status_code == 409
    sealing.seal(site, now=timezone.now())
    answer = reader.get(reverse("audit-checkpoint"))
    assert answer.text == sealing.latest(sealing.log_of(site)).note
    assert answer["Content-Type"].startswith("text/plain")


def test_an_export_is_a_zip_and_is_noted_with_whoever_took_it(reader, site, regulator):
    answer = reader.get(reverse("audit-export"))
    names = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))).namelist()
    assert {"records.jsonl", "checkpoint", "proofs.json", "verify.pyz", "README.txt"} <= set(names)
    event = HouseEvent.objects.get(kind="exported")
    assert (event.actor, event.data["players"]) == (regulator, False)
    named = zipfile.ZipFile(
        io.BytesIO(b"".join(reader.get(f"{reverse('audit-export')}?players=on").streaming_content))
    )
    of_players = {f"papers/{name}" for name in {*names_of(players=True)} - {*names_of(players=False)}}
    assert {"players.jsonl", *of_players} == set(named.namelist()) - set(names)
    assert HouseEvent.objects.filter(kind="exported").latest("pk").data["players"] is True


def test_a_record_that_fits_into_no_line_is_named_and_no_export_is_noted(reader, site, monkeypatch, tmp_path):
    monkeypatch.setattr(bundle_writing, "MOST_OF_A_LINE", 300)
    answer = reader.get(reverse("audit-export"))
    assert (answer.status_code, "line_too_long" in answer.text) == (409, True)
    with pytest.raises(CommandError, match=r"a line of an export has 300 at most.*\(line_too_long\)"):
        call_command("audit", "export", output=tmp_path / "export.zip")
    assert not [*tmp_path.iterdir()]
    assert not HouseEvent.objects.filter(kind="exported").exists()


def test_days_that_make_no_period_are_refused_beside_the_form(reader, site):
    answer = reader.get(reverse("audit-export"), {"first": "2026-11-22", "last": "2026-11-21"})
    assert answer.status_code == 400
    assert "bad_period" in answer.text
    assert reader.get(reverse("audit-export"), {"first": "yesterday"}).status_code == 400


def test_an_export_continues_the_checkpoint_that_the_portal_handed_out(reader, site):
    sealing.seal(site, now=timezone.now())
    held = reader.get(reverse("audit-checkpoint")).text
    pasted = f"\r\n{held}".replace("\n", "\r\n")
    answer = reader.get(reverse("audit-export"), {"since": pasted})
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    assert archive.read("since").decode() == held


def test_a_checkpoint_that_this_log_does_not_continue_is_refused_beside_its_field(reader, site):
    sealing.seal(site, now=timezone.now())
    held = reader.get(reverse("audit-checkpoint")).text
    for text, code in (("no checkpoint", "bad_note"), (held.replace("\n", "0\n", 2), "bad_signature")):
        answer = reader.get(reverse("audit-export"), {"since": text})
        assert 400 <= answer.status_code < 500
        assert [error.code for error in answer.context["form"].errors["since"].as_data()] == [code]


@pytest.mark.parametrize("name", ["audit-log", "audit-checkpoint", "audit-export"])
def test_nobody_else_takes_the_log_away(client, floor, name):
    client.force_login(floor)
    assert client.get(reverse(name)).status_code == 403


def test_the_floor_is_told_when_the_log_is_late_or_has_stopped(client, site, floor):
    client.force_login(floor)
    sealing.seal(site, now=timezone.now())
    assert "audit log" not in client.get("/floor/").text
    house_events.note(
        site, HouseEvent.Kind.EXPORTED, act=Act(actor=None, now=timezone.now() - timedelta(minutes=3))
    )
    late = client.get("/floor/").text
    assert "The audit log is late" in late
    assert "the oldest for 3\xa0minutes." in late
    note_refusal(site, "entry 5 differs from its rows.")
    page = client.get("/floor/").text
    assert "The audit log has stopped" in page
    assert "entry 5" in page
    note_refusal(site, "")


@pytest.mark.parametrize("name", ["audit-checkpoint", "audit-export"])
def test_another_site_takes_nothing_under_somebodys_name(reader, site, name):
    sealing.seal(site, now=timezone.now())
    before = HouseEvent.objects.count()
    answer = reader.get(reverse(name), headers={"sec-fetch-site": "cross-site"})
    assert (answer.status_code, "cross_site" in answer.text) == (403, True)
    assert HouseEvent.objects.count() == before


@pytest.mark.parametrize("field", ["first", "last"])
@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01"])
def test_an_export_of_a_day_that_no_house_has_is_refused_in_a_sentence(reader, site, field, day):
    answer = reader.get(reverse("audit-export"), {field: day})
    assert (answer.status_code, "A day is written like 2026-11-21." in answer.text) == (400, True)
