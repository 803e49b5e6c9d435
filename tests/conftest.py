"""Fixtures of every test; the staff is in cast.py. tests/browser and tests/services are marked by folder."""

import contextlib
import gc
import os
import re
import threading
import time
from itertools import chain, count, groupby, islice
from pathlib import Path

import hypothesis
import pytest
import uvicorn
from django.conf import settings
from django.db import connection
from pytest_django.plugin import blocking_manager_key

from tests.support import kept, statements
from tests.support.lengths import EXAMPLES, LONG

PLUGINS = ("migrated", "cast", "game", "evening", "at_once", "serving", "elsewhere")
pytest_plugins = [f"tests.support.{name}" for name in PLUGINS]

# Playwright runs a loop in the test's thread, where Django would refuse database calls.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

# Tests make few cycles, and loaded code stays: frequent collections took a twentieth of the run.
gc.set_threshold(50_000, 20, 50)

hypothesis.settings.register_profile(
    "casino",
    max_examples=EXAMPLES,
    derandomize=not LONG,  # the same examples for every change; the long form looks for new ones
    print_blob=True,
    deadline=None,  # a busy machine is no defect
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("casino")

HERE = Path(__file__).parent
_TESTS = count()
# The database itself: locks, triggers, handwritten SQL, effects of transactions.
BOTH_DATABASES = (
    *("services/", "casino/sign_in/test_attempts", "casino/test_healthz", "ledger/db/", "ledger/journal/"),
    *("ledger/proof/log/test_unsealing", "tables/test_tasks"),
)
# Verbs, papers and screens: PostgreSQL runs as many tests as it takes to run each statement.
STATEMENTS = (
    *("casino/sign_in/", "ledger/cage/", "ledger/proof/log/", "ledger/reports/", "tables/state/"),
    *(
        "casino/staff/",
        "ledger/views/",
        "tables/api/",
        "tables/collection/",
        "tables/floor/",
        "tables/log/",
        "tables/reports/",
    ),
    *("tables/rounds/", "tables/seats/", "tables/views/"),
)
# Files with an expensive set-up for one worker, or that run long: they come first in the workers' parts,
# where no other worker takes them over.
FIRST = (
    *(
        "services/",
        "casino/serving/test_machine_fails",
        "test_night",
        "casino/demo/test_seed",
        "casino/serving/test_serve",
        "ledger/proof/log/test_killed",
    ),
    "tables/rules/batch/",
    "browser/",
    *("casino/test_nasty_addresses", "casino/test_rights", "casino/test_plans"),
    *(
        "tables/log/test_unreadable",
        "tables/log/test_every_column",
        "tables/log/test_corrections_at_any_moment",
    ),
    *("tables/collection/test_downs_model", "tables/log/test_going_on"),
)
MARKED = re.compile(r"transaction=True|both_databases|transactional_db|live_server")
PLAIN = (
    "tables/rules/",
    "tables/collection/test_downs_model",
    "ledger/proof/audit/",
    "test_docs",
    "test_links",
    "test_architecture",
)


@pytest.fixture(scope="session", autouse=True)
def nobody_ends_the_tests():
    """Disable the watchdog in this process, which it would end."""
    from casino.serving.watchdog import Watchdog

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Watchdog, "begin", Watchdog.pulse)
        yield


@pytest.fixture(scope="session", autouse=True)
def nobody_else_is_left(request):
    """End what killed processes left of their sessions, which PostgreSQL may notice late on a busy machine:
    a test's database that somebody uses cannot be dropped."""
    if not on_services():
        yield
        return
    request.getfixturevalue("django_db_setup")
    blocker = request.getfixturevalue("django_db_blocker")
    yield
    with blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def place(item: pytest.Item) -> str:
    """Return a test's file below tests/, as "tables/rounds/test_rounds.py"."""
    return item.path.relative_to(HERE).as_posix()


def on_services() -> bool:
    return bool(settings.REDIS_URL) and "postgresql" in settings.DATABASES["default"]["ENGINE"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip files that use no database in the run on PostgreSQL, and in the short form those of which none is
    selected for it: to read them takes as long as to run many of the others."""
    if not on_services() or not collection_path.is_relative_to(HERE):
        return None
    where = collection_path.relative_to(HERE).as_posix()
    if f"{where}/".startswith(PLAIN):
        return True
    if LONG or collection_path.suffix != ".py" or any("::" in argument for argument in config.args):
        return None
    if where.startswith("browser/") and config.option.markexpr == "not browser":
        return True
    if where.startswith((*BOTH_DATABASES, *STATEMENTS, "services/")):
        return None
    return None if MARKED.search(collection_path.read_text()) else True


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than cores, because some wait for a page or a process."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput") and not on_services():
        statements.forget()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not on_services():
        statements.write(getattr(session.config, "workerinput", {}).get("workerid", "alone"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by what they need, and select those for this run's database: all but services on SQLite; on
    PostgreSQL those marked `both_databases`, and enough of verbs and screens; all if named or in the long
    form."""
    for item in items:
        where = place(item)
        if where.startswith("browser/"):
            item.add_marker("browser")
        if where.startswith("services/"):
            item.add_marker("services")
        database = item.get_closest_marker("django_db")
        if where.startswith(BOTH_DATABASES) or (database and database.kwargs.get("transaction")):
            item.add_marker("both_databases")
    if not on_services():
        stay = {item.nodeid for item in items if not item.get_closest_marker("services")}
    elif LONG or any("::" in argument for argument in config.args):
        stay = {item.nodeid for item in items}
    else:
        stay = differing(items)
    if not LONG and not any("::" in argument for argument in config.args):
        stay -= {item.nodeid for item in items if item.get_closest_marker("long")}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in stay])
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    items[:] = dealt([item for item in items if item.nodeid in stay], workers)


