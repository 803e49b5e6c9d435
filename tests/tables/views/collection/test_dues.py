"""The board of what is due now, and the acts about fees that are not taken: who sees them,
what they say and do."""

import json
from datetime import date

import pytest
from django.forms import CharField

from ledger.journal.acts import Act
from ledger.models import AuditRecord
from ledger.proof.log.following import declared
from ledger.views.fields import PlainField
from tables.collection.waivers import publish_waiver_reason, waive_fee
from tables.models import Charge, Uncollected, Waiver, WaiverReason
from tables.views.collection.published import WaiveForm
from tests.support.declarations import file_of

BOARD = "/floor/due/"


@pytest.fixture
def due(clock):
    """Ann and Bob owe $10 that their stacks can pay; Cat owes $10 and has $20 on the table."""
    game = clock
    game.seat("Ann", "Bob", "Cat")
    game.play()
    game.set_stack(3, 2000)
    return game.minute(41)


@pytest.fixture
def publish(site, manager, clock):
    def publish(code, text):
        return publish_waiver_reason(
            site=site,
            code=code,
            text=text,
            approval_reference="BGC-7",
            effective_from=date(2026, 1, 1),
            act=Act(key=f"publish-{code}", actor=manager, now=clock.now),
        )

    return publish


@pytest.fixture
def reason(publish):
    return publish("equipment", "Equipment failed")


def test_the_board_says_the_total_and_who_blocks_a_round(at, floor, due):
    page = at(floor).get(BOARD)
    text = page.content.decode()
    assert "$30.00" in text
    assert page.context["dues"].blocked_cents == 1000
    assert text.count("From the stack") == 2
    assert text.count("Pay or add on") == 1
    assert 'data-piece="dues"' in text


def test_an_empty_board_says_so(at, floor, clock):
    assert "Nobody owes anything" in at(floor).get(BOARD).content.decode()


@pytest.mark.parametrize("person", ["dealer", "cashier", "counter1"])
def test_the_board_is_for_the_floor_and_the_books(at, request, due, person):
    assert at(request.getfixturevalue(person)).get(BOARD).status_code == 403


def test_a_regulator_reads_the_board_and_finds_no_button(at, regulator, due):
    text = at(regulator).get(BOARD).content.decode()
    assert "$30.00" in text
    assert "Waive" not in text


def test_one_press_takes_the_cash_and_comes_back_to_the_board(at, floor, due):
    address = f"/sittings/{due.sitting(3).pk}/cash/?from=board"
    answer = at(floor).post(address, {"key": due.key(), "cents": 1000})
    assert (answer.status_code, answer.headers["Location"]) == (302, BOARD)
    assert Charge.objects.get(player=due.players["Cat"], down__number=2).payment.method == "cash"


def test_cash_that_is_no_longer_what_is_due_is_refused(at, floor, due, codes_on):
    answer = at(floor).post(
        f"/sittings/{due.sitting(3).pk}/cash/?from=board", {"key": due.key(), "cents": 500}
    )
    assert (answer.status_code, codes_on(answer)) == (409, ["stale_page"])


def test_the_floor_waives_from_the_board_for_a_published_reason(at, floor, due, reason):
    address = f"/sittings/{due.sitting(3).pk}/waive/?from=board"
    page = at(floor).get(address).content.decode()
    assert "Down 2, $10.00" in page
    assert "Equipment failed" in page
    answer = at(floor).post(address, {"key": due.key(), "fee": "now", "reason": reason.pk})
    assert answer.headers["Location"] == BOARD
    assert Waiver.objects.get().payment.charge.player == due.players["Cat"]
    assert at(floor).get(BOARD).context["dues"].cents == 2000


def test_all_that_the_floor_enters_with_a_waiver_is_in_its_record_and_its_row(at, floor, due, reason):
    fields = WaiveForm.base_fields.items()
    texts = [name for name, field in fields if name != "key" and type(field) in (PlainField, CharField)]
    entered = dict.fromkeys(texts, "Q7X") | {"key": due.key(), "fee": "now", "reason": reason.pk}
    assert at(floor).post(f"/sittings/{due.sitting(3).pk}/waive/", entered).status_code == 302
    _, body = json.loads(AuditRecord.objects.filter(kind="entry").latest("pk").text)
    verb = file_of(waive_fee)
    assert str(body).count("Q7X") == len(texts), f"{verb} keeps out of the record what the form asks for."
    for column, read in declared(("entry", "waiver"), "tables.Waiver").items():
        row = Waiver.objects.values_list(column, flat=True).get()
        assert row == read(body), f"{verb} writes another {column} into the row than into the record."


