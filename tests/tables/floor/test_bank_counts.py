"""The bank of a table that plays on is counted by two people, blind as at its closing, and stays there."""

import json
from datetime import timedelta

import pytest

from ledger.cage.banks import sign_off_bank
from ledger.errors import LedgerError
from ledger.journal import closing as days, posting
from ledger.journal.acts import Act
from ledger.models import Account, JournalEntry, StruckCount
from ledger.proof.log import sealing, verifying
from ledger.rules.denominations import Pieces
from tables.errors import TableError
from tables.floor import banks, closing
from tables.floor.attention import waiting_now
from tables.seats.chip_corrections import correct_chips
from tests.support.acting import acting
from tests.support.cage import fields_of, pieces
from tests.support.cast import PIN
from tests.support.entries_by_hand import other
from tests.support.kept import kept
from tests.support.replayed import bodies
from tests.tables.audit.test_chips import check

pytestmark = pytest.mark.django_db
SECOND = {"second": "floor2", "second_pin": PIN}
GONE = 500_000
"""Five thousand dollars in chips that somebody took from the bank."""


def refused(act, *args, **options):
    with pytest.raises((TableError, LedgerError)) as error:
        acting(act, *args, **options)
    return error.value


def over_short():
    return {one.asset: one.balance_cents for one in Account.objects.filter(kind="over_short")}


def bank():
    return {one.asset: one.balance_cents for one in Account.objects.filter(kind="table_bank")}


def evidence():
    return json.loads(JournalEntry.objects.filter(kind="bank_count").latest("pk").evidence)


def wrong_in_log(site, now):
    """Return the codes that the live check finds, which are those of the offline one."""
    sealing.seal(site, now=now)
    live = [found.code for found in verifying.Verification(site).run()]
    assert live == [found.code for found in check(bodies())]
    return live


@kept
def playing(game):
    """Ann and Bob have bought in for $300 each in cash: the bank holds $49,400 in chips and $600 in cash."""
    sealing.seal(game.site, now=game.now)
    game.seat("Ann", "Bob")
    return game


@pytest.fixture
def count(playing, floor2):
    def count(chips_over=0, cash_over=0, **options):
        counted = playing.counted(chips_over, cash_over)
        by = {"second": floor2, "actor": playing.floor, "key": playing.key(), "now": playing.now}
        said = by | {"count": counted, "second_count": counted} | options
        return acting(closing.count_bank, session_id=playing.session.pk, **said)

    return count


def test_what_was_counted_stays_at_the_table_and_play_goes_on(playing, count, floor, floor2):
    session = count()
    assert (session.closed_at, bank()) == (None, {"chips": 4_940_000, "cash": 60_000})
    said = evidence()
    assert ("closer" in said, said["counted_by"], said["table"]) == (False, [floor.pk, floor2.pk], 1)
    assert said["pieces"] == pieces(playing.site, chips=4_940_000, cash=60_000).data
    playing.play()
    assert wrong_in_log(playing.site, playing.now) == []


def test_a_bank_that_is_short_is_over_short_at_the_next_count_and_holds_its_day(playing, count, cashier):
    """Before, $5,000 could be missing from the bank of a table that played on, and nobody counted it."""
    count(-GONE, 2_000)
    assert (over_short(), bank()) == (
        {"chips": GONE, "cash": -2_000},
        {"chips": 4_440_000, "cash": 62_000},
    )
    entry = JournalEntry.objects.get(kind="bank_count")
    (waits,) = days.day_state(playing.site, entry.gaming_day, playing.now).banks
    assert (waits.chips_cents, waits.cash_cents, waits.session) == (-GONE, 2_000, playing.session.pk)
    said = {"site": playing.site, "entry_id": entry.pk, "cause": "nobody knows", "evidence": "clip 7"}
    by = {"actor": cashier, "now": playing.now, "key": "sign the bank"}
    assert refused(sign_off_bank, **said, **by).code == "second_person"
    count()
    assert JournalEntry.objects.filter(kind="bank_count").last().transfers.count() == 0
    assert wrong_in_log(playing.site, playing.now) == []


def test_a_count_in_a_round_and_a_closing_after_it_verify(playing, count, floor2):
    round_ = playing.start()
    count(-GONE)
    playing.minute(5).settle(round_)
    for seat in playing.stacks():
        playing.cash_out(seat)
    playing.close(floor2, cash_over=500)
    assert over_short() == {"chips": GONE, "cash": -500}
    assert wrong_in_log(playing.site, playing.now) == []


def test_nobody_counts_it_alone_or_while_something_is_under_way(playing, count, floor, dealer, floor2):
    assert refused(count, second=floor).code == "second_person"
    assert refused(count, actor=dealer).code == "not_allowed"
    asked = {"actor": playing.floor, "now": playing.now, "key": playing.key()}
    acting(banks.ask, session_id=playing.session.pk, kind="fill", pieces=Pieces({500: 1}), **asked)
    assert refused(count).code == "document_under_way"
    assert not JournalEntry.objects.filter(kind="bank_count").exists()


def test_a_table_that_has_closed_is_not_counted(playing, count, floor2):
    for seat in playing.stacks():
        playing.cash_out(seat)
    playing.close(floor2)
    assert refused(count).code == "table_closed"


