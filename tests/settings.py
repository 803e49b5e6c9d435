"""The project's settings for tests: a real house (no demo), in a temporary folder."""

import os
import tempfile
from urllib.parse import urlsplit

_folder = tempfile.TemporaryDirectory(prefix="casino-tests-")
os.environ["CASINO_VAR"] = _folder.name
os.environ["CASINO_DEMO"] = "0"
os.environ["SECURE"] = "0"
os.environ["SECRET_KEY"] = "a key for tests alone, long enough to pass for a real one"

# Each worker has a database of its own from pytest-django, and here one of Redis's sixteen. Remove the name,
# because processes that a test starts get the right REDIS_URL.
_worker = os.environ.pop("PYTEST_XDIST_WORKER", "").removeprefix("gw")
_redis = os.environ.get("REDIS_URL") or ""
if _worker and _redis.startswith("unix:"):
    os.environ["REDIS_URL"] = f"{_redis.partition('?')[0]}?db={_worker}"
elif _worker and _redis:
    os.environ["REDIS_URL"] = urlsplit(_redis)._replace(path=f"/{_worker}").geturl()

from casino.settings import *  # noqa: E402, F403
from casino.settings import DATABASES  # noqa: E402

# Slow hashing would dominate tests that sign somebody in.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # In a file, so that a server's threads share it with the test; nobody waits for the disk.
    DATABASES["default"]["TEST"] = {"NAME": f"{_folder.name}/test.sqlite3"}
    _init = DATABASES["default"]["OPTIONS"]["init_command"]
    DATABASES["default"]["OPTIONS"]["init_command"] = _init.replace("synchronous=FULL", "synchronous=OFF")
    DATABASES["default"]["OPTIONS"]["timeout"] = 20  # many processes on a busy machine are no fault
else:
    for _database in DATABASES.values():
        _database["OPTIONS"].pop("options")
