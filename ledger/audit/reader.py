"""Read a log: each record's bytes, its form, and the checks' findings. Pure, standard library only.

The export's verifier and the live one both use it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ledger.audit.errors import NotCanonical
from ledger.audit.findings import UNREADABLE, Body, Check, Finding, name_of, unreadable
from ledger.audit.records import declaring
from ledger.audit.tree import canonical


class Reader:
    """Takes the records of one site, in leaf order.

    `checked` counts what was checked, by name; the checks' own counts are added at the end.
    """

    def __init__(self, checks: Sequence[Check], *, site: int) -> None:
        self._checks = list(checks)
        self._sites = {site}
        self.checked = Counter({"records": 0})

    def read(self, leaf: int, data: bytes) -> tuple[Mapping[str, Any] | None, Finding | None]:
        """Return a record's body and what is wrong with its form. The body is None if the checks must not see it."""
        self.checked["records"] += 1
        try:
            version, body = canonical.read_record(data)
        except NotCanonical as error:
            return None, Finding("not_canonical", f"This is no record: {error}", leaf)
        if type(body) is not dict or not declaring.is_known(body.get("record")):
            kind = body.get("record") if type(body) is dict else None
            return None, Finding("unknown_record", f"There is no kind of record called {kind!r}.", leaf)
        if version != declaring.VERSION:
            sentence = f"Version {version} is not known here."
            return None, Finding("unknown_version", sentence, leaf, name_of(body))
        if wrong := declaring.wrong_field(body):
            return None, _ill_formed(wrong, leaf, body)
        if body["site"] not in self._sites:
            self._sites.add(body["site"])  # told once
            return body, Finding("other_site", f"It is of house {body['site']}.", leaf, name_of(body))
        if wrong := declaring.wrong_inside(body):
            return body, _ill_formed(wrong, leaf, body)
        return body, None

    def ask(self, leaf: int, body: Body) -> list[Finding]:
        """Return the checks' findings for a record."""
        found: list[Finding] = []
        for check in self._checks:
            try:
                found += check.take(leaf, body)
            except UNREADABLE as error:
                found.append(unreadable(leaf, body, error))
        return found

    def take(self, leaf: int, data: bytes) -> Iterator[Finding]:
        """Yield everything wrong with a record, starting from its bytes."""
        body, wrong = self.read(leaf, data)
        if wrong is not None:
            yield wrong
        if body is not None:
            yield from self.ask(leaf, body)

    def finish(self) -> Iterator[Finding]:
        """Yield what is wrong with the whole log, after the last record."""
        for check in self._checks:
            yield from check.finish()
            self.checked.update(check.checked)


def _ill_formed(field: str, leaf: int, body: Body) -> Finding:
    sentence = f"Its {field} is missing, of the wrong form, or does not belong there."
    return Finding("bad_record", sentence, leaf, name_of(body))


def named(data: bytes) -> str:
    """Return the record's name as far as its bytes give one; else empty."""
    try:
        body = canonical.read_record(data)[1]
    except NotCanonical:
        return ""
    return name_of(body) if type(body) is dict else ""
