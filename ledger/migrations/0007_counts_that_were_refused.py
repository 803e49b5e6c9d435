"""Counts of what arrived that were refused are kept: those of documents, and of the money of count sheets."""

from django.conf import settings
from django.db import migrations, models
from django.db.models import Q
from django.db.models.deletion import PROTECT


def of(model, **more):
    return models.ForeignKey(to=model, on_delete=PROTECT, **{"db_index": False, "related_name": "+"} | more)


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0006_kept_papers"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="StruckCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(help_text="from 1")),
                ("pieces", models.JSONField(help_text="[denomination in cents, pieces] by asset")),
                ("chips_cents", models.BigIntegerField()),
                ("cash_cents", models.BigIntegerField()),
                ("at", models.DateTimeField()),
                ("terminal", models.CharField(blank=True, max_length=100)),
                (
                    "request",
                    models.CharField(
                        help_text="the key of the act, which was refused and stays free", max_length=100
                    ),
                ),
                ("document", of("ledger.document", null=True, related_name="struck")),
                ("person", of(settings.AUTH_USER_MODEL)),
                ("sheet", of("ledger.countsheet", null=True, related_name="struck")),
                ("site", of("ledger.site")),
            ],
            options={
                "indexes": [models.Index(fields=["site", "attempt"], name="ledger_struck_count_attempts")],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(id__gt=0), name="ledger_struckcount_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("sheet", "attempt"), name="ledger_struck_count_of_sheet"),
                    models.UniqueConstraint(
                        fields=("document", "attempt"), name="ledger_struck_count_of_document"
                    ),
                    models.CheckConstraint(
                        condition=Q(sheet__isnull=True, document__isnull=False)
                        | Q(sheet__isnull=False, document__isnull=True),
                        name="ledger_struck_count_of_one_paper",
                    ),
                    models.CheckConstraint(
                        condition=Q(attempt__gt=0, chips_cents__gte=0, cash_cents__gte=0),
                        name="ledger_struck_count_counts",
                    ),
                ],
            },
        ),
    ]
