"""Controls pass, fail or have nothing to test, by lines of papers; a recorded test is made again."""

import pytest

from ledger.papers.controls import (
    Area,
    Control,
    ControlOutcome,
    ControlsOfDays,
    Holds,
    Passes,
    controls,
    read_table,
    table_data,
    table_digest,
)
from ledger.papers.paper import Papers, PaperSource, declared
from tests.ledger.proof.audit.export.test_papers import rows
from tests.support.entries_by_hand import house_event, other
from tests.support.log_by_hand import DAY, at, bundle, changed, night

WITH = [control for control in controls() if control.against]


def outcome(bodies, code):
    lines = rows(bodies, "controls.csv", source=PaperSource(offsets=(("", "-08:00"),)))
    (line,) = [line for line in lines if line["control"] == code]
    return line["outcome"], int(line["tested"]), int(line["failed"]), line["rows"]


def facts(bodies, *codes):
    found = {line["control"]: line for line in rows(bodies, "controls.csv")}
    return [
        {"control": code, "outcome": found[code]["outcome"]}
        | {name: int(found[code][name]) for name in ("tested", "failed")}
        for code in codes
    ]


def a_test(number=1, *, tests, table=None, to=DAY):
    said = {"number": number, "from_day": DAY, "to_day": to, "tests": tests, "key": f"test {number}"}
    return house_event(900 + number, "controls_tested", 1500 + number, table=table or table_digest(), **said)


# -- the table ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("control", controls(), ids=lambda one: one.code)
def test_a_control_names_a_paper_and_columns_that_there_are_or_says_where_its_evidence_is(control):
    assert bool(control.evidence) != bool(control.why)
    paper = next((one for one in declared(players=False) if one.name == control.evidence), None)
    assert bool(paper) == control.evidence.endswith(".csv")
    tests = [*control.of, *(test for tests in control.against for test in tests)]
    named = {*control.shows, *(test.column for test in tests)}
    named |= {test.than for test in tests if test.holds in (Holds.SAME, Holds.OTHER)}
    assert paper is None or (paper.by_day and named <= {*paper.columns})
    assert bool(control.against) == (bool(control.evidence) and control.passes == Passes.EACH)


def test_the_table_that_an_export_carries_is_read_as_it_was_written():
    assert read_table(table_data()) == controls()


@pytest.mark.parametrize(
    "data", [b"", b"5", b"[1]", b'[{"code": "x"}]', table_data().replace(b"Cage", b"Cave")]
)
def test_a_table_that_cannot_be_read_is_refused(data):
    with pytest.raises(ValueError, match=r"\w"):
        read_table(data)


def test_a_code_and_a_title_are_given_once():
    for name in ("code", "title"):
        named = [getattr(control, name) for control in controls()]
        assert len(set(named)) == len(named) >= 30


@pytest.mark.parametrize("control", WITH, ids=lambda one: one.code)
def test_each_way_of_being_against_a_control_is_found(control):
    for tests in control.against:
        line = {test.column: "" if test.holds == Holds.EMPTY else test.than or "1" for test in control.of}
        for test in tests:
            match test.holds:
                case Holds.SAME:
                    line |= {test.column: "7", test.than: "7"}
                case Holds.OTHER:
                    line |= {test.column: "7", test.than: "8"}
                case Holds.IS_NOT:
                    line[test.column] = f"{test.than}!"
                case _:
                    line[test.column] = test.than
        line |= {test.column: f"{test.than}!" for test in control.of if test.holds == Holds.IS_NOT}
        assert (control.is_of(line), control.is_against(line)) == (True, True)


# -- outcomes ----------------------------------------------------------------------------------------------


def test_a_box_that_one_person_pulled_alone_is_against_its_control_and_is_named():
    assert outcome(night(), "box_pulled_by_two") == ("passed", 1, 0, "")
    pulled = next(body for body in night() if body.get("kind") == "box_pulled")
    alone = changed("house_event", pulled["id"], lambda body: body["data"].update(second=body["actor"]))
    assert outcome(alone, "box_pulled_by_two") == ("failed", 1, 1, f"{DAY} box 1 table 1")


def test_what_no_line_speaks_about_has_nothing_to_test_and_what_is_not_kept_never_passes():
    assert outcome(night(), "waiver_numbered") == ("nothing_to_test", 0, 0, "")
    assert outcome(night(), "drop_keys") == ("not_kept", 0, 0, "")


def test_a_closed_day_without_its_verification_is_named():
    assert outcome(night(), "log_verified") == ("failed", 1, 1, DAY)
    verified = house_event(800, "verified", 700, None, by="timer", full=True, size=9, findings=0, exit=0)
    assert outcome([*night()[:-1], verified, night()[-1]], "log_verified") == ("passed", 1, 0, "")
    assert outcome([*night()[:-1], verified, night()[-1]], "log_verifies") == ("passed", 1, 0, "")


