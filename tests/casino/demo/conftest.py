"""A demo room in which rounds from elsewhere are played: people, licensed rates, and table 4."""

from datetime import UTC, datetime

import pytest

from casino.demo.nights.house import publish_rates
from tables.models import Table
from tests.support.nights import hire_crew

OPENING = datetime(2026, 3, 8, 3, 0, tzinfo=UTC)


@pytest.fixture
def room(site):
    """The house as a demo room."""
    site.demo = True
    site.save()
    hire_crew()
    publish_rates(site, OPENING)
    Table.objects.create(site=site, number=4)
    return site
