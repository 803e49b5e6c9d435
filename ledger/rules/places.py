"""The places of the house and beyond it: a tree on which the accounts hang, and the two identities that hold
over it at any moment. Pure.

`PLACES` is the one table of them: what each is inside of, and whose chips stand there. Another kind of
account is another row."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from ledger.chart import SOURCES, TITLES, AccountKind, Asset
from ledger.money import dollars
from ledger.rights import COUNT_BOXES, DEAL, RUN_FLOOR, WORK_CAGE

Held = Mapping[tuple[str, str], int]
"""What all accounts of a (kind, asset) hold together, in cents."""


@dataclass(frozen=True)
class PlaceKind:
    """A kind of place, `inside` of another one by its code. The accounts of the kind `account` hang on it.
    The house owes for chips that are `owed`: they are a patron's or a dealer's, wherever they stand."""

    code: str
    inside: str
    named: str = ""
    owed: bool = False

    @property
    def account(self) -> AccountKind | None:
        return AccountKind(self.code) if self.code in list(AccountKind) else None

    @property
    def title(self) -> str:
        return self.named or TITLES[AccountKind(self.code)]


PLACES: Final = (
    PlaceKind("house", "", "The house"),
    PlaceKind("cage", "house", "Cage"),
    PlaceKind(AccountKind.VAULT, "cage"),
    PlaceKind(AccountKind.DRAWER, "cage"),
    PlaceKind(AccountKind.RESERVE, "cage"),
    PlaceKind(AccountKind.UNCLAIMED, "cage", owed=True),
    PlaceKind("received", "cage", "Received boxes"),
    PlaceKind("tables", "house", "Tables"),
    PlaceKind(AccountKind.TABLE_BANK, "tables"),
    PlaceKind(AccountKind.STACK, "tables", owed=True),
    PlaceKind(AccountKind.DROP_BOX, "tables", "Drop boxes at tables"),
    PlaceKind("runner", "house", "With runners"),
    PlaceKind(AccountKind.TRANSIT, "runner", "Under a document"),
    PlaceKind("pulled", "runner", "Pulled boxes"),
    PlaceKind("storage", "house", "Locked storage"),
    PlaceKind("count_room", "house", "Count room"),
    PlaceKind(AccountKind.TOKES, "house", owed=True),
    PlaceKind(AccountKind.OVER_SHORT, ""),
    PlaceKind("beyond", "", "Beyond the house"),
    PlaceKind(AccountKind.PATRONS, "beyond", owed=True),
    PlaceKind(AccountKind.PUBLIC, "beyond"),
    PlaceKind(AccountKind.BANK, "beyond"),
    PlaceKind(AccountKind.CHIP_MAKER, "beyond"),
)
"""In the order in which they are shown. Over/short is inside of nothing: it is what is missing elsewhere."""

COUNTERS: Final = (WORK_CAGE, RUN_FLOOR, DEAL, COUNT_BOXES)
"""Who has one of these rights counts a drawer, a bank, a box, the vault or a document without being told."""


def place_of(account: str, *, pulled: bool, received: str) -> str:
    """Return the code of the place in which an account of this kind stands: a box that was `pulled` is with
    who pulled it, until it is `received` in a place."""
    return (received or "pulled") if account == AccountKind.DROP_BOX and pulled else account


def tree(inside: str = "", depth: int = 0) -> Iterator[tuple[int, PlaceKind]]:
    """Yield the kinds of places, each before what is inside of it, with how deep it is."""
    for kind in PLACES:
        if kind.inside == inside:
            yield depth, kind
            yield from tree(kind.code, depth + 1)


def sees_figures(person: Any) -> bool:
    """Return whether somebody may see what places hold: not who counts one of them, because one figure, or a
    sum of several, tells what another count should come to."""
    return not any(person.has_perm(right) for right in COUNTERS)


_OWED = frozenset(kind.code for kind in PLACES if kind.owed)
_UNPAID = (AccountKind.OVER_SHORT, AccountKind.TRANSIT, AccountKind.VAULT)
"""Chips that come from here to where they are owed, or go here from there, are paid by nobody."""


@dataclass(frozen=True)
class FeesTaken:
    """What no balance tells, in cents: the fees taken, wherever they went; chips accepted beyond the books;
    and chips that corrections and counts gave to where they are owed, less those that were picked up or
    released."""

    fees: int
    beyond: int
    given: int

    @classmethod
    def of(cls, fees: int, chips: Mapping[tuple[str, str], int]) -> Self:
        """Return them by the fees and by what `chips` moved in all, by kinds of source and target."""

        def came(source: str, target: str) -> int:
            return chips.get((source, target), 0) - chips.get((target, source), 0)

        given = sum(came(source, target) for source in _UNPAID for target in _OWED)
        return cls(fees, came(AccountKind.CHIP_MAKER, AccountKind.PATRONS), given)


@dataclass(frozen=True)
class Equation:
    """What comes to the same at any moment: the summands (words, cents) of two sides. `code` names it where
    it does not."""

    title: str
    code: str
    left: tuple[tuple[str, int], ...]
    right: tuple[tuple[str, int], ...]

    @property
    def sums(self) -> tuple[int, int]:
        return sum(cents for _, cents in self.left), sum(cents for _, cents in self.right)

    @property
    def holds(self) -> bool:
        return self.wrong == ""

    @property
    def wrong(self) -> str:
        """What does not come to the same, as a sentence; "" if all does."""
        left, right = self.sums
        return "" if left == right else f"{self.title}: {dollars(left)} is not {dollars(right)}."


def identities(held: Held, taken: FeesTaken) -> tuple[Equation, Equation]:
    """Return both, of all chips and of all cash; the page, the live check and the offline one ask this.

    Every chip that was made has a place, but for over/short. All cash in the house is the bank's, or was paid
    for chips that are still out or for fees, but for over/short, which is counted minus expected everywhere.
    Chips accepted beyond the books were paid by nobody. It holds of what a part of a log moves as well."""
    chips, cash = ({kind.code: held.get((kind.code, asset), 0) for kind in PLACES} for asset in Asset)
    aside = (*SOURCES, AccountKind.OVER_SHORT)
    stands = [kind for kind in PLACES if kind.account and kind.code not in aside]
    made = Equation(
        "Chips",
        "not_conserved",
        (
            ("Chips made", -chips[AccountKind.CHIP_MAKER]),
            ("Over/short in chips", -chips[AccountKind.OVER_SHORT]),
        ),
        tuple((TITLES[AccountKind(kind.code)], chips[kind.code]) for kind in stands),
    )
    in_house = [kind for kind in stands if kind.inside != "beyond"]
    paid = Equation(
        "Cash and bank",
        "not_paid_for",
        tuple((TITLES[AccountKind(kind.code)], cash[kind.code]) for kind in in_house if not kind.owed),
        (
            ("From the bank, less what went there", -cash[AccountKind.BANK]),
            *((f"Chips out: {kind.title}", chips[kind.code]) for kind in PLACES if kind.owed),
            ("Fees taken", taken.fees),
            ("Chips beyond the books, which nobody paid", -taken.beyond),
            ("Chips that corrections and counts gave, less those picked up or released", -taken.given),
            ("Over/short in cash", -cash[AccountKind.OVER_SHORT]),
        ),
    )
    return made, paid
