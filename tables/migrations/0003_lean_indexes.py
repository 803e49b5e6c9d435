"""Leave out the indexes that find nothing: others begin with the same column, or nobody asks by it.

The indexes are dropped by name, because Django would copy each of these tables on SQLite to leave one out.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

STAFF = settings.AUTH_USER_MODEL
FOUND_OTHERWISE = (
    ("charge", "charged_by", STAFF, "+", "tables_charge_charged_by_id_963ce3a7"),
    ("charge", "player", "tables.player", "charges", "tables_charge_player_id_19e1dfcf"),
    ("charge", "rate", "tables.rate", "+", "tables_charge_rate_id_ae931943"),
    ("charge", "round", "tables.round", "charges", "tables_charge_round_id_6418376c"),
    ("down", "rate", "tables.rate", "+", "tables_down_rate_id_6e26316b"),
    ("down", "session", "tables.tablesession", "downs", "tables_down_session_id_6ccc2202"),
    ("hand", "round", "tables.round", "hands", "tables_hand_round_id_b761e236"),
    ("round", "dealer", STAFF, "+", "tables_round_dealer_id_46b1ba0d"),
    ("round", "session", "tables.tablesession", "rounds", "tables_round_session_id_98e189d5"),
    ("round", "site", "ledger.site", "+", "tables_round_site_id_5e180bcb"),
    ("settlement", "round", "tables.round", "settlements", "tables_settlement_round_id_53b58a63"),
    ("tableevent", "actor", STAFF, "+", "tables_tableevent_actor_id_ac6a449d"),
    ("tableevent", "session", "tables.tablesession", "events", "tables_tableevent_session_id_1516d7bc"),
    ("tableevent", "site", "ledger.site", "+", "tables_tableevent_site_id_efdc3a4c"),
)


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0003_take_names"),
        ("tables", "0002_commitments"),
        migrations.swappable_dependency(STAFF),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    f"DROP INDEX {index}", f"CREATE INDEX {index} ON tables_{model} ({field}_id)"
                )
            ],
            state_operations=[
                migrations.AlterField(
                    model_name=model,
                    name=field,
                    field=models.ForeignKey(
                        to=to,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name=name,
                        db_index=False,
                        null=(model, field) == ("charge", "round"),
                    ),
                )
            ],
        )
        for model, field, to, name, index in FOUND_OTHERWISE
    ]
