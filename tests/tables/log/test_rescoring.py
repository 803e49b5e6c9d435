"""`manage.py rescore`: settled rounds come out as they were recorded, and what does not is told."""

import io

import pytest
from django.core.management import CommandError, call_command

from tables.log import rescoring
from tables.rounds import settling
from tables.rules.errors import BatchUnfit
from tests.support import declarations
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
    """`recorded(change)` settles a round between Ann and Bob and lets `change` alter the evidence that is
    kept of it."""
    game.seat("Ann", "Bob")

    def settle_round(change, hands=(QUEENS, FULL_HOUSE)):
        kept = settling.settlement_evidence

        def altered(*args):
            evidence = kept(*args)
            change(evidence)
            return evidence

        with monkeypatch.context() as patched, declarations.nothing_held():
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


def _result(seat, *figures):
    return lambda evidence: evidence["result"].update({seat: [*figures]})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_result("1", 11, 5_000), "seat 1: recorded 11 points and 50.00, now 10 points and 50.00"),
        (_result("2", -10, -4_500), "seat 2: recorded -10 points and -45.00, now -10 points and -50.00"),
        (_result("3", 0, 0), "seat 3: recorded 0 points and 0.00, now nothing"),
        (lambda evidence: evidence["result"].pop("2"), "seat 2: recorded nothing, now -10 points and -50.00"),
        (_result("1", 10, "50.00"), "is malformed"),
        (lambda evidence: evidence.update(result=[]), "is malformed"),
        (_result("1", 10), "is malformed"),
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
    assert fault == "1 of 1 settlements come out differently than recorded."
    assert printed.startswith(f"Table 1, 2026-03-07, round 1 (id {wrong.pk}), settlement 1:\n  ")
    assert sentence in printed


def test_another_answer_with_the_same_result_shows_where_every_line_is_asked_for(recorded):
    recorded(lambda evidence: evidence.update(answer_hash="0" * 64))
    assert rescored()[1] is None
    printed, fault = rescored("--every-line")
    assert fault is not None
    assert "the result is the same, but the answer has another hash" in printed


def test_a_round_of_another_game_is_scored_by_the_plain_engine_and_told_alike(recorded, monkeypatch):
    def unfit(sheet):
        raise BatchUnfit("another game")

    monkeypatch.setattr(rescoring, "require_fit", unfit)
    recorded(_result("1", 11, 5_000))
    printed, fault = rescored()
    assert "0 of them in the batch form" in printed
    assert fault == "1 of 1 settlements come out differently than recorded."


def test_what_another_version_of_the_rules_settled_is_told_apart_and_is_no_fault(recorded, monkeypatch):
    recorded(lambda evidence: None)
    recorded(lambda evidence: (evidence.update(rules_version=0), _result("1", 11, 5_000)(evidence)))
    printed, fault = rescored()
    assert fault is None
    assert "round 2 (id" in printed
    assert "settlement 1, by version 0 of the rules:" in printed
    assert printed.endswith(
        "2 settlements scored again, 1 of them in the batch form.\n"
        "1 that another version of the rules settled come out otherwise today, as they may.\n"
        "All others agree.\n"
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
