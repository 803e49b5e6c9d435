"""What a dealer's tablet fetches to work without the network: whole, by its hash, under its own policy."""

import hashlib
import zipfile
from io import BytesIO

import pytest
from django.conf import settings

from tests.casino.test_security_headers import POLICY

PYODIDE = settings.BASE_DIR / "casino" / "static" / "pyodide"
SUMS = dict(reversed(line.split()) for line in (PYODIDE / "SHA256SUMS").read_text().splitlines())


def policy(response):
    return set(response["Content-Security-Policy"].split("; "))


@pytest.fixture
def ask(client, game):
    client.force_login(game.dealer)
    return lambda name: client.get(f"/dealer/tablet/{name}")


@pytest.mark.parametrize("name", SUMS)
def test_pyodide_is_as_its_developers_published_it(name):
    assert hashlib.sha256((PYODIDE / name).read_bytes()).hexdigest() == SUMS[name]


def test_nothing_lies_beside_it_but_its_licences():
    assert {path.name for path in PYODIDE.iterdir()} == {*SUMS, "SHA256SUMS", "LICENCES.txt"}


def test_the_thread_that_runs_the_rules_alone_may_compile(ask, client, game):
    wider = "script-src 'self' 'wasm-unsafe-eval'"
    assert policy(ask("engine.js")) == POLICY - {"script-src 'self'"} | {wider}
    page = client.get(f"/dealer/sessions/{game.session.pk}/")
    for answer in (page, ask("keeper.js"), ask("rules.zip"), client.get("/static/pyodide/pyodide.mjs")):
        assert policy(answer) == POLICY


def test_the_keeper_works_below_the_dealers_pages_alone(ask):
    assert ask("keeper.js")["Service-Worker-Allowed"] == "/dealer/"
    assert "Service-Worker-Allowed" not in ask("engine.js")


def test_the_rules_are_packed_without_batches_and_nothing_else_is_there(ask):
    names = zipfile.ZipFile(BytesIO(ask("rules.zip").content)).namelist()
    assert "tables/rules/game/scoring.py" in names
    assert not [name for name in names if "batch" in name or "models" in name]
    assert ask("settings.py").status_code == 404
