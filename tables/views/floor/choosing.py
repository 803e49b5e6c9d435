"""What part of the board somebody chose to see, as its address has it: `?only=need&player=ann&seats=on`."""

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django import forms

from ledger.cage.names import fold
from tables.views.panels import TableFacts

ONLY = (("", "All"), ("need", "To see to"), ("free", "Free seats"))
"""Which tables are shown. The page's style hides the others, so a table appears or goes as soon as it
changes."""


@dataclass(frozen=True)
class BoardLine:
    """A table on the board: its card, the end of its line, and whether it is what was searched for."""

    card: str
    mark: str
    found: bool


class BoardForm(forms.Form):
    """What cannot be read chooses nothing."""

    only = forms.ChoiceField(choices=ONLY, required=False)
    player = forms.CharField(max_length=100, required=False)
    seats = forms.BooleanField(required=False)

    @cached_property
    def chosen(self) -> dict[str, str]:
        self.errors  # noqa: B018  (reads the form)
        said = {name: self.cleaned_data.get(name) or "" for name in self.fields}
        return {name: "on" if value is True else value for name, value in said.items() if value}

    def address(self, **changed: str) -> str:
        """Return the query of the board that differs from this one in what is `changed`."""
        return "?" + urlencode({name: value for name, value in (self.chosen | changed).items() if value})

    @property
    def query(self) -> str:
        return self.address() if self.chosen else ""

    @property
    def filters(self) -> list[tuple[str, str, bool]]:
        """The choices of `only`: label, address, and whether it is the one."""
        now = self.chosen.get("only", "")
        return [(label, self.address(only=value), value == now) for value, label in ONLY]

    @property
    def other_seats(self) -> str:
        return self.address(seats="" if "seats" in self.chosen else "on")

    @property
    def shows_seats(self) -> bool:
        return bool(self.chosen.keys() & {"seats", "player"})

    def finds(self, facts: TableFacts) -> bool:
        """Return whether somebody with this name, or a part of it, sits here or is kept a seat."""
        wanted = fold(self.chosen.get("player", ""))
        there = (seat.sitting or seat.held for seat in facts.seats)
        return not wanted or any(wanted in fold(str(one.player)) for one in there if one)
