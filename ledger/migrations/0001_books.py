"""The books: sites, accounts, the journal with its transfers, drop boxes with their counts and sign-offs."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Account",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("cage", "cage"),
                            ("drop_box", "drop_box"),
                            ("outside", "outside"),
                            ("over_short", "over_short"),
                            ("stack", "stack"),
                            ("table_bank", "table_bank"),
                        ],
                        max_length=20,
                    ),
                ),
                ("asset", models.CharField(choices=[("cash", "cash"), ("chips", "chips")], max_length=5)),
                ("label", models.CharField(max_length=100)),
                ("balance_cents", models.BigIntegerField(default=0)),
                (
                    "opened_at",
                    models.DateTimeField(
                        help_text="empty for the places that are as old as the house", null=True
                    ),
                ),
                (
                    "sealed_at",
                    models.DateTimeField(blank=True, help_text="when the drop box was pulled", null=True),
                ),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Site",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100, unique=True)),
                ("licence", models.CharField(max_length=60)),
                ("time_zone", models.CharField(default="America/Los_Angeles", max_length=60)),
                (
                    "day_starts_at",
                    models.PositiveSmallIntegerField(
                        default=6, help_text="local hour at which a gaming day starts"
                    ),
                ),
                (
                    "return_minutes",
                    models.PositiveIntegerField(
                        default=120,
                        help_text="within so many minutes a player comes back with what was taken away",
                    ),
                ),
                ("demo", models.BooleanField(default=False)),
            ],
            options={
                "permissions": [
                    ("count_boxes", "Counts drop boxes"),
                    ("sign_off_drops", "Signs off counted drops"),
                    ("read_books", "Reads the books"),
                    ("work_cage", "Works at the cage"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("day_starts_at__lt", 24)),
                        name="ledger_site_day_starts_at_an_hour",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="JournalEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        help_text="made by whoever sent the event; sent again, it changes nothing",
                        max_length=100,
                    ),
                ),
                ("content_hash", models.CharField(max_length=64)),
                ("kind", models.CharField(max_length=20)),
                ("occurred_at", models.DateTimeField()),
                ("recorded_at", models.DateTimeField()),
                ("gaming_day", models.DateField()),
                ("terminal", models.CharField(blank=True, max_length=100)),
                ("reason", models.TextField(blank=True)),
                (
                    "evidence",
                    models.TextField(
                        help_text="canonical JSON: everything needed to work the entry out again"
                    ),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "approver",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "reverses",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reversed_by",
                        to="ledger.journalentry",
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="ledger.site",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "journal entries",
            },
        ),
        migrations.CreateModel(
            name="DropBox",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="serial, without gaps within a site")),
                ("place", models.CharField(max_length=60)),
                ("gaming_day", models.DateField()),
                ("installed_at", models.DateTimeField()),
                ("pulled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "cash",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.account"
                    ),
                ),
                (
                    "chips",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.account"
                    ),
                ),
                (
                    "installed_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "pulled_by",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "pulled_with",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="boxes",
                        to="ledger.site",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "drop boxes",
            },
        ),
        migrations.AddField(
            model_name="account",
            name="site",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="accounts", to="ledger.site"
            ),
        ),
        migrations.CreateModel(
            name="Transfer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("line", models.PositiveSmallIntegerField()),
                ("asset", models.CharField(max_length=5)),
                ("cents", models.BigIntegerField()),
                (
                    "entry",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="transfers",
                        to="ledger.journalentry",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="outgoing",
                        to="ledger.account",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="incoming",
                        to="ledger.account",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Count",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField()),
                ("chips_cents", models.BigIntegerField()),
                ("cash_cents", models.BigIntegerField()),
                ("key", models.CharField(max_length=100)),
                ("counted_at", models.DateTimeField()),
                (
                    "counter",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "box",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="counts",
                        to="ledger.dropbox",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("box", "counter", "attempt"), name="ledger_count_once"),
                    models.UniqueConstraint(fields=("box", "key"), name="ledger_count_key"),
                    models.CheckConstraint(
                        condition=models.Q(("cash_cents__gte", 0), ("chips_cents__gte", 0)),
                        name="ledger_count_not_negative",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DropSignOff",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("expected_chips", models.BigIntegerField()),
                ("expected_cash", models.BigIntegerField()),
                ("counted_chips", models.BigIntegerField()),
                ("counted_cash", models.BigIntegerField()),
                ("cause", models.TextField(blank=True)),
                ("signed_at", models.DateTimeField()),
                (
                    "box",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sign_off",
                        to="ledger.dropbox",
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
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="ledger.journalentry",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("cause", ""), _negated=True),
                            models.Q(
                                ("expected_cash", models.F("counted_cash")),
                                ("expected_chips", models.F("counted_chips")),
                            ),
                            _connector="OR",
                        ),
                        name="ledger_sign_off_difference_has_cause",
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="journalentry",
            index=models.Index(fields=["site", "gaming_day", "id"], name="ledger_entry_day"),
        ),
        migrations.AddConstraint(
            model_name="journalentry",
            constraint=models.UniqueConstraint(fields=("site", "key"), name="ledger_entry_key"),
        ),
        migrations.AddConstraint(
            model_name="journalentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("approver__isnull", True),
                    models.Q(("approver", models.F("actor")), _negated=True),
                    _connector="OR",
                ),
                name="ledger_entry_two_people",
            ),
        ),
        migrations.AddConstraint(
            model_name="journalentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "reversal"), ("reverses__isnull", False)),
                    models.Q(models.Q(("kind", "reversal"), _negated=True), ("reverses__isnull", True)),
                    _connector="OR",
                ),
                name="ledger_entry_reversal_reverses",
            ),
        ),
        migrations.AddConstraint(
            model_name="journalentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind__in", ["reversal", "correction"]), _negated=True),
                    models.Q(("approver__isnull", False), models.Q(("reason", ""), _negated=True)),
                    _connector="OR",
                ),
                name="ledger_entry_correction_approved",
            ),
        ),
        migrations.AddIndex(
            model_name="dropbox",
            index=models.Index(fields=["site", "gaming_day"], name="ledger_box_day"),
        ),
        migrations.AddConstraint(
            model_name="dropbox",
            constraint=models.UniqueConstraint(fields=("site", "number"), name="ledger_box_number"),
        ),
        migrations.AddConstraint(
            model_name="dropbox",
            constraint=models.UniqueConstraint(
                condition=models.Q(("pulled_at__isnull", True)),
                fields=("site", "place"),
                name="ledger_box_one_at_a_place",
            ),
        ),
        migrations.AddConstraint(
            model_name="dropbox",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("pulled_at__isnull", True),
                        ("pulled_by__isnull", True),
                        ("pulled_with__isnull", True),
                    ),
                    models.Q(
                        ("pulled_at__isnull", False),
                        ("pulled_by__isnull", False),
                        ("pulled_with__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="ledger_box_pulled_whole",
            ),
        ),
        migrations.AddConstraint(
            model_name="dropbox",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("pulled_by__isnull", True),
                    models.Q(("pulled_by", models.F("pulled_with")), _negated=True),
                    _connector="OR",
                ),
                name="ledger_box_pulled_by_two",
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind__in", ["cage", "drop_box", "outside", "over_short", "stack", "table_bank"])
                ),
                name="ledger_account_kind_in_chart",
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.CheckConstraint(
                condition=models.Q(("asset__in", ["cash", "chips"])), name="ledger_account_asset_in_chart"
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("balance_cents__gte", 0), ("kind__in", ["outside", "over_short"]), _connector="OR"
                ),
                name="ledger_account_never_below_zero",
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.CheckConstraint(
                condition=models.Q(("closed_at__isnull", True), ("balance_cents", 0), _connector="OR"),
                name="ledger_account_closed_is_empty",
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind__in", ["cage", "outside", "over_short"])),
                fields=("site", "kind", "asset"),
                name="ledger_account_one_per_site",
            ),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.UniqueConstraint(fields=("entry", "line"), name="ledger_transfer_line"),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.CheckConstraint(
                condition=models.Q(("cents__gt", 0)), name="ledger_transfer_moves_something"
            ),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.CheckConstraint(
                condition=models.Q(("source", models.F("target")), _negated=True),
                name="ledger_transfer_two_places",
            ),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.CheckConstraint(
                condition=models.Q(("asset__in", ["cash", "chips"])), name="ledger_transfer_asset_in_chart"
            ),
        ),
    ]
