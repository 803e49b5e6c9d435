"""The paper of disputes and complaints: as each was taken, and as it was decided. Pure."""

from collections.abc import Iterator

from ledger.papers.cells import listed, number
from ledger.papers.paper import Paper, PaperSource, declare_papers
from ledger.records.findings import Body


class DisputesPaper(Paper):
    """A line when a dispute or a complaint was taken, and one when it was decided. The second repeats what it
    was about if both are of the same gaming day."""

    name = "disputes.csv"
    title = "Disputes and complaints"
    purpose = "What players disputed or complained of, who took it, what was decided and by whom"
    law = "4 CCR 12392"
    signs = ("Reviewed by",)
    unprinted = ("at", "record_id")
    later = True
    columns = (
        *("gaming_day", "shift", "kind", "dispute", "number", "step", "at", "local_time", "session"),
        *("round_id", "players", "what", "text", "person", "outcome", "entry", "told", "terminal"),
        "record_id",
    )
    place = 532
    takes = frozenset({"dispute", "dispute_decision", "closed_day"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._taken: dict[int, tuple[str, Body]] = {}

    def take(self, body: Body) -> Iterator[bytes]:
        day = self.dates.of(body)
        if body.get("record") == "dispute":
            self._taken[number(body.get("id"))] = day, body
            yield self._line(day, body, body, body.get("taken_at"))
        elif body.get("record") == "dispute_decision":
            taken_on, taken = self._taken.pop(number(body.get("dispute")), ("", {}))
            yield self._line(day, body, taken if taken_on == day else {}, body.get("decided_at"))
        else:
            self.dates.close(body)
            self._taken = {one: taken for one, taken in self._taken.items() if taken[0] >= self.dates.open}

    def _line(self, day: str, body: Body, taken: Body, at: object) -> bytes:
        is_taken = body.get("record") == "dispute"
        kind = "" if not taken else "complaint" if taken.get("session") is None else "dispute"
        about = {name: taken.get(name) for name in ("number", "session", "round_id", "what")}
        said = {name: body.get(name) for name in ("text", "outcome", "entry", "terminal")}
        return self.written(
            {
                **self.dated(day, at),
                **about,
                **said,
                "kind": kind,
                "dispute": body.get("id" if is_taken else "dispute"),
                "step": "taken" if is_taken else "decided",
                "players": listed(taken.get("players")),
                "person": body.get("taken_by" if is_taken else "decided_by"),
                "told": "" if is_taken else "yes" if body.get("told") is True else "no",
                "record_id": body.get("id"),
            }
        )


declare_papers(DisputesPaper)
