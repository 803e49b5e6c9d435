"""What the law that a house is under caps, from the file of its jurisdiction. Pure: no database, no framework."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILES = Path(__file__).parent / "jurisdictions"


@dataclass(frozen=True, slots=True)
class Jurisdiction:
    """`rates_per_limit`: so many distinct amounts of collection a house may have in force for one limit."""

    code: str
    title: str
    rates_per_limit: int


@cache
def jurisdiction(code: str) -> Jurisdiction:
    """The jurisdiction that a site names. Raises KeyError for one that has no file, ValueError for a file that is none."""
    path = FILES / f"{code}.toml"
    if path.parent != FILES or not path.is_file():
        raise KeyError(code)
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        title, rates = said["title"], said["rates_per_limit"]
    except KeyError as missing:
        raise ValueError(f"{path.name} does not say {missing.args[0]}.") from missing
    if type(title) is not str or type(rates) is not int or rates < 1:
        raise ValueError(f"{path.name}: a title is a text, a cap a whole number above zero.")
    return Jurisdiction(code, title, rates)
