"""Legal limits, read from the file of a site's jurisdiction. Pure: no database, no framework."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILES = Path(__file__).parent / "jurisdictions"


@dataclass(frozen=True, slots=True)
class Jurisdiction:
    """`rates_per_limit`: how many different collection rates a house may have in force for one limit."""

    code: str
    title: str
    rates_per_limit: int


@cache
def jurisdictions() -> tuple[Jurisdiction, ...]:
    """Return every jurisdiction that a house can be in, by title."""
    every = (jurisdiction(path.stem) for path in FILES.glob("*.toml"))
    return tuple(sorted(every, key=lambda one: one.title))


@cache
def jurisdiction(code: str) -> Jurisdiction:
    """Return the jurisdiction of this code. Raises KeyError if it has no file, ValueError if the file is malformed."""
    path = FILES / f"{code}.toml"
    if path.parent != FILES or not path.is_file():
        raise KeyError(code)
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        title, rates = data["title"], data["rates_per_limit"]
    except KeyError as missing:
        raise ValueError(f"{path.name}: {missing.args[0]} is missing.") from missing
    if type(title) is not str or type(rates) is not int or rates < 1:
        raise ValueError(f"{path.name}: title must be text, rates_per_limit a whole number above zero.")
    return Jurisdiction(code, title, rates)
