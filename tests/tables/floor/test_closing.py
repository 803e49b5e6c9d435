"""Closing a table: two people count its bank, each blind, and a difference goes to over/short."""

import json

import pytest
from django.db import IntegrityError, transaction

from ledger.errors import LedgerError
from ledger.models import Account, JournalEntry, StruckCount
from ledger.proof.log import sealing, verifying
from tables.errors import TableError
from tables.floor.attention import waiting_now
from tables.models import TableEvent
from tests.support.acting import acting
from tests.support.cage import fields_of, pieces
from tests.support.cast import PIN
from tests.support.kept import kept
from tests.support.pages import steady

pytestmark = pytest.mark.django_db
SECOND = {"second": "floor2", "second_pin": PIN}


def refused(act, *args, **options):
    with pytest.raises((TableError, LedgerError)) as error:
        acting(act, *args, **options)
    return error.value


def text(answer):
    return " ".join(answer.content.decode().split())


def over_short(game):
    return {
        account.asset: account.balance_cents
        for account in Account.objects.filter(site=game.site, kind="over_short")
    }


def bank(game, chips, cash):
    return pieces(game.site, chips=chips, cash=cash)


@kept
def played(game):
    """Ann has bought in for $300 in cash and gone: the bank holds $49,700 in chips and $300 in cash."""
    game.seat("Ann")
    game.cash_out(1)
    return game


def test_the_bank_that_is_counted_as_the_books_have_it_needs_no_cause(played, floor2):
    closed = played.close(floor2)
    assert closed.closer_cents == 4_970_000
    event = played.session.events.get(kind=TableEvent.Kind.CLOSED)
    assert event.data["over_chips_cents"] == event.data["over_cash_cents"] == 0
    assert event.data["second"] == floor2.pk
    assert set(over_short(played).values()) <= {0}


@pytest.mark.parametrize("other", [(4_970_000, 29_999), (4_969_500, 30_000), (30_000, 4_970_000)])
def test_counts_that_differ_are_refused_without_a_figure(played, floor2, other):
    right, other = (bank(played, *amounts) for amounts in ((4_970_000, 30_000), other))
    for counts in ((right, other), (other, right)):
        given = dict(zip(("count", "second_count"), counts, strict=True))
        error = refused(played.close, floor2, **given)
        assert error.code == "counts_differ"
        assert not any(sign.isdigit() for sign in error.message)
        assert not {"chips", "cash"} & set(error.message.split())
    assert played.fresh_session().closed_at is None
    assert not JournalEntry.objects.filter(kind="bank_count").exists()


def test_a_difference_goes_to_over_short_in_its_own_asset(played, floor2):
    closed = played.close(floor2, chips_over=-500, cash_over=2000)
    assert closed.closer_cents == 4_969_500
    assert over_short(played) == {"chips": 500, "cash": -2000}
    banks = Account.objects.filter(kind="table_bank")
    assert [account.balance_cents for account in banks] == [0, 0]
    evidence = json.loads(JournalEntry.objects.get(kind="bank_count").evidence)
    assert (evidence["over_chips_cents"], evidence["over_cash_cents"]) == (-500, 2000)


def test_nobody_counts_a_bank_alone(played, floor):
    assert refused(played.close, floor).code == "second_person"


def test_the_same_closing_comes_twice_and_another_count_under_its_key_does_not(played, floor2):
    key = played.key()
    same = {"key": key, "count": bank(played, 4_970_000, 30_000)}
    assert played.close(floor2, **same) == played.close(floor2, **same)
    assert refused(played.close, floor2, **same | {"count": bank(played, 4_970_000, 1)}).code == "key_reused"


def test_a_closing_with_a_difference_verifies_and_a_changed_closer_does_not(played, floor2):
    played.close(floor2, chips_over=-500)
    sealing.seal(played.site, now=played.now)
    assert [str(found) for found in verifying.Verification(played.site).run()] == []
    session = played.fresh_session()
    type(session).objects.filter(pk=session.pk).update(closer_cents=4_970_000)
    found = {finding.record for finding in verifying.Verification(played.site).run()}
    assert found == {f"table session {session.pk}"}


