"""What is used of a framework past its documentation stands alone in a file, which was tried with the versions named here.

Where a framework is updated, the tests of such a file are read and run, the file is compared with the framework's own code, and
the new version is added here.
"""

from importlib.metadata import version

import pytest

TRIED = {
    "casino/serving/answering.py": {"django": ("5.2",)},  # the steps of Django's ASGI handler
    "casino/serving/cache.py": {"django": ("5.2",)},  # the client of its cache in Redis
    "casino/serving/slow_senders.py": {"uvicorn": ("0.54",)},  # its connection
    "casino/sign_in/allauth_parts.py": {"django-allauth": ("65.21",)},  # second steps without its pages
    "casino/sign_in/asking.py": {"django": ("5.2",)},  # where its session store reads a row and makes a key
    "ledger/db/shortcuts.py": {"django": ("5.2",), "psycopg": ("3.3",)},
    "ledger/db/sqlite3/base.py": {"django": ("5.2",)},  # where a transaction begins and ends
    "ledger/db/tables_at_once.py": {"django": ("5.2",)},  # the picture that migrations have of the models
}
"""With which versions of what each of these files was tried."""


def untried(file, package, installed):
    """A sentence where this version of a package was not tried with the file."""
    tried = TRIED[file][package]
    if installed.rsplit(".", installed.count(".") - 1)[0] in tried:
        return ""
    return f"{file} uses {package} past its documentation and was tried with {', '.join(tried)}, not with {installed}."


@pytest.mark.parametrize(("file", "package"), [(file, name) for file in TRIED for name in TRIED[file]])
def test_a_file_that_goes_past_the_documentation_was_tried_with_what_is_installed(file, package):
    assert not untried(file, package, version(package))


def test_another_minor_version_is_named_with_its_file():
    file = "ledger/db/shortcuts.py"
    assert not untried(file, "django", "5.2.99")
    assert (
        untried(file, "django", "6.1")
        == f"{file} uses django past its documentation and was tried with 5.2, not with 6.1."
    )
