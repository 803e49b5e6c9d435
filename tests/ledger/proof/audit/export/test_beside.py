"""Two processes verify with the verdict of one; a process that is gone has judged nothing."""

from ledger.proof.audit.export import beside
from tests.support.changed_exports import lines_of, put_lines, tampered
from tests.support.checks_apart import breaks_off, says_all


def changed(members):
    """An export with a record that is none, one that was not sealed, and a paper that differs."""
    lines = lines_of(members)
    lines[9] = b"nothing\n"
    lines[22] = lines[22].replace(b'"recorded_at":"2026', b'"recorded_at":"2025')
    put_lines(members, lines)
    members["papers/journal.csv"] = members["papers/journal.csv"].replace(b"float_issue", b"float_issuE")


def test_two_processes_say_what_one_says(judge):
    data = tampered(changed)
    alone, together = (judge(data, checks=says_all, apart=apart) for apart in (False, True))
    assert alone == together
    assert list(alone.checked.items()) == list(together.checked.items())
    assert alone.checked["entries again"] > 10


def test_a_second_process_that_breaks_off_is_told_and_nothing_is_right(judge):
    verdict = judge(tampered(lambda members: None), checks=breaks_off, apart=True)
    assert [finding.code for finding in verdict.findings] == ["not_judged"]
    assert "(status 3)" in str(verdict.findings[0])


def test_where_no_second_process_can_be_started_one_does_it_all(judge, monkeypatch):
    def refuse(self, *work):
        raise OSError("no more processes")

    monkeypatch.setattr(beside.Beside, "__init__", refuse)
    verdict = judge(tampered(lambda members: None), checks=says_all, apart=True)
    assert {finding.code for finding in verdict.findings} == {"said"}


def test_a_second_process_is_worth_it_for_many_records_and_two_cores(monkeypatch):
    for cores, records, pays in ((1, 10**6, False), (2, 10, False), (2, 10**6, True)):
        monkeypatch.setattr(beside, "_cores", lambda cores=cores: cores)
        assert beside.pays(records) is pays
