"""A difference in a table's bank is signed off at the cage, with its cause."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0002_day_closed_by_two"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="BankSignOff",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("over_chips", models.BigIntegerField()),
                ("over_cash", models.BigIntegerField()),
                ("cause", models.TextField()),
                ("threshold_cents", models.BigIntegerField()),
                ("signed_at", models.DateTimeField()),
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bank_sign_off",
                        to="ledger.journalentry",
                    ),
                ),
                (
                    "signed_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "signed_with",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_banksignoff_numbered_from_one"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("cause", ""), _negated=True),
                        name="ledger_bank_difference_has_cause",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("over_cash", 0), ("over_chips", 0), _negated=True),
                        name="ledger_bank_difference_is_one",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("signed_with", None),
                            models.Q(("signed_with", models.F("signed_by")), _negated=True),
                            _connector="OR",
                        ),
                        name="ledger_bank_signed_by_two",
                    ),
                ],
            },
        ),
    ]
