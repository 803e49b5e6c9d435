"""`manage.py rescore`: settled rounds come out as they were recorded, and what does not is told."""

import io

import pytest
from django.core.management import CommandError, call_command

from tables.log import rescoring
from tables.rounds import settling
from tables.rules.errors import BatchUnfit
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS
from tests.tables.rounds.test_two_hands import BOTH, settle

MISSET = {"misset": True}
SIX_PAIRS = {
    "front": "8d 8c 3h",
    "middle": "Qd Qs 8h 5s 5h",
    "back": "Kd Kh Ad Ac 3d",
    "declares": "six-pairs",
}
STRAIGHTS = {
    "front": "Ah 2d 3c",
    "middle": "4d 5c 6d 7d 8s",
    "back": "Tc Js Qc Kc As",
    "declares": "three-straights",
}


def rescored(*options) -> tuple[str, str | None]:
    """What the command prints, and the sentence it ends with if its exit status is 1."""
    out = io.StringIO()
    try:
        call_command("rescore", *options, stdout=out, stderr=io.StringIO())
    except CommandError as error:
        return out.getvalue(), str(error)
    return out.getvalue(), None


@pytest.fixture
def recorded(game, monkeypatch):
    """`recorded(change)` settles a round between Ann and Bob and lets `change` alter the evidence that is kept of it."""
    game.seat("Ann", "Bob")

    def settle_round(change, hands=(QUEENS, FULL_HOUSE)):
        kept = settling.settlement_evidence

        def altered(*args):
            evidence = kept(*args)
            change(evidence)
            return evidence

        with monkeypatch.context() as patched:
            patched.setattr(settling, "settlement_evidence", altered)
            return game.play(list(hands))

    return settle_round


def test_rounds_of_all_kinds_come_out_as_recorded_also_one_that_was_taken_back(game):
    game.seat("Ann", "Bob", "Cat", "Dan")
    first = game.play()
    game.minute(3).play([MISSET, FULL_HOUSE, PLAIN, LOW])
    game.approve(game.ask(first, [{**QUEENS, **MISSET}, FULL_HOUSE, PLAIN, LOW]))
    game.set_stack(1, 4550)
    game.minute(6).play([STRAIGHTS, SIX_PAIRS, MISSET, MISSET])
    for seat in (3, 4):
        game.cash_out(seat)
    for seat in BOTH:
        game.set_stack(seat, 50_000)
    settle(game, game.minute(9).start(two_hands=BOTH))
    assert rescored() == ("5 settlements scored again, 4 of them in the batch form.\nAll agree.\n", None)
    assert rescored("--every-line") == (
        "5 settlements scored again, 0 of them in the batch form.\nAll agree.\n",
        None,
    )


def _first_payment(**changes):
    return lambda evidence: evidence["answer"]["payments"][0].update(changes)


def _first_hand(**changes):
    return lambda evidence: evidence["answer"]["hands"][0].update(changes)


def _a_payment_twice(evidence):
    evidence["answer"]["payments"] *= 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_first_payment(points=11), "(positions 1 and 2): recorded 2 pays 1 50.00 of 50.00 for 11 points"),
        (_first_payment(due="55.00"), "recorded 2 pays 1 50.00 of 55.00 for 10 points"),
        (_first_payment(paid="45.00"), "recorded 2 pays 1 45.00 of 50.00 for 10 points"),
        (_first_payment(positions=[1, 2]), "seats 2 and 1 (positions 1 and 2): recorded 2 pays 1"),
        (_first_payment(positions=[5, 1]), "seats 1 and 2 (positions 1 and 5): recorded"),
        (
            lambda evidence: evidence["answer"]["net"].update({"1": "45.00"}),
            "net of seat 1: recorded 45.00, now 50.00",
        ),
        (lambda evidence: evidence["answer"]["payments"].clear(), "recorded nothing, now 2 pays 1 50.00"),
        (_a_payment_twice, "another form"),
        (_first_hand(foul=True), "seat 1 at position 1: foul: recorded true, now false"),
        (_first_hand(surrendered=True), "seat 1 at position 1: surrendered: recorded true, now false"),
        (_first_hand(clean_sweep="dragon"), 'clean sweep: recorded "dragon", now null'),
        (_first_hand(clean_sweep="no such"), 'clean sweep: recorded "no such", now null'),
        (_first_hand(fantasy_land_next=False), "fantasy land next: recorded false, now true"),
        (_first_hand(bonus={"front": 6, "middle": 4, "back": 4}), 'bonus: recorded {"back": 4, "front": 6'),
        (
            lambda evidence: evidence["answer"]["hands"].pop(),
            "seat 2 at position 2: foul: recorded nothing, now false",
        ),
        (lambda evidence: evidence.update(answer={}), "another form"),
        (
            lambda evidence: evidence["input"]["hands"][1].update(front="Ah Kc Qs"),
            "the rules refuse it: seat 2: Qs occurs twice (duplicate_card)",
        ),
        (
            lambda evidence: evidence["input"]["hands"][0].update(declares="dragon"),
            "the rules refuse it: seat 1: has no dragon (false_declaration)",
        ),
        (lambda evidence: evidence["input"].update(sheet="2-4"), "(unknown_sheet)"),
    ],
)
def test_what_differs_from_the_record_is_told_and_the_exit_status_is_1(recorded, change, sentence):
    wrong = recorded(change)
    printed, fault = rescored()
    assert fault == "1 of 1 settlements come out otherwise than recorded."
    assert printed.startswith(f"Table 1, 2026-03-07, round 1 (id {wrong.pk}), settlement 1:\n  ")
    assert sentence in printed