def test_the_same_count_comes_twice_and_another_under_its_key_does_not(playing, count):
    same = {"key": playing.key()}
    assert count(**same) == count(**same)
    assert JournalEntry.objects.filter(kind="bank_count").count() == 1
    assert refused(count, -GONE, **same).code == "key_reused"


def test_attempts_begin_anew_once_two_have_agreed(playing, count):
    def differ():
        playing.now += timedelta(seconds=1)
        return refused(count, second_count=playing.counted(-GONE)).message

    calls = ["call a supervisor" in differ() for _ in range(3)]
    assert "bank_refused" in [one.kind for one in waiting_now(playing.site, playing.now)]
    playing.now += timedelta(seconds=1)
    count()
    assert "bank_refused" not in [one.kind for one in waiting_now(playing.site, playing.now)]
    calls += ["call a supervisor" in differ() for _ in range(3)]
    assert calls == [False, False, True] * 2
    assert list(StruckCount.objects.order_by("pk").values_list("attempt", flat=True)) == [1, 2, 3, 4, 5, 6]
    assert wrong_in_log(playing.site, playing.now) == []


def test_a_buy_in_corrected_after_the_count_takes_back_what_it_put_to_over_short(playing, count, floor2):
    """Ann had $500 for the $300 that were entered: the count found it, the correction explains it."""
    count(-20_000, 20_000)
    entry = JournalEntry.objects.filter(kind="buy_in").earliest("pk")
    for cents in (50_000, 40_000):
        said = {"reason": "read off the wrong stack", "approver": floor2, "actor": playing.floor}
        said |= {"key": playing.key(), "now": playing.now, "source": "cash"}
        acting(correct_chips, entry=entry, cents=cents, **said)
        entry = JournalEntry.objects.filter(kind="correction").latest("pk")
        assert bank() == {"chips": 4_920_000, "cash": 80_000}
    assert over_short() == {"chips": 10_000, "cash": -10_000}
    assert wrong_in_log(playing.site, playing.now) == []


# -- what the log is asked -----------------------------------------------------------------------------------


def post(playing, floor2, moves=(), **more):
    """Post a count past the verb: as in the books, but for what is said otherwise."""
    said = {"session": playing.session.pk, "table": 1, "counted_by": [playing.floor.pk, floor2.pk]}
    said |= {"pieces": playing.counted().data, "over_chips_cents": 0, "over_cash_cents": 0} | more
    act = Act(playing.floor, playing.now, playing.key(), approver=floor2)
    draft = posting.EntryDraft(kind="bank_count", moves=moves, evidence=said, content=said, act=act)
    posting.post(site=playing.site, draft=draft)


def test_a_bank_short_of_five_thousand_that_moved_nothing_is_named(playing, floor2):
    post(playing, floor2, pieces=playing.counted(-GONE).data)
    assert wrong_in_log(playing.site, playing.now) == ["wrong_sum"]


def test_five_thousand_that_went_to_over_short_and_are_not_said_are_named(playing, floor2):
    accounts = (playing.session.bank_chips_id, posting.house_account(playing.site, "over_short", "chips").pk)
    post(playing, floor2, (posting.Move(*accounts, GONE),), pieces=playing.counted(-GONE).data)
    assert wrong_in_log(playing.site, playing.now) == ["other_count"]


def test_a_count_while_a_document_waits_is_named(playing, floor2):
    asked = {"actor": playing.floor, "now": playing.now, "key": playing.key()}
    acting(banks.ask, session_id=playing.session.pk, kind="fill", pieces=Pieces({500: 1}), **asked)
    post(playing, floor2)
    assert wrong_in_log(playing.site, playing.now) == ["not_ended"]


def closed_day(day, now):
    said = {"gaming_day": day, "closed_at": now, "closed_by": 7, "closed_with": 8, "entries": 0}
    return other("closed_day", 9_999, 0, **said, totals={}, balances=[])


def test_a_day_closed_over_a_bank_that_nobody_counted_is_named(playing, count):
    """Nobody asks it of older logs: before, no table that played on was counted."""
    played = bodies()
    later = JournalEntry.objects.latest("pk").gaming_day + timedelta(days=1)
    first, second = (closed_day(f"{day}", played[-1]["recorded_at"]) for day in (later - timedelta(1), later))

    def named(records):
        return [(one.code, one.leaf) for one in check(records) if one.code == "bank_not_counted"]

    assert named([*played, first, second]) == []
    count()
    counted = bodies()
    assert named([*counted, first]) == []
    assert named([*counted, second]) == [("bank_not_counted", len(counted))]


# -- the page ------------------------------------------------------------------------------------------------


def test_the_floor_counts_blind_and_is_told_nothing(screen, playing, floor2):
    path = f"/floor/sessions/{playing.session.pk}/count-bank/"
    assert path in screen.get(f"/floor/sessions/{playing.session.pk}/").content.decode()
    short, other = playing.counted(-GONE), playing.counted(-GONE - 500)
    answer = screen.post(path, **fields_of(short, other), **SECOND)
    assert (answer.status_code, screen.codes(answer)) == (409, ["counts_differ"])
    told = [answer.content.decode()]
    assert screen.post(path, **fields_of(short), **SECOND).status_code == 302
    assert over_short()["chips"] == GONE
    told += [screen.get(page).content.decode() for page in (path, f"/floor/sessions/{playing.session.pk}/")]
    for figure in ("49,400", "49400", "44,400", "44400", "5,000.00"):
        assert not [page for page in told if figure in page], figure
