"""Two entries of one person become one by two people: fees and chips taken away follow the person,
and so does an exclusion."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ledger.cage import exclusions
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.proof.log import sealing, verifying
from tables.errors import TableError
from tables.models import Charge, Player, PlayerMerge
from tables.reports.players import find_players, history
from tables.reports.statements import sittings_between
from tables.seats.buying_in import FirstBuyIn, buy_in
from tables.seats.player_entries import change_player, merge_players
from tables.seats.players import Person, enter_player, know_player, require_welcome
from tests.support.changed_records import changed
from tests.support.game import OPENING
from tests.support.replayed import bodies, replayed
from tests.tables.log.test_verifying import tampering

pytestmark = pytest.mark.django_db


@pytest.fixture
def approved(floor, floor2):
    """`approved(now)`: floor asks and floor2 approves."""
    return lambda now=OPENING, key="a-merge-of-two": Act(
        floor, now, key, "players 10.0.0.7", approver=floor2, reason="the same driving licence"
    )


@pytest.fixture
def anna(site, floor):
    """Ann once more, under her card number."""
    return enter_player(site=site, name="Anna", number="77", act=Act(floor, OPENING))


def refused(call, *args, **options):
    with pytest.raises((LedgerError, TableError)) as refusal:
        call(*args, **options)
    return refusal.value.code


def findings(site):
    sealing.seal(site, now=OPENING)
    return [(one.code, one.record) for one in verifying.Verification(site).run()]


def sits(game, player, seat, cents=30 * 500):
    entry = FirstBuyIn(seat, cents, "cash")
    return buy_in(
        session_id=game.session.pk, who=player, entry=entry, act=Act(game.floor, game.now, game.key())
    )


def merged(game, approved, one, other):
    return merge_players(merged_id=one.pk, into_id=other.pk, act=approved(game.now))


# -- the merge -----------------------------------------------------------------------------------------------


def test_whoever_asks_for_the_merged_entry_is_answered_about_the_person(site, ann, anna, approved, floor2):
    merge = merge_players(merged_id=anna.pk, into_id=ann.pk, act=approved())
    assert (merge.number, merge.approver, merge.reason) == (1, floor2, "the same driving licence")
    act = Act(floor2, OPENING)
    assert know_player(Person(number="77"), site=site, act=act) == ann
    assert know_player(Person("Ann"), site=site, act=act) == ann
    assert list(find_players(site, "anna")) == list(find_players(site, "77")) == [ann]
    assert history(ann)[0].merge == history(anna)[0].merge == merge
    assert findings(site) == []
    assert replayed(bodies())[0] == []


def test_the_same_key_merges_once(ann, anna, bob, approved):
    first = merge_players(merged_id=anna.pk, into_id=ann.pk, act=approved())
    assert merge_players(merged_id=anna.pk, into_id=ann.pk, act=approved()) == first
    assert refused(merge_players, merged_id=bob.pk, into_id=ann.pk, act=approved()) == "key_reused"


def test_a_chain_of_merges_ends_at_the_last_entry(site, ann, anna, bob, approved, floor):
    merge_players(merged_id=anna.pk, into_id=ann.pk, act=approved())
    merge_players(merged_id=ann.pk, into_id=bob.pk, act=approved(key="another-merge"))
    assert know_player(Person(number="77"), site=site, act=Act(floor, OPENING)) == bob
    assert set(Player.objects.filter(merged_into=bob)) == {ann, anna}
    assert findings(site) == []
    assert replayed(bodies())[0] == []


def test_merging_takes_two_people_and_a_reason(ann, anna, approved, floor, dealer):
    act = approved()
    both = {"merged_id": anna.pk, "into_id": ann.pk}
    assert refused(merge_players, **both, act=replace(act, approver=floor)) == "second_person"
    assert refused(merge_players, **both, act=replace(act, approver=None)) == "second_person"
    assert refused(merge_players, **both, act=replace(act, approver=dealer)) == "not_allowed"
    assert refused(merge_players, **both, act=replace(act, actor=dealer)) == "not_allowed"
    assert refused(merge_players, **both, act=replace(act, reason=" ")) == "reason_required"
    assert not PlayerMerge.objects.exists()


def test_an_entry_is_merged_once_and_never_with_itself(ann, anna, bob, approved):
    assert refused(merge_players, merged_id=ann.pk, into_id=ann.pk, act=approved()) == "nothing_changes"
    merge_players(merged_id=anna.pk, into_id=ann.pk, act=approved())
    for merged_id, into_id in ((anna.pk, bob.pk), (bob.pk, anna.pk)):
        act = approved(key="another-merge")
        assert refused(merge_players, merged_id=merged_id, into_id=into_id, act=act) == "player_merged"
    assert (
        refused(change_player, player_id=anna.pk, name="Annie", act=approved(key="a-change"))
        == "player_merged"
    )


def test_two_who_sit_or_have_sat_at_the_same_time_are_two_people(game, ann, bob, approved):
    game.seat("Ann", "Bob")
    assert refused(merged, game, approved, ann, bob) == "seated_together"
    game.minute(5).cash_out(1)
    game.minute(6).cash_out(2)
    assert refused(merged, game, approved, ann, bob) == "seated_together"


@pytest.mark.parametrize("role", ["manager", "compliance"])
def test_one_person_who_sat_under_two_entries_is_merged_by_the_floor_and_the_house(
    game, ann, bob, approved, employ, role
):
    game.seat("Ann", "Bob", "Cat")
    game.play()
    game.minute(5).cash_out(1)
    act = replace(approved(game.now), approver=employ("second", role))
    both = {"merged_id": ann.pk, "into_id": bob.pk}
    merge_players(**both, act=act)
    assert know_player(Person("Ann"), site=game.site, act=act) == bob
    game.minute(31).play()
    game.minute(40).cash_out(2)
    assert findings(game.site) == []
    assert replayed(bodies())[0] == []


def test_the_entry_that_is_seated_is_the_one_that_stays(game, ann, anna, approved):
    game.seat("Ann")
    assert refused(merged, game, approved, ann, anna) == "player_seated"
    merged(game, approved, anna, ann)
    assert (
        refused(
            buy_in,
            session_id=game.session.pk,
            who=anna,
            entry=FirstBuyIn(2, 15_000, "cash"),
            act=Act(game.floor, game.now, "another-buy-in"),
        )
        == "player_merged"
    )


def test_an_exclusion_of_either_entry_stays_with_the_person(site, employ, ann, anna, approved):
    keeper = Act(employ("carla", "compliance"), OPENING)
    exclusions.add_exclusion(
        site=site, name="Anna", number="77", reference="GEGE-7", effective_from=OPENING.date(), act=keeper
    )
    merge_players(merged_id=anna.pk, into_id=ann.pk, act=approved())
    for who in (Person("Ann"), Person(number="77"), ann):
        assert refused(require_welcome, who, site=site, doing="seating", act=approved()) == "see_floor"


# -- what follows the person ---------------------------------------------------------------------------------


def test_r62_a_fee_paid_under_the_merged_entry_is_not_charged_again(game, ann, anna, approved):
    game.seat("Bob", "Cat")
    sits(game, anna, 4)
    game.play()
    game.minute(5).cash_out(4)
    merged(game, approved, anna, ann)
    game.minute(10)
    sits(game, ann, 4, cents=40 * 500)
    game.play()
    assert Charge.objects.filter(player__in=(ann, anna)).count() == 1
    assert replayed(bodies())[0] == []
    assert findings(game.site) == []


def test_r52_whoever_comes_back_under_another_entry_brings_what_they_took_away(game, ann, anna, approved):
    game.seat("Bob")
    sits(game, anna, 4, cents=60 * 500)
    game.minute(5).cash_out(4)
    merged(game, approved, anna, ann)
    game.minute(10)
    assert refused(sits, game, ann, 4) == "buy_in_too_small"
    sits(game, ann, 4, cents=60 * 500)
    assert replayed(bodies())[0] == []


def test_the_statements_of_a_person_are_those_of_all_their_entries(game, ann, anna, approved):
    game.seat("Bob")
    sits(game, anna, 4)
    game.minute(5).cash_out(4)
    merged(game, approved, anna, ann)
    game.minute(10)
    sits(game, ann, 4, cents=30 * 500)
    day = (OPENING - timedelta(days=1), OPENING + timedelta(days=1))
    assert [one.player for one in sittings_between(ann, *day)] == [anna, ann]
    anna.refresh_from_db()
    assert sittings_between(anna, *day) == sittings_between(ann, *day)


# -- the log -------------------------------------------------------------------------------------------------


def test_a_merge_undone_or_made_past_the_log_is_named(site, ann, anna, bob, approved):
    merge_players(merged_id=anna.pk, into_id=ann.pk, act=approved())
    assert findings(site) == []
    for player, value in ((anna, None), (anna, bob), (bob, ann)):
        with tampering("tables_player"):
            Player.objects.filter(pk=player.pk).update(merged_into=value)
            assert findings(site) == [("row_differs", f"player {player.pk}")]


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("number", 7, "number_gap"),
        ("approver", "actor", "second_person"),
        ("into", "merged", "same_player"),
        ("reason", " ", "reason_required"),
    ],
)
def test_a_merge_that_its_record_tells_wrongly_is_accused(ann, anna, approved, name, value, code):
    merge_players(merged_id=anna.pk, into_id=ann.pk, act=approved())
    log = bodies()
    place = next(at for at, body in enumerate(log) if body["record"] == "player_merge")
    told = changed(log, place, (name,), log[place].get(value, value))
    for more in ({}, {"kind": "staff_changed"}):  # a merge has no kind, and is judged all the same
        told[place] |= more
        assert [(one.code, one.record) for one in replayed(told)[0]] == [
            (code, f"player merge {log[place]['id']}")
        ]


@pytest.mark.parametrize(
    ("numbers", "accused"), [((1, 2, 3), []), ((2, 3), [0]), ((1, 2, 4, 4), [2, 3]), ((1, 7, 3), [1, 2])]
)
def test_each_merge_has_the_number_after_the_one_before_it(numbers, accused):
    by_two = {"actor": 1, "approver": 2, "reason": "one card"}
    log = [
        {"record": "player_merge", "id": id_, "number": number, "merged": 10 + id_, "into": 1, **by_two}
        for id_, number in enumerate(numbers)
    ]
    decoy = {"record": "house_event", "id": 99, "kind": "player_merge", "number": 1, "data": {}}
    found = replayed([*log, decoy], first=1)[0]
    assert [(one.code, one.leaf - 1) for one in found] == [("number_gap", place) for place in accused]
    assert [one.code for one in replayed([decoy, *log])[0]] == ["number_gap"] * len(accused)


def test_a_merge_of_somebody_who_sits_or_was_merged_is_accused(game, ann, anna, bob, approved):
    game.seat("Ann")
    merged(game, approved, anna, ann)
    log = bodies()
    place = next(at for at, body in enumerate(log) if body["record"] == "player_merge")
    other_way = changed(changed(log, place, ("merged",), ann.pk), place, ("into",), bob.pk)
    assert [one.code for one in replayed(other_way)[0]] == ["player_seated"]
    again = [*log, {**log[place], "number": 2, "into": bob.pk}]
    assert [one.code for one in replayed(again)[0]] == ["player_merged"]


def test_r62_a_second_charge_after_a_merge_is_accused(game, ann, anna, approved):
    game.seat("Bob", "Cat")
    sits(game, anna, 4)
    game.play()
    game.minute(5).cash_out(4)
    game.minute(10)
    sits(game, ann, 4, cents=40 * 500)
    game.play()
    log = bodies()
    assert Charge.objects.filter(player__in=(ann, anna)).count() == 2
    assert replayed(log)[0] == []
    merge = {
        "record": "player_merge",
        "id": 1,
        "site": game.site.pk,
        "recorded_at": log[-1]["recorded_at"],
        "number": 1,
        "merged": anna.pk,
        "into": ann.pk,
        "actor": 1,
        "approver": 2,
        "terminal": "",
        "reason": "one card",
        "key": "a-merge-of-two",
    }
    second = next(
        at
        for at, one in enumerate(log)
        if one["record"] == "entry" and one["evidence"].get("player") == ann.pk
    )
    assert "charge_twice" in {one.code for one in replayed([*log[:second], merge, *log[second:]])[0]}
