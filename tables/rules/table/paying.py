"""How a fee may be paid, and what moves then (R62, R63)."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Method:
    """How a fee was paid, or why nothing was taken. Stored, recorded and sent by this name."""

    STACK: Final = "stack"
    CASH: Final = "cash"
    CAGE: Final = "cage"
    COVERED: Final = "covered"
    WAIVED: Final = "waived"


class Way(NamedTuple):
    asset: str
    source: str
    target: str


WAYS: Final[Mapping[str, Way]] = {
    Method.STACK: Way("chips", "stack", "drop_box"),
    Method.CASH: Way("cash", "public", "drop_box"),
    Method.CAGE: Way("cash", "public", "drawer"),
}
"""Where a fee goes that is paid; by the other methods nothing moves."""
METHODS: Final = (*WAYS, Method.COVERED, Method.WAIVED)
WORDS: Final[Mapping[str, str]] = {
    Method.STACK: "from the stack",
    Method.CASH: "in cash at the table",
    Method.CAGE: "in cash at the cage",
    Method.COVERED: "nothing to take",
    Method.WAIVED: "waived",
}
"""How a fee was paid, as papers say it."""
AT_A_TABLE: Final = ((Method.STACK, "From the stack"), (Method.CASH, "In cash, into the box"))
"""What a player chooses from at a table, as its form says it."""
