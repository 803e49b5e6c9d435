"""Records written by hand with what they say; what else their form requires is filled in."""

from typing import Any

from ledger.records import declaring
from ledger.records.declaring import Form, Look

DAY = "2026-11-20"
Body = dict[str, Any]


def at(minute: int, micro: int = 0) -> str:
    """Return a time of the night, in minutes after 20:00 UTC, noon in Los Angeles."""
    hours = 20 + minute // 60
    return f"2026-11-{20 + hours // 24}T{hours % 24:02d}:{minute % 60:02d}:00.{micro:06d}Z"


def _filled(form: Form, said: Body) -> Body:
    """Fill in required fields with values of the right type."""
    missing = {
        name: _anything(one.look) for name, one in form.fields.items() if one.required and name not in said
    }
    inside = {
        name: _filled(one.look.forms[0], said[name])
        for name, one in form.fields.items()
        if one.look.forms and type(said.get(name)) is dict
    }
    return {**missing, **said, **inside}


def _anything(look: Look) -> Any:
    if type(None) in look.types:
        return None
    if look.forms and dict in look.types:
        return _filled(look.forms[0], {})
    if str in look.types:
        return {"time": at(0), "time of any form": at(0), "gaming day": DAY}.get(look.words, "")
    (kind,) = look.types
    return 1 if kind is int else kind()


def whole(body: Body) -> Body:
    if not declaring.is_known(body["record"]):
        return body
    body = _filled(declaring.form(body["record"]), body)
    look = declaring.kinds_inside(body["record"]).get(body.get("kind", ""))
    if look is not None:
        name = "evidence" if body["record"] == "entry" else "data"
        form = max(look.forms, key=lambda form: (len(form.fields.keys() & body[name]), -len(form.fields)))
        body[name] = _filled(form, body[name])
    return body
