"""Kept fixtures are to each test as if made for it alone; and the selection of statements for PostgreSQL."""

import pytest
from django.db import DatabaseError, connection, transaction

from tables.models import Player
from tables.seats.players import known_as
from tests.support import statements
from tests.support.kept import kept, together
from tests.support.statements import alike, fewest, needless


@kept
def house(site, players):
    """The site with another player, and a list that a test may write into."""
    Player.objects.create(site=site, name="Zoe")
    return {"site": site, "players": players, "said": []}


@pytest.mark.parametrize("turn", ["first", "second", "third"])
def test_no_test_finds_what_another_has_done_to_what_is_kept(house, site, players, turn):
    assert (house["said"], site.name, Player.objects.count()) == ([], "The Fifth Street Room", 6)
    house["said"].append(turn)
    site.name = turn
    site.save()
    Player.objects.create(site=site, name=turn)
    assert house["site"] is site  # one person, one object, whichever fixture returned it
    assert house["players"] is players


def test_a_test_that_asks_for_less_finds_less(site):
    assert not Player.objects.exists()


@pytest.mark.django_db
def test_a_test_that_asks_for_nothing_finds_an_empty_house():
    assert not Player.objects.exists()


def test_tests_with_the_same_beneath_them_come_one_after_another_and_those_with_nothing_first(request):
    def beneath(item):
        return tuple(name for name in ("site", "players", "house") if name in item.fixturenames)

    own = [item for item in request.session.items if item.path == request.path]
    ordered = together(sorted(own, key=lambda item: item.name))
    assert sorted(ordered, key=lambda item: item.name) == sorted(own, key=lambda item: item.name)
    kinds = [
        beneath(item)
        for item, before in zip(ordered, [None, *ordered], strict=False)
        if before is None or beneath(before) != beneath(item)
    ]
    assert kinds[0] == ()
    assert len(kinds) == len(set(kinds))


def test_a_test_is_taken_only_if_it_sends_what_no_other_sends():
    sent = {
        "board": (0.1, frozenset({1, 2})),
        "table": (0.1, frozenset({1, 2, 3})),
        "journal": (0.1, frozenset({4})),
        "audit": (0.1, frozenset({4, 5})),
    }
    assert fewest(["board", "table", "audit", "new"], sent, ["journal"]) == {"table", "audit", "new"}
    assert fewest(["board", "table"], sent, ["audit", "table"]) == set()


def test_of_two_tests_that_send_the_same_the_quicker_is_taken():
    sent = {"slow": (3.0, frozenset({1})), "quick": (0.1, frozenset({1}))}
    assert fewest(["slow", "quick"], sent, []) == {"quick"}


@pytest.mark.django_db
def test_what_a_test_asks_the_database_itself_is_noted_only_if_it_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(statements, "FOLDER", tmp_path)
    monkeypatch.setattr(statements, "_sent", {})
    with statements.noted(connection, "one"):
        Player.objects.exists()
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT nothing")
    with statements.noted(connection, "other"):
        known_as([1])
    (_, own), (_, ours) = statements._sent.values()
    assert own == {-1 - alike("SELECT nothing")}
    assert ours
    assert min(ours) >= 0


def test_statements_are_one_whatever_the_number_of_their_values():
    assert alike("SELECT 1 WHERE id IN (%s)") == alike("SELECT 1 WHERE id IN (%s, %s, %s)")
    assert alike("INSERT INTO a VALUES (%s, %s)") == alike("INSERT INTO a VALUES (%s, %s), (%s, %s)")
    assert alike('SAVEPOINT "s1_x2"') == alike('SAVEPOINT "s1_x15"')
    assert alike("SELECT 1 WHERE id = %s") != alike("SELECT 1 WHERE pk = %s")


def test_a_chosen_test_of_which_others_send_every_statement_is_left_out_the_dearest_first():
    sent = {
        "dear": (9.0, frozenset({1, 2})),
        "one": (0.1, frozenset({1})),
        "other": (0.1, frozenset({2, 3})),
        "there": (0.5, frozenset({3})),
    }
    assert needless({"dear", "one", "other"}, sent, []) == {"dear"}
    assert needless({"dear", "other"}, sent, ["there"]) == {"other"}
