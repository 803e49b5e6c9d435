"""Names written from right to left stand isolated in every sentence,
so that the figures and words beside them stay in place."""

import pytest

from ledger.cage.names import isolated
from ledger.journal.acts import Act
from tables.seats.players import enter_player
from tables.views.fields import by_full_name
from tests.support.desk import Desk
from tests.support.kept import kept

pytestmark = pytest.mark.django_db

ARABIC = "محمد الحسيني"
ISOLATED = f"\u2068{ARABIC}\u2069"


@kept
def seated(game, floor):
    """He sits in seat 1, and has played a round with Ann."""
    game.players[ARABIC] = enter_player(site=game.site, name=ARABIC, act=Act(floor, game.now))
    game.seat(ARABIC, "Ann")
    game.play()
    return game


def shown(answer):
    return answer.content.decode()


def test_in_what_is_said_after_an_act(screen, seated):
    for seat, sentence in ((1, f"{ISOLATED} sits out."), (2, "Ann sits out.")):
        answer = screen.post(f"/sittings/{seated.sitting(seat).pk}/sit-out/")
        assert sentence in shown(screen.get(answer.url))


def test_in_a_refusal_beside_a_field(screen, seated):
    answer = screen.post(
        f"/sessions/{seated.session.pk}/seats/1/buy-in/", name="Zoe", amount="300", source="cash"
    )
    assert screen.codes(answer) == ["seat_taken"]
    assert f"taken by {ISOLATED} since" in shown(answer)


def test_in_what_needs_somebody_and_in_what_an_act_is_about(screen, seated):
    Desk(seated).join(ARABIC + " 2")
    assert f"{isolated(ARABIC + ' 2')} (place 1) waits" in shown(screen.get("/floor/"))
    assert f"{ISOLATED}, seat 1" in shown(screen.get(f"/sittings/{seated.sitting(1).pk}/cash-out/"))


def test_in_markup_by_an_element_of_its_own(screen, seated):
    page = " ".join(shown(screen.get(f"/floor/sessions/{seated.session.pk}/")).split())
    assert f'<span><bdi>{ARABIC}</bdi> <span class="money' in page


def test_in_the_title_of_a_page(screen, seated):
    page = shown(screen.get(f"/players/{seated.players[ARABIC].pk}/"))
    assert f"<title>{ISOLATED}" in page


def test_of_staff_in_what_the_managers_desk_says(client, manager, site, employ):
    zoe = employ("زهراء", "dealer")
    client.force_login(manager)
    assert "\u2068زهراء\u2069 works here" in shown(client.get("/house/"))
    client.post(f"/house/staff/{zoe.pk}/let-go/", {"key": "let-her-go"})
    assert "\u2068زهراء\u2069 no longer works here." in shown(client.get("/house/staff/"))


def test_people_are_offered_by_full_name_with_the_username_where_two_could_be_taken_for_each_other(employ):
    twins = {"ian": "Ian Hill", "lan": "Lan HiIl"}
    named = {
        "zoe": "Zoe Adams",
        "zo2": "ZOE  ADAMS",
        "mo": ARABIC,
        "lee": "",
        "anna": "Аnna",
        "wu": "吴明",
        **twins,
    }
    people = []
    for username, full_name in named.items():
        person = employ(username, "dealer")
        person.full_name = full_name
        people.append(person)
    assert by_full_name(people) == [
        ("ian", "Ian Hill (ian)"),
        ("lan", "Lan HiIl (lan)"),
        ("lee", "lee"),
        ("zo2", "ZOE  ADAMS (zo2)"),
        ("zoe", "Zoe Adams (zoe)"),
        ("anna", "Аnna (anna)"),
        ("mo", f"{ISOLATED} (mo)"),
        ("wu", "吴明"),
    ]
