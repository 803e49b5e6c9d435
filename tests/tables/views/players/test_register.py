"""The register of players on screen: who may read it, who may change an entry, and what a search can be."""

import pytest

from tables.models import Player

KEY = "a-change-of-an-entry"


@pytest.fixture
def at(client):
    def sign_in(person):
        client.force_login(person)
        return client

    return sign_in


def entry(**said):
    return {"key": KEY, "name": "", "description": "", "alias": "", **said}


@pytest.mark.parametrize(
    ("role", "reads", "keeps"),
    [
        ("floor", True, True),
        ("cashier", True, True),
        ("compliance", True, True),
        ("regulator", True, False),
        ("manager", True, False),
        ("dealer", False, False),
        ("counter", False, False),
    ],
)
def test_who_reads_the_register_and_who_changes_an_entry(at, employ, players, role, reads, keeps):
    ann, desk = players["Ann"], at(employ("zoe", role))
    for address in ("/players/", f"/players/{ann.pk}/"):
        assert desk.get(address).status_code == (200 if reads else 403)
    page = desk.get(f"/players/{ann.pk}/").content.decode()
    assert ("Change the entry" in page) == keeps
    answer = desk.post(f"/players/{ann.pk}/", entry(name="Anna"))
    assert answer.status_code == (302 if keeps else 403)
    assert Player.objects.get(pk=ann.pk).name == ("Anna" if keeps else "Ann")


@pytest.mark.parametrize(
    ("role", "may"),
    [("floor", True), ("dealer", True), ("cashier", True), ("regulator", False), ("counter", False)],
)
def test_who_is_suggested_players(at, employ, players, role, may):
    answer = at(employ("zoe", role)).get("/players/suggest/", {"q": "an"})
    assert answer.status_code == (200 if may else 403)
    assert ("<bdi>Ann</bdi>" in answer.content.decode()) == may


def test_a_search_shows_number_description_and_where_somebody_is(at, game, floor):
    game.seat("Ann")
    page = at(floor).get("/players/", {"q": "ann"}).content.decode()
    assert "<bdi>Ann</bdi>" in page
    assert f"{game.session.table}, seat 1" in page
    assert "1 player<" in page


@pytest.mark.parametrize("q", ["x" * 60_000, "x" * 81, "a\x00b"])
def test_a_search_that_nobody_can_be_called_by_is_refused_in_a_sentence(at, site, floor, q):
    answer = at(floor).get("/players/", {"q": q})
    assert answer.status_code == 400
    assert "bad_entry" in answer.content.decode()
    assert at(floor).get("/players/suggest/", {"q": q}).status_code == 200


@pytest.mark.parametrize("q", ["9" * 20, "%", "'; --", "(((", "\u202e", ""])
def test_a_search_that_finds_nobody_says_so(at, site, floor, q):
    answer = at(floor).get("/players/", {"q": q, "page": "9" * 20})
    assert answer.status_code == 200
    assert ("Nobody is known by that" in answer.content.decode()) == bool(q)


@pytest.mark.parametrize("number", ["9" * 20, "99999"])
def test_an_entry_that_does_not_exist_is_not_found(at, site, floor, number):
    assert at(floor).get(f"/players/{number}/").status_code == 404


def test_what_was_typed_is_still_there_after_a_refusal(at, players, floor):
    answer = at(floor).post(f"/players/{players['Ann'].pk}/", entry(description="y" * 121))
    assert answer.status_code == 400
    assert "y" * 121 in answer.content.decode()


def test_the_page_of_an_excluded_player_says_nothing_of_it(at, site, employ, players):
    from ledger.cage import exclusions
    from ledger.journal.acts import Act
    from tests.support.game import OPENING

    keeper = employ("carla", "compliance")
    exclusions.add_exclusion(
        site=site, name="Ann", reference="GEGE-7", effective_from=OPENING.date(), act=Act(keeper, OPENING)
    )
    desk = at(employ("zoe", "floor"))
    for address in (f"/players/{players['Ann'].pk}/", "/players/?q=ann", "/players/suggest/?q=ann"):
        page = desk.get(address).content.decode().lower()
        assert "exclu" not in page.replace("/exclusions/", "")
        assert "see floor" not in page
