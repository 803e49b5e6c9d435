"""A bank that was counted with a difference: nobody who counts learns what the books expect, the cage signs
it off with its cause, and the day waits for it."""

import re
from datetime import date, timedelta

import pytest

from ledger.cage import boxes
from ledger.cage.banks import sign_off_bank
from ledger.errors import LedgerError
from ledger.journal import closing
from ledger.journal.acts import Act
from ledger.models import BankSignOff, JournalEntry
from ledger.proof.log import sealing, verifying
from ledger.reports.over_short import OverShort
from ledger.rules.denominations import Pieces
from tests.support import addresses
from tests.support.cage import close_cage, fields_of, sell
from tests.support.cast import PIN
from tests.support.counting import count_box
from tests.support.kept import kept

pytestmark = pytest.mark.django_db
DAY = date(2026, 3, 7)
MISSING = -500_000
SIGNED = {"key": "sign-the-bank", "cause": "the rack went to the next table", "evidence": "clip 7"}
SECOND = {"second": "floor", "second_pin": PIN}


@kept
def short(game, floor2):
    """The table closes with $5,000 in chips missing; floor and floor2 counted."""
    game.close(floor2, chips_over=MISSING)
    return game


@kept
def entry(short):
    return JournalEntry.objects.get(kind="bank_count")


@pytest.fixture
def sign(short, entry, cashier):
    def sign(actor=cashier, approver=None, cause="a rack is gone", evidence="clip 7"):
        act = Act(actor=actor, approver=approver, now=short.now, key="signed")
        return sign_off_bank(site=short.site, entry_id=entry.pk, cause=cause, evidence=evidence, act=act)

    return sign


def code_of(call, *args, **given):
    with pytest.raises(LedgerError) as error:
        call(*args, **given)
    return error.value.code


def close_day(game, cashier, second):
    act = Act(actor=cashier, approver=second, now=game.now + timedelta(days=1), key="close-it")
    close_cage(game.site, game.now)
    return closing.close_day(site=game.site, day=DAY, act=act)


# -- who gives the cause -------------------------------------------------------------------------------------


def test_a_large_difference_is_signed_off_by_two_who_did_not_count_it(sign, cashier, manager, floor, floor2):
    assert code_of(sign) == "second_person"
    assert code_of(sign, approver=cashier) == "second_person"
    for counter in (floor, floor2):
        assert code_of(sign, approver=counter) == "counted_by_signer"
    assert code_of(sign, actor=manager) == code_of(sign, actor=floor) == "not_allowed"
    assert code_of(sign, approver=manager, cause=" ") == "cause_required"
    assert code_of(sign, approver=manager, evidence=" ") == "evidence_required"
    assert not BankSignOff.objects.exists()
    signed = sign(approver=manager)
    assert signed.evidence == "clip 7"
    assert (signed.over_chips, signed.over_cash, signed.threshold_cents) == (MISSING, 0, 10_000)
    assert sign(approver=manager) == signed
    assert code_of(sign, approver=manager, cause="another one") == "no_difference"


@pytest.mark.parametrize(("cents", "code"), [(-9_950, ""), (9_950, ""), (10_000, "second_person")])
def test_one_cashier_signs_a_small_difference(game, floor2, cashier, cents, code):
    game.close(floor2, chips_over=cents)
    entry = JournalEntry.objects.get(kind="bank_count").pk
    given = {"site": game.site, "entry_id": entry, "cause": "a chip", "act": Act(cashier, game.now, "signed")}
    if code:
        assert code_of(sign_off_bank, **given) == code
    else:
        assert sign_off_bank(**given).signed_with is None


def test_what_differs_in_two_assets_does_not_make_up_for_each_other(game, floor2, cashier):
    game.close(floor2, chips_over=MISSING, cash_over=-MISSING)
    entry = JournalEntry.objects.get(kind="bank_count").pk
    act = Act(cashier, game.now, "signed")
    assert code_of(sign_off_bank, site=game.site, entry_id=entry, cause="gone", act=act) == "second_person"


def test_a_bank_that_agrees_has_nothing_to_sign(game, floor2, cashier, at):
    game.close(floor2)
    entry = JournalEntry.objects.get(kind="bank_count").pk
    act = Act(cashier, game.now, "signed")
    assert code_of(sign_off_bank, site=game.site, entry_id=entry, cause="gone", act=act) == "no_difference"
    assert at(cashier).get(f"/cashier/banks/{entry}/").status_code == 404


# -- the day -------------------------------------------------------------------------------------------------


def test_the_day_waits_for_the_cause_and_reads_five_thousand_dollars_short(
    short, entry, sign, counted_boxes, cashier, manager, at, regulator
):
    counted_boxes()
    with pytest.raises(LedgerError) as refusal:
        close_day(short, cashier, manager)
    assert refusal.value.code == "bank_not_signed"
    assert refusal.value.message == "Not signed off yet: the difference in the bank of table 1."
    page = at(cashier).get(f"/cashier/day/?day={DAY}")
    assert page.context["over"] == OverShort(boxes=0, banks=MISSING, drawers=0, vault=0, documents=0)
    audit = f"/audit/days/{DAY}/"
    for reader, address in ((cashier, f"/cashier/day/?day={DAY}"), (regulator, audit)):
        text = " ".join(at(reader).get(address).content.decode().split())
        assert "Over/short of the day (counted minus expected): <b>−$5,000.00</b>" in text
    for reader, address in ((cashier, f"/cashier/vault/?day={DAY}"), (regulator, audit)):
        assert f'href="/cashier/banks/{entry.pk}/"' in at(reader).get(address).content.decode()
    sign(approver=manager)
    assert close_day(short, cashier, manager).gaming_day == DAY
    sealing.seal(short.site, now=short.now + timedelta(days=1))
    assert [str(found) for found in verifying.Verification(short.site).run()] == []


