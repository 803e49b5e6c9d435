"""Whether somebody who sits is the person of an entry of the exclusion list."""

from typing import Any

from django.contrib import messages

from ledger.errors import SeeFloor
from tables.rights import RUN_FLOOR
from tables.seats.players import require_welcome
from tables.views.acts import SittingActPage


class WhoIsIt(SittingActPage):
    """Look on the list again, and ask about each entry whose name is near."""

    title = "Is it this person?"
    button = "Look on the list"
    rights = (RUN_FLOOR,)

    def do(self, form: Any) -> str:
        player = self.sitting.player
        try:
            require_welcome(player, site=self.site, doing="at the table", act=self.act(form))
        except SeeFloor:
            self.said_level = messages.WARNING
            return f"{player} may no longer play here: cash them out, and see compliance."
        return f"{player} is nobody on the exclusion list."
