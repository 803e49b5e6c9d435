"""Legal limits and the currency's pieces, from the file of a site's jurisdiction. Pure."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

FILES = Path(__file__).parent / "jurisdictions"
_NAMES = (
    *(
        "title",
        "rates_per_limit",
        "signed_by_two",
        "confirm_from",
        "patron_from",
        "unclaimed_years",
        "retention_years",
    ),
    *("report_above", "report_days"),
    *("chips", "cash"),
)
_PLACES = ("drop_box", "table_bank", "drawer", "vault")


@dataclass(frozen=True, slots=True)
class Jurisdiction:
    """`rates_per_limit`: how many different collection rates a house may have in force for one limit. `chips`
    are the default denominations of a house, `cash` its notes and coins, in cents. From `signed_by_two`
    cents, two people sign a difference off: in a box, a table's bank, a drawer or the vault. From
    `confirm_from` cents the window asks again before it sells or redeems; from `patron_from` it writes down
    whom. A count is asked for again if it has more pieces of one kind than `confirm_pieces` says for its
    place. For `unclaimed_years` the cage holds chips for their owner;
    records are kept for `retention_years`. Above `report_above` cents of cash in
    or cash out, a person and gaming day are reported within `report_days`."""

    code: str
    title: str
    rates_per_limit: int
    chips: tuple[int, ...]
    cash: tuple[int, ...]
    signed_by_two: int
    confirm_from: int
    patron_from: int
    unclaimed_years: int
    report_above: int
    report_days: int
    retention_years: int
    confirm_pieces: Mapping[str, int]


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
        title, *whole, chips, cash = (data[name] for name in _NAMES)
    except KeyError as missing:
        raise ValueError(f"{path.name}: {missing.args[0]} is missing.") from missing
    if type(title) is not str or any(type(number) is not int or number < 1 for number in whole):
        raise ValueError(
            f"{path.name}: title must be text, {', '.join(_NAMES[1:-2])} whole numbers above zero."
        )
    if not (_are_denominations(chips) and _are_denominations(cash)):
        raise ValueError(
            f"{path.name}: chips and cash must be lists of cents, each once, the smallest first."
        )
    most = data.get("confirm_pieces")
    if type(most) is not dict or sorted(most) != sorted(_PLACES) or not all(map(_is_number, most.values())):
        raise ValueError(f"{path.name}: confirm_pieces must have whole numbers for {', '.join(_PLACES)}.")
    rates, two, again, patron, years, kept, above, days = whole
    amounts = (two, again, patron, years, above, days, kept)
    return Jurisdiction(code, title, rates, tuple(chips), tuple(cash), *amounts, most)


def digest_of(code: str) -> str:
    """Return the SHA-256 of the file of a jurisdiction. Raises KeyError without one."""
    return sha256((FILES / f"{jurisdiction(code).code}.toml").read_bytes()).hexdigest()


def _is_number(value: Any) -> bool:
    return type(value) is int and value > 0


def _are_denominations(values: Any) -> bool:
    whole = type(values) is list and all(type(value) is int and value > 0 for value in values)
    return whole and bool(values) and values == sorted(set(values))
