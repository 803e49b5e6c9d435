"""A demo house for rounds from elsewhere: staff, licensed rates, and table 4."""

from datetime import UTC, datetime

import pytest

from casino.demo.nights.house import publish_rates
from ledger.models import Site
from tables.models import Table
from tests.support.nights import hire_crew

OPENING = datetime(2026, 3, 8, 3, 0, tzinfo=UTC)


@pytest.fixture
def demo_house(db):
    return Site.objects.create(name="The Fifth Street Room", licence="GEGE-001234", demo=True)


@pytest.fixture
def room(demo_house):
    hire_crew()
    publish_rates(demo_house, OPENING)
    Table.objects.create(site=demo_house, number=4)
    return demo_house
