"""What must not matter: who sits where, and, unless table stakes cut a payment,
in what order it is paid (R31, R33)."""

import pytest
from hypothesis import given

from tables.rules.game.rounds import parse_round, score
from tests.support.chance import entries
from tests.support.play import CODES, SHEETS, entry, variant

ORDERS = ("button", "left_of_button", "right_of_puck")
IN_EVERY_ORDER = {
    code: [variant(code, f'first = "{first}"') for first in ORDERS] for code in CODES if code != "first-to-11"
}
# More than any round of these sheets can move at the limits and stakes that are drawn.
ENOUGH = "99999999.00"


def rich(value: dict) -> dict:
    return value | {"hands": [hand | {"stack": ENOUGH} for hand in value["hands"]]}


@pytest.mark.parametrize("code", IN_EVERY_ORDER)
def test_r31_the_order_of_payments_does_not_matter_where_nothing_is_cut(code):
    @given(entries(codes=[code]))
    def check(value):
        orders = [
            score(parse_round(rich(value) | {"sheet": "house"}, sheets)) for sheets in IN_EVERY_ORDER[code]
        ]
        for result in orders:
            assert all(payment.paid_cents == payment.due_cents for payment in result.payments)
            assert result.net_cents == orders[0].net_cents

    check()


def test_r31_the_order_of_payments_matters_once_table_stakes_cut_them():
    value = entry(
        "house",
        "1: Qs Qh 2c / 5c 6d 7h 8s 9s / Ad Kd 9d 4d 2d, stack 6.00",
        "2: Ah Kc 8h / 3c 3d 7s 7c 4h / Ts Th Tc 6h 6c, stack 4.00",
        "3: As Js 8d / 4c 4s Jh 9h 3h / 5d 5h 5s Kh Qc, stack 6.00",
    )
    nets = [score(parse_round(value, sheets)).net_cents for sheets in IN_EVERY_ORDER["face-up"]]
    assert nets[0] != nets[1]


@pytest.mark.parametrize("code", CODES)
def test_two_players_who_change_places_with_all_they_have_change_nothing_but_their_names(code):
    @given(entries(codes=[code]))
    def check(value):
        seats = sorted({hand["seat"] for hand in value["hands"]})
        named = dict(zip(seats, [seats[1], seats[0], *seats[2:]], strict=True))
        # The button goes along with its player, for it decides ties in some games (R10).
        swapped = rich(value) | {"button": named.get(value["button"], value["button"])}
        swapped["hands"] = [hand | {"seat": named[hand["seat"]]} for hand in swapped["hands"]]
        if "pair_stakes" in value:
            swapped["pair_stakes"] = [
                stake | {"seats": [named[seat] for seat in stake["seats"]]} for stake in value["pair_stakes"]
            ]
        before, after = (score(parse_round(one, SHEETS)) for one in (rich(value), swapped))
        assert {named[seat]: cents for seat, cents in before.net_cents.items()} == after.net_cents
        if before.race is not None:
            assert {named[seat]: points for seat, points in before.race.items()} == after.race
        lines = sorted(
            (named[line.to_seat], line.reason, line.points) for p in before.payments for line in p.lines
        )
        assert lines == sorted(
            (line.to_seat, line.reason, line.points) for p in after.payments for line in p.lines
        )

    check()
