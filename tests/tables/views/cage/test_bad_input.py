"""What is wrong in what people of the cage and the floor enter: each is answered on the page where they land,
with one code and its sentence, and nothing is half done. None of these acts has a door in the API."""

import re

import pytest

from ledger.models import AuditRecord, Document, Drawer
from tests.support.cast import PIN
from tests.support.counting import count_box

ASKED = {"chips_500": "37", "chips_2500": "8"}
TOO_MUCH = {"chips_100000": "5000"}
VOID = {"reason": "not needed", "second": "cashier", "second_pin": PIN}


@pytest.fixture
def refused(screen):
    """`refused(person, path, code, **sent)`: it is refused with this code and a sentence, and is not done."""

    def refused(person, path, code, **sent):
        before = written()
        answer = screen.as_(person).post(path, **sent)
        assert 400 <= answer.status_code < 500, path
        assert screen.codes(answer) == [code], (path, screen.codes(answer))
        shown = re.search(
            rf"<(?:p|span)>([^<]+)</(?:p|span)>\s*(?:</div>\s*)?<code>{code}</code>", answer.text
        )
        assert shown, path
        assert shown[1].endswith((".", "?"))
        assert written() == before

    def written():
        """Everything but what is noted of the refusal itself, as a wrong PIN."""
        records = AuditRecord.objects.exclude(kind__in=["struck_count", "house_event"])
        return records.count(), Document.objects.count(), Drawer.objects.count()

    return refused


@pytest.fixture
def fill(screen, game):
    screen.post(f"/sessions/{game.session.pk}/bank/fill/", **ASKED)
    return f"/documents/{Document.objects.get(kind='fill').pk}/"


@pytest.fixture
def take(screen, fill, game, floor2, cashier):
    by = {"authorised": floor2, "sent": cashier, "received": game.dealer}

    def take(step, **sent):
        assert screen.as_(by[step]).post(fill, step=step, **sent).status_code == 302

    return take


def test_documents_out_of_order_by_the_wrong_person_or_once_more(refused, fill, take, game, floor2, cashier):
    refused(cashier, fill, "wrong_step", step="sent")
    refused(game.dealer, fill, "wrong_step", step="received", **ASKED)
    refused(floor2, fill, "wrong_step", step="thrown away")
    take("authorised")
    refused(floor2, fill, "wrong_step", step="authorised")
    take("sent")
    refused(cashier, fill, "not_allowed", step="received", **ASKED)
    take("received", **ASKED)
    refused(game.dealer, fill, "document_ended", step="received", **ASKED)
    refused(game.floor, f"{fill}void/", "document_ended", **VOID)


def test_a_fill_larger_than_the_vault(refused, screen, game, floor2, cashier):
    bank = f"/sessions/{game.session.pk}/bank/fill/"
    refused(game.floor, bank, "confirm_count", **TOO_MUCH)
    assert screen.post(bank, **TOO_MUCH, confirmed="500000000").status_code == 302
    large = f"/documents/{Document.objects.latest('pk').pk}/"
    screen.as_(floor2).post(large, step="authorised")
    refused(cashier, large, "insufficient_funds", step="sent")


def test_drawers_that_are_opened_twice_or_not_at_all(refused, game, cashier, employ):
    refused(cashier, "/cashier/drawers/", "drawer_open")
    sale = {"amount": "5", "only": "1x500"}
    refused(employ("cashier2", "cashier"), "/cashier/sell/", "no_drawer", **sale)


def test_a_box_that_is_counted_once_its_sheet_is_signed(
    refused, game, floor, floor2, counter1, counter2, cashier
):
    box = game.session.box
    game.close(floor2)
    count_box(box, (counter1, counter2), game.now, chips=0, cash=0)
    refused(counter1, f"/count/boxes/{box.pk}/", "count_closed", step="confirm", chips_500="1")


def test_pieces_that_the_house_has_not_or_one_digit_too_many_or_none(refused, cashier, game):
    for sent, code in (
        ({"chips_300": "1"}, "bad_text"),
        ({"chips_500": "1.5"}, "bad_amount"),
        ({"chips_500": "-1"}, "bad_amount"),
        ({}, "bad_amount"),
        ({"chips_500": "99999"}, "confirm_count"),
    ):
        refused(cashier, "/cashier/vault/count/" if not sent else "/cashier/stock/", code, **sent)


def test_the_pin_of_somebody_else(refused, fill, game):
    refused(game.floor, f"{fill}void/", "wrong_pin", **VOID | {"second_pin": "000000"})
    refused(game.floor, f"{fill}void/", "wrong_pin", **VOID | {"second": "floor"})
