"""What the floor does with a whole table: clock, bank, box, closing, voiding, deciding on corrections."""

import pytest

from ledger.db.columns import columns_to_write
from ledger.journal import days
from ledger.models import JournalEntry
from ledger.rules.denominations import Pieces
from tables.models import ClockStop, CorrectionRequest
from tests.support.cage import fields_of
from tests.support.cast import PIN
from tests.support.declarations import file_of
from tests.support.game import LOW, PLAIN
from tests.support.kept import kept
from tests.support.pages import steady

pytestmark = pytest.mark.django_db
SECOND = {"second": "floor2", "second_pin": PIN}
COUNTED = fields_of(Pieces({100_000: 50}))


def act(game, name):
    return f"/floor/sessions/{game.session.pk}/{name}/"


@kept
def asked(game):
    """A correction of the last round that the dealer asked for."""
    game.seat("Ann", "Bob")
    return game.ask(game.play((PLAIN, LOW)), (LOW, PLAIN), actor=game.dealer)


def test_the_clock_is_stopped_with_a_reason_and_started_again(screen, game):
    game.seat("Ann", "Bob")
    game.play()
    assert screen.codes(screen.post(act(game, "stop-clock"), reason=" ")) == ["bad_entry"]
    assert not ClockStop.objects.exists()
    answer = screen.post(act(game, "stop-clock"), htmx=True, reason="fire alarm")
    assert answer["HX-Trigger"] == "table-changed"
    assert "Clock stopped since 12:00" in answer.content.decode()
    again = screen.post(act(game, "stop-clock"), reason="fire alarm")
    assert (again.status_code, screen.codes(again)) == (409, ["clock_stopped"])
    screen.post(act(game.minute(5), "start-clock"))
    assert ClockStop.objects.get().started_at == game.now
    assert screen.codes(screen.post(act(game, "start-clock"))) == ["clock_running"]


def test_all_that_is_written_down_of_a_stop_is_on_the_screens_that_show_it(screen, at, manager, game):
    game.seat("Ann", "Bob")
    game.play()
    screen.post(act(game, "stop-clock"), reason="fire alarm")
    stop = ClockStop.objects.get()
    texts = [one.attname for one in columns_to_write(ClockStop) if one.get_internal_type() == "CharField"]
    ClockStop.objects.update(**{name: f"{name[:10]} Q7X" for name in texts})
    day = days.gaming_day(game.site, stop.stopped_at)
    for page in (f"/floor/sessions/{game.session.pk}/", f"/audit/days/{day}/"):
        shown = at(manager).get(page).content.decode()
        untold = [name for name in texts if f"{name[:10]} Q7X" not in shown]
        assert untold == [], f"ClockStop.why in {file_of(ClockStop)} does not tell it, or {page} not that."


def test_a_clock_that_has_not_begun_cannot_be_stopped(screen, game):
    assert screen.codes(screen.post(act(game, "stop-clock"), reason="fire alarm")) == ["clock_running"]


def test_the_box_is_changed_once_by_two_people(screen, game, floor2):
    old = game.session.box
    said = {**SECOND, "key": game.key()}
    for _ in range(2):
        assert screen.post(act(game, "box"), **said).status_code == 302
    old.refresh_from_db()
    assert {old.pulled_by, old.pulled_with} == {game.floor, floor2}
    assert game.fresh_session().box.number == old.number + 1


@pytest.mark.parametrize("name", ["box", "close"])
@pytest.mark.parametrize(
    "second",
    [
        {"second": "floor2", "second_pin": "8642"},
        {"second": "nobody", "second_pin": PIN},
        {"second": "floor", "second_pin": PIN},
        {"second": "cashier", "second_pin": PIN},
    ],
)
def test_without_a_right_second_person_the_box_stays(screen, game, floor2, cashier, name, second):
    counted = COUNTED if name == "close" else {}
    answer = screen.post(act(game, name), **counted, **second)
    assert (answer.status_code, screen.codes(answer)) == (400, ["wrong_pin"])
    assert "second_pin" in answer.context["form"].errors
    assert PIN not in steady(answer)
    session = game.fresh_session()
    assert session.box == game.session.box
    assert session.closed_at is None


def test_a_table_is_closed_once_when_everybody_has_left(screen, game, floor2):
    game.seat("Ann")
    answer = screen.post(act(game, "close"), **COUNTED, **SECOND)
    assert (answer.status_code, screen.codes(answer)) == (409, ["table_open"])
    game.cash_out(1)
    said = {**fields_of(game.counted()), **SECOND, "key": game.key()}
    for _ in range(2):
        assert screen.post(act(game, "close"), **said).status_code == 302
    assert game.fresh_session().closed_at == game.now
    page = screen.get(f"/floor/sessions/{game.session.pk}/").content.decode()
    assert "This table has been closed." in page
    assert "/buy-in/" not in page


def test_the_running_round_is_voided_with_a_reason(screen, game):
    game.seat("Ann", "Bob")
    round_ = game.start()
    path = f"/floor/rounds/{round_.pk}/void/"
    assert path in screen.get(f"/floor/sessions/{game.session.pk}/").content.decode()
    assert screen.codes(screen.post(path)) == ["bad_entry"]
    said = {"reason": "fouled deck", "key": game.key()}
    for _ in range(2):
        assert screen.post(path, **said).status_code == 302
    round_.refresh_from_db()
    assert (round_.state, round_.void_reason) == ("void", "fouled deck")
    assert screen.codes(screen.post(path, reason="again")) == ["round_void"]


