"""Breaking a table: everybody is moved by the house or cashed out, and the table closes, in one act (R55,
R62)."""

from datetime import datetime

import pytest

from ledger.errors import LedgerError
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.models import JournalEntry, Site
from ledger.proof.log import sealing, verifying
from tables.errors import TableError
from tables.floor import closing
from tables.models import Charge, Sitting, TableSession
from tests.support.acting import acting
from tests.support.cage import fields_of, pieces
from tests.support.cast import PIN
from tests.support.together import run_together

pytestmark = pytest.mark.django_db
SECOND = {"second": "floor2", "second_pin": PIN}


def break_it(game, places, second, **options):
    session, counted = game.fresh_session(), game.counted()
    options = {
        "counts": (counted, counted),
        "key": game.key(),
        "actor": game.floor,
        "now": game.now,
    } | options
    by_sitting = {game.sitting(seat).pk: place for seat, place in places.items()}
    return acting(closing.break_table, session_id=session.pk, places=by_sitting, second=second, **options)


def twice(game, chips, cash):
    found = pieces(game.site, chips=chips, cash=cash)
    return {"counts": (found, found)}


def refused(act, *args, **options):
    with pytest.raises((TableError, LedgerError)) as error:
        acting(act, *args, **options)
    return error.value.code


def test_r55_everybody_goes_and_the_table_closes(game, beside, floor2):
    game.seat("Ann", "Bob", "Cat")
    closed = break_it(game, {1: (beside.session.pk, 2), 2: None, 3: (beside.session.pk, 5)}, floor2)
    assert closed.closed_at == game.now
    assert beside.stacks() == {2: 30_000, 5: 30_000}
    assert Sitting.objects.get(player=game.players["Bob"]).taken_away_cents == 30_000
    assert JournalEntry.objects.filter(kind="table_move").count() == 2


def test_the_house_is_locked_before_any_account(game, floor2, monkeypatch):
    game.seat("Ann", "Bob", "Cat")
    game.play()
    game.set_stack(2, 500)
    game.minute(41).start()  # which makes a fee due that Bob cannot pay
    game.void(game.session.rounds.last())
    locked = []
    for name in ("lock_house", "post_all"):
        lock = getattr(posting, name)
        monkeypatch.setattr(
            posting,
            name,
            lambda *args, _lock=lock, _name=name, **sent: locked.append(_name) or _lock(*args, **sent),
        )
    break_it(game, {1: None, 2: None, 3: None}, floor2)
    assert locked.index("lock_house") < locked.index("post_all")


def test_r62_a_fee_that_was_paid_at_the_broken_table_covers_the_first_one_there(game, beside, floor2):
    game.seat("Ann", "Bob")
    beside.seat("Cat")
    game.play()
    game.minute(10)
    break_it(game, {1: (beside.session.pk, 2), 2: (beside.session.pk, 3)}, floor2)
    beside.minute(11).play()
    charged = Charge.objects.filter(session=beside.session)
    assert {charge.player.name: charge.rule for charge in charged} == {
        "Ann": "covered",
        "Bob": "covered",
        "Cat": "full",
    }


def test_who_has_no_place_is_not_forgotten(game, beside, floor2):
    game.seat("Ann", "Bob")
    assert refused(break_it, game, {1: (beside.session.pk, 1)}, floor2) == "no_place"
    assert sorted(game.stacks()) == [1, 2]
    assert beside.stacks() == {}


def test_nothing_is_broken_while_a_round_runs(game, floor2):
    game.seat("Ann", "Bob")
    game.start()
    assert refused(break_it, game, {1: None, 2: None}, floor2) == "round_running"


def test_all_of_it_happens_or_nothing(game, beside, floor2):
    """The second seat is taken, so that the first player stays as well."""
    game.seat("Ann", "Bob")
    beside.buy_in("Cat", 2)
    places = {1: (beside.session.pk, 1), 2: (beside.session.pk, 2)}
    assert refused(break_it, game, places, floor2) == "seat_taken"
    assert sorted(game.stacks()) == [1, 2]
    assert game.fresh_session().closed_at is None


