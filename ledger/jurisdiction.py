"""Legal limits and the currency's pieces, from the file of a site's jurisdiction. Pure."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILES = Path(__file__).parent / "jurisdictions"


@dataclass(frozen=True, slots=True)
class Jurisdiction:
    """`rates_per_limit`: how many different collection rates a house may have in force for one limit. `chips`
    are the default denominations of a house, `cash` its notes and coins, in cents."""

    code: str
    title: str
    rates_per_limit: int
    chips: tuple[int, ...]
    cash: tuple[int, ...]


@cache
def jurisdictions() -> tuple[Jurisdiction, ...]:
    every = (jurisdiction(path.stem) for path in FILES.glob("*.toml"))
    return tuple(sorted(every, key=lambda one: one.title))


@cache
def jurisdiction(code: str) -> Jurisdiction:
    """Return the jurisdiction of this code. Raises KeyError without a file, ValueError if it is malformed."""
    path = FILES / f"{code}.toml"
    if path.parent != FILES or not path.is_file():
        raise KeyError(code)
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        title, rates, chips, cash = (data[name] for name in ("title", "rates_per_limit", "chips", "cash"))
    except KeyError as missing:
        raise ValueError(f"{path.name}: {missing.args[0]} is missing.") from missing
    if type(title) is not str or type(rates) is not int or rates < 1:
        raise ValueError(f"{path.name}: title must be text, rates_per_limit a whole number above zero.")
    if not (_are_denominations(chips) and _are_denominations(cash)):
        raise ValueError(
            f"{path.name}: chips and cash must be lists of cents, each once, the smallest first."
        )
    return Jurisdiction(code, title, rates, tuple(chips), tuple(cash))


def _are_denominations(values: Any) -> bool:
    whole = type(values) is list and all(type(value) is int and value > 0 for value in values)
    return whole and bool(values) and values == sorted(set(values))
