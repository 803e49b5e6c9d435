"""The short run of `audit verify` on whole nights: it goes on from whatever state they left. What it finds
when rows were changed is asked beside the full run (`test_every_column`)."""

import random

import pytest

from ledger.proof.log import sealing
from ledger.proof.log.verifying import Verification
from tests.support.corrected import GAMES, CorrectedNight, tables_of
from tests.support.lengths import CORRECTED_NIGHTS, LONG
from tests.support.states import left

OFTEN = 0.07
NIGHTS = CORRECTED_NIGHTS if LONG else 2


def short(site, state):
    """What is found from there on, and why that was not enough."""
    asked = Verification(site, start=state)
    return [str(one) for one in asked.run()], asked.again


class NightWithStates(CorrectedNight):
    """After some acts what was sealed is verified, and the state is left."""

    def __init__(self, tables, second, rng):
        super().__init__(tables, second, rng)
        self.chance = random.Random(rng.random())
        self.states = []

    def later(self):
        if self.chance.random() < OFTEN:
            sealing.seal(self.site, now=self.now)
            self.states.append(left(self.site))
        super().later()


@pytest.mark.parametrize("seed", range(NIGHTS))
def test_a_night_goes_on_from_whatever_state_it_left(table_of, floor2, seed):
    rng = random.Random(seed)
    night = NightWithStates(tables_of(table_of, GAMES[seed % len(GAMES)], rng), floor2, rng).play()
    site = night.site
    sealing.seal(site, now=night.now)
    left(site)
    assert [short(site, state) for state in night.states] == [([], "")] * len(night.states)
