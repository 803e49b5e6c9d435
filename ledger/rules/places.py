"""The places of the house and beyond it: the tree to which the accounts belong, and the two identities that
hold for it at any moment. Pure. `PLACES` is the one table of them: what each is inside of, and whose chips
are there. A new kind of account is a new row."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from ledger.chart import SOURCES, TITLES, AccountKind, Asset
from ledger.money import dollars
from ledger.rights import COUNT_BOXES, DEAL, RUN_FLOOR, WORK_CAGE

Held = Mapping[tuple[str, str], int]
"""The total of all accounts of each (kind, asset), in cents."""


@dataclass(frozen=True)
class PlaceKind:
    """A kind of place, `inside` of another one by its code. Accounts of the kind `account` belong to it. The
    house owes for chips that are `owed`: they are a patron's or a dealer's, wherever they are."""

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
"""The places in the order in which they are shown. Over/short is inside of none: it is missing elsewhere."""

COUNTERS: Final = (WORK_CAGE, RUN_FLOOR, DEAL, COUNT_BOXES)
"""People with one of these rights count a drawer, a bank, a box, the vault or a document blind."""


def place_of(account: str, *, pulled: bool, received: str) -> str:
    """Return the code of the place to which an account of this kind belongs. A `pulled` box is with the
    people who pulled it, until it is `received` in a place."""
    return (received or "pulled") if account == AccountKind.DROP_BOX and pulled else account


def tree(inside: str = "", depth: int = 0) -> Iterator[tuple[int, PlaceKind]]:
    """Yield the kinds of places with their depth, each before the kinds inside of it."""
    for kind in PLACES:
        if kind.inside == inside:
            yield depth, kind
            yield from tree(kind.code, depth + 1)


def sees_figures(person: Any) -> bool:
    """Return whether somebody may see the contents of places: nobody who counts one of them, because one
    figure, or a sum of several, gives away what another count should come to."""
    return not any(person.has_perm(right) for right in COUNTERS)


_OWED = frozenset(kind.code for kind in PLACES if kind.owed)
_UNPAID = (AccountKind.OVER_SHORT, AccountKind.TRANSIT, AccountKind.VAULT)
"""The kinds of account between which and an owed place chips move without anybody paying."""


@dataclass(frozen=True)
class FeesTaken:
    """What no balance shows, in cents: the fees taken, wherever they went; chips accepted beyond the books;
    and chips that corrections and counts moved to owed places, less those that were picked up or released."""

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
    """An equation that holds at any moment: the summands (words, cents) of its two sides. `code` is that of
    the finding if it does not hold."""

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
        """The sentence of the finding; "" if both sides are equal."""
        left, right = self.sums
        return "" if left == right else f"{self.title}: {dollars(left)} is not {dollars(right)}."


def identities(held: Held, taken: FeesTaken) -> tuple[Equation, Equation]:
    """Return both, of all chips and of all cash; the page, the live check and the offline one ask this. Every
    chip that was made has a place, but for over/short. All cash in the house is the bank's, or was paid for
    chips that are still out or for fees, but for over/short, which is counted minus expected everywhere.
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
