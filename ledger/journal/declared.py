"""The check that every model says how its rows are kept (ledger/db/keeping.py), and names records that are written."""

from typing import Any

from django.core.checks import Error

from ledger.db import keeping
from ledger.journal.records import kinds


def check_models(app_configs: Any = None, **_: Any) -> list[Error]:
    """Return an error for each model that does not say how it is kept, or names records that nobody writes."""
    known, errors = set(kinds()), []
    for model in keeping.models():
        kept = vars(model).get("keeping")
        if not isinstance(kept, keeping.Keeping):
            errors.append(_error(model, "does not say how its rows are kept.", "ledger.E010"))
        elif not kept.records and not kept.why:
            errors.append(_error(model, "names no audit record, and no reason for that.", "ledger.E011"))
        elif unknown := set(kept.records) - known:
            errors.append(
                _error(model, f"names records that nobody writes: {sorted(unknown)}.", "ledger.E012")
            )
    return errors


def _error(model: Any, what: str, code: str) -> Error:
    hint = "Give the class a `keeping`: written_once(...) or mutable(...), from ledger/db/keeping.py."
    return Error(f"{model.__name__} {what}", hint=hint, obj=model, id=code)
