"""A gaming day is closed by two people. Days closed before have no second one."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0001_books_and_patrons"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="closedday",
            name="closed_with",
            field=models.ForeignKey(
                db_index=False,
                help_text="the second person; none in days closed before two people did",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="closedday",
            constraint=models.CheckConstraint(
                condition=Q(closed_with=None) | ~Q(closed_with=F("closed_by")),
                name="ledger_day_closed_by_two",
            ),
        ),
    ]
