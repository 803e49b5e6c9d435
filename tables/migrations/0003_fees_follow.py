"""A fee payment names the sitting that took it, and an uncollected fee the player whom it follows (R51)."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0002_fees_taken_back")]

    operations = [
        migrations.AddField(
            model_name="feepayment",
            name="sitting",
            field=models.ForeignKey(
                default=0,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="fees_paid",
                to="tables.sitting",
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="uncollected",
            name="player",
            field=models.ForeignKey(
                default=0,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.player",
            ),
            preserve_default=False,
        ),
    ]
