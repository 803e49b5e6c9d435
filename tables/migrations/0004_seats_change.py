"""A player changes to another seat of the same table: one more kind of event."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0003_newest_moment")]

    operations = [
        migrations.AlterField(
            "tableevent",
            "kind",
            models.CharField(
                choices=[
                    ("opened", "Opened"),
                    ("closed", "Closed"),
                    ("seated", "Seated"),
                    ("left", "Left"),
                    ("seat_changed", "Seat Changed"),
                    ("sat_out", "Sat Out"),
                    ("returned", "Returned"),
                    ("round_started", "Round Started"),
                    ("round_voided", "Round Voided"),
                    ("clock_stopped", "Clock Stopped"),
                    ("clock_started", "Clock Started"),
                    ("correction_asked", "Correction Asked"),
                    ("correction_refused", "Correction Refused"),
                    ("box_changed", "Box Changed"),
                    ("match_called_off", "Match Called Off"),
                    ("pushed", "Pushed"),
                    ("rate_announced", "Rate Announced"),
                    ("rate_withdrawn", "Rate Withdrawn"),
                    ("rate_changed", "Rate Changed"),
                    ("must_move_set", "Must Move Set"),
                    ("time_called", "Time Called"),
                    ("chips_counted", "Chips Counted"),
                    ("fee_uncollected", "Fee Uncollected"),
                    ("hand_settlement_asked", "Hand Settlement Asked"),
                    ("hand_settlement_refused", "Hand Settlement Refused"),
                ],
                max_length=30,
            ),
        ),
    ]
