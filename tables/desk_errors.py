"""What the manager's desk refuses about tables and games, one class for each reason."""

from tables.errors import Conflict, TableError


class TableRetired(Conflict):
    """The table has been retired, so it is not opened or retired again before it is brought back."""

    code = "table_retired"


class TableNumberTaken(Conflict):
    """The house has a table of this number, perhaps one that has been retired."""

    code = "table_number_taken"


class BadTableNumber(TableError):
    """A table has a number from 1 to 999."""

    code = "bad_table_number"


class GameNotOffered(Conflict):
    """A manager has taken this game off, so no table is opened with it."""

    code = "game_not_offered"
