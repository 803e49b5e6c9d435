"""Every refusal of the verbs of the count room is answered with its status and code."""

from functools import partial

import pytest

from ledger.cage import boxes
from tables.views import fields
from tables.views.cage import counting
from tests.casino.test_every_door import KEY, answers, box, pages, read_once, send, verb  # noqa: F401
from tests.support.cast import PIN
from tests.support.counting import enter_count


def test_the_count_room(box, verb, pages, monkeypatch, send, counter1):  # noqa: F811
    monkeypatch.setattr(boxes, "enter_count", verb)
    request = send(counter1, {"key": KEY, "step": "confirm", "chips_500": "1"})
    door = partial(counting.CountBox.as_view(), request, box_id=box.pk)
    assert answers(door, verb.refuse_with) == {}


@pytest.fixture
def sheet(box, counter1, counter2, game):  # noqa: F811
    enter_count(box, counter1, game.now)
    return enter_count(box, counter2, game.now).sheet


def test_the_money_of_a_sheet(sheet, verb, pages, monkeypatch, send, cashier):  # noqa: F811
    monkeypatch.setattr(counting.count_sheets, "receive_sheet", verb)
    request = send(cashier, {"key": KEY, "chips_500": "1"})
    door = partial(counting.ReceiveSheet.as_view(), request, sheet_id=sheet.pk)
    assert answers(door, verb.refuse_with) == {}


@pytest.mark.parametrize("name", ["begin_sheet", "note_on_sheet", "sign_sheet"])
def test_a_count_sheet(name, sheet, verb, pages, monkeypatch, read_once, send, counter1):  # noqa: F811
    monkeypatch.setattr(counting.count_sheets, name, verb)
    read_once(fields, "authenticate", "by_full_name")
    view, sent = {
        "begin_sheet": (counting.BeginSheet, {}),
        "note_on_sheet": (counting.NoteOnSheet, {"kind": "told", "text": "the count begins"}),
        "sign_sheet": (counting.CountSheetPage, {"pin": PIN, "second": "counter2", "second_pin": PIN}),
    }[name]
    found = {"day": sheet.gaming_day} if name == "begin_sheet" else {"sheet_id": sheet.pk}
    door = partial(view.as_view(), send(counter1, {"key": KEY, **sent}), **found)
    assert answers(door, verb.refuse_with) == {}
