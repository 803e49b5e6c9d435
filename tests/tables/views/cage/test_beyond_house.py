"""Deposits, chip purchases and destructions on their pages."""

import html
import re
from datetime import date, timedelta

import pytest

from ledger.cage import boxes
from ledger.journal.acts import Act
from ledger.models import Document, DocumentStep
from ledger.rules.documents import KINDS, unconfirmed
from tables.floor import opening
from tests.support.cast import PIN
from tests.support.counting import count_box
from tests.support.kept import kept

pytestmark = pytest.mark.django_db


@kept
def signed(game, floor2, counter1, counter2, cashier):
    """The box of Table 1, in which $60 in cash was counted, signed off."""
    box = game.session.box
    opening.change_box(session_id=game.session.pk, second=floor2, act=Act(game.floor, game.now, "pull it"))
    count_box(box, (counter1, counter2), game.now, chips=0, cash=6_000)
    boxes.sign_off(box=box, cause="nobody entered it", act=Act(cashier, game.now, "sign it"))
    return box


@pytest.fixture
def deposit(screen, signed, cashier):
    """The address of a deposit of that box, prepared."""
    answer = screen.as_(cashier).post("/cashier/deposit/", boxes=[str(signed.pk)], cash_2000="3")
    assert answer.status_code == 302
    return answer.url


def text(answer):
    return " ".join(re.sub(r"<[^>]+>", " ", html.unescape(answer.content.decode())).split())


def last():
    return DocumentStep.objects.order_by("pk").last()


def test_a_deposit_goes_its_way_on_the_pages(screen, game, signed, cashier, floor2, manager):
    page = screen.as_(cashier).get("/cashier/deposit/")
    assert f"Box {signed.number}, Table 1: $60.00" in text(page)
    assert f'data-cents="{6_000}"' in page.content.decode()
    address = screen.post("/cashier/deposit/", boxes=[str(signed.pk)], cash_2000="3").url
    assert screen.as_(floor2).post(address, step="authorised").status_code == 302
    assert "reference" in screen.as_(cashier).get(address).context["form"].fields
    assert screen.post(address, step="sent").status_code == 400
    assert screen.post(address, step="sent", reference="Carl Carrier").status_code == 302
    screen.as_(manager).post(address, step="received", cash_2000="3", reference="slip 4711")
    said = text(screen.get(address))
    for words in ("Confirmed", "From the cage to the bank", "Carrier: Carl Carrier", "slip 4711"):
        assert words in said
    assert "No signed-off box has cash that is not on a deposit." in text(
        screen.as_(cashier).get("/cashier/deposit/")
    )


def test_who_confirms_a_deposit_sees_what_was_sent_and_enters_what_the_bank_says(
    screen, deposit, floor2, cashier, manager
):
    screen.as_(floor2).post(deposit, step="authorised")
    screen.as_(cashier).post(deposit, step="sent", reference="Carl")
    said = text(screen.as_(manager).get(deposit))
    assert "Enter what the bank's slip says" in said
    assert "$60.00" in said
    differs = {"step": "received", "cash_2000": "2", "reference": "slip 9"}
    assert "not_as_sent" in text(screen.post(deposit, **differs))
    signed = {"reason": "a note was false", "second": "floor2", "second_pin": PIN}
    assert screen.post(deposit, **differs, **signed).status_code == 302
    assert (last().step, last().reference) == ("differed", "slip 9")
    page = text(screen.as_(cashier).get("/cashier/days/2026-03-07/close/"))
    assert f"Received otherwise: {manager} 1, $20.00" in page


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"cash_2000": "4"}, "deposit_differs"),
        ({"boxes": ["999"]}, "box_not_signed"),
        ({"boxes": ["one"]}, "bad_entry"),
        ({"boxes": []}, "bad_entry"),
        ({"cash_2000": "three"}, "bad_amount"),
    ],
)
def test_what_is_wrong_with_a_deposit_stands_on_its_form(screen, signed, cashier, sent, code):
    entry = {"boxes": [str(signed.pk)], "cash_2000": "3"} | sent
    assert code in text(screen.as_(cashier).post("/cashier/deposit/", **entry))
    assert not Document.objects.filter(kind="deposit").exists()


def test_a_box_that_somebody_else_deposited_meanwhile_is_refused_by_name(screen, deposit, signed, cashier):
    said = text(screen.as_(cashier).post("/cashier/deposit/", boxes=[str(signed.pk)], cash_2000="3"))
    assert "box_deposited" in said
    assert f"Box {signed.number}, Table 1" in said


def test_chips_are_counted_without_a_figure(screen, game, cashier, manager, floor2):
    address = screen.as_(manager).post("/cashier/chip-purchase/", chips_500="40").url
    screen.as_(floor2).post(address, step="authorised")
    screen.as_(cashier).post(address, step="sent", reference="note 12")
    page = text(screen.as_(floor2).get(address))
    assert "$200.00" not in page
    assert "What was sent is not shown before." in page
    assert screen.post(address, step="received", chips_500="40").status_code == 302
    assert "Counted into the vault" in text(screen.get(address))


