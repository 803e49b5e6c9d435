"""Minimal valid evidence of entries and data of events, for tests about something else."""

from typing import Any

from ledger.records.declaring import Look, kinds_inside

_TIME = "2026-11-20T20:00:00.000000Z"
_TEXTS = {"time": _TIME, "time of any form": _TIME, "gaming day": "2026-11-20"}
_EMPTY = ((type(None), None), (list, []), (int, 1), (bool, False), (str, ""))
_OWN = {"correction": "ChipsCorrected", "reversal": "RoundTakenBack", "undo": "TokeTakenBack"}
"""For kinds with several forms, one that needs nothing of the books."""


def evidence_of(kind: str) -> dict[str, Any]:
    """Return evidence for a kind of entry; empty for a kind that the chart does not have."""
    look = kinds_inside("entry").get(kind)
    if look is None:
        return {}
    return _of_form(next(form for form in look.forms if form.name == _OWN.get(kind, form.name)))


def data_of(kind: str) -> dict[str, Any]:
    return _value(kinds_inside("house_event")[kind])


def _of_form(form: Any) -> dict[str, Any]:
    return {name: _value(field.look) for name, field in form.fields.items() if field.required}


def _value(look: Look) -> Any:
    if look.words in _TEXTS:
        return _TEXTS[look.words]
    for kind, empty in _EMPTY:
        if kind in look.types:
            return empty
    return _of_form(look.forms[0]) if look.forms else {}
