"""docs/api.md is followed line by line: each command is answered as its page says."""

import json
import re
import shlex
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from casino.sign_in import tokens
from ledger.journal.acts import Act

PAGE = (Path(settings.BASE_DIR) / "docs" / "api.md").read_text()
COMMANDS = re.findall(r"^curl .*$", PAGE, re.M)


@pytest.mark.django_db
def test_each_command_of_the_page_is_answered(stocked, regulator, manager):
    now = timezone.now()
    last = (now + timedelta(days=10)).date()
    act = Act(manager, now, key="a-key-of-this-act")
    _, secret = tokens.make(person_id=regulator.pk, name="Bureau", last=last, act=act)
    answers = [asked(command.replace("$TOKEN", secret).replace("$HOUSE", "")) for command in COMMANDS]
    listed, lines, objects, page, records, found = [b"".join(one.streaming_content) for one in answers]
    assert [one.status_code for one in answers] == [200] * 6
    assert len(json.loads(listed)["papers"]) > 30
    assert (lines[:11], lines.count(b"\r\n")) == (b"gaming_day,", objects.count(b"\n") + 1)
    assert objects.startswith(page)
    assert answers[3].headers["Cursor"].startswith("2-")
    assert answers[2].headers["Open-Days"] == "2026-11-21"
    assert all(json.loads(line)["proof"] for line in records.splitlines())
    assert json.loads(found)["found"][0]["kind"] == "Journal entries"


def asked(command):
    """Return the answer to a line of curl, of which the page uses -i and -H."""
    words = [word for word in shlex.split(command)[1:] if word != "-i"]
    assert (words[0], len(words)) == ("-H", 3)
    name, value = words[1].split(": ", 1)
    return Client().get(words[2], headers={name: value})
