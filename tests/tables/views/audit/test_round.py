"""The record of a round, finding it by whatever is known of it, and the down that it was dealt in."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.journal.acts import Act
from tests.support.evening import DAY
from tests.support.game import FULL_HOUSE, HANDS, PLAIN, QUEENS


@pytest.fixture
def record(at, regulator):
    """`record(round)`: the page of a round as the regulator reads it."""

    def read(round_, person=regulator):
        page = at(person).get(f"/rounds/{round_.pk}/")
        assert page.status_code == 200
        return page

    return read


@pytest.fixture
def find(at, regulator):
    """`find(table=1)`: the numbers of the rounds that the search finds, or the page where it finds none."""

    def search(**words):
        page = at(regulator).get("/audit/rounds/", words)
        if page.status_code != 200:
            return page
        return [round_.number for round_ in page.context["page_obj"].object_list]

    return search


@pytest.fixture
def first(evening):
    """The evening's first round."""
    return evening.session.rounds.get(number=1)


def test_a_record_has_hands_payments_and_stacks(record, first):
    page = record(first)
    settled = page.context["record"].standing
    assert [(one.hand.position, one.hand.seat) for one in settled.hands] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    for one in settled.hands:
        assert one.hand.stack_cents + one.net_cents == one.after_cents
        assert one.claim_cents == 0
    text = page.content.decode()
    assert "queen of spades" in text
    assert "Bonus in front" in text
    assert "R13" in text
    assert "sheet <code>face-up</code> version 1" in text
    assert "2026-03-07 12:00:00" in text


def test_a_payment_that_table_stakes_cut_says_so(record, game):
    game.seat("Ann", "Bob")
    game.set_stack(2, 5500)
    round_ = game.play((QUEENS, FULL_HOUSE))
    text = record(round_).content.decode()
    assert "cut to $" in text
    assert "table stakes (R33)" in text


def test_a_corrected_round_keeps_both_settlements(record, evening, first):
    request = evening.ask(first, [PLAIN, HANDS[1], HANDS[0], HANDS[3]], reason="two hands were swapped")
    evening.approve(request)
    page = record(first)
    shown = page.context["record"]
    assert [(one.settlement.ordinal, one.stands) for one in shown.settlements] == [(1, False), (2, True)]
    assert shown.settlements[0].reversal.reverses_id == shown.settlements[0].settlement.entry_id
    assert shown.settlements[1].request == request
    text = page.content.decode()
    for words in ("two hands were swapped", "Asked by", "dealer", "Approved by", "floor", "Taken back"):
        assert words in text


def test_what_a_correction_could_not_move_is_a_claim(record, evening, first):
    evening.cash_out(1)
    evening.approve(evening.ask(first, [PLAIN, HANDS[1], HANDS[0], HANDS[3]]))
    page = record(first)
    standing = page.context["record"].standing
    assert standing.claims
    assert sum(one.claim_cents for one in standing.hands) == 0
    owed = {one.hand.sitting.player: one.claim_cents for one in standing.hands}
    for claim in standing.claims:
        owed[claim.debtor] += claim.cents
        owed[claim.creditor] -= claim.cents
    assert set(owed.values()) == {0}
    assert "Claims that it leaves (R58)" in page.content.decode()


def test_a_refused_correction_stays_in_the_record(record, evening, first, floor2):
    from tables.rounds import corrections

    request = evening.ask(first, [PLAIN, HANDS[1], HANDS[0], HANDS[3]])
    corrections.refuse_correction(
        request_id=request.pk, act=Act(reason="the film shows otherwise", actor=floor2, now=evening.now)
    )
    text = record(first).content.decode()
    assert "Refused" in text
    assert "the film shows otherwise" in text


def test_a_voided_round_says_why_and_by_whom(record, game):
    game.seat("Ann", "Bob")
    round_ = game.start()
    game.void(round_, reason="a card lay face up")
    page = record(round_)
    assert page.context["record"].voided.actor == game.dealer
    assert "a card lay face up" in page.content.decode()
    assert page.context["record"].settlements == ()


