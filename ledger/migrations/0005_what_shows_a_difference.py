"""What shows a large difference: a sign-off names its evidence, and its second person is asked for by the
database too. Those from before have none (NULL)."""

from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import Abs
from django.db.models.lookups import GreaterThan


def shown_by():
    return models.CharField(
        blank=True,
        help_text="the number of a camera's clip or of a paper; NULL before version 0.3.0",
        max_length=200,
        null=True,
    )


def shown(chips, cash):
    named = Q(signed_with__isnull=False) & ~Q(evidence="")
    return Q(evidence=None) | named | GreaterThan(F("threshold_cents"), chips + cash)


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0004_boxes_with_seals"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("banksignoff", "evidence", shown_by()),
        migrations.AddField("dropsignoff", "evidence", shown_by()),
        migrations.AddConstraint(
            "banksignoff",
            models.CheckConstraint(
                condition=shown(Abs("over_chips"), Abs("over_cash")),
                name="ledger_bank_difference_has_evidence",
            ),
        ),
        migrations.AddConstraint(
            "dropsignoff",
            models.CheckConstraint(
                condition=shown(
                    Abs(F("counted_chips") - F("expected_chips")), Abs(F("counted_cash") - F("expected_cash"))
                ),
                name="ledger_box_difference_has_evidence",
            ),
        ),
    ]
