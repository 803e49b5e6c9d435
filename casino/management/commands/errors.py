"""`manage.py errors`: generate the tables of refusals in docs/errors.md from the classes.

manage.py errors                            print the tables
manage.py errors --write docs/errors.md     fill them in between the markers of that page
"""

import ast
import inspect
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from casino.management.commands import _pages as pages
from casino.sign_in import hashing  # noqa: F401 (its class has to be known)
from ledger.errors import LedgerError, Refusal
from ledger.proof.audit import errors as audit_errors
from tables.errors import TableError
from tables.rules.errors import RuleError

HEAD = "| code | status | field | when |\n|---|---|---|---|\n"
ROOT = Path(__file__).resolve().parents[3]
PRODUCT = ("casino", "ledger", "tables")
# Shown for a field that the code computes, such as the place of a card in an entry.
VARIES = "…"


class Command(BaseCommand):
    help = "Writes the table of all refusals: code, HTTP status, field and when it comes."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--write", metavar="FILE.md", help="fill this page, instead of the terminal")

    def handle(self, *, write: str | None, **options: Any) -> None:
        if write is None:
            self.stdout.write("\n".join(f"{name}\n{table}" for name, table in tables().items()), ending="")
            return
        pages.fill(write, filled)


def refusals(base: type[Refusal] = Refusal) -> Iterator[type[Refusal]]:
    import_module(settings.ROOT_URLCONF)  # imports every module that defines a refusal
    for child in base.__subclasses__():
        if child.__module__.partition(".")[0] not in PRODUCT:
            continue
        if child.__subclasses__():
            yield from refusals(child)
        else:
            yield child


def section_of(refusal: type[Refusal]) -> str:
    if refusal.__module__ == audit_errors.__name__:
        return "log"
    return next(
        name
        for base, name in ((RuleError, "rules"), (TableError, "floor"), (LedgerError, "books"))
        if issubclass(refusal, base)
    )


def tables() -> Mapping[str, str]:
    rows: dict[str, list[str]] = defaultdict(list)
    for refusal in sorted(refusals(), key=lambda one: one.code):
        fields = ", ".join(f"`{name}`" if name != VARIES else name for name in fields_of(refusal.__name__))
        when = " ".join((inspect.getdoc(refusal) or "").split())
        rows[section_of(refusal)].append(f"| `{refusal.code}` | {refusal.status} | {fields} | {when} |\n")
    return {name: HEAD + "".join(rows[name]) for name in ("rules", "floor", "books", "log")}


def filled(page: str) -> str:
    for name, table in tables().items():
        page = pages.between(page, f"errors: {name}", table)
    return page


def fields_of(name: str) -> list[str]:
    """Return the `field` values that the product passes to this class, sorted, VARIES last."""
    return sorted(_fields().get(name, ()), key=lambda field: (field == VARIES, field))


@cache
def _fields() -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for path in (path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), keywords=keywords):
                    for given in keywords:
                        if given.arg == "field":
                            found[name].add(_text(given.value))
    return found


def _text(value: ast.expr) -> str:
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else VARIES
