"""Closing a gaming day at the cashier's desk: what is missing with its links, the confirmation,
and who closed it."""

import re
from datetime import date

import pytest

from ledger.cage import boxes, stocking
from ledger.journal import bank_differences, house_events
from ledger.journal.acts import Act
from ledger.models import ClosedDay
from ledger.rules.denominations import Pieces
from tables.models import Round
from tables.views.cage import day as cage_day
from tests.support.cage import close_cage, with_drawer
from tests.support.cast import PIN
from tests.support.evening import DAY
from tests.support.game import HANDS

PAGE, CLOSE = f"/cashier/day/?day={DAY}", f"/cashier/days/{DAY}/close/"
SENT = {"key": "close-the-seventh", "second": "floor", "second_pin": PIN}
AT_SEVEN = 18 * 60
"""Minutes from the opening to seven in the morning after."""


def text(page):
    return " ".join(page.content.decode().split())


@pytest.fixture
def signed(counted, cashier, evening):
    """The morning after: the evening's one box has been signed off."""
    box = counted(6000, 1000)
    boxes.sign_off(box=box, cause="", act=Act(actor=cashier, key="sign-it", now=evening.now))
    evening.minute(AT_SEVEN)
    close_cage(evening.site, evening.now)
    return box


def test_a_day_that_runs_is_not_offered_for_closing(at, cashier, evening):
    assert "Close the day" not in text(at(cashier).get(PAGE))
    page = at(cashier).get(CLOSE)
    assert "It can be closed from 2026-03-08 06:05" in text(page)
    assert "<button" not in text(page).split("Still missing")[1].split("</section>")[0]


def test_what_is_missing_is_listed_with_where_to_go(at, cashier, evening):
    evening.minute(AT_SEVEN)
    for address in (PAGE, CLOSE):
        page = text(at(cashier).get(address))
        assert "Table 1: still at its table" in page
        assert f'href="/cashier/boxes/{evening.session.box_id}/"' in page
        assert f'href="{CLOSE}"' not in page


def test_a_day_waits_for_the_bank_of_a_table_that_plays_on(at, cashier, signed, codes_on, monkeypatch):
    """Before, its bank was counted at its closing alone, and days were closed over it for weeks."""
    monkeypatch.setattr(bank_differences, "counts_of_banks", lambda *_, **__: [])
    monkeypatch.setattr(cage_day, "counts_of_banks", lambda *_, **__: [])
    answer = at(cashier).post(CLOSE, SENT)
    assert (answer.status_code, codes_on(answer)) == (409, ["bank_not_counted"])
    assert "Two people count the bank first, where play goes on: Table 1." in text(answer)
    assert "Table 1 plays on: two people of the floor count its bank" in text(answer)
    assert "Tables that play on: nobody has counted the bank of Table 1 in this time" in text(answer)
    before_it_opened = f"/cashier/days/{DAY}/shifts/1/"
    signed.site.shifts = 4
    signed.site.save()
    assert "nobody has counted the bank" not in text(at(cashier).get(before_it_opened))


def test_what_is_open_beside_is_listed_with_where_to_go(at, cashier, evening, signed):
    due = at(cashier).get(CLOSE).context["collections"].sums.due_cents
    assert due
    page = text(at(cashier).get(CLOSE))
    assert f'href="{PAGE}#collections"' in page
    asked = evening.ask(Round.objects.earliest("pk"), HANDS[3::-1])
    slip = stocking.count_first(
        site=evening.site, way="count", pieces=Pieces({500: 1}), act=Act(cashier, evening.now, "a slip")
    )
    page = text(at(cashier).get(CLOSE))
    assert f'href="/rounds/{asked.round_id}/"' in page
    assert f'href="/cashier/slips/{slip.pk}/"' in page


LISTED = ("Drawers", "Banks, drawers, vault", "Drop boxes", "Documents", "Over/short", "Variances of stacks")
PLAYS_ON = "Tables that play on: 1 with a bank that was counted"


@pytest.mark.parametrize("address", [CLOSE, f"/cashier/days/{DAY}/shifts/1/"])
def test_the_closing_list_has_each_thing_with_a_link_that_opens_for_who_reads_it(
    at, cashier, evening, signed, address
):
    """Before, the log was not on it, and nothing was once all was done."""
    evening.site.shifts = 3
    evening.site.save()
    evening.ask(Round.objects.earliest("pk"), HANDS[3::-1])
    house_events.note(
        evening.site, "verified", act=Act(None, evening.now), by="cron", full=True, size=7, findings=0, exit=0
    )
    page = at(cashier).get(address)
    log = ("Log: ", "7 verified", "nothing wrong")
    for words in (*LISTED, PLAYS_ON, "Corrections: 1 waiting for the floor", *log):
        assert words in text(page), words
    listed = page.content.decode().split('class="day-missing"')[1:]
    links = {link for part in listed for link in re.findall(r'href="([^"#]+)', part.split("</ul>")[0])}
    assert len(links) >= 5
    assert {link: at(cashier).get(link).status_code for link in links} == dict.fromkeys(links, 200)


