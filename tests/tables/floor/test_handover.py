"""The handover of the floor: everything that waits, signed by who comes, under a number."""

import pytest

from ledger.errors import Refusal
from ledger.journal.acts import Act
from tables.floor.disputes import take_dispute
from tables.floor.handover import hand_over, kept_handovers, to_hand_over
from tests.support.cast import PIN
from tests.support.replayed import bodies, judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def act(game, floor, floor2):
    def made(comes=floor2, who=floor):
        return Act(who, game.now, game.key(), "floor tablet", approver=comes)

    return made


@pytest.fixture
def waits(game, floor):
    """What waits: a player without chips, and a dispute."""
    game.seat("Ann", "Bob")
    game.set_stack(2, 0)
    act = Act(floor, game.now, game.key())
    dispute = take_dispute(site=game.site, session=game.session, what="cards", act=act)
    return [("busted", str(game.sitting(2).pk)), ("dispute", str(dispute.pk))]


def refused(game, notes, act):
    with pytest.raises(Refusal) as error:
        hand_over(site=game.site, notes=notes, act=act)
    return error.value.code


def test_needs_and_open_disputes_are_handed_over_by_table(game, waits):
    found = to_hand_over(game.site, game.now)
    assert {one.which for one in found} >= set(waits)
    assert {one.place for one in found if one.which in waits} == {"Table 1"}


def test_it_is_kept_once_under_its_number_with_both_people_and_notes(game, waits, act, floor, floor2):
    notes = {one.which: "ask Bob" for one in to_hand_over(game.site, game.now)}
    signed = act()
    assert [hand_over(site=game.site, notes=notes, act=signed) for _ in range(2)] == [1, 1]
    assert hand_over(site=game.site, notes=notes, act=act(comes=floor, who=floor2)) == 2
    newest, first = kept_handovers(game.site)
    assert (first.number, first.gave, first.came, newest.gave) == (1, floor, floor2, floor2)
    assert ("Dispute 1", "ask Bob") in first.lines
    said = [body["data"]["number"] for body in bodies() if body.get("kind") == "handed_over"]
    assert said == [1, 2]
    assert judged(bodies())[0] == []


def test_nothing_is_left_out_and_nobody_signs_alone(game, waits, act, floor, dealer):
    assert refused(game, {}, act()) == "bad_entry"
    notes = {one.which: "" for one in to_hand_over(game.site, game.now)}
    assert refused(game, notes, act(comes=floor)) == refused(game, notes, act(comes=None)) == "second_person"
    assert refused(game, notes, act(comes=dealer)) == "not_allowed"


def test_the_page_asks_for_each_tick_and_the_pin_of_who_comes(screen, game, waits, floor2):
    sent = {"second": "floor2", "second_pin": PIN}
    assert "Dispute 1" in screen.get("/floor/handovers/").content.decode()
    for number, one in enumerate(to_hand_over(game.site, game.now)):
        sent |= {f"which_{number}": "/".join(one.which), f"note_{number}": "seen"}
    assert "Not handed over yet" in screen.post("/floor/handovers/", **sent).content.decode()
    sent |= {name.replace("which", "told"): "on" for name in sent if name.startswith("which")}
    moved = screen.post("/floor/handovers/", **sent | {"which_0": "busted/0"}).content.decode()
    assert "This has come up meanwhile" in moved
    assert screen.post("/floor/handovers/", **sent | {"second_pin": "8642"}).status_code == 400
    answer = screen.post("/floor/handovers/", **sent)
    assert (answer.status_code, answer.url) == (302, "/floor/handovers/1/")
    page = screen.get(answer.url).content.decode()
    assert "Handover 1" in page
    assert "seen" in page
    assert screen.get("/floor/handovers/2/").status_code == 404
