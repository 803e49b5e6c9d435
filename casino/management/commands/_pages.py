"""Fill generated tables into pages of the documentation, between two markers each."""

from collections.abc import Callable
from pathlib import Path

from django.core.management.base import CommandError

BEGIN = "<!-- made by manage.py {name} -->"
END = "<!-- end -->"


def between(page: str, name: str, table: str) -> str:
    """Return the page with this table between the markers of this name. CommandError where it has none."""
    begin = BEGIN.format(name=name)
    before, found, rest = page.partition(f"{begin}\n")
    if not found or END not in rest:
        raise CommandError(f"The page has no line {begin} with {END} after it")
    return f"{before}{found}{table}{END}{rest.partition(END)[2]}"


def fill(path: str, filled: Callable[[str], str]) -> None:
    page = Path(path)
    try:
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")
    except OSError as fault:
        raise CommandError(f"{path}: {fault.strerror}") from fault