def dealt(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """Order the tests so that each worker's part begins with its share of the long files, and that tests
    which begin with the same kept fixtures come one after another, of whatever file they are."""
    files = [list(file) for _, file in groupby(items, place)]
    long = [file for first in FIRST for file in files if place(file[0]).startswith(first)]
    short = iter(kept.together(list(chain.from_iterable(file for file in files if file not in long))))
    found, left = [], len(items)
    for number in range(workers):
        size = left // (workers - number)
        left -= size
        head = list(chain.from_iterable(long[number::workers]))
        found += [*head, *islice(short, max(size - len(head), 0))]
    return [*found, *short]


def differing(items: list[pytest.Item]) -> set[str]:
    """Return the tests that may come out otherwise on PostgreSQL. If no run on SQLite has noted statements,
    take each test of verbs and screens once, with its first parameters."""
    both = {item.nodeid for item in items if item.get_closest_marker("both_databases")}
    screens = [item for item in items if place(item).startswith(STATEMENTS) and item.nodeid not in both]
    sent = statements.read()
    if sent:
        return both | statements.fewest([item.nodeid for item in screens], sent, both)
    first = {(item.path, getattr(item, "originalname", item.name)): item.nodeid for item in reversed(screens)}
    return both | set(first.values())


def pytest_collection_finish() -> None:
    """Exempt what is loaded by now from garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import another share of the files in each worker: in a fresh clone no two compile the same one."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None or on_services():
        return
    folders = [HERE.parent / asked for asked in session.config.args]
    files = sorted(path for folder in folders if folder.is_dir() for path in folder.rglob("test_*.py"))
    for path in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        with contextlib.suppress(pytest.Collector.CollectError):  # reported when the file is collected
            _ = pytest.Module.from_parent(session, path=path).obj


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Drop kept fixtures before a test that commits. Give each test a checkpoint folder of its own."""
    settings.CHECKPOINTS = settings.VAR_DIR / "checkpoints" / str(next(_TESTS))
    if kept.has_rows_of_its_own(item):
        unmake_what_is_kept(item.config)


def unmake_what_is_kept(config: pytest.Config) -> None:
    with config.stash[blocking_manager_key].unblock():
        kept.LAYERS.unmake()


@pytest.fixture
def _kept(request, _statements, django_db_blocker):
    if not kept.has_rows_of_its_own(request.node):
        with django_db_blocker.unblock():
            kept.LAYERS.prepare(*kept.wanted(request.node))
    yield
    kept.LAYERS.given = {}


@pytest.fixture
def _statements(request, django_db_setup):
    with statements.noted(connection, request.node.nodeid):
        yield


@pytest.fixture
def _django_db_helper(_kept, _django_db_helper):
    return _django_db_helper


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_kept_at_the_end(request):
    yield
    unmake_what_is_kept(request.config)


@pytest.fixture(scope="session", autouse=True)
def _emptying():
    from tests.support import emptying

    emptying.put_in()


@pytest.fixture(scope="session", autouse=True)
def _what_is_written_is_declared():
    from tests.support import declarations

    declarations.put_in()


@pytest.fixture(scope="session", autouse=True)
def _static_files_are_found_once():
    """Static files are the same for each client's middleware chain: find them once."""
    from whitenoise.middleware import WhiteNoiseMiddleware

    find, found = WhiteNoiseMiddleware.add_files_from_finders, {}

    def add(self):
        if not found:
            find(self)
            found.update(self.files)
        self.files.update(found)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(WhiteNoiseMiddleware, "add_files_from_finders", add)
        yield


@pytest.fixture(autouse=True)
def _nothing_is_remembered(request):
    """Forget heartbeats and clock watches of other tests in this process."""
    yield
    from django.core.cache import cache

    from tables.floor import house_clock

    cache.clear()
    house_clock._watch = None


@pytest.fixture
def real_terminals():
    """Accept PINs on enrolled terminals alone, as the house does; without it, on any device in a test."""


@pytest.fixture
def asks_for_factors():
    """Demand second steps as the house does; without it, of nobody in a test."""


@pytest.fixture(autouse=True)
def _nobody_is_asked_for_more_than_a_password_or_pin(request, monkeypatch):
    if "asks_for_factors" not in request.fixturenames:
        monkeypatch.setattr("casino.sign_in.coming_in.factors.must_add", lambda *_, **at: False)
        monkeypatch.setattr("casino.sign_in.coming_in.needs_terminal", lambda person: False)
    if "real_terminals" not in request.fixturenames:
        monkeypatch.setattr("casino.sign_in.pins.require_enrolled", lambda request: None)


@pytest.fixture(scope="session")
def asgi(django_db_setup):
    """The address of a real server in a thread, which can stream, unlike pytest-django's. The test must
    commit (`django_db(transaction=True)`) for the server to see its rows."""
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
def browser(request):
    from playwright.sync_api import expect, sync_playwright

    from tools import chromium

    expect.set_options(timeout=30_000)  # a busy machine is no defect
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.FLAGS)
        yield running
        # While Playwright's loop runs in this thread, Django uses other connections.
        unmake_what_is_kept(request.config)
        running.close()


@pytest.fixture
def page(browser):
    """A page in a window of its own. The test fails if a script or the console adds to `page.errors`."""
    from tests.support.screens import note_errors

    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US", timezone_id="UTC")
    page = context.new_page()
    note_errors(page)
    yield page
    errors = page.errors
    context.close()
    assert errors == []
