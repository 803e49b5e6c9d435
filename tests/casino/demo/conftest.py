"""A demo room in which rounds from elsewhere are played: people, licensed rates, and table 4."""

from datetime import UTC, datetime

import pytest

from casino.demo.nights.house import publish_rates
from ledger.models import Site
from tables.models import Table
from tests.support.nights import hire_crew

OPENING = datetime(2026, 3, 8, 3, 0, tzinfo=UTC)


@pytest.fixture
def demo_house(db):
    """A house that is a demo, with nobody in it."""
    return Site.objects.create(name="The Fifth Street Room", licence="GEGE-001234", demo=True)


@pytest.fixture
def room(demo_house):
    """The demo's people, licensed rates, and table 4."""
    hire_crew()
    publish_rates(demo_house, OPENING)
    Table.objects.create(site=demo_house, number=4)
    return demo_house
