"""What every test may use: the site, the cast, a real server, a real browser. The people are in cast.py.

Tests in tests/browser need a browser and tests in tests/services need PostgreSQL and Redis; they are marked by folder.
"""

import contextlib
import gc
import os
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

pytest_plugins = [f"tests.support.{name}" for name in ("cast", "game", "evening", "at_once", "serving")]

# Playwright keeps a loop running in the thread of the test, where Django would refuse the database.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

# Nearly nothing that a test makes is part of a circle, and all that is loaded stays: looking through it again and again was a
# twentieth of the run.
gc.set_threshold(50_000, 20, 50)

hypothesis.settings.register_profile(
    "casino",
    max_examples=EXAMPLES,
    derandomize=not LONG,  # a change is judged by the same examples each time; the long form looks for new ones
    print_blob=True,
    deadline=None,  # a busy machine is no defect
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("casino")

HERE = Path(__file__).parent
_TESTS = count()
# Where the database itself is asked: locks, triggers, statements written by hand, what a transaction leaves.
BOTH_DATABASES = (
    *("services/", "casino/sign_in/test_attempts", "casino/test_healthz", "ledger/db/", "ledger/journal/"),
    *("ledger/log/test_unsealing", "tables/test_tasks"),
)
# Verbs, papers and screens: of these PostgreSQL has as many tests as it takes to read each of their statements.
STATEMENTS = (
    *("casino/sign_in/", "ledger/cage/", "ledger/log/", "ledger/reports/", "tables/state/"),
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
# Files of which one worker makes much ready for all of it, or that take long: they begin the workers' parts, where nobody takes
# them over.
FIRST = (
    *(
        "services/",
        "casino/serving/test_machine_fails",
        "test_night",
        "casino/demo/test_seed",
        "casino/serving/test_serve",
        "ledger/log/test_killed",
    ),
    "tables/rules/batch/",
    "browser/",
)
PLAIN = (
    "tables/rules/",
    "tables/collection/test_downs_model",
    "ledger/audit/",
    "test_docs",
    "test_links",
    "test_architecture",
)


@pytest.fixture(scope="session", autouse=True)
def nobody_ends_the_tests():
    """A beat or a worker that a test begins in here is not watched: where it does nothing for long it would end this process."""
    from casino.serving.watchdog import Watchdog

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Watchdog, "begin", Watchdog.pulse)
        yield


def place(item: pytest.Item) -> str:
    """Where a test stands in here, as "tables/rounds/test_rounds.py"."""
    return item.path.relative_to(HERE).as_posix()


def on_services() -> bool:
    """Whether this run is the one on PostgreSQL and Redis."""
    return bool(settings.REDIS_URL) and "postgresql" in settings.DATABASES["default"]["ENGINE"]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Tests that ask no database are not even read in the run on PostgreSQL."""
    inside = collection_path.is_relative_to(HERE)
    plain = inside and f"{collection_path.relative_to(HERE).as_posix()}/".startswith(PLAIN)
    return True if plain and on_services() else None


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are cores: who waits for a page or a process leaves a core to the others."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    """The run on SQLite notes which statements each test sends."""
    if not hasattr(config, "workerinput") and not on_services():
        statements.forget()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not on_services():
        statements.write(getattr(session.config, "workerinput", {}).get("workerid", "alone"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by what they need, and keep those that belong to this run's database.

    SQLite has all but the tests of services. PostgreSQL and Redis have what could differ there: all that is marked
    `both_databases`, and of the verbs and screens as many as it takes. Tests that are named one by one, and all in the long
    form, run on either. What is marked `long` runs only so.
    """
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
    """The tests in an order in which each worker's part, as xdist cuts them, begins with its share of the files that wait long;
    what follows is taken over by whoever is done."""
    files = [list(file) for _, file in groupby(items, place)]
    long = [file for first in FIRST for file in files if place(file[0]).startswith(first)]
    short = chain.from_iterable(file for file in files if file not in long)
    found, left = [], len(items)
    for number in range(workers):
        size = left // (workers - number)
        left -= size
        head = list(chain.from_iterable(long[number::workers]))
        found += [*head, *islice(short, max(size - len(head), 0))]
    return [*found, *short]


def differing(items: list[pytest.Item]) -> set[str]:
    """The tests that may come out otherwise on PostgreSQL.

    Where no run on SQLite has noted the statements, those of verbs and screens are each taken once, with the first of their
    values.
    """
    both = {item.nodeid for item in items if item.get_closest_marker("both_databases")}
    screens = [item for item in items if place(item).startswith(STATEMENTS) and item.nodeid not in both]
    sent = statements.read()
    if sent:
        return both | statements.fewest([item.nodeid for item in screens], sent, both)
    first = {(item.path, getattr(item, "originalname", item.name)): item.nodeid for item in reversed(screens)}
    return both | set(first.values())


def pytest_collection_finish() -> None:
    """What is loaded by now is not looked through for garbage any more."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Each worker reads another share of the files first. What pytest makes of a file is kept beside it, so in a fresh clone
    no two workers do that work for the same one."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None or on_services():
        return
    folders = [HERE.parent / asked for asked in session.config.args]
    files = sorted(path for folder in folders if folder.is_dir() for path in folder.rglob("test_*.py"))
    for path in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        with contextlib.suppress(pytest.Collector.CollectError):  # it is told where the file is collected
            _ = pytest.Module.from_parent(session, path=path).obj


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Nothing that is kept lies beneath a test that commits, or beneath what is made for a whole file. No test finds the
    checkpoints of another, whose log has the same name."""
    settings.CHECKPOINTS = settings.VAR_DIR / "checkpoints" / str(next(_TESTS))
    if kept.has_rows_of_its_own(item):
        unmake_what_is_kept(item.config)


def unmake_what_is_kept(config: pytest.Config) -> None:
    """Roll all of it back, between two tests, where pytest-django lets nobody else at the database."""
    with config.stash[blocking_manager_key].unblock():
        kept.LAYERS.unmake()


@pytest.fixture
def _kept(request, _statements, django_db_blocker):
    """What is kept for this test lies ready beneath it before its own transaction begins."""
    if not kept.has_rows_of_its_own(request.node):
        with django_db_blocker.unblock():
            kept.LAYERS.prepare(*kept.wanted(request.node))
    yield
    kept.LAYERS.given = {}


@pytest.fixture
def _statements(request, django_db_setup):
    """What this test and what is kept for it send is noted."""
    with statements.noted(connection, request.node.nodeid):
        yield


@pytest.fixture
def _django_db_helper(_kept, _django_db_helper):
    """The transaction of a test that rolls back, above what is kept."""
    return _django_db_helper


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_kept_at_the_end(request):
    """The last test's rows go before its database does."""
    yield
    unmake_what_is_kept(request.config)


@pytest.fixture(scope="session", autouse=True)
def _emptying():
    """A test that commits leaves nothing behind."""
    from tests.support import emptying

    emptying.put_in()


@pytest.fixture(scope="session", autouse=True)
def _static_files_are_found_once():
    """Each client of a test has its own chain of middleware, and each of them would look for every static file."""
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
    """No test finds another's heartbeat, nor a watch of the clock that another began in this process."""
    yield
    from django.core.cache import cache

    from tables.floor import house_clock

    cache.clear()
    house_clock._watch = None


@pytest.fixture
def real_terminals():
    """PINs are taken on enrolled terminals alone, as in the house. Without it every device of a test takes them."""


@pytest.fixture
def asks_for_factors():
    """Whose work needs a second step is asked for one, as in the house. Without it nobody is, in a test."""


@pytest.fixture(autouse=True)
def _nobody_is_asked_for_more_than_a_password_or_pin(request, monkeypatch):
    if "asks_for_factors" not in request.fixturenames:
        monkeypatch.setattr("casino.sign_in.coming_in.factors.must_add", lambda *_, **at: False)
        monkeypatch.setattr("casino.sign_in.coming_in.needs_terminal", lambda person: False)
    if "real_terminals" not in request.fixturenames:
        monkeypatch.setattr("casino.sign_in.pins.require_enrolled", lambda request: None)


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
def browser(request):
    """Chromium, started once."""
    from playwright.sync_api import expect, sync_playwright

    from tools import chromium

    expect.set_options(timeout=30_000)  # a busy machine is no defect here either
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.FLAGS)
        yield running
        # While Playwright's loop runs in this thread, Django has other connections here than without it.
        unmake_what_is_kept(request.config)
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
