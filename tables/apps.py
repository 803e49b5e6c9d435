"""The floor's app: which of its tables are written once."""

from django.apps import AppConfig


class TablesConfig(AppConfig):
    """The floor: tables, the people at them, rounds and the collection."""

    name = "tables"

    def ready(self) -> None:
        from django.core import checks

        from ledger import append_only
        from tables import games, recording

        checks.register(games.check_house_sheets)
        recording.register_floor()
        append_only.register(
            "tables_charge",
            "tables_claim",
            "tables_collection",
            "tables_down",
            "tables_hand",
            "tables_schedule",
            "tables_settlement",
            "tables_sheetversion",
            "tables_tableevent",
        )