def test_another_seal_on_a_reserve_set_is_signed_by_two_on_its_page(screen, game, cashier, manager, floor2):
    address = screen.as_(cashier).post("/cashier/reserve-release/", chips_500="40").url
    screen.as_(floor2).post(address, step="authorised")
    assert "A seal differs" in text(screen.as_(cashier).get(address))
    assert "seal_differs" in text(screen.post(address, step="sent", reference="seal 9"))
    signed = {"reason": "it was torn off", "second": "floor2", "second_pin": PIN}
    said = screen.post(address, step="sent", reference="seal 9", **signed)
    assert "insufficient_funds" in text(said)  # the seal is signed, but no set was sealed


def test_the_vaults_desk_and_the_board_say_what_waits(screen, deposit, game, cashier, floor2, manager):
    assert "To be authorised by a cashier, the floor or a manager" in text(
        screen.as_(cashier).get("/cashier/vault/")
    )
    assert "Deposit 1 is to be authorised" in text(screen.as_(floor2).get("/floor/"))
    screen.post(deposit, step="authorised")
    screen.as_(cashier).post(deposit, step="sent", reference="Carl")
    assert "To be confirmed by a cashier, the floor or a manager" in text(screen.get("/cashier/vault/"))
    assert "Deposit 1" not in text(screen.as_(floor2).get("/floor/"))


def test_a_days_closing_lists_a_deposit_and_does_not_wait_for_it(screen, deposit, game, cashier):
    game.now += timedelta(days=1)
    page = screen.as_(cashier).get("/cashier/days/2026-03-07/close/")
    assert "Under way, which keeps no day open: Deposit 1" in text(page)
    assert "Documents: 1 under way" in text(page)
    assert page.context["state"].documents == ()


def test_so_does_the_closing_of_a_shift(screen, deposit, game, cashier):
    game.site.shifts = 3
    game.site.save()
    page = screen.as_(cashier).get("/cashier/days/2026-03-07/shifts/2/")
    assert "Under way, which keeps no day open: Deposit 1" in text(page)
    assert "Documents: 1 under way" in text(page)


def test_who_confirms_a_deposit_after_somebody_else_is_told_so(screen, deposit, floor2, cashier, manager):
    screen.as_(floor2).post(deposit, step="authorised")
    screen.as_(cashier).post(deposit, step="sent", reference="Carl")
    sent = {"step": "received", "cash_2000": "3", "reference": "slip 4711"}
    assert screen.codes(screen.post(deposit, **sent)) == ["second_person"]
    screen.as_(manager).post(deposit, **sent)
    assert screen.codes(screen.as_(floor2).post(deposit, **sent)) == ["document_ended"]


def test_a_deposit_that_the_bank_never_confirmed_is_listed_from_the_next_gaming_day_on(
    screen, deposit, game, cashier, floor2
):
    screen.as_(floor2).post(deposit, step="authorised")
    screen.as_(cashier).post(deposit, step="sent", reference="Carl")
    says = "handed to the carrier on gaming day 2026-03-07"
    assert says not in text(screen.get("/cashier/days/2026-03-07/close/"))
    assert says not in text(screen.as_(floor2).get("/floor/"))
    game.now += timedelta(days=1)
    closing = screen.as_(cashier).get("/cashier/days/2026-03-08/close/")
    assert f"Deposit 1: {says}, and not confirmed" in text(closing)
    assert f'href="{deposit}" aria-label="See: Deposit 1"' in closing.content.decode()
    board = screen.as_(floor2).get("/floor/")
    assert f"Deposit 1 was {says}, and is not confirmed." in text(board)
    assert f'href="{deposit}"' in board.content.decode()
    screen.post(deposit, step="received", cash_2000="3", reference="slip 9")
    assert says not in text(screen.get("/floor/"))


@pytest.mark.parametrize(
    ("kind", "step", "taken_on", "listed"),
    [
        ("deposit", "sent", 7, True),
        ("capital_out", "sent", 7, True),
        ("deposit", "sent", 8, False),
        ("deposit", "authorised", 7, False),
        ("cash_order", "sent", 7, False),  # which keeps its day open
    ],
)
def test_what_a_carrier_has_is_listed_from_the_next_gaming_day_on(kind, step, taken_on, listed):
    assert unconfirmed(KINDS[kind], step, date(2026, 3, taken_on), date(2026, 3, 8)) == listed


def test_dealers_and_counters_see_none_of_it(screen, deposit, game, counter1, regulator, floor2):
    for person in (game.dealer, counter1):
        for address in (deposit, "/cashier/deposit/", "/cashier/destruction/"):
            assert screen.as_(person).get(address).status_code == 403
    for person in (regulator, floor2):
        for address in (deposit, "/cashier/deposit/"):
            assert screen.as_(person).get(address).status_code == 200
    assert "Prepare the deposit" not in text(screen.get("/cashier/deposit/"))
    assert screen.post("/cashier/deposit/", boxes=["1"], cash_2000="3").status_code == 403


def test_a_deposit_is_voided_by_two_on_its_page_and_its_box_is_free_again(screen, deposit, signed, cashier):
    void = {"reason": "counted wrongly", "second": "floor", "second_pin": PIN}
    assert screen.as_(cashier).post(f"{deposit}void/", **void).status_code == 302
    assert last().step == "voided"
    again = screen.post("/cashier/deposit/", boxes=[str(signed.pk)], cash_2000="3")
    assert again.status_code == 302
