"""From each page of an event one click to the camera room's index, and to record, leaf and proof."""

import json
import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.urls import reverse
from django.utils import timezone

from ledger.models import AuditRecord, Count
from ledger.rules.searches import camera_index, read
from ledger.tasks import seal_logs
from tests.casino.test_rights import come_in, house, people  # noqa: F401

pytestmark = pytest.mark.django_db

HERE = ZoneInfo("America/Los_Angeles")
PAGES = (
    *(("entry", "entry_id"), ("round", "round_id"), ("receipt", "receipt"), ("document", "document_id")),
    *(("count-sheet", "sheet_id"), ("cashier-box", "box_id"), ("cage-slip", "slip_id"), ("down", "down_id")),
    *(("drawer", "drawer_id"), ("cashier-bank", "bank"), ("sitting", "sitting_id")),
)
CAMERA = re.compile(r"<code>([^<]+)</code>\s*<button[^>]*data-copy")
RECORD = re.compile(r'href="(/audit/log/records/[^"]+)">')


@pytest.fixture
def page(client, monkeypatch, house, people, come_in):  # noqa: F811
    """`page(name, key, role)`: the page of one thing in the house, as a role sees it."""
    monkeypatch.setattr(timezone, "now", lambda: house["now"])

    def shown(name, key, role="regulator"):
        come_in(people[role])
        return client.get(reverse(name, args=[house[key]])).content.decode()

    return shown


@pytest.mark.parametrize(("name", "key"), PAGES)
def test_a_page_has_its_camera_index_and_leads_to_its_record(name, key, page, client):
    shown = page(name, key)
    indexes = CAMERA.findall(shown)
    assert indexes
    for index in indexes:
        assert re.match(r"2026-03-07 \d\d:\d\d:\d\d (to \d\d:\d\d:\d\d )?PST, .+", index), index
        assert read(index, date(2026, 3, 8)).at is not None
    records = RECORD.findall(shown)
    assert records or name == "sitting"
    assert {client.get(address).status_code for address in records} <= {200}


def test_who_does_not_read_the_books_has_the_camera_and_no_record(page):
    shown = page("round", "round_id", "floor")
    assert "Table 1, seats 2, 3, 5" in shown
    assert RECORD.findall(shown) == []


def test_a_record_shows_its_leaf_and_its_proof_once_it_is_sealed(page, client, house):  # noqa: F811
    page("entry", "entry_id")
    address = reverse("audit-record", args=["entry", house["entry_id"]])
    assert "not sealed yet" in client.get(address).content.decode()
    seal_logs()
    shown = client.get(address).content.decode()
    assert "c2sp.org/tlog-proof@v1" in shown
    assert "content hash" in shown.lower()
    assert client.get(reverse("audit-record", args=["entry", 2**40])).status_code == 404


def test_no_record_tells_a_count_before_its_sheet_is_signed(page, client, house):  # noqa: F811
    page("count-sheet", "sheet_id")
    for kind, subject in (("count", Count.objects.latest("pk").pk), ("cage_slip", house["slip_id"])):
        text = AuditRecord.objects.get(kind=kind, subject=subject).text
        shown = client.get(reverse("audit-record", args=[kind, subject])).content.decode()
        assert "Somebody still counts" in shown
        assert json.dumps(json.loads(text)[1]["pieces"])[:12] not in shown.replace("&quot;", '"')
        assert "proof@v1" not in shown


def test_a_camera_index_that_ends_on_another_day_says_so():
    begins, day = datetime(2026, 11, 26, 10, 14, 5, tzinfo=UTC), timedelta(days=1)
    assert camera_index("Table 3", begins, begins, HERE) == "2026-11-26 02:14:05 PST, Table 3"
    later = camera_index("Table 3", begins, begins + day, HERE)
    assert later == "2026-11-26 02:14:05 to 2026-11-27 02:14:05 PST, Table 3"
