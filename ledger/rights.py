"""Check a person's rights before a verb acts. Which role has which right is defined in casino/roles.py."""

from typing import Any

from ledger.errors import NotAllowed

COUNT_BOXES = "ledger.count_boxes"
SIGN_OFF_DROPS = "ledger.sign_off_drops"
READ_BOOKS = "ledger.read_books"
TAKE_NAMES = "ledger.take_names"
OPEN_WITHHELD = "ledger.open_withheld"
TEST_CONTROLS = "ledger.test_controls"
TAKE_WITHHELD = "ledger.take_withheld"
WORK_CAGE = "ledger.work_cage"
KEEP_EXCLUSIONS = "ledger.keep_exclusions"
# These rights belong to the app above, so they are named, not imported.
RUN_FLOOR = "tables.run_floor"
DEAL = "tables.deal"
MANAGE_HOUSE = "tables.manage_house"


def require(actor: Any, *any_of: str) -> None:
    """Raise NotAllowed unless `actor` works here and has one of these rights, each written `app.right`."""
    if actor is None or not actor.is_active or not any(actor.has_perm(right) for right in any_of):
        raise NotAllowed("You do not have the right to do this.")
