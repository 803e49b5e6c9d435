"""Two counts of a table's bank that differed are kept with the refused ones of documents and count sheets."""

from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.deletion import PROTECT


def of(model, related_name):
    return models.ForeignKey(
        to=model, on_delete=PROTECT, db_index=False, null=True, related_name=related_name
    )


def at_one(sheet, document, bank):
    return Q(sheet__isnull=not sheet, document__isnull=not document, bank__isnull=not bank)


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0011_reserve_sets"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint("struckcount", "ledger_struck_count_of_one_paper"),
        migrations.AddField("struckcount", "bank", of("ledger.account", "struck")),
        migrations.AddField(
            "struckcount",
            "place",
            models.CharField(
                help_text="what was counted, in words: Fill 3, Table 7", max_length=60, null=True
            ),
        ),
        migrations.AddField("struckcount", "second", of(settings.AUTH_USER_MODEL, "+")),
        migrations.AddField(
            "struckcount",
            "second_pieces",
            models.JSONField(help_text="what the second person counted of a bank", null=True),
        ),
        migrations.AddConstraint(
            "struckcount",
            models.UniqueConstraint(fields=("bank", "attempt"), name="ledger_struck_count_of_bank"),
        ),
        migrations.AddConstraint(
            "struckcount",
            models.CheckConstraint(
                condition=at_one(False, True, False)
                | at_one(True, False, False)
                | at_one(False, False, True),
                name="ledger_struck_count_of_one_place",
            ),
        ),
        migrations.AddConstraint(
            "struckcount",
            models.CheckConstraint(
                condition=Q(bank__isnull=True, second__isnull=True, second_pieces__isnull=True)
                | Q(bank__isnull=False, second__isnull=False, second_pieces__isnull=False)
                & ~Q(second=F("person")),
                name="ledger_struck_count_of_bank_by_two",
            ),
        ),
    ]
