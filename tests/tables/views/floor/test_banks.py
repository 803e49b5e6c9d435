"""A table's bank on screen: asking, authorising, sending and counting, and who sees which figure when."""

import re
from datetime import timedelta

import pytest

from ledger.cage import boxes, stocking
from ledger.journal.acts import Act
from ledger.models import Document
from ledger.money import dollars
from tables.floor import opening
from tables.models import Table
from tests.support.cage import close_cage
from tests.support.cast import PIN
from tests.support.counting import count_box

ASKED = {"chips_500": "37", "chips_2500": "8"}
FIGURES = ("385.00", "37")


@pytest.fixture
def bank(game):
    return f"/sessions/{game.session.pk}/bank/"


@pytest.fixture
def fill(screen, bank):
    screen.post(f"{bank}fill/", **ASKED)
    return f"/documents/{Document.objects.get(kind='fill').pk}/"


def text(answer):
    """What a page says, without its parts for machines."""
    page = re.sub(r"<(script|style|svg|option)\b.*?</\1>", " ", answer.content.decode(), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_a_fill_goes_from_hand_to_hand(screen, game, fill, floor2, cashier):
    for person, step, more in (
        (floor2, "authorised", {}),
        (cashier, "sent", {}),
        (game.dealer, "received", ASKED),
    ):
        page = screen.as_(person).get(fill)
        assert f'value="{step}"' in page.content.decode()
        assert screen.post(fill, step=step, **more).status_code == 302
    assert game.fresh_session().bank_chips.balance_cents == 5_038_500
    said = text(screen.as_(cashier).get(fill))
    assert "Received" in said
    for who in ("floor", "floor2", "cashier", "dealer"):
        assert f"{who} 2026-03-07" in said


def test_each_sees_what_comes_next_and_no_form_that_is_not_theirs(screen, game, fill, floor, cashier):
    for person in (floor, cashier, game.dealer):
        page = screen.as_(person).get(fill)
        assert "To be authorised by the floor or a manager" in text(page)
        assert 'name="step"' not in page.content.decode()
    assert "not_allowed" in screen.codes(screen.as_(cashier).post(fill, step="authorised"))


def test_the_floor_asks_with_the_dealer_and_has_authorised(screen, game, bank, cashier):
    signed = {"second": game.dealer.username, "second_pin": PIN}
    assert screen.post(f"{bank}fill/", **ASKED, **signed).status_code == 302
    document = Document.objects.get(kind="fill")
    assert "Fill 1, Table 1: to be sent by a cashier" in text(screen.as_(cashier).get("/cashier/"))
    assert [step.step for step in document.steps.order_by("pk")] == ["requested", "authorised"]


def test_no_dealer_of_another_table_signs_as_who_asks(screen, bank, employ):
    signed = {"second": employ("dora", "dealer").username, "second_pin": PIN}
    answer = screen.post(f"{bank}fill/", **ASKED, **signed)
    assert (answer.status_code, screen.codes(answer)) == (404, ["not_your_table"])
    assert "dora is not the dealer of" in text(answer)
    assert not Document.objects.filter(kind="fill").exists()


def test_what_was_sent_is_nowhere_to_be_read_for_whoever_counts_it(screen, game, bank, floor, cashier):
    """A credit: the cashier counts. A fill on its way: the table counts."""
    screen.as_(game.dealer).post(f"{bank}credit/", **ASKED)
    credit = f"/documents/{Document.objects.get(kind='credit').pk}/"
    pages = (credit, "/cashier/", "/cashier/vault/")
    for _ in range(2):
        for page in pages:
            said = text(screen.as_(cashier).get(page))
            assert not re.search(r"\b(385\.00|37)\b", said), page
        screen.as_(floor).post(credit, step="sent")
    wrong = screen.as_(cashier).post(credit, step="received", chips_500="36", chips_2500="8")
    assert (wrong.status_code, screen.codes(wrong)) == (409, ["not_as_sent"])
    assert not re.search(r"\b(385\.00|37)\b", text(wrong))
    assert screen.post(credit, step="received", **ASKED).status_code == 302
    assert "$385.00" in text(screen.get(credit))


def test_a_count_is_never_filled_in_nor_kept_where_it_is_made_again(screen, game, fill, floor2, cashier):
    screen.as_(floor2).post(fill, step="authorised")
    screen.as_(cashier).post(fill, step="sent")
    page = screen.as_(game.dealer).get(fill).content.decode()
    assert not re.search(r'name="chips_\d+"[^>]*\svalue="[^"]', page)
    wrong = screen.post(fill, step="received", chips_500="36", chips_2500="8").content.decode()
    assert 'value="36"' not in wrong


def test_what_stays_different_is_signed_by_two_with_its_reason(screen, game, fill, floor2, cashier):
    screen.as_(floor2).post(fill, step="authorised")
    screen.as_(cashier).post(fill, step="sent")
    counted = {"step": "received", "chips_500": "36", "chips_2500": "8", "reason": "one chip is missing"}
    answer = screen.as_(game.dealer).post(fill, **counted)
    assert screen.codes(answer) == ["second_person"]
    answer = screen.post(fill, **counted, second="floor", second_pin=PIN)
    assert answer.status_code == 302
    said = text(screen.get(fill))
    assert re.search(r"Counted against sent: \S?\$5\.00", said)
    assert "one chip is missing" in said


def test_a_fill_that_is_not_needed_is_voided_by_two(screen, bank, fill, cashier):
    answer = screen.post(f"{fill}void/", reason="not needed", second="cashier", second_pin=PIN)
    assert answer.status_code == 302
    said = text(screen.get(fill))
    assert "Voided" in said
    assert "floor and cashier" in said
    assert "Ask for a fill" in text(screen.get(bank))
    assert screen.codes(screen.post(fill, step="authorised")) == ["document_ended"]


def test_a_void_that_comes_too_late_is_answered_with_a_sentence_and_its_code(screen, fill):
    """Before, it was a bare 409: the form of the void is not on the page any more."""
    void = {"reason": "not needed", "second": "cashier", "second_pin": PIN}
    screen.post(f"{fill}void/", **void)
    late = screen.post(f"{fill}void/", **void)
    assert (late.status_code, screen.codes(late)) == (409, ["document_ended"])
    assert screen.codes(screen.post(f"{fill}void/", reason="")) == ["bad_entry"] * 3


def test_that_nothing_arrived_is_said_by_a_zero_and_not_by_an_empty_form(
    screen, game, fill, floor2, cashier, manager
):
    """Before, a zero was refused, and so nobody could say it."""
    for person, step in ((floor2, "authorised"), (cashier, "sent")):
        screen.as_(person).post(fill, step=step)
    answer = screen.as_(game.dealer).post(fill, step="received", chips_500="")
    assert (answer.status_code, screen.codes(answer)) == (400, ["bad_amount"])
    assert "If nothing arrived, write 0." in text(answer)
    nothing = {"step": "received", "chips_500": "0"}
    assert screen.codes(screen.post(fill, **nothing)) == ["not_as_sent"]
    signed = {"reason": "the runner fell", "evidence": "clip 12", "second": str(manager), "second_pin": PIN}
    assert screen.post(fill, **nothing, **signed).status_code == 302
    assert "Counted against sent: −$385.00" in text(screen.get(fill))


def test_pieces_that_are_none_are_said_beside_their_field(screen, bank):
    answer = screen.post(f"{bank}fill/", chips_500="-3")
    assert (answer.status_code, screen.codes(answer)) == (400, ["bad_amount"])
    answer = screen.post(f"{bank}fill/")
    assert (answer.status_code, screen.codes(answer)) == (400, ["bad_amount"])
    assert not Document.objects.filter(kind="fill").exists()


def test_a_fill_is_of_chips_and_a_credit_of_both(screen, bank):
    assert "cash_" not in screen.get(f"{bank}fill/").content.decode()
    assert "cash_2000" in screen.get(f"{bank}credit/").content.decode()
    assert screen.get(f"{bank}loan/").status_code == 404


def test_a_dealer_of_another_table_sees_no_bank_and_no_paper(screen, bank, fill, employ):
    screen.as_(employ("del", "dealer"))
    assert [screen.get(page).status_code for page in (bank, f"{bank}fill/", fill)] == [404] * 3


def test_an_auditor_reads_the_papers_of_the_day_and_takes_no_step(screen, fill, regulator):
    page = screen.as_(regulator).get("/audit/days/2026-03-07/").content.decode()
    assert "Fill 1" in page
    assert "Opener 1" in page
    assert "To be authorised" in text(screen.get(fill))
    assert screen.post(fill, step="authorised").status_code == 403


def test_a_fill_beyond_the_vault_does_not_tell_the_cashier_what_the_vault_holds(screen, game, bank, cashier):
    signed = {"second": game.dealer.username, "second_pin": PIN}
    screen.post(f"{bank}fill/", chips_100000="999999", confirmed="99999900000", **signed)
    fill = f"/documents/{Document.objects.get(kind='fill').pk}/"
    answer = screen.as_(cashier).post(fill, step="sent")
    assert screen.codes(answer) == ["insufficient_funds"]
    assert dollars(stocking.holds(game.site)["chips"]) not in text(answer)


def test_what_is_missing_of_a_fill_is_over_short_of_its_day(screen, game, fill, floor2, cashier, regulator):
    screen.as_(floor2).post(fill, step="authorised")
    screen.as_(cashier).post(fill, step="sent")
    counted = {"chips_500": "36", "chips_2500": "8", "reason": "one chip is missing"}
    screen.as_(game.dealer).post(fill, step="received", **counted, second="floor", second_pin=PIN)
    for person, page in ((cashier, "/cashier/day/"), (regulator, "/audit/days/2026-03-07/")):
        said = text(screen.as_(person).get(page))
        assert re.search(
            r"\(counted minus expected\): \S\$5\.00 = \$0\.00 in boxes and \S\$5\.00 under documents", said
        )


def test_a_large_difference_waits_for_its_evidence_and_somebody_uninvolved(
    screen, game, fill, floor2, cashier, manager
):
    screen.as_(floor2).post(fill, step="authorised")
    screen.as_(cashier).post(fill, step="sent")
    gone = {"step": "received", "chips_50": "1", "reason": "gone", "second_pin": PIN}
    page = screen.as_(game.dealer).post(fill, **gone, second="floor2", evidence="clip 7")
    assert screen.codes(page) == ["counted_by_signer"]
    assert "a cashier, the floor or a manager who took no step of this document" in text(page)
    assert not [figure for figure in FIGURES if figure in text(page)]
    assert screen.codes(screen.post(fill, **gone, second="manager")) == ["evidence_required"]
    list_ = text(screen.as_(cashier).get("/cashier/days/2026-03-07/close/"))
    assert "counted with a difference that nobody has signed, and still under way" in list_
    screen.as_(game.dealer).post(fill, **gone, second="manager", evidence="clip 7")
    signed = "gone clip 7, signed by dealer and manager"
    assert signed in text(screen.as_(cashier).get("/cashier/vault/"))
    assert "was counted with a difference, −$384.50: gone (clip 7), signed by dealer and manager" in text(
        screen.get("/cashier/days/2026-03-07/close/")
    )
    row = text(screen.get("/cashier/days/2026-03-07/reconciliation/"))
    assert "gone clip 7 dealer and manager" in row
    assert "Evidence: clip 7" in text(screen.get(fill))
    assert signed in text(screen.as_(manager).get("/audit/days/2026-03-07/"))


def test_a_day_does_not_close_while_a_document_of_it_waits(
    screen, game, fill, floor2, cashier, counter1, counter2
):
    box = game.session.box
    game.now += timedelta(days=1)
    act = Act(game.floor, game.now, game.key())
    opening.change_box(session_id=game.session.pk, second=floor2, act=act)
    count_box(box, (counter1, counter2), game.now, chips=0, cash=0)
    boxes.sign_off(box=box, cause="", act=Act(cashier, game.now, game.key()))
    page = "/cashier/days/2026-03-07/close/"
    assert "still under way Fill 1" in text(screen.as_(cashier).get(page))
    signed = {"second": "floor", "second_pin": PIN}
    assert screen.codes(screen.post(page, **signed)) == ["document_under_way"]
    screen.as_(game.floor).post(f"{fill}void/", reason="not needed", second="cashier", second_pin=PIN)
    close_cage(game.site, game.now)
    assert screen.as_(cashier).post(page, **signed).status_code == 302


def test_a_table_asks_for_its_opener_until_one_is_not_voided(screen, game, floor, cashier):
    table = Table.objects.create(site=game.site, number=9)
    offer = {"table": table, "game": "face-up", "rate": game.rate, "max_buy_in_cents": 50_000}
    session = opening.open_table(**offer, act=Act(floor, game.now, game.key()))
    bank = f"/sessions/{session.pk}/bank/"
    assert "Nothing has come to this table yet" in text(screen.get(bank))
    screen.post(f"{bank}opener/", **ASKED)
    assert "Ask for a fill" in text(screen.get(bank))
    paper = f"/documents/{Document.objects.latest('pk').pk}/"
    screen.post(f"{paper}void/", reason="too much", second="cashier", second_pin=PIN)
    assert "Ask for the opener" in text(screen.get(bank))
