"""What every test may use: the site, the cast, a real server, a real browser. The people are in cast.py.

Tests in tests/browser need a browser and tests in tests/services need PostgreSQL and Redis; they are marked by folder.
"""

import os
import threading
import time
from pathlib import Path

import hypothesis
import pytest
import uvicorn
from django.conf import settings

pytest_plugins = ["tests.support.cast", "tests.support.game", "tests.support.evening"]

# Playwright keeps a loop running in the thread of the test, where Django would refuse the database.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

hypothesis.settings.register_profile(
    "casino",
    max_examples=int(os.environ.get("CASINO_EXAMPLES") or "50"),
    print_blob=True,
    deadline=None,  # a busy machine is no defect
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("casino")

HERE = Path(__file__).parent
BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by their folder, and leave those for PostgreSQL and Redis to the run that has both.

    That run leaves out the rules that ask no database: they have been tried in the run before it.
    """
    has_services = bool(settings.REDIS_URL) and "postgresql" in settings.DATABASES["default"]["ENGINE"]
    kept, left = [], []
    for item in items:
        where = item.path.relative_to(HERE).parts
        folder = where[0]
        if folder == "browser":
            item.add_marker("browser")
        if folder == "services":
            item.add_marker("services")
        plain = where[:2] == ("tables", "rules") and not item.get_closest_marker("django_db")
        (left if (plain if has_services else folder == "services") else kept).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


@pytest.fixture(scope="session", autouse=True)
def _emptying():
    """A test that commits leaves nothing behind."""
    from tests.support import emptying

    emptying.put_in()


@pytest.fixture(autouse=True)
def _empty_cache(request):
    """No test finds another's sign-in attempts or heartbeat."""
    yield
    from django.core.cache import cache

    cache.clear()


@pytest.fixture(scope="session")
def asgi(django_db_setup):
    """The address of the real server in a thread: the one that pytest-django brings cannot stream.

    A test that uses it commits (`django_db(transaction=True)`), or the server would see nothing of its rows.
    """
    from casino.asgi import application

    config = uvicorn.Config(application, port=0, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture(scope="session")
def browser():
    """Chromium, started once."""
    from playwright.sync_api import sync_playwright

    from tools import chromium

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium.find(), args=BROWSER_FLAGS)
        yield running
        running.close()


@pytest.fixture
def page(browser):
    """A page of its own window. The test fails at its end where a script or the console reported an error.

    `page.errors` lists them; a test that provokes one (a refused answer, say) empties it.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US", timezone_id="UTC")
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on(
        "console",
        lambda message: (
            page.errors.append(f"{message.text} {message.location['url']}")
            if message.type == "error"
            else None
        ),
    )
    yield page
    errors = page.errors
    context.close()
    assert errors == []
