"""One cashier, two counters, two of the floor, three dealers and a manager run a house of three shifts and
close their night, as the guide's table says."""

import pytest
from django.contrib.auth import get_user_model

from ledger.errors import LedgerError
from ledger.journal import closing
from ledger.journal.acts import Act
from ledger.journal.closing_shifts import close_shift, shift_states
from ledger.models import ClosedShift
from ledger.proof.log import sealing, verifying
from tables.floor import opening
from tests.support.cage import close_cage, count_vault, give_drawer
from tests.support.days import DAY, House

TWO, TEN, SIX = 2 * 60, 10 * 60, 17 * 60
"""Minutes from the opening at noon; the clocks go forward in the night."""


@pytest.fixture
def small(game, cashier, counter1, counter2, floor2, employ, manager):
    """The house of nine people, with three shifts."""
    for name in ("dealer2", "dealer3"):
        employ(name, "dealer")
    game.site.shifts = 3
    game.site.save()
    return House(game, cashier, counter1, counter2)


def test_a_house_of_nine_people_closes_its_shifts_and_its_night(
    small, cashier, floor, floor2, dealer, manager
):
    game = small.game

    def by(actor, second=None):
        return Act(actor=actor, now=game.now, key=game.key(), approver=second)

    def end_shift(number, second):
        """The cashier's drawer is counted with the floor, the table gets a fresh box, and two sign."""
        for what in ("box_not_pulled", "drawer_open"):
            with pytest.raises(LedgerError) as refusal:
                close_shift(site=game.site, day=DAY, number=number, act=by(cashier, second))
            assert refusal.value.code == what
            if what == "box_not_pulled":
                opening.change_box(session_id=game.session.pk, second=dealer, act=by(floor2))
        close_cage(game.site, game.now)
        close_shift(site=game.site, day=DAY, number=number, act=by(cashier, second))
        small.sign_boxes()

    game.seat("Ann", "Bob", "Cat")
    game.play()
    game.minute(TWO + 6)
    end_shift(1, floor)
    give_drawer(game.site, chips=10_000, by=cashier, second=floor, now=game.now, key="for the second shift")
    game.play()
    game.minute(TEN + 6)
    end_shift(2, manager)
    game.play()
    game.minute(SIX - 60)
    for seat in (1, 2, 3):
        game.cash_out(seat)
    game.close(floor2)
    small.sign_boxes()
    game.minute(SIX + 6)
    count_vault(game.site, game.now)
    closing.close_day(site=game.site, day=DAY, act=by(cashier, manager))

    assert all(state.closed for state in shift_states(game.site, DAY, game.now))
    assert ClosedShift.objects.count() == 2
    assert get_user_model().objects.filter(is_active=True).count() == 9
    sealing.seal(game.site, now=game.now, whole=True)
    assert [str(found) for found in verifying.Verification(game.site).run()] == []