def test_a_repeated_breaking_is_the_same_one(game, beside, floor2):
    game.seat("Ann")
    said = {
        "session_id": game.session.pk,
        "places": {game.sitting(1).pk: (beside.session.pk, 1)},
        "second": floor2,
        **twice(game, 4_970_000, 30_000),
        "key": game.key(),
        "actor": game.floor,
    }
    first = acting(closing.break_table, **said, now=game.now)
    assert acting(closing.break_table, **said, now=game.minute(5).now) == first
    assert (
        refused(
            closing.break_table,
            **said | twice(game, 4_970_000, 1),
            now=game.now,
        )
        == "key_reused"
    )
    assert JournalEntry.objects.filter(kind="table_move").count() == 1


def test_a_broken_table_verifies(game, beside, floor2):
    game.seat("Ann", "Bob")
    game.play()
    break_it(game.minute(5), {1: (beside.session.pk, 4), 2: None}, floor2)
    sealing.seal(game.site, now=game.now)
    assert [str(found) for found in verifying.Verification(game.site).run()] == []


def test_free_seats_of_the_same_game_and_limit_are_proposed_in_order(game, beside, thirty):
    game.seat("Ann", "Bob", "Cat")
    beside.buy_in("Dan", 1)
    beside.buy_in("Eve", 3)
    proposed = closing.proposed_places(game.fresh_session(), game.now)
    there = beside.session.pk
    assert [proposed[game.sitting(seat).pk] for seat in (1, 2, 3)] == [(there, 2), (there, 4), (there, 5)]


def test_the_screen_proposes_and_breaks_the_table(screen, game, beside, floor2):
    game.seat("Ann", "Bob")
    path = f"/floor/sessions/{game.session.pk}/break/"
    assert path in screen.get(f"/floor/sessions/{game.session.pk}/").content.decode()
    form = screen.get(path).context["form"]
    places = {field.name: field.value() for field in form.visible_fields() if field.name.startswith("place_")}
    assert list(places.values()) == [f"{beside.session.pk}-1", f"{beside.session.pk}-2"]
    said = fields_of(pieces(game.site, chips=4_940_000, cash=60_000)) | SECOND
    ann, bob = places
    twice = screen.post(path, **said, **{ann: places[ann], bob: places[ann]})
    assert (twice.status_code, screen.codes(twice)) == (400, ["no_place"])
    assert screen.post(path, **said, **places | {bob: "cash-out"}).status_code == 302
    assert beside.stacks() == {1: 30_000}
    assert game.fresh_session().closed_at == game.now


@pytest.mark.django_db(transaction=True)
def test_two_tables_broken_into_each_other_never_wait_for_each_other_for_ever(game, beside, floor2):
    game.seat("Ann", "Bob")
    beside.seat("Cat", "Dan")
    each = [
        {
            "session": one.session.pk,
            "places": {one.sitting(seat).pk: [other.session.pk, seat + 2] for seat in (1, 2)},
            "now": one.now.isoformat(),
        }
        for one, other in ((game, beside), (beside, game))
    ]
    answers = run_together("tests.tables.floor.test_breaking:break_at_once", each)
    assert sorted(answers) in (["no_place", "ok"], ["ok", "table_closed"])
    assert TableSession.objects.filter(closed_at=None).count() == 1
    assert Sitting.objects.filter(left_at=None).count() == 4


def break_at_once(session, places, now):
    """Break a table in a process of its own."""
    from casino.models import Staff

    counted = pieces(Site.objects.get(), chips=4_940_000, cash=60_000)
    try:
        closing.break_table(
            session_id=session,
            places={int(sitting): tuple(place) for sitting, place in places.items()},
            second=Staff.objects.get(username="floor2"),
            counts=(counted, counted),
            act=Act(
                key=f"break-table-{session}",
                actor=Staff.objects.get(username="floor"),
                now=datetime.fromisoformat(now),
            ),
        )
    except (TableError, LedgerError) as refused:
        return refused.code
    return "ok"
