"""What shows whose chips they are that nobody was known to own, with the step that hands them out."""

from django.db import migrations, models
from django.db.models import Q

NAME = "ledger_document_step_shows_a_difference"


class Migration(migrations.Migration):
    dependencies = [("ledger", "0015_tokens_of_regulators")]

    operations = [
        migrations.RemoveConstraint("documentstep", NAME),
        migrations.AddConstraint(
            "documentstep",
            models.CheckConstraint(
                condition=Q(evidence=None, threshold_cents=None)
                | Q(step__in=["claimed", "differed"], evidence__isnull=False, threshold_cents__gt=0),
                name=NAME,
            ),
        ),
    ]
