"""The floor's app, and the rights and rows that it registers with the books."""

from django.apps import AppConfig


class TablesConfig(AppConfig):
    name = "tables"

    def ready(self) -> None:
        from django.core import checks

        from ledger.cage import signing
        from ledger.db import append_only, keeping
        from ledger.journal import records
        from ledger.proof.log import exporting
        from ledger.proof.log.verifying import register_checks, register_rows
        from tables.audit.zipapp import verifier_bytes
        from tables.floor import games
        from tables.log import bundle, fee_rows, house_rows, player_rows, replaying, round_rows, table_rows
        from tables.reports import search_kinds
        from tables.state import runners

        signing.register_floor(runners.of_box, runners.of_session, runners.of_document)
        checks.register(games.check_house_sheets)
        records.register_own("tables")
        replaying.register()
        search_kinds.register_floor()
        register_checks(bundle.game_checks)
        for rows in (table_rows, player_rows, round_rows, fee_rows, house_rows):
            register_rows(*rows.QUESTIONS)
        exporting.register(
            exporting.AppExport(
                sheets=bundle.sheets_named,
                rates=bundle.rates_named,
                verifier=verifier_bytes,
                players=bundle.entries_of_players,
                committed=bundle.committed_by,
            )
        )
        append_only.register(*keeping.tables_written_once("tables"))
