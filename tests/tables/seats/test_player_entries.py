"""What the house knows of a player: entered, changed with everything before on record, and found by it."""

import pytest

from ledger.cage import exclusions
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.proof.log import sealing, verifying
from ledger.records import canonical
from tables.errors import TableError
from tables.models import Player, PlayerChange, PlayerWord
from tables.reports.players import find_players, history, whereabouts
from tables.seats.player_entries import change_player
from tables.seats.players import Person, enter_player, know_player, require_welcome
from tests.support.behind import behind_the_triggers
from tests.support.game import OPENING
from tests.support.recorded import recorded_with

pytestmark = pytest.mark.django_db


@pytest.fixture
def act(floor):
    return Act(floor, OPENING, key="a-change-of-an-entry", terminal="players 10.0.0.7")


@pytest.fixture
def enter(site, act):
    """`enter("Ann", number="7")`: somebody new."""
    return lambda name="", **said: enter_player(site=site, name=name, act=act, **said)


def refused(*args, **options):
    with pytest.raises((LedgerError, TableError)) as refusal:
        change_player(*args, **options)
    return refusal.value.code


def findings(site):
    sealing.seal(site, now=OPENING)
    return [(one.code, one.record) for one in verifying.Verification(site).run()]


def found(site, text):
    return [str(player) for player in find_players(site, text)]


# -- changing ------------------------------------------------------------------------------------------------


def test_a_change_is_recorded_with_before_and_after_and_who_made_it(site, enter, act, floor):
    ann = enter("Ann", number="7")
    change_player(player_id=ann.pk, name="Ann  Lee", description="red cap", alias="Annie", act=act)
    change = PlayerChange.objects.get(player=ann, key=act.key)
    assert (change.before["name"], change.after) == (
        "Ann",
        {"name": "Ann Lee", "number": "7", "description": "red cap", "alias": "Annie"},
    )
    (record,) = recorded_with(f'"before":"{change.follows}"', kind="player_change", subject=change.pk)
    assert f'"after":"{change.commitment}"' in record.text
    assert change.commitment == canonical.commitment(change.salt, canonical.text(change.after))
    assert "Ann" not in record.text
    assert change.actor == floor
    assert [len(step.lines) for step in history(ann)] == [3, 2]
    assert findings(site) == []


def test_the_same_key_changes_an_entry_once(enter, act):
    ann = enter("Ann")
    for _ in range(2):
        change_player(player_id=ann.pk, name="Anna", act=act)
    assert PlayerChange.objects.filter(player=ann).count() == 2
    assert refused(player_id=ann.pk, name="Annabel", act=act) == "key_reused"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"name": "Ann"}, "nothing_changes"),
        ({}, "player_unknown"),
        ({"name": "Ann", "alias": "x" * 61}, "bad_text"),
        ({"name": "Ann\x07"}, "bad_text"),
        ({"name": "y" * 81}, "bad_text"),
    ],
)
def test_an_entry_that_says_nothing_new_or_nobody_is_refused(enter, act, said, code):
    ann = enter("Ann")
    assert refused(player_id=ann.pk, act=act, **said) == code
    assert Player.objects.get(pk=ann.pk).name == "Ann"


def test_an_alias_is_never_the_card_number(enter, act):
    ann = enter("Ann", number="1007")
    assert refused(player_id=ann.pk, name="Ann", alias="1007", act=act) == "bad_text"


def test_a_dealer_and_a_regulator_change_no_entry(enter, act, dealer, regulator):
    ann = enter("Ann")
    for person in (dealer, regulator):
        assert (
            refused(player_id=ann.pk, name="Anna", act=Act(person, OPENING, "somebody-elses"))
            == "not_allowed"
        )


def test_a_new_name_takes_nobody_off_the_exclusion_list(site, employ, enter, act):
    mallory = enter("Mallory")
    keeper = Act(employ("carla", "compliance"), OPENING)
    exclusions.add_exclusion(
        site=site, name="Mallory", reference="GEGE-7", effective_from=OPENING.date(), act=keeper
    )
    change_player(player_id=mallory.pk, name="Mel", act=act)
    with pytest.raises(LedgerError, match="See floor"):
        require_welcome(Person("Mel"), site=site, doing="seating", act=act)


# -- the log -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"name": "Bob"}, "row_differs"),
        ({"description": "hat"}, "row_differs"),
        ({"alias": "Bo"}, "row_differs"),
    ],
)
def test_an_entry_changed_past_the_log_is_named(site, enter, change, code):
    ann = enter("Ann")
    Player.objects.filter(pk=ann.pk).update(**change)
    assert findings(site) == [(code, f"player {ann.pk}")]


def test_somebody_entered_past_the_log_is_named(site, enter):
    ghost = Player.objects.create(site=site, name="Ghost")
    assert findings(site) == [("no_record", f"player {ghost.pk}")]


def test_words_that_are_gone_are_missed(site, enter):
    ann = enter("Ann Lee")
    with behind_the_triggers("tables_playerword"):
        PlayerWord.objects.filter(player=ann, word="lee")._raw_delete("default")
    assert findings(site) == [("row_missing", f"player {ann.pk}")]


# -- finding -------------------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_a_player_is_found_in_any_script_by_any_of_their_words(site, enter):
    enter("Jürgen Müller", number="1007", description="grey cap")
    enter("王小明")
    enter("محمد أحمد")
    enter("Андрей Ёлкин", number="A_1")
    for text in ("muller jurgen", "MÜLLER", "jur mul", "1007", "grey", "cap jurgen"):
        assert found(site, text) == ["Jürgen Müller"], text
    assert found(site, "小明") == found(site, "王") == ["王小明"]
    assert found(site, "احمد محمد") == ["محمد أحمد"]
    assert found(site, "елкин") == found(site, "a_1") == ["Андрей Ёлкин"]
    for text in ("", "%", "_", "uller", "muller smith", "١", "\\"):
        assert found(site, text) == [], text


def test_a_former_name_still_finds_somebody(site, enter, act):
    ann = enter("Ann Lee")
    change_player(player_id=ann.pk, name="Ann Wong", act=act)
    assert found(site, "lee") == found(site, "wong") == ["Ann Wong"]


def test_a_search_costs_the_same_for_one_player_and_for_many(site, enter, django_assert_num_queries):
    for number in range(30):
        enter(f"Ann {number}")
    with django_assert_num_queries(1):
        assert len(list(find_players(site, "ann"))) == 30


def test_where_somebody_is_right_now(game):
    game.seat("Ann")
    ann, bob = game.players["Ann"], game.players["Bob"]
    assert whereabouts([ann, bob]) == {ann.pk: f"{game.session.table}, seat 1"}


# -- the chosen entry ----------------------------------------------------------------------------------------


def test_the_player_chosen_from_a_list_is_meant_while_the_fields_say_so(site, enter, act):
    first, second, masked = enter("Ann"), enter("Ann", description="red cap"), enter(description="blue hat")
    assert know_player(Person("Ann"), site=site, act=act) == first
    assert know_player(Person("Ann", known=second.pk), site=site, act=act) == second
    assert know_player(Person("Bob", known=second.pk), site=site, act=act).name == "Bob"
    assert know_player(Person(description="blue hat", known=masked.pk), site=site, act=act) == masked
    assert know_player(Person(description="blue hat"), site=site, act=act) != masked
