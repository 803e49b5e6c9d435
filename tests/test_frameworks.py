"""Each undocumented use of a framework has a file of its own, tried with the versions named here. After an
update, compare such a file with the framework's code, run its tests, and add the version."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

TRIED = {
    "casino/celery.py": {"celery": ("5.7",)},  # the variable behind --skip-checks
    "casino/serving/answering.py": {"django": ("5.2", "6.1")},  # the steps of Django's ASGI handler
    "casino/serving/cache.py": {"django": ("5.2", "6.1")},  # the client of its cache in Redis
    "casino/serving/slow_senders.py": {"uvicorn": ("0.54",)},  # its connection
    "casino/sign_in/allauth_parts.py": {"django-allauth": ("65.21",)},  # second steps without its pages
    "casino/sign_in/asking.py": {"django": ("5.2", "6.1")},  # how its session store reads a row, makes a key
    "ledger/db/shortcuts.py": {"django": ("5.2", "6.1"), "psycopg": ("3.3",)},
    "ledger/db/sqlite3/base.py": {"django": ("5.2", "6.1")},  # where a transaction begins and ends
    "ledger/db/tables_at_once.py": {"django": ("5.2", "6.1")},  # the models as migrations see them
}
"""The tried versions by file and package."""


def untried(file, package, installed):
    tried = TRIED[file][package]
    if installed.rsplit(".", installed.count(".") - 1)[0] in tried:
        return ""
    return (
        f"{file} uses {package} past its documentation and was tried with {', '.join(tried)}, not with "
        f"{installed}."
    )


@pytest.mark.parametrize(("file", "package"), [(file, name) for file in TRIED for name in TRIED[file]])
def test_a_file_that_goes_past_the_documentation_was_tried_with_what_is_installed(file, package):
    assert not untried(file, package, version(package))


def test_another_minor_version_is_named_with_its_file():
    file = "ledger/db/shortcuts.py"
    assert not untried(file, "django", "5.2.99")
    assert (
        untried(file, "django", "6.2")
        == f"{file} uses django past its documentation and was tried with 5.2, 6.1, not with 6.2."
    )


PAST = re.compile(
    r"^\s*(?:from|import) "
    r"(?:allauth\S*\.internal|django\.db\.models\.(?:base|query|sql)\b|django\.core\.handlers"
    r"|django\.core\.cache\.backends|django\.db\.backends\.(?:sqlite3|postgresql)|celery\.worker\."
    r"|uvicorn\.protocols|(?:django|celery|allauth|uvicorn|psycopg|rest_framework)\S*\._)|concrete_fields"
    r"|get_compiler|super\(\)\._[a-z]|_perm_cache"
    r"|from celery\.worker import .*\bstate\b|_handler_class|CELERY_SKIP_CHECKS",
    re.MULTILINE,
)
"""Undocumented names of frameworks; `super()._` is used for frameworks only."""


def past_documentation():
    files = (path for app in ("casino", "ledger", "tables") for path in (ROOT / app).rglob("*.py"))
    return {
        str(path.relative_to(ROOT))
        for path in files
        if "migrations" not in path.parts and PAST.search(path.read_text())
    }


def test_nothing_else_goes_past_the_documentation():
    assert past_documentation() <= TRIED.keys()


@pytest.mark.parametrize(
    "planted",
    [
        "from django.db.models.query import get_related_populators",
        "from allauth.mfa.totp.internal import auth",
        "from celery.worker import WorkController, state",
        "fields = model._meta.concrete_fields",
        "        super()._commit()",
        'os.environ["CELERY_SKIP_CHECKS"] = "1"',
        "person._perm_cache = rights",
    ],
)
def test_a_planted_way_past_the_documentation_is_found(planted):
    assert PAST.search(planted)
