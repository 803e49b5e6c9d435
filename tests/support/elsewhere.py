"""A house in a place of its own: an empty database beside the test's, with processes that work on it."""

import os
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection

from tests.support.serving import Processes, database_url

PATIENCE_SECONDS = 300  # a busy machine is no defect


@pytest.fixture
def elsewhere(tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    url, name = f"sqlite:///{folder / 'room.sqlite3'}", f"{connection.settings_dict['NAME']}_restored"
    if connection.vendor == "postgresql":
        url = urlsplit(database_url())._replace(path=f"/{name}").geturl()
        administer(f'CREATE DATABASE "{name}"')
    own = Processes(
        folder, DATABASE_URL=url, HOUSE_SHEETS=str(folder / "sheets"), PAPERS=str(folder / "papers")
    )
    yield own
    own.end()
    if connection.vendor == "postgresql":
        administer(f'DROP DATABASE "{name}" WITH (FORCE)')


def administer(sql):
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(sql)


def run(processes, *command):
    """Run a command of manage.py there; return its exit status and what it said."""
    process = processes.begin("manage.py", *command)
    return process.wait(PATIENCE_SECONDS), process.log.read_text()
