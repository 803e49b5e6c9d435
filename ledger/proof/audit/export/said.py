"""What was said as somebody signed, held against its commitment in the record: a handover of the floor names
in `said` the withheld text that an export opens. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ledger.papers.cells import mapping
from ledger.records import canonical
from ledger.records.findings import UNREADABLE, Body, Finding, name_of
from ledger.records.withheld import Text

_KIND = "handed_over"
"""Of the events that name such a text, and in the text itself."""


class SaidTexts:
    """Takes records and what they open, in the order of the log. A text is under the first commitment behind
    its event, so few events wait. `whole`: no event came before the first record."""

    def __init__(self, *, whole: bool) -> None:
        self._knows_all = whole
        self._waiting: dict[Any, tuple[int, Body]] = {}

    def note(self, leaf: int, body: Body) -> None:
        """Take a record; if it names a text, that has to be opened next."""
        if body.get("kind") == _KIND and isinstance(said := mapping(body.get("data")).get("said"), str):
            self._waiting[said] = leaf, body

    def opened(self, leaf: int, batch: Body, texts: Sequence[Text]) -> Iterator[tuple[int, Finding]]:
        """Yield what differs between the events that waited and the texts that a record has committed to."""
        for text in texts:
            fields = _fields(text)
            if fields.get("what") == _KIND:
                signed = self._waiting.pop(canonical.commitment(*text), None)
                if signed is not None and not _belongs(signed[1], fields):
                    yield _differs(*signed, "What was said at it is of another number, time or list.")
                elif signed is None and self._knows_all:
                    sentence = "It opens what was said at a handover, and no handover names that."
                    yield _differs(leaf, batch, sentence)
        for signed in self._waiting.values():
            yield _differs(*signed, "What was said at it is not among the texts that were opened.")
        self._waiting, self._knows_all = {}, True


def _fields(text: Text) -> Mapping[str, Any]:
    """Return what a text says; nothing if nobody can read it."""
    try:
        return mapping(json.loads(text.text))
    except UNREADABLE:
        return {}


def _belongs(event: Body, fields: Mapping[str, Any]) -> bool:
    data, sentences = mapping(event["data"]), fields.get("sentences")
    same = (fields.get("number"), fields.get("at")) == (data.get("number"), event.get("at"))
    items = data.get("items")
    return same and isinstance(sentences, list) and isinstance(items, list) and len(sentences) == len(items)


def _differs(leaf: int, body: Body, sentence: str) -> tuple[int, Finding]:
    return leaf, Finding("not_opened", sentence, leaf, name_of(body))