def test_the_floor_counts_blind_and_is_told_nothing(screen, played, floor2):
    path = f"/floor/sessions/{played.session.pk}/close/"
    counted, other = (bank(played, chips, 30_000) for chips in (4_969_500, 4_969_000))
    answer = screen.post(path, **fields_of(counted, other), **SECOND)
    page = steady(answer)
    assert (answer.status_code, screen.codes(answer)) == (409, ["counts_differ"])
    for figure in ("49695", "49690", "49,695", "49,690", "49,700", "49700"):
        assert figure not in page
    assert played.fresh_session().closed_at is None
    assert screen.post(path, **fields_of(counted), **SECOND).status_code == 302
    assert played.fresh_session().closer_cents == 4_969_500
    assert over_short(played)["chips"] == 500


def test_counts_that_differ_stay_on_the_paper_and_the_third_time_calls_a_supervisor(
    screen, played, floor2, regulator
):
    """Before, nothing of two counts that differed was kept, and nobody was called."""
    path, page_of = f"/floor/sessions/{played.session.pk}/close/", f"/audit/sessions/{played.session.pk}/"
    counted, other = (bank(played, chips, 30_000) for chips in (4_969_500, 4_969_000))

    def needs():
        return [one.kind for one in waiting_now(played.site, played.now)]

    for turn in (1, 2, 3):
        assert "bank_refused" not in needs()
        page = text(screen.post(path, **fields_of(counted, other), **SECOND, key=f"attempt {turn}"))
        assert ("call a supervisor" in page) == (turn == 3)
    again = screen.post(path, **fields_of(counted, other), **SECOND, key="attempt 3")
    assert (StruckCount.objects.count(), "call a supervisor" in text(again)) == (3, True)
    assert "bank_refused" in needs()
    page = text(screen.get(path))
    assert ("struck, F and F," in page, "3 counts differed. Call a supervisor." in page) == (True, True)
    one = StruckCount.objects.earliest("pk")
    assert (one.place, one.chips_cents, one.person.username, one.second) == (
        *("Table 1", 4_969_500, "floor"),
        floor2,
    )
    assert "$49,690.00" not in text(screen.as_(regulator).get(page_of))
    assert screen.as_(played.floor).post(path, **fields_of(counted), **SECOND).status_code == 302
    assert "bank_refused" not in needs()
    assert "$49,690.00" in text(screen.as_(regulator).get(page_of))
    sealing.seal(played.site, now=played.now)
    assert [str(found) for found in verifying.Verification(played.site).run()] == []


def test_the_database_keeps_two_counts_of_a_bank_in_order_by_two_and_before_its_closing(played, floor2):
    nothing = {"pieces": {"cash": [], "chips": []}, "chips_cents": 0, "cash_cents": 0}
    row = {"site": played.site, "bank": played.session.bank_chips, "place": "Table 1", "at": played.now}
    row |= {"person": played.floor, "second_pieces": nothing["pieces"], "request": "by SQL", **nothing}

    def refused_by_sql(**said):
        with pytest.raises(IntegrityError) as error, transaction.atomic():
            StruckCount.objects.create(**{**row, "attempt": 1, "second": floor2, **said})
        return str(error.value)

    assert "without gaps" in refused_by_sql(attempt=2)
    assert "bank_by_two" in refused_by_sql(second=played.floor)
    assert "bank_by_two" in refused_by_sql(second=None)
    assert "before the receipt" in refused_by_sql(bank=played.session.bank_cash)
    played.close(floor2)
    assert "before the receipt" in refused_by_sql()


def test_the_books_show_who_counted_and_what_was_missing(screen, played, floor2, regulator):
    played.close(floor2, chips_over=-500)
    page = screen.as_(regulator).get(f"/audit/sessions/{played.session.pk}/").content.decode()
    assert "floor and floor2" in page
    assert "closer $49,695.00 as counted" in page


def test_one_digit_too_many_is_asked_beside_the_count_that_has_it(screen, played, floor2):
    path = f"/floor/sessions/{played.session.pk}/close/"
    sent = {"chips_100000": "49", "chips_10000": "7", "cash_10000": "3"}
    sent |= {f"second_{name}": number for name, number in sent.items()} | {"second_chips_50": "7000"}
    answer = screen.post(path, **sent, **SECOND)
    page = answer.content.decode()
    assert (answer.status_code, screen.codes(answer)) == (409, ["confirm_count"])
    assert page.count('name="second_confirmed"') == 1
    assert 'name="second_confirmed" value="5350000"' in page
    answer = screen.post(path, **sent, **SECOND, second_confirmed="5350000")
    assert screen.codes(answer) == ["counts_differ"]
    assert "5350000" not in answer.content.decode()
