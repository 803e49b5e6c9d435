"""What the project refuses to start with, and the key it makes for itself."""

import os
import stat
import subprocess
import sys

import pytest
from django.conf import settings as real_settings

from casino import checks
from casino.serving.machine import is_weak, kept_secret_key

STRONG = "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghij"


def manage(tmp_path, *arguments, **environment):
    """Run manage.py in an environment of its own."""
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
    assert sentence.startswith("SECRET_KEY is missing: set it to at least 50 characters")
    assert not (tmp_path / "secret_key").exists()


@pytest.mark.parametrize("weak", ["changeme", "a" * 60, "django-insecure-" + STRONG])
def test_a_real_room_does_not_start_with_a_weak_secret_key(settings, weak):
    settings.SECRET_KEY = weak
    with pytest.raises(SystemExit, match="SECRET_KEY is weak"):
        checks.secret_key()


def test_a_strong_secret_key_is_accepted(settings):
    settings.SECRET_KEY = STRONG
    assert checks.secret_key() == []


def test_a_demo_makes_its_key_once_for_its_owner_alone(tmp_path):
    assert manage(tmp_path, "check", CASINO_DEMO="1").returncode == 0
    key = tmp_path / "secret_key"
    first = key.read_text()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert not is_weak(first)
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


@pytest.mark.parametrize("named", [["*"], ["proxy.example"], ["127.0.0.1", "0.0.0.0/0"]])
def test_proxies_that_could_be_anybody_are_refused(settings, named):
    assert checks.proxies() == []
    settings.TRUSTED_PROXIES = named
    assert [problem.id for problem in checks.proxies()] == ["casino.E010"]
