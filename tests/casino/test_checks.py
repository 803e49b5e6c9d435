"""What the project refuses to start with, and the key it makes for itself."""

import os
import stat
import subprocess
import sys

from django.conf import settings as real_settings

from casino import checks
from casino.serving import environment
from casino.serving.environment import kept_secret_key

STRONG = "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghij"


def manage(tmp_path, *arguments, **environment):
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=real_settings.BASE_DIR,
        env={**kept, "CASINO_VAR": str(tmp_path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_real_room_does_not_start_without_a_secret_key(tmp_path):
    refused = manage(tmp_path, "serve")
    assert refused.returncode == 1
    (sentence,) = refused.stderr.splitlines()
    assert sentence.startswith("SECRET_KEY is missing: it has to be 50 characters or more")
    assert not (tmp_path / "secret_key").exists()


def test_a_process_that_was_given_a_key_begins(settings):
    settings.SECRET_KEY = STRONG
    assert checks.secret_key() == []


def test_a_demo_makes_its_key_once_for_its_owner_alone(tmp_path):
    assert manage(tmp_path, "check", CASINO_DEMO="1").returncode == 0
    key = tmp_path / "secret_key"
    first = key.read_text()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert environment.read({"SECRET_KEY": first}, base=tmp_path)["SECRET_KEY"] == first
    assert manage(tmp_path, "version", CASINO_DEMO="1").returncode == 0
    assert key.read_text() == first


def test_a_key_that_another_process_made_first_holds(tmp_path, monkeypatch):
    def overtaken(source, target):
        target.write_text(STRONG)
        raise FileExistsError

    monkeypatch.setattr(os, "link", overtaken)
    assert kept_secret_key(tmp_path) == STRONG
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_the_house_keeps_its_times_in_utc(settings):
    assert checks.time_zone() == []
    settings.TIME_ZONE = "America/Los_Angeles"
    assert [problem.id for problem in checks.time_zone()] == ["casino.E002"]


def test_a_demo_that_other_machines_reach_is_pointed_out(settings):
    settings.DEMO, settings.HOST = True, "0.0.0.0"
    assert [problem.id for problem in checks.demo_stays_here()] == ["casino.W003"]
    settings.HOST = "127.0.0.1"
    assert checks.demo_stays_here() == []


def test_a_variable_that_looks_like_a_setting_is_pointed_out(tmp_path):
    checked = manage(tmp_path, "check", CASINO_DEMO="1", CASINO_CHEKPOINTS="/kept")
    assert checked.returncode == 0
    assert (
        "(casino.W004) CASINO_CHEKPOINTS is not a setting of this program: CASINO_CHECKPOINTS may be meant"
        in (checked.stderr)
    )
