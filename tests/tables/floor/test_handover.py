"""The handover of the floor: everything that waits, signed by who comes, under a number."""

import copy
import csv

import pytest
from django.db.models import Value
from django.db.models.functions import Replace

from ledger.errors import Refusal
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import Withheld
from ledger.papers.paper import PaperSource
from ledger.proof.log import sealing
from tables.audit.handovers import HandoversPaper
from tables.floor.disputes import take_dispute
from tables.floor.handover import HANDED, hand_over, handovers, kept_handovers, to_hand_over
from tables.models import Attention
from tests.support.cast import PIN
from tests.support.replayed import bodies, judged
from tests.tables.log.test_verifying import findings, tampering

pytestmark = pytest.mark.django_db


def newest(site):
    return kept_handovers(site, handovers(site)[:1])[0].lines


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
    newest, first = kept_handovers(game.site, handovers(game.site))
    assert (first.number, first.gave, first.came, newest.gave) == (1, floor, floor2, floor2)
    assert ("Dispute 1, cards, or how they were set, is not decided.", "ask Bob") in first.lines
    said = [body["data"]["number"] for body in bodies() if body.get("kind") == "handed_over"]
    assert said == [1, 2]
    assert judged(bodies())[0] == []


def test_what_was_signed_stays_as_it_was_said(game, waits, act):
    notes = {one.which: "" for one in to_hand_over(game.site, game.now)}
    signed = tuple(one.sentence for one in to_hand_over(game.site, game.now))
    hand_over(site=game.site, notes=notes, act=act())
    game.minute(9)
    Attention.objects.update(sentence="otherwise")
    assert {sentence for sentence, _ in newest(game.site)} == set(signed)
    assert "Bob" in str(signed)
    assert "Bob" not in str([body for body in bodies() if body.get("kind") == "handed_over"])


def test_a_handover_from_before_sentences_were_kept_is_still_read(game, waits, floor, floor2):
    items = [{"need": need, "subject": subject, "note": "old"} for need, subject in waits]
    act = Act(floor, game.now)
    house_events.note(game.site, HANDED, act=act, number=1, items=items, approver=floor2.pk, key="old")
    assert newest(game.site) == (("Busted", "old"), ("Dispute 1", "old"))
    assert judged(bodies())[0] == []


def test_sentences_that_somebody_changed_are_shown_no_more_and_are_named(game, waits, act):
    notes = {one.which: "" for one in to_hand_over(game.site, game.now)}
    hand_over(site=game.site, notes=notes, act=act())
    sealing.seal(game.site, now=game.now)
    with tampering("ledger_withheld"):
        Withheld.objects.update(text=Replace("text", Value("Dispute"), Value("Quarrel")))
        assert "Quarrel" not in str(newest(game.site))
        assert "commitment_differs" in {one.code for one in findings(game.site)}


def test_one_who_signs_for_both_and_a_missing_number_are_named(game, waits, act, floor2):
    notes = {one.which: "" for one in to_hand_over(game.site, game.now)}
    for signed in (act(), act(), act()):
        hand_over(site=game.site, notes=notes, act=signed)
    found = bodies()
    first, second, _ = (body for body in found if body.get("kind") == "handed_over")
    first["data"]["approver"] = first["actor"]
    assert [one.code for one in judged(found)[0]] == ["second_person"]
    first["data"]["approver"] = floor2.pk
    found.remove(second)
    assert [one.code for one in judged(found)[0]] == ["number_gap"]


def test_the_paper_has_a_line_for_each_item_and_one_where_nothing_waited(game, waits, act):
    notes = {one.which: "seen" for one in to_hand_over(game.site, game.now)}
    hand_over(site=game.site, notes=notes, act=act())
    found = bodies()
    quiet = copy.deepcopy(found[-1])
    quiet["data"] |= {"number": 2, "items": []}
    paper = HandoversPaper(PaperSource())
    lines = b"".join(line for body in [*found, quiet] for line in paper.take(body)).decode()
    rows = list(csv.DictReader([",".join(paper.columns), *lines.splitlines()]))
    assert [(row["number"], row["line"], row["note"]) for row in rows] == [
        ("1", "1", "seen"),
        ("1", "2", "seen"),
        ("1", "3", "seen"),
        ("2", "", ""),
    ]
    assert rows[0]["said"] == Withheld.objects.get(what="handed_over").commitment


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