def test_a_running_round_shows_no_cards(record, game):
    game.seat("Ann", "Bob")
    round_ = game.start()
    text = record(round_).content.decode()
    assert "has not been settled" in text
    assert "of spades" not in text


def test_who_was_not_dealt_in_is_said_with_the_reason(record, evening):
    third = evening.session.rounds.get(number=3)
    assert record(third).context["record"].waiting == [(3, "fee_due"), (4, "fee_due")]
    assert "a fee is due (R63)" in record(third).content.decode()


@pytest.mark.parametrize(
    ("who", "status"), [("floor", 200), ("dealer", 200), ("cashier", 200), ("counter1", 403)]
)
def test_who_reads_tables_reads_rounds_and_downs(at, evening, first, request, who, status):
    person = request.getfixturevalue(who)
    assert at(person).get(f"/rounds/{first.pk}/").status_code == status
    assert at(person).get(f"/downs/{first.down_id}/").status_code == status
    assert b"/audit/" not in at(person).get(f"/rounds/{first.pk}/").content


def test_a_record_costs_the_same_however_often_it_was_corrected(at, regulator, evening, first):
    def cost():
        with CaptureQueriesContext(connection) as queries:
            at(regulator).get(f"/rounds/{first.pk}/")
        return len(queries)

    evening.approve(evening.ask(first, [PLAIN, HANDS[1], HANDS[0], HANDS[3]]))
    cost()
    once = cost()
    evening.approve(evening.ask(first, HANDS))
    evening.approve(evening.ask(first, [PLAIN, HANDS[1], HANDS[0], HANDS[3]]))
    assert cost() == once


def test_a_round_is_found_by_table_day_number_and_time(find, evening):
    assert find(table=1) == [3, 2, 1]
    assert find(table=2) == []
    assert find(day=DAY) == [3, 2, 1]
    assert find(day="2026-03-06") == []
    assert find(number=2) == [2]
    assert find(table=1, day=DAY, number=3) == [3]
    assert find(day=DAY, at="12:30") == [2]
    assert find(day=DAY, at="12:41:00") == [3]
    assert find(day=DAY, at="12:35") == []


def test_a_time_after_midnight_belongs_to_the_gaming_day_before(find, evening):
    evening.minute(12 * 60 + 10).play()  # ten past midnight
    assert find(day=DAY, at="00:10") == [4]
    assert find(day="2026-03-08", at="00:10") == []


def test_an_id_leads_straight_to_its_round(at, regulator, first):
    answer = at(regulator).get("/audit/rounds/", {"id": first.pk})
    assert answer["Location"] == f"/rounds/{first.pk}/"
    assert at(regulator).get("/audit/rounds/", {"id": "999999"}).status_code == 200


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ({"table": "one"}, "table"),
        ({"number": "-1"}, "number"),
        ({"id": "99999999999999999999"}, "id"),
        ({"at": "25:00", "day": DAY}, "at"),
        ({"day": "March"}, "day"),
        ({"at": "12:00"}, "day"),
    ],
)
def test_a_word_that_finds_nothing_sensible_is_said_beside_its_field(find, evening, codes_on, words, field):
    page = find(**words)
    assert page.status_code == 400
    assert list(page.context["form"].errors) == [field]
    assert len(codes_on(page)) == 1


def test_a_down_shows_every_fee_with_its_rule_and_how_it_was_taken(at, regulator, evening, first):
    page = at(regulator).get(f"/downs/{first.down_id}/")
    charges = [
        (charge.sitting.seat, charge.cents, charge.payment.method) for charge in page.context["charges"]
    ]
    assert charges == [
        (1, 1000, "stack"),
        (2, 1000, "stack"),
        (3, 1000, "stack"),
        (4, 1000, "cash"),
        (5, 500, "cage"),
    ]
    assert page.context["charged_cents"] == 4500
    assert "half, entered at 25:00" in page.content.decode()
    assert [round_.number for round_ in page.context["rounds"]] == [1, 2]
