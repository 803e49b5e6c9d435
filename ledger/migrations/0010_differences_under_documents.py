"""What shows that much else arrived under a document than was sent, and from when a difference is large. Steps
from before have neither (NULL)."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("ledger", "0009_reviews_of_access")]

    operations = [
        migrations.AddField(
            "documentstep",
            "evidence",
            models.CharField(
                blank=True,
                help_text="the number of a camera's clip or of a paper; NULL before version 0.3.0",
                max_length=200,
                null=True,
            ),
        ),
        migrations.AddField(
            "documentstep",
            "threshold_cents",
            models.BigIntegerField(
                help_text="from which a difference is large; NULL before version 0.3.0", null=True
            ),
        ),
        migrations.AddConstraint(
            "documentstep",
            models.CheckConstraint(
                condition=Q(evidence=None, threshold_cents=None)
                | Q(step="differed", evidence__isnull=False, threshold_cents__gt=0),
                name="ledger_document_step_shows_a_difference",
            ),
        ),
    ]