def test_a_correction_lies_beside_what_was_settled(screen, game, asked):
    page = screen.get(f"/floor/sessions/{game.session.pk}/")
    comparison = page.context["corrections"][0]
    ann = next(hand for hand in comparison.hands if hand.name == "Ann")
    assert ann.changed == ("front", "middle", "back")
    assert (ann.before_cents, ann.after_cents) == (-ann.after_cents, -ann.before_cents)
    assert ann.difference_cents == ann.after_cents - ann.before_cents
    assert "the dealer read a nine for a six" in page.content.decode()


def test_a_correction_is_approved_once_by_somebody_else(screen, game, asked):
    before = game.stacks()
    path = f"/floor/corrections/{asked.pk}/approve/"
    key = game.key()
    answer = screen.post(path, htmx=True, key=key)
    assert answer["HX-Trigger"] == "table-changed"
    assert "Round 1 is settled again." in answer.content.decode()
    assert game.stacks() != before
    assert screen.post(path, key=key).status_code == 302
    assert JournalEntry.objects.filter(kind="correction").count() == 1
    late = screen.post(path)
    assert (late.status_code, screen.codes(late)) == (409, ["correction_decided"])


def test_a_correction_is_refused_with_a_reason(screen, game, asked):
    path = f"/floor/corrections/{asked.pk}/refuse/"
    assert screen.codes(screen.post(path)) == ["bad_entry"]
    screen.post(path, reason="the camera shows the six")
    asked.refresh_from_db()
    assert (asked.state, asked.decision_reason) == ("refused", "the camera shows the six")


def test_what_a_correction_changes_is_said_in_words(screen, game):
    game.seat("Ann", "Bob")
    game.ask(game.play((PLAIN, LOW)), ({**PLAIN, "misset": True}, LOW), actor=game.dealer)
    page = screen.get(f"/floor/sessions/{game.session.pk}/").content.decode()
    assert "Changed: mis-set." in page


def test_nobody_decides_on_what_they_asked_for_and_the_page_says_so(screen, game):
    game.seat("Ann", "Bob")
    own = game.ask(game.play((PLAIN, LOW)), (LOW, PLAIN), actor=game.floor)
    page = screen.get(f"/floor/sessions/{game.session.pk}/").content.decode()
    assert "You asked for it: somebody else decides." in page
    assert "/approve/" not in page
    for name in ("approve", "refuse"):
        assert screen.get(f"/floor/corrections/{own.pk}/{name}/").status_code == 403
        answer = screen.post(f"/floor/corrections/{own.pk}/{name}/", reason="no")
        assert (answer.status_code, screen.codes(answer)) == (403, ["second_person"])
        piece = screen.post(f"/floor/corrections/{own.pk}/{name}/", htmx=True, reason="no")
        assert (piece.status_code, piece["X-Refused"]) == (403, "second_person")
        assert "<html" not in piece.content.decode()
    assert CorrectionRequest.objects.get().state == "asked"


@pytest.mark.parametrize("name", ["stop-clock", "start-clock", "box", "close"])
def test_acts_with_the_table_are_the_floors(screen, game, dealer, name):
    screen.as_(dealer)
    assert screen.get(act(game, name)).status_code == 403
    assert screen.post(act(game, name), **SECOND, amount="5", reason="x").status_code == 403
    assert game.fresh_session().box == game.session.box


def test_corrections_and_voids_from_this_screen_are_the_floors(screen, game, asked, dealer):
    screen.as_(dealer)
    for path in (
        f"/floor/corrections/{asked.pk}/approve/",
        f"/floor/corrections/{asked.pk}/refuse/",
        f"/floor/rounds/{asked.round_id}/void/",
    ):
        assert screen.post(path, reason="x").status_code == 403
    asked.refresh_from_db()
    assert asked.state == "asked"


def test_a_refused_form_comes_back_beside_the_panel_with_htmx(screen, game):
    long = "x" * 300
    answer = screen.post(act(game, "stop-clock"), htmx=True, reason=long)
    page = answer.content.decode()
    assert answer.status_code == 400
    assert 'hx-swap-oob="innerHTML"' in page
    assert f'value="{long}"' in page


def test_every_form_can_be_had_as_a_page_of_its_own_and_as_a_piece(screen, game, asked):
    game.start()
    paths = [act(game, name) for name in ("stop-clock", "start-clock", "box", "close")]
    paths += [f"/floor/corrections/{asked.pk}/{name}/" for name in ("approve", "refuse")]
    paths += [f"/floor/rounds/{game.session.rounds.latest('pk').pk}/void/"]
    paths += [f"/sittings/{game.sitting(1).pk}/{name}/" for name in ("add-on", "sit-out", "pay", "cash-out")]
    for path in paths:
        page, piece = screen.get(path).content.decode(), screen.get(path, htmx=True).content.decode()
        assert "<html" in page
        assert "hx-post" not in page
        assert "<html" not in piece
        assert f'hx-post="{path}"' in piece
        assert 'name="key"' in page
