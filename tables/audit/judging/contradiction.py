"""The contradiction by which a judge stops a session."""

from __future__ import annotations

from tables.audit.floor.sitting import Mark


class Contradiction(Exception):
    """A record contradicts those before it: a code and a sentence. `mark` names the
    record at fault if it is an earlier one."""

    def __init__(self, code: str, sentence: str, mark: Mark | None = None) -> None:
        super().__init__(code, sentence)
        self.code, self.sentence, self.mark = code, sentence, mark
