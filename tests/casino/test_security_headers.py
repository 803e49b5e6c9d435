"""Security headers and cookies of every answer."""

import re
import runpy

import pytest
from django.conf import settings
from django.test import Client

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
    assert found["SECURE_HSTS_SECONDS"] >= 365 * 24 * 60 * 60
    assert found["SECURE_HSTS_INCLUDE_SUBDOMAINS"]
    for cookie in ("COOKIE_PREFIX", "SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME"):
        assert found[cookie].startswith("__Host-"), cookie
    assert {"SESSION_COOKIE_DOMAIN", "SESSION_COOKIE_PATH", "CSRF_COOKIE_DOMAIN", "CSRF_COOKIE_PATH"} & set(
        found
    ) == set()


def test_a_demo_works_without_tls(monkeypatch, tmp_path):
    found = settings_of(monkeypatch, tmp_path, CASINO_DEMO="1")
    assert not found["SESSION_COOKIE_SECURE"]
    assert not found["SECURE_SSL_REDIRECT"]
    assert found["SESSION_COOKIE_NAME"] == "sessionid"  # browsers accept a prefixed one over TLS alone


@pytest.fixture
def over_tls(settings, monkeypatch, tmp_path):
    found = settings_of(monkeypatch, tmp_path, SECRET_KEY=settings.SECRET_KEY)
    for name in found:
        if name.startswith(("SECURE_", "SESSION_COOKIE_", "CSRF_COOKIE_")):
            setattr(settings, name, found[name])


@pytest.mark.parametrize(
    "address", ["/sign-in/", "/healthz/alive", "/nothing/here/", "/static/icons/mark.svg", "/api/x/"]
)
def test_every_answer_over_tls_keeps_browsers_to_it(over_tls, db, address):
    response = Client().get(address, secure=True)
    assert response["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"


def test_cookies_over_tls_belong_to_this_very_host(over_tls, site, employ):
    client, person = Client(), employ("flo", "floor")
    page = client.get("/sign-in/", secure=True)
    client.force_login(person)
    for cookie in (page.cookies["__Host-csrftoken"], client.cookies["__Host-sessionid"]):
        assert (cookie["secure"], cookie["path"], cookie["domain"] or "") == (True, "/", "")
    assert client.get("/floor/", secure=True).status_code == 200


def test_each_cookie_of_our_own_has_the_prefix_too():
    product = [
        path.read_text()
        for app in ("casino", "tables", "ledger")
        for path in (settings.BASE_DIR / app).rglob("*.py")
    ]
    sets = [text for text in product if ".set_cookie(" in text]
    assert len(sets) == 3  # a terminal's, a browser's and the language's
    for text in sets:
        assert re.search(r'^COOKIE = f"\{settings\.COOKIE_PREFIX\}\w+"$', text, re.M)
        assert re.findall(r"\.set_cookie\(\s*(\w+),", text) == ["COOKIE"]
        assert "domain=" not in text
        assert "path=" not in text


def test_a_page_leads_to_tls_and_a_program_is_refused(over_tls, db):
    client = Client()
    page = client.get("/sign-in/")
    assert (page.status_code, page.url) == (301, "https://testserver/sign-in/")
    refused = client.post("/api/rounds/", "{}", content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "tls_only")
    live = client.get("/live/")
    assert (live.status_code, "Location" in live) == (403, False)
    assert client.get("/healthz/alive").status_code == 200
    assert (
        client.post("/api/rounds/", "{}", content_type="application/json", secure=True).json()["code"]
        != "tls_only"
    )


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
