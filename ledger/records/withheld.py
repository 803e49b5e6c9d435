"""Withheld texts: the commitment to all texts of a batch, and the export's line that opens one. Pure."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ledger.records import canonical
from ledger.records.findings import UNREADABLE, Body


class Text(NamedTuple):
    """A withheld text, canonical JSON, and the salt of its commitment."""

    salt: str
    text: str


def commitment_of_batch(salt: str, commitments: Iterable[str]) -> str:
    """Return the commitment to a batch: over the list of its texts' commitments, in the order of writing."""
    return canonical.commitment(salt, canonical.text(list(commitments)))


def line_that_opens(batch: int, salt: str, texts: Sequence[Text]) -> bytes:
    fields = {"id": batch, "salt": salt, "texts": [one._asdict() for one in texts]}
    return json.dumps(fields, ensure_ascii=False, sort_keys=True).encode() + b"\n"


def opened_by(line: bytes, body: Body) -> list[Text] | None:
    """Return the texts of a batch that a line opens; None if its record has not committed to them."""
    try:
        fields = json.loads(line)
        texts = [Text(one["salt"], one["text"]) for one in fields["texts"]]
        if line_that_opens(body["id"], fields["salt"], texts) != line:
            return None
        commitments = (canonical.commitment(*one) for one in texts)
        return texts if commitment_of_batch(fields["salt"], commitments) == body["commitment"] else None
    except UNREADABLE:
        return None
