"""The manager's desk: who comes in, and what stands there."""

import pytest


@pytest.mark.parametrize("role", ["floor", "dealer", "cashier", "counter", "compliance", "regulator"])
def test_nobody_but_managers_has_the_desk(client, site, employ, role):
    client.force_login(employ("zoe", role))
    assert client.get("/house/").status_code == 403


def test_the_desk_shows_the_house_and_leads_to_its_parts(client, site, manager):
    client.force_login(manager)
    page = client.get("/house/").content.decode()
    for shown in (site.name, site.licence, "California", "America/Los_Angeles", "6:00"):
        assert shown in page
    for address in ("/rates/", "/rates/reasons/"):
        assert f'href="{address}"' in page
