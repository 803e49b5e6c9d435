"""One worker of xdist migrates its database, and the others copy it: to migrate takes seven seconds of
processor time in each."""

import contextlib
import fcntl
import shutil

import pytest
from django.core import management
from django.db import connection
from django.db.backends.base.creation import BaseDatabaseCreation

CREATE = BaseDatabaseCreation.create_test_db


class Migrated:
    """A copy of the migrated database, in `folder`, which all workers share: a file, or on PostgreSQL a
    database whose name is in the file until the last worker has made its own from it."""

    def __init__(self, folder, workers):
        self.file, self.lock = folder / f"migrated.{connection.vendor}", folder / "migrating"
        self.done, self.workers = folder / "made", workers

    def create(self, creation, *arguments, **options):
        with self.lock.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self.file.exists():
                name = self.copied(creation, *arguments, **options)
            else:
                name = CREATE(creation, *arguments, **options)
                self.keep(name)
            with self.done.open("a") as done:
                print(name, file=done)
            if connection.vendor == "postgresql" and len(self.done.read_text().split()) >= self.workers:
                self.forget()
                self.file.unlink()
        return name

    def keep(self, name):
        connection.close()
        if connection.vendor == "sqlite":
            shutil.copyfile(name, self.file)
            return
        connection.close_pool()
        self.file.write_text(f"{name}_migrated")
        self.forget()
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{name}_migrated" TEMPLATE "{name}"')

    def forget(self):
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{self.file.read_text()}"')

    def copied(self, creation, *arguments, **options):
        """Create a database as Django does, but for migrating it."""
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(management, "call_command", lambda *command, **more: None)
            if connection.vendor == "postgresql":
                patched.setitem(connection.settings_dict["TEST"], "TEMPLATE", self.file.read_text())
                return CREATE(creation, *arguments, **options)
            shutil.copyfile(self.file, creation._get_test_db_name())
            patched.setattr(creation, "_create_test_db", lambda *asked: None)
            return CREATE(creation, *arguments, **options)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(request, tmp_path_factory, django_db_modify_db_settings):
    workers = getattr(request.config, "workerinput", {}).get("workercount", 1)
    with contextlib.ExitStack() as stack:
        if workers > 1:
            migrated = Migrated(tmp_path_factory.getbasetemp().parent, workers)
            patched = stack.enter_context(pytest.MonkeyPatch.context())
            patched.setattr(
                BaseDatabaseCreation, "create_test_db", lambda *a, **more: migrated.create(*a, **more)
            )
        yield
