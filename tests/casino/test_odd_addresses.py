"""Numbers and days that nobody means, in every address: an answer, and never an error of ours."""

import pytest

from tests.support import addresses

TOO_LARGE, FAR = "99999999999999999999", "9999-12-31"
# The stream closes the test's connection, an export is made whole, and health has its own 503.
ELSEWHERE = ("/live/", "/audit/log/export.zip", "/healthz")


def failed(client, monkeypatch, kind, odd):
    """Each address with this in place of a part, and its answer where that is 500 or more."""
    monkeypatch.setitem(addresses.SAMPLES, kind, odd)
    paths = {path for _name, path in addresses.addresses() if odd in path and not path.startswith(ELSEWHERE)}
    answers = {path: client.get(path).status_code for path in sorted(paths)}
    assert answers
    return {path: status for path, status in answers.items() if status >= 500}


def test_a_number_that_no_column_holds_is_not_found(client, site, manager, monkeypatch):
    client.force_login(manager)
    assert failed(client, monkeypatch, "int", TOO_LARGE) == {}


@pytest.mark.parametrize("role", ["cashier", "manager"])
def test_a_day_at_the_end_of_all_days_is_no_error(role, client, site, employ, monkeypatch):
    client.force_login(employ(f"another-{role}", role))
    assert failed(client, monkeypatch, "day", FAR) == {}
    assert failed(client, monkeypatch, "day", "0001-01-01") == {}
