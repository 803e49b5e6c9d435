"""Who dealt at a table or ran it while a drop box stood there: they may not sign that box off. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Runners:
    """The ids of those who dealt at one session or acted at it, by the number of the box that stood there.
    `box` is None before the session opened, as far as is known, and after it closed."""

    box: int | None = None
    dealer: int | None = None
    of_box: dict[int, set[int]] = field(default_factory=dict)

    def take(self, kind: str, actor: int, data: Mapping[str, Any]) -> None:
        """Take a table's event; whoever changes a box ran the table of both."""
        if kind in ("pushed", "round_started") and "dealer" in data:
            self.dealer = data["dealer"]
        self.act(actor)
        if kind in ("opened", "box_changed"):
            self.box = data["box" if kind == "opened" else "installed"]
            self.of_box.setdefault(self.box, set())
            self.act(actor)
        self.act(self.dealer, data["played_by"] if kind == "round_handed_in" else None)
        if kind == "closed":
            self.box = None

    def act(self, *people: int | None) -> None:
        if self.box is not None:
            self.of_box[self.box].update(one for one in people if one is not None)

    @property
    def everybody(self) -> set[int]:
        return set().union(*self.of_box.values())
