"""What the settings need of the machine is there or refused; files are their owner's alone."""

import os
import stat

import pytest
from django.core.management.base import CommandError

from casino.serving import environment
from casino.serving.starting import refuse_real_house
from ledger.models import Site
from tests.casino.test_checks import STRONG, manage


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_is_made_and_what_is_written_is_its_owner_s_alone(tmp_path):
    folder = environment.own_folder(tmp_path / "a" / "var")
    (folder / "note").write_text("x")
    assert (mode(folder), mode(folder / "note")) == (0o700, 0o600)
    assert os.umask(0o077) == 0o077


def test_what_an_older_version_left_open_is_closed(tmp_path):
    (tmp_path / "room.sqlite3").touch()
    (tmp_path / "room.sqlite3").chmod(0o644)
    tmp_path.chmod(0o755)
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints").chmod(0o770)
    environment.close_to_others(tmp_path, but=tmp_path / "checkpoints")
    assert (mode(tmp_path), mode(tmp_path / "room.sqlite3")) == (0o700, 0o600)
    assert mode(tmp_path / "checkpoints") == 0o770


def test_what_is_another_s_is_left_to_them(tmp_path, monkeypatch):
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers").chmod(0o770)
    monkeypatch.setattr(os, "geteuid", lambda: 10**6)
    environment.close_to_others(tmp_path, but=tmp_path / "checkpoints")
    assert mode(tmp_path / "papers") == 0o770


def test_a_folder_that_cannot_be_had_ends_in_a_sentence(tmp_path):
    (tmp_path / "file").touch()
    refused = manage(tmp_path / "file" / "var", "check", SECRET_KEY=STRONG)
    assert refused.returncode == 1
    (sentence,) = refused.stderr.splitlines()
    assert sentence.endswith("Not a directory. CASINO_VAR names another folder.")


def test_a_demo_is_refused_on_the_books_of_a_real_house(site, settings):
    refuse_real_house()
    settings.DEMO = True
    with pytest.raises(CommandError, match=r"The Fifth Street Room is a real house.*without CASINO_DEMO"):
        refuse_real_house()


def test_a_demo_is_served_on_its_own_books(db, settings):
    Site.objects.create(name="The Fifth Street Room", demo=True)
    settings.DEMO = True
    refuse_real_house()


def test_check_deploy_has_nothing_to_say(tmp_path):
    checked = manage(tmp_path, "check", "--deploy", "--fail-level", "INFO", SECRET_KEY=STRONG)
    assert checked.returncode == 0, checked.stderr
    assert "no issues (1 silenced)" in checked.stdout