def test_a_gap_in_a_series_is_against_the_days_that_are_closed():
    assert outcome(night(), "no_gaps") == ("passed", 1, 0, "")
    slip = other("drawer", 500, 40, number=7, cashier=3, opened_at="", gaming_day=DAY)
    found = outcome([*night()[:-1], slip, night()[-1]], "no_gaps")
    assert found[:2] == ("failed", 1)
    assert f"{DAY} object drawer 2" in found[3]


@pytest.mark.parametrize(
    ("first", "last", "quarters"),
    [
        ("2026-10-01", "2026-12-31", 1),
        ("2026-10-02", "2026-12-31", 0),
        ("2026-09-30", "2027-04-01", 2),
        ("2026-10-01", "2026-12-30", 0),
    ],
)
def test_only_whole_quarters_are_asked_for_their_review(first, last, quarters):
    days = ControlsOfDays(controls())
    days.closed = {first, "2026-11-20", last}
    (found,) = [one for one in days.found(first, last) if one.control.code == "access_reviewed"]
    assert (found.tested, found.failed) == (quarters, quarters)
    days.take("access.csv", "2026-11-20", {})
    (found,) = [one for one in days.found(first, last) if one.control.code == "access_reviewed"]
    assert (found.tested, found.failed) == (quarters, max(quarters - 1, 0))


def test_at_most_twenty_rows_are_named_and_all_are_counted():
    days = ControlsOfDays(controls())
    for number in range(30):
        line = {"kind": "gap", "object": f"slip {number}", "gaming_day": DAY}
        days.take("exceptions.csv", DAY, line)
    (found,) = [one for one in days.found(DAY, DAY) if one.control.code == "no_gaps"]
    assert (found.failed, len(found.rows)) == (30, 20)


def test_the_paper_alone_is_the_one_among_all_papers():
    alone = Papers(PaperSource(), only={"controls.csv"})
    lines = [*alone.begin(), *(line for body in night() for line in alone.take(body)), *alone.finish()]
    assert {name for name, _ in lines} == {"controls.csv"}
    assert len(lines) == len(rows(night(), "controls.csv")) + 1


@pytest.mark.parametrize(("kind", "failed"), [("deposit", 1), ("capital_out", 1), ("cash_order", 0)])
def test_a_slip_of_the_bank_is_asked_of_what_goes_there_and_not_of_ordered_cash(kind, failed):
    begun = {"number": 4, "kind": kind, "gaming_day": DAY}
    step = {"document": 500, "series": kind, "number": 4, "place": "The bank", "gaming_day": DAY}
    step |= {"second": None, "entry": None, "reason": "", "chips_cents": 0, "cash_cents": 5_000}
    step |= {"pieces": {"chips": [], "cash": [[100, 50]]}, "person": 3, "at": at(1)}
    sent = other("document_step", 601, 1, step="sent", reference="Loomis 7", **step)
    received = other("document_step", 602, 1, step="received", reference="", **step)
    bodies = [other("document", 500, 1, **begun), sent, received]
    assert outcome(bodies, "deposit_confirmed")[2] == failed


def test_a_control_is_against_nothing_it_does_not_speak_of():
    control = Control("x", Area.CAGE, "X", evidence="slips.csv", passes=Passes.NONE)
    assert control.is_against({})
    assert control.in_words == "there is no such line"
    assert ControlOutcome.NOT_KEPT not in {
        one.outcome for one in ControlsOfDays(controls()).found(None, None)[:1]
    }


# -- a recorded test is made again --------------------------------------------------------------------------


def test_a_recorded_test_that_says_what_the_records_say_is_right_and_is_in_its_paper(judge):
    tests = facts(night(), "box_pulled_by_two", "log_verified")
    bodies = [*night(), a_test(tests=tests)]
    assert judge(bundle(bodies)).findings == []
    lines = rows(bodies, "control_tests.csv")
    assert [(line["control"], line["outcome"]) for line in lines] == [
        ("box_pulled_by_two", "passed"),
        ("log_verified", "failed"),
    ]


def test_a_recorded_test_that_says_otherwise_is_named_once_for_each_control(judge):
    lied = [one | {"outcome": "passed", "failed": 0} for one in facts(night(), "log_verified", "backed_up")]
    findings = judge(bundle([*night(), a_test(tests=lied)])).findings
    assert [finding.code for finding in findings] == ["controls_differ"] * 2
    assert "log_verified says passed, 0 of 1" in findings[0].sentence


def test_a_test_up_to_a_day_that_was_not_closed_is_named(judge):
    (finding,) = judge(bundle([*night(), a_test(tests=[], to="2026-11-21")])).findings
    assert (finding.code, "before it was closed" in finding.sentence) == ("controls_differ", True)


def test_a_test_by_another_table_or_of_days_that_an_export_lacks_is_not_made_again(judge):
    lied = [one | {"outcome": "passed", "failed": 0} for one in facts(night(), "log_verified")]
    assert judge(bundle([*night(), a_test(tests=lied, table="0a" * 32)])).findings == []
    later = bundle([*night(), a_test(tests=lied)], from_day="2026-11-21")
    assert "controls_differ" not in [finding.code for finding in judge(later).findings]
