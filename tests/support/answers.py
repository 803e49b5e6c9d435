"""The answer of a settled round, recomputed from its record."""

from tables.state.evidence import answer_of, standing_evidence
from tables.state.table_state import sheet_of


def answer_to(round_):
    return answer_of(standing_evidence(round_), sheet_of(round_.session))