def test_a_waiver_sent_again_with_anything_else_in_its_form_is_refused(
    at, floor, due, reason, publish, codes_on
):
    others = {"fee": "1", "reason": publish("fire", "Fire alarm").pk}
    address = f"/sittings/{due.sitting(3).pk}/waive/"
    entered = {"key": due.key(), "fee": "now", "reason": reason.pk}
    assert at(floor).post(address, entered).status_code == 302
    for name in WaiveForm.base_fields.keys() - {"key"}:
        answer = at(floor).post(address, entered | {name: others.get(name, "Q7X")})
        verb = file_of(waive_fee)
        assert codes_on(answer) == ["key_reused"], f"{verb} does not compare {name} with that of its key."


def test_at_the_seat_the_waiver_is_a_piece_of_the_page(at, floor, due, reason):
    answer = at(floor).post(
        f"/sittings/{due.sitting(3).pk}/waive/",
        {"key": due.key(), "fee": "now", "reason": reason.pk},
        headers={"HX-Request": "true"},
    )
    assert "Waiver 1: Cat does not pay $10.00." in answer.content.decode()


def test_a_waiver_without_a_reason_or_by_a_dealer_is_refused(at, floor, dealer, due, reason, codes_on):
    address = f"/sittings/{due.sitting(3).pk}/waive/"
    answer = at(floor).post(address, {"key": due.key(), "fee": "now", "reason": ""})
    assert (answer.status_code, codes_on(answer)) == (400, ["bad_entry"])
    assert at(dealer).post(address, {"key": due.key(), "fee": "now", "reason": reason.pk}).status_code == 403
    assert not Waiver.objects.exists()


def test_left_without_paying_is_recorded_with_its_number(at, floor, due):
    due.set_stack(3, 500)
    due.play()
    seats = at(floor).get(f"/sessions/{due.session.pk}/seats/").content.decode()
    assert "Left unpaid" in seats
    answer = at(floor).post(
        f"/sittings/{due.sitting(3).pk}/gone/", {"key": due.key(), "reason": "walked out"}, follow=True
    )
    assert "Cat: uncollected fee 1 recorded." in answer.content.decode()
    assert Uncollected.objects.get().event.data["reason"] == "walked out"


def test_the_cashier_s_day_shows_waivers_and_uncollected_fees_by_number(
    at, floor, cashier, regulator, due, reason
):
    at(floor).post(
        f"/sittings/{due.sitting(1).pk}/waive/", {"key": due.key(), "fee": "now", "reason": reason.pk}
    )
    due.set_stack(3, 500)
    due.play()
    due.cash_out(3)
    read = at(regulator).get("/audit/days/2026-03-07/")
    assert read.context["proof"].adds_up
    assert "$10.00 waived + $10.00 uncollected + $0.00 still due" in read.content.decode()
    text = at(cashier).get("/cashier/day/?day=2026-03-07").content.decode()
    assert "Waiver 1" in text
    assert "Equipment failed" in text
    assert "Uncollected fee 1" in text


def test_managers_publish_and_withdraw_reasons_and_others_read_them(at, manager, floor, clock):
    entry = {"code": "fire-drill", "text": "Fire drill", "approval_reference": "BGC-9"}
    entry |= {"effective_from": "2026-03-01", "key": clock.key()}
    assert at(floor).post("/rates/reasons/publish/", entry).status_code == 403
    assert at(manager).post("/rates/reasons/publish/", entry).headers["Location"] == "/rates/reasons/"
    reason = WaiverReason.objects.get(code="fire-drill")
    assert "Fire drill" in at(floor).get("/rates/reasons/").content.decode()
    at(manager).post(f"/rates/reasons/{reason.pk}/withdraw/", {"key": clock.key()})
    assert "Withdrawn" in at(floor).get("/rates/reasons/").content.decode()