def test_a_wrong_line_of_a_payment_shows_where_every_line_is_asked_for(recorded):
    def front_for_back(evidence):
        evidence["answer"]["payments"][0]["lines"][-1]["reason"] = "front"

    recorded(front_for_back)
    assert rescored()[1] is None
    printed, fault = rescored("--every-line")
    assert fault is not None
    assert "1 to 2 front), now 2 pays 1" in printed


def test_a_round_of_another_game_is_scored_by_the_plain_engine_and_told_alike(recorded, monkeypatch):
    def unfit(sheet):
        raise BatchUnfit("another game")

    monkeypatch.setattr(rescoring, "require_fit", unfit)
    recorded(_first_payment(points=11))
    printed, fault = rescored()
    assert "0 of them in the batch form" in printed
    assert fault == "1 of 1 settlements come out otherwise than recorded."


def test_what_another_version_of_the_rules_settled_is_told_apart_and_is_no_fault(recorded, monkeypatch):
    recorded(lambda evidence: None)
    recorded(lambda evidence: (evidence.update(rules_version=0), _first_payment(points=11)(evidence)))
    printed, fault = rescored()
    assert fault is None
    assert "round 2 (id" in printed
    assert "settlement 1, by version 0 of the rules:" in printed
    assert printed.endswith(
        "2 settlements scored again, 1 of them in the batch form.\n"
        "1 that another version of the rules settled come out otherwise today, as they may.\nAll others agree.\n"
    )


def test_a_batch_form_that_differs_from_the_plain_engine_is_told(game, monkeypatch):
    def one_cent_more(*args):
        money = kept(*args)
        money.net[0, 0] += 1
        return money

    kept = rescoring.settle_rounds
    game.seat("Ann", "Bob")
    game.play([QUEENS, FULL_HOUSE])
    monkeypatch.setattr(rescoring, "settle_rounds", one_cent_more)
    printed, fault = rescored()
    assert fault is not None
    assert "the batch form of the rules differs from the plain engine, which agrees" in printed


def test_days_and_tables_narrow_the_period_down(game, beside):
    game.seat("Ann", "Bob")
    beside.buy_in("Cat", 1)
    beside.buy_in("Dan", 2)
    game.play([QUEENS, FULL_HOUSE])
    beside.minute(24 * 60).play([QUEENS, FULL_HOUSE])

    def count(*options):
        return rescored(*options)[0].split()[0]

    assert count() == "2"
    assert (count("--from=2026-03-07"), count("--from=2026-03-08"), count("--from=2026-03-09")) == (
        "2",
        "1",
        "0",
    )
    assert (count("--to=2026-03-07"), count("--to=2026-03-06")) == ("1", "0")
    assert (count("--table=1"), count("--table=2", "--to=2026-03-07")) == ("1", "0")


@pytest.mark.parametrize(
    "options", [["--from=2026-03-08", "--to=2026-03-07"], ["--table=7"], ["--from=yesterday"]]
)
def test_a_period_or_table_that_is_none_is_refused(game, options):
    printed, fault = rescored(*options)
    assert (printed, fault is not None) == ("", True)


def test_a_period_longer_than_memory_is_taken_in_parts(game, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(rescoring, "AT_ONCE", 2)
    game.seat("Ann", "Bob")
    for _ in range(5):
        game.play([QUEENS, PLAIN])
    with django_assert_num_queries(2):  # the settlements and their sheet
        parts = list(rescoring.rescore(rescoring.settlements()))
    assert [(part.settlements, part.at_once, part.differences) for part in parts] == [
        (2, 2, ()),
        (2, 2, ()),
        (1, 1, ()),
    ]