def test_the_papers_of_the_table_say_why_its_bank_differed_or_that_nobody_has_said_it(
    short, entry, sign, manager, at, regulator
):
    def of_the_bank():
        shown = " ".join(at(regulator).get(f"/audit/sessions/{short.session.pk}/").content.decode().split())
        return re.search(rf'<a href="/cashier/banks/{entry.pk}/">([^<]*)</a>', shown)[1]

    assert of_the_bank() == "Not signed off"
    sign(approver=manager)
    assert of_the_bank() == "a rack is gone"


@pytest.fixture
def counted_boxes(short, counter1, counter2, cashier):
    def counted():
        box = short.session.box
        count_box(box, (counter1, counter2), short.now, chips=0, cash=0)
        boxes.sign_off(box=box, cause="", act=Act(cashier, short.now, "sign the box"))

    return counted


# -- the page ------------------------------------------------------------------------------------------------


def test_the_cage_signs_on_its_page(at, short, entry, cashier, employ, codes_on):
    employ("cashier2", "cashier")
    page = f"/cashier/banks/{entry.pk}/"
    assert f'href="{page}"' in at(cashier).get(f"/cashier/vault/?day={DAY}").content.decode()
    assert codes_on(at(cashier).post(page, SIGNED)) == ["bad_entry", "bad_entry"]
    refused = at(cashier).post(page, SIGNED | SECOND)
    assert (refused.status_code, codes_on(refused)) == (400, ["wrong_pin"])  # who counted is not offered
    answer = at(cashier).post(page, SIGNED | SECOND | {"second": "cashier2"})
    assert (answer.status_code, answer.url) == (302, f"/cashier/vault/?day={DAY}")
    shown = at(cashier).get(page).content.decode()
    assert "the rack went to the next table" in shown
    assert "<form" not in shown.split('aria-label="The difference"')[1].split("</section>")[0]


@pytest.mark.parametrize("who", ["floor", "dealer", "counter1"])
def test_others_see_nothing_of_it(at, entry, request, who):
    assert at(request.getfixturevalue(who)).get(f"/cashier/banks/{entry.pk}/").status_code == 403


# -- nothing is told before the count is posted --------------------------------------------------------------

CHIPS, CASH = 4_933_250, 66_750
EXPECTED = [
    text for cents in (CHIPS, CASH) for text in (f"{cents}", f"{cents / 100:,.2f}", f"{cents / 100:.2f}")
]


@kept
def played(game, cashier):
    """Ann and Bob bought in and have left, and somebody bought chips at the window: no other figure of the
    house is one of the bank's."""
    game.seat("Ann", "Bob")
    game.minute(5).add_on(1, 6_750)
    for seat in (1, 2):
        game.minute(10).cash_out(seat)
    sell(site=game.site, cents=100, act=Act(cashier, game.now, "sold at the window"))
    bank = game.fresh_session()
    assert (bank.bank_chips.balance_cents, bank.bank_cash.balance_cents) == (CHIPS, CASH)
    return game


def every_address(game):
    """Return every address of the house, with the ids of what stands at this table."""
    session, sitting = game.session, game.session.sittings.first()
    ids = {"session_id": session.pk, "table_id": session.table_id, "box_id": session.box_id}
    ids |= {"sitting_id": sitting.pk, "player_id": sitting.player_id}
    ids |= {"entry_id": JournalEntry.objects.latest("pk").pk}
    accounts = (session.bank_chips_id, session.bank_cash_id)
    return addresses.of(*({**ids, "account_id": account} for account in accounts))


def told(answer):
    """Return the figures in an answer, without its moment and tokens, in which any digits may stand."""
    body = b"".join(answer) if answer.streaming else answer.content
    body = re.sub(rb'data-now="[^"]*"|\b\w{64}\b', b"", body)
    return [figure for figure in EXPECTED if figure.encode() in body]


@pytest.mark.usefixtures("bare_refusals")
@pytest.mark.parametrize("who", ["floor", "dealer", "cashier"])
def test_no_address_tells_what_a_bank_should_hold_before_it_is_counted(played, at, request, who):
    client, shown = at(request.getfixturevalue(who)), 0
    for address in every_address(played):
        answer = client.get(address)
        if answer.streaming and answer.is_async:  # live pieces, which are those of the pages
            continue
        shown += answer.status_code == 200
        assert told(answer) == [], address
    assert shown > 10


def test_no_refusal_tells_it_either(played, at, floor, floor2):
    session = f"/floor/sessions/{played.session.pk}"
    two = {"second": "floor2", "second_pin": PIN}
    counts = fields_of(Pieces({500: 1}, {100: 1}), Pieces({500: 2}, {100: 1}))
    for address, sent in (
        (f"{session}/close/", {**two, **counts}),
        (f"{session}/close/", {**two, **counts, "second_pin": "739154"}),
        (f"{session}/close/", {"chips_500": "1"}),
        (f"/sessions/{played.session.pk}/bank/credit/", {"chips_500": "-1"}),
    ):
        answer = at(floor).post(address, {"key": "one-of-these", **sent})
        assert answer.status_code in (400, 409), address
        assert told(answer) == [], address