@pytest.mark.parametrize(("day", "says"), [("03-01", "03-01"), ("01-31", "01-31, more than a month ago")])
def test_the_closing_list_says_when_the_reserve_sets_were_counted(
    at, cashier, evening, signed, monkeypatch, day, says
):
    counted_on = date.fromisoformat(f"2026-{day}")
    monkeypatch.setattr("tables.views.cage.day.reserve_counted_on", lambda _: counted_on)
    page = at(cashier).get(CLOSE)
    assert f"Reserve sets: counted last on gaming day 2026-{says}</span>" in text(page)
    assert 'href="/cashier/vault/reserve/"' in text(page)


def test_a_cashier_reads_how_far_the_log_is_and_takes_nothing_away(at, cashier, evening):
    page = text(at(cashier).get("/audit/log/"))
    assert "Verified last" in page
    assert "Download the export" not in page
    assert "checkpoint" not in page


def test_a_pulled_box_waits_for_its_sign_off(at, cashier, boxed, evening):
    evening.minute(AT_SEVEN)
    assert "Table 1: not signed off" in text(at(cashier).get(PAGE))


def test_an_earlier_open_day_is_named_with_its_link(at, cashier, signed, evening):
    evening.sell(100, cashier)
    evening.minute(AT_SEVEN + 24 * 60)
    page = text(at(cashier).get("/cashier/day/?day=2026-03-08"))
    assert "An earlier day comes first" in page
    assert f'href="/cashier/day/?day={DAY}"' in page


def test_the_day_is_closed_with_one_confirmation_and_says_by_whom(at, cashier, regulator, signed):
    assert f'href="{CLOSE}"' in text(at(cashier).get(PAGE))
    assert "This cannot be taken back." in text(at(cashier).get(CLOSE))
    answer = at(cashier).post(CLOSE, SENT)
    assert (answer.status_code, answer.url) == (302, PAGE)
    closed = ClosedDay.objects.get()
    assert (closed.gaming_day.isoformat(), closed.closed_by, closed.terminal) == (
        DAY,
        cashier,
        "cage 127.0.0.1",
    )
    shown = text(at(cashier).get(PAGE))
    assert "by <bdi>cashier</bdi> and <bdi>floor</bdi>, 2026-03-08 07:00:00" in shown
    assert "Close the day" not in shown
    assert "by <bdi>cashier</bdi> and <bdi>floor</bdi>, 2026-03-08 07:00:00" in text(
        at(regulator).get(f"/audit/days/{DAY}/")
    )


def test_confirmed_twice_it_is_closed_once(at, cashier, signed):
    answers = [at(cashier).post(CLOSE, SENT) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 302]
    assert ClosedDay.objects.count() == 1


def test_a_refusal_is_said_on_the_page(at, cashier, boxed, evening, codes_on):
    early = at(cashier).post(CLOSE, SENT)
    evening.minute(AT_SEVEN)
    unsigned = at(cashier).post(CLOSE, SENT)
    assert [(page.status_code, codes_on(page)) for page in (early, unsigned)] == [
        (409, ["day_not_over"]),
        (409, ["box_not_signed"]),
    ]
    assert not ClosedDay.objects.exists()


def test_another_key_for_a_closed_day_is_told_that_it_is(at, cashier, signed, codes_on):
    at(cashier).post(CLOSE, SENT)
    again = at(cashier).post(CLOSE, SENT | {"key": "close-it-again"})
    assert (again.status_code, codes_on(again)) == (409, ["day_already_closed"])
    assert "by <bdi>cashier</bdi> and <bdi>floor</bdi>, 2026-03-08 07:00:00" in text(again)


@pytest.mark.parametrize("who", ["floor", "dealer", "counter1", "regulator", "manager"])
def test_only_cashiers_close_a_day(at, signed, request, who):
    person = request.getfixturevalue(who)
    assert at(person).get(CLOSE).status_code == at(person).post(CLOSE, SENT).status_code == 403
    assert not ClosedDay.objects.exists()


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"second": "", "second_pin": ""}, "bad_entry"),
        ({"second": "cashier"}, "wrong_pin"),
        ({"second": "dealer"}, "wrong_pin"),
        ({"second_pin": "739154"}, "wrong_pin"),
    ],
)
def test_the_second_person_proves_themselves_by_pin(at, cashier, dealer, signed, codes_on, changed, code):
    answer = at(cashier).post(CLOSE, SENT | changed)
    assert code in codes_on(answer)
    assert not ClosedDay.objects.exists()


def test_who_signed_the_boxes_is_refused_beside_their_name(at, cashier, employ, signed, codes_on):
    answer = at(employ("cashier2", "cashier")).post(CLOSE, SENT | {"second": "cashier"})
    assert (answer.status_code, codes_on(answer)) == (403, ["second_person"])
    assert "signed off a box of this day" in str(answer.context["form"].errors["second"])
    assert not ClosedDay.objects.exists()


def test_a_fee_paid_after_the_closing_stands_on_the_day_that_took_it(at, cashier, signed, evening):
    due = at(cashier).get(PAGE).context["collections"].sums.due_cents
    at(cashier).post(CLOSE, SENT)
    evening.minute(AT_SEVEN + 5)
    with_drawer(evening.site, cashier, evening.now)
    evening.pay(3, "cage", actor=cashier)
    before, after = (at(cashier).get(f"/cashier/day/?day=2026-03-0{day}") for day in (7, 8))
    assert before.context["collections"].sums.due_cents == due
    assert "of gaming day 2026-03-07" in text(after)
    assert "Fees of earlier days" in text(after)
    assert after.context["proof"].adds_up
