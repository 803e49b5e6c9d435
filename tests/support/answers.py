"""What a settled round came to: the answer to the settlement that stands, worked out again from what is recorded of it."""

from tables.state.evidence import answer_of, standing_evidence
from tables.state.table_state import sheet_of


def answer_to(round_):
    """The answer in the score format, with every payment and line."""
    return answer_of(standing_evidence(round_), sheet_of(round_.session))
