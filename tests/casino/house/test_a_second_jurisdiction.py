"""A jurisdiction is a file: a house in another one is set up, capped and asked by its numbers. No code."""

import pytest

from casino.house.views import HouseForm
from ledger.cage.signing import require_signers
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.jurisdiction import FILES, jurisdiction, jurisdictions
from ledger.models import Site
from tables.collection import rates
from tables.errors import TableError
from tests.casino.house.test_first_start import NOW, link, set_up
from tests.support.acting import acting

pytestmark = pytest.mark.django_db

STRICTER = {
    'title = "California"': 'title = "Washington"',
    "rates_per_limit = 5": "rates_per_limit = 2",
    "signed_by_two = 10000": "signed_by_two = 2500",
    "patron_from = 300000": "patron_from = 100000",
    "[confirm_pieces]\ndrop_box = 400": "[confirm_pieces]\ndrop_box = 40",
}


@pytest.fixture
def washington(monkeypatch, tmp_path):
    text = (FILES / "california.toml").read_text(encoding="utf-8")
    (tmp_path / "california.toml").write_text(text, encoding="utf-8")
    for ours, theirs in STRICTER.items():
        assert ours in text
        text = text.replace(ours, theirs)
    (tmp_path / "washington.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr("ledger.jurisdiction.FILES", tmp_path)
    for kept in (jurisdiction, jurisdictions):
        kept.cache_clear()
    yield
    for kept in (jurisdiction, jurisdictions):
        kept.cache_clear()


def test_a_house_is_held_to_the_file_it_names(washington):
    assert ("washington", "Washington") in HouseForm().fields["jurisdiction"].choices
    zoe = set_up(link(), jurisdiction="washington")
    site = Site.objects.get()
    act = Act(actor=zoe, now=NOW)

    with pytest.raises(LedgerError) as refused:
        require_signers(site=site, over=(0, -2500), barred=(), ran=(), evidence="", act=act)
    assert refused.value.code == "second_person"

    for fee in (1000, 1100):
        publish(site, fee, act)
    with pytest.raises(TableError) as refused:
        publish(site, 1200, act)
    assert refused.value.code == "too_many_rates"


def publish(site, fee, act):
    entry = rates.RateEntry(4000, fee, "WAC", NOW.date())
    return acting(rates.publish_rate, site=site, entry=entry, actor=act.actor, now=act.now)
