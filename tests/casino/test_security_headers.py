"""What every answer says to the browser, and how cookies travel."""

import runpy

import pytest
from django.conf import settings

POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
}


@pytest.mark.parametrize("address", ["/sign-in/", "/healthz", "/nothing/here/", "/static/icons/mark.svg"])
def test_every_answer_carries_the_strict_policy(client, db, address):
    response = client.get(address)
    assert set(response["Content-Security-Policy"].split("; ")) == POLICY
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"


def test_pages_are_shown_in_no_frame(client, db):
    assert client.get("/sign-in/")["X-Frame-Options"] == "DENY"


def test_static_files_are_for_our_own_pages(client, db):
    response = client.get("/static/icons/mark.svg")
    assert response.status_code == 200
    assert not response.streaming
    assert "Access-Control-Allow-Origin" not in response
    again = client.get("/static/icons/mark.svg", headers={"if-none-match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def settings_of(monkeypatch, tmp_path, **environment):
    for name in ("CASINO_DEMO", "SECURE", "DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CASINO_VAR", str(tmp_path))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(settings.BASE_DIR / "casino" / "settings.py"))


def test_a_real_room_speaks_tls_alone(monkeypatch, tmp_path):
    found = settings_of(monkeypatch, tmp_path)
    assert found["SESSION_COOKIE_SECURE"]
    assert found["CSRF_COOKIE_SECURE"]
    assert found["SECURE_SSL_REDIRECT"]
    assert found["SECURE_HSTS_SECONDS"] > 0


def test_a_demo_works_without_tls(monkeypatch, tmp_path):
    found = settings_of(monkeypatch, tmp_path, CASINO_DEMO="1")
    assert not found["SESSION_COOKIE_SECURE"]
    assert not found["SECURE_SSL_REDIRECT"]


def test_postgresql_connections_are_pooled_not_kept(monkeypatch, tmp_path):
    found = settings_of(
        monkeypatch, tmp_path, DATABASE_URL="postgresql://casino@/casino?host=/run/postgresql"
    )
    database = found["DATABASES"]["default"]
    assert database["CONN_MAX_AGE"] == 0
    assert database["OPTIONS"]["pool"]["max_size"] > 1
    assert database["OPTIONS"]["host"] == "/run/postgresql"


def test_sqlite_locks_at_once_and_waits_for_the_disk(monkeypatch, tmp_path):
    options = settings_of(monkeypatch, tmp_path)["DATABASES"]["default"]["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE"
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "recursive_triggers=ON"):
        assert f"PRAGMA {pragma};" in options["init_command"]
