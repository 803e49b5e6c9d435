"""Claims between players that were paid, and who saw it (R58)."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0004_seats_change"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

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
                    ("claim_paid", "Claim Paid"),
                    ("hand_settlement_asked", "Hand Settlement Asked"),
                    ("hand_settlement_refused", "Hand Settlement Refused"),
                ],
                max_length=30,
            ),
        ),
        migrations.CreateModel(
            "ClaimPayment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seen_at", models.DateTimeField()),
                (
                    "claim",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="payment", to="tables.claim"
                    ),
                ),
                (
                    "event",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.tableevent"
                    ),
                ),
                (
                    "seen_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
    ]
