"""Read a log: each record's bytes, its form, and the checks' findings. Pure. Used offline and live."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ledger.errors import NotCanonical
from ledger.records import canonical, declaring
from ledger.records.findings import UNREADABLE, Body, Check, Finding, name_of, unreadable


class Reader:
    """Reads the records of one site in leaf order. `checked` is how many of each kind of thing were
    checked."""

    def __init__(self, checks: Sequence[Check], *, site: int) -> None:
        self._checks = list(checks)
        self._sites = {site}
        self.checked = Counter({"records": 0})

    def read(self, leaf: int, data: bytes) -> tuple[Mapping[str, Any] | None, Finding | None]:
        """Return a record's body, None if the checks must not see it, and what is wrong with its form."""
        self.checked["records"] += 1
        try:
            version, body = canonical.read_record(data)
        except NotCanonical as error:
            return None, Finding("not_canonical", f"This is no record: {error}", leaf)
        body = body if type(body) is dict else {}
        if wrong := _unknown(leaf, body):
            return None, wrong
        if version != declaring.VERSION:
            sentence = f"Version {version} is not known here."
            return None, Finding("unknown_version", sentence, leaf, name_of(body))
        if wrong := _wrong_field(leaf, body):
            return None, wrong
        if body["site"] not in self._sites:
            self._sites.add(body["site"])  # reported once
            return body, Finding("other_site", f"It belongs to house {body['site']}.", leaf, name_of(body))
        return body, wrong_inside(leaf, body)

    def ask(self, leaf: int, body: Body) -> list[Finding]:
        found: list[Finding] = []
        for check in self._checks:
            try:
                found += check.take(leaf, body)
            except UNREADABLE as error:
                found.append(unreadable(leaf, body, error))
        return found

    def take(self, leaf: int, data: bytes) -> Iterator[Finding]:
        body, wrong = self.read(leaf, data)
        if wrong is not None:
            yield wrong
        if body is not None:
            yield from self.ask(leaf, body)

    def finish(self) -> Iterator[Finding]:
        for check in self._checks:
            yield from check.finish()
            self.checked.update(check.checked)


def wrong_form(leaf: int, body: Body) -> Finding | None:
    """Return the finding for an unknown kind or missing fields. The checks must not see such a record."""
    return _unknown(leaf, body) or _wrong_field(leaf, body)


def wrong_inside(leaf: int, body: Body) -> Finding | None:
    """Return the finding for data or evidence that do not fit the kind. The checks do see the record."""
    wrong = declaring.wrong_inside(body)
    return _ill_formed(wrong, leaf, body) if wrong else None


def _unknown(leaf: int, body: Body) -> Finding | None:
    kind = body.get("record")
    if declaring.is_known(kind):
        return None
    return Finding("unknown_record", f"There is no kind of record called {kind!r}.", leaf)


def _wrong_field(leaf: int, body: Body) -> Finding | None:
    wrong = declaring.wrong_field(body)
    return _ill_formed(wrong, leaf, body) if wrong else None


def _ill_formed(field: str, leaf: int, body: Body) -> Finding:
    sentence = f"Its {field} is missing, of the wrong form, or does not belong there."
    return Finding("bad_record", sentence, leaf, name_of(body))


def named(data: bytes) -> str:
    """Return the name of the record in these bytes; an empty text if they are no record."""
    try:
        body = canonical.read_record(data)[1]
    except NotCanonical:
        return ""
    return name_of(body) if type(body) is dict else ""
