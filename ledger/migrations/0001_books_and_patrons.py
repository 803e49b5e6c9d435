import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("casino", "__first__"),
    ]

    operations = [
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
                (
                    "jurisdiction",
                    models.CharField(
                        default="california",
                        help_text="whose caps and thresholds hold (ledger/jurisdictions)",
                        max_length=20,
                    ),
                ),
                (
                    "authorised_tables",
                    models.PositiveSmallIntegerField(
                        default=10, help_text="how many may be open at once by the licence (4 CCR 12391)"
                    ),
                ),
                (
                    "hold_minutes",
                    models.PositiveSmallIntegerField(
                        default=10, help_text="how long a called player's seat is held"
                    ),
                ),
                (
                    "chip_values",
                    models.CharField(
                        blank=True,
                        help_text="the house's chips, as 0.50 1 5 25 100; empty: those usual in its jurisdiction",
                        max_length=200,
                    ),
                ),
                ("demo", models.BooleanField(default=False)),
                (
                    "clock_doubted_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="what the clock showed when it had jumped, until somebody has confirmed the time",
                        null=True,
                    ),
                ),
                (
                    "ahead_until",
                    models.DateTimeField(
                        blank=True,
                        help_text="the newest record of the tables, where the confirmed time was before it",
                        null=True,
                    ),
                ),
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
            name="HouseEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="ledger.site",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("house_opened", "House Opened"),
                            ("house_changed", "House Changed"),
                            ("audit_key", "Audit Key"),
                            ("signed_in", "Signed In"),
                            ("signed_out", "Signed Out"),
                            ("sign_in_refused", "Sign In Refused"),
                            ("staff_changed", "Staff Changed"),
                            ("password_set", "Password Set"),
                            ("code_made", "Code Made"),
                            ("code_used", "Code Used"),
                            ("pin_set", "Pin Set"),
                            ("pin_refused", "Pin Refused"),
                            ("attempts_locked", "Attempts Locked"),
                            ("attempts_lifted", "Attempts Lifted"),
                            ("mail_set", "Mail Set"),
                            ("terminal_enrolled", "Terminal Enrolled"),
                            ("terminal_revoked", "Terminal Revoked"),
                            ("factor_added", "Factor Added"),
                            ("factor_removed", "Factor Removed"),
                            ("factors_reset", "Factors Reset"),
                            ("session_ended", "Session Ended"),
                            ("box_installed", "Box Installed"),
                            ("box_pulled", "Box Pulled"),
                            ("exported", "Exported"),
                            ("downloaded", "Downloaded"),
                            ("table_added", "Table Added"),
                            ("table_turned", "Table Turned"),
                            ("table_retired", "Table Retired"),
                            ("table_restored", "Table Restored"),
                            ("games_offered", "Games Offered"),
                            ("checkpoint_taken", "Checkpoint Taken"),
                            ("clock_doubted", "Clock Doubted"),
                            ("time_confirmed", "Time Confirmed"),
                            ("backed_up", "Backed Up"),
                            ("restored", "Restored"),
                            ("checkpoints_set_aside", "Checkpoints Set Aside"),
                            ("waiver_reason_published", "Waiver Reason Published"),
                            ("waiver_reason_withdrawn", "Waiver Reason Withdrawn"),
                            ("withheld_opened", "Withheld Opened"),
                            ("program_started", "Program Started"),
                            ("verified", "Verified"),
                            ("monitored", "Monitored"),
                            ("sealing_refused", "Sealing Refused"),
                            ("sheet_offered", "Sheet Offered"),
                            ("place_changed", "Place Changed"),
                        ],
                        max_length=30,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("recorded_at", models.DateTimeField()),
                (
                    "actor",
                    models.ForeignKey(
                        db_index=False,
                        help_text="empty where nobody is known: a refused sign-in, the house itself",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("terminal", models.CharField(blank=True, max_length=100)),
                ("data", models.JSONField(default=dict)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_houseevent_numbered_from_one"
                    )
                ],
                "indexes": [
                    models.Index(fields=["site", "recorded_at"], name="ledger_house_events"),
                    models.Index(fields=["site", "kind"], name="ledger_house_event_kinds"),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditRecord",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="ledger.site",
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                ("subject", models.BigIntegerField()),
                ("recorded_at", models.DateTimeField()),
                ("text", models.TextField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_auditrecord_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("kind", "subject"), name="ledger_record_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditLog",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "site",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="log", to="ledger.site"
                    ),
                ),
                ("origin", models.CharField(max_length=200, unique=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_auditlog_numbered_from_one"
                    )
                ],
                "permissions": [
                    ("take_names", "Takes players' names out of the house, with an export of the log"),
                    ("open_withheld", "Opens what the log withholds: looks at the exclusion list"),
                    ("take_withheld", "Takes what the log withholds out of the house, with an export"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Leaf",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "log",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="leaves",
                        to="ledger.auditlog",
                    ),
                ),
                ("number", models.BigIntegerField()),
                (
                    "record",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="leaf",
                        to="ledger.auditrecord",
                    ),
                ),
                ("hash", models.BinaryField(max_length=32)),
                ("recorded_at", models.DateTimeField(help_text="the record's, to find where a day begins")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_leaf_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("log", "number"), name="ledger_leaf_number"),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 0)), name="ledger_leaf_from_zero"
                    ),
                ],
                "indexes": [models.Index(fields=["log", "recorded_at"], name="ledger_leaf_recorded")],
            },
        ),
        migrations.CreateModel(
            name="Tile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "log",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tiles",
                        to="ledger.auditlog",
                    ),
                ),
                ("level", models.PositiveSmallIntegerField()),
                ("index", models.BigIntegerField()),
                ("hashes", models.BinaryField(max_length=8192)),
                ("root", models.BinaryField(max_length=32)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_tile_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("log", "level", "index"), name="ledger_tile_place"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "log",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="checkpoints",
                        to="ledger.auditlog",
                    ),
                ),
                ("size", models.BigIntegerField()),
                ("note", models.TextField()),
                ("key_fingerprint", models.CharField(max_length=64)),
                ("signed_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_checkpoint_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("log", "size"), name="ledger_checkpoint_size"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Cosignature",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "checkpoint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cosignatures",
                        to="ledger.checkpoint",
                    ),
                ),
                ("witness", models.CharField(help_text="name and id of the witness's key", max_length=300)),
                ("line", models.TextField()),
                ("signed_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_cosignature_numbered_from_one"
                    )
                ]
            },
        ),
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
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="accounts",
                        to="ledger.site",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("bank", "bank"),
                            ("cage", "cage"),
                            ("chip_maker", "chip_maker"),
                            ("drop_box", "drop_box"),
                            ("over_short", "over_short"),
                            ("patrons", "patrons"),
                            ("public", "public"),
                            ("stack", "stack"),
                            ("table_bank", "table_bank"),
                            ("tokes", "tokes"),
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
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                [
                                    "bank",
                                    "cage",
                                    "chip_maker",
                                    "drop_box",
                                    "over_short",
                                    "patrons",
                                    "public",
                                    "stack",
                                    "table_bank",
                                    "tokes",
                                ],
                            )
                        ),
                        name="ledger_account_kind_in_chart",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("asset__in", ["cash", "chips"])),
                        name="ledger_account_asset_in_chart",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("balance_cents__gte", 0),
                            ("kind__in", ["bank", "chip_maker", "over_short", "public"]),
                            _connector="OR",
                        ),
                        name="ledger_account_never_below_zero",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("closed_at__isnull", True), ("balance_cents", 0), _connector="OR"
                        ),
                        name="ledger_account_closed_is_empty",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                ["bank", "cage", "chip_maker", "over_short", "patrons", "public"],
                            )
                        ),
                        fields=("site", "kind", "asset"),
                        name="ledger_account_one_per_site",
                    ),
                ],
                "indexes": [
                    models.Index(fields=["site", "kind"], name="ledger_accounts_of_a_kind"),
                    models.Index(fields=["closed_at", "site"], name="ledger_accounts_open"),
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
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="ledger.site",
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
                (
                    "actor",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("terminal", models.CharField(blank=True, max_length=100)),
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
                ("reason", models.TextField(blank=True)),
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
            ],
            options={
                "verbose_name_plural": "journal entries",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_journalentry_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("site", "key"), name="ledger_entry_key"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("approver__isnull", True),
                            models.Q(("approver", models.F("actor")), _negated=True),
                            _connector="OR",
                        ),
                        name="ledger_entry_two_people",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind__in", ["reversal", "undo"]), ("reverses__isnull", False)),
                            models.Q(
                                models.Q(("kind__in", ["reversal", "undo"]), _negated=True),
                                ("reverses__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="ledger_entry_reversal_reverses",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind__in", ["reversal", "correction"]), _negated=True),
                            models.Q(("approver__isnull", False), models.Q(("reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="ledger_entry_correction_approved",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind__in", ("float_issue", "float_return")), _negated=True),
                            ("approver__isnull", False),
                            _connector="OR",
                        ),
                        name="ledger_entry_float_counted_by_two",
                    ),
                ],
                "indexes": [models.Index(fields=["site", "gaming_day", "id"], name="ledger_entry_day")],
            },
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
                (
                    "entry",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="transfers",
                        to="ledger.journalentry",
                    ),
                ),
                ("line", models.PositiveSmallIntegerField()),
                (
                    "source",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="outgoing",
                        to="ledger.account",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="incoming",
                        to="ledger.account",
                    ),
                ),
                ("asset", models.CharField(max_length=5)),
                ("cents", models.BigIntegerField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_transfer_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("entry", "line"), name="ledger_transfer_line"),
                    models.CheckConstraint(
                        condition=models.Q(("cents__gt", 0)), name="ledger_transfer_moves_something"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("source", models.F("target")), _negated=True),
                        name="ledger_transfer_two_places",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("asset__in", ["cash", "chips"])),
                        name="ledger_transfer_asset_in_chart",
                    ),
                ],
                "indexes": [
                    models.Index(fields=["source", "id"], name="ledger_transfers_out"),
                    models.Index(fields=["target", "id"], name="ledger_transfers_in"),
                ],
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
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="boxes",
                        to="ledger.site",
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="serial, without gaps within a site")),
                ("place", models.CharField(max_length=60)),
                ("gaming_day", models.DateField()),
                (
                    "chips",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.account"
                    ),
                ),
                (
                    "cash",
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
                ("installed_at", models.DateTimeField()),
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
                ("pulled_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name_plural": "drop boxes",
                "constraints": [
                    models.UniqueConstraint(fields=("site", "number"), name="ledger_box_number"),
                    models.UniqueConstraint(
                        condition=models.Q(("pulled_at__isnull", True)),
                        fields=("site", "place"),
                        name="ledger_box_one_at_a_place",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            ("pulled_by__isnull", True),
                            models.Q(("pulled_by", models.F("pulled_with")), _negated=True),
                            _connector="OR",
                        ),
                        name="ledger_box_pulled_by_two",
                    ),
                ],
                "indexes": [models.Index(fields=["site", "gaming_day"], name="ledger_box_day")],
            },
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
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="ledger.site",
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
                (
                    "counter",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField()),
                ("chips_cents", models.BigIntegerField()),
                ("cash_cents", models.BigIntegerField()),
                ("key", models.CharField(max_length=100)),
                ("counted_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_count_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("box", "counter", "attempt"), name="ledger_count_once"),
                    models.UniqueConstraint(fields=("site", "key"), name="ledger_count_key"),
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
                (
                    "box",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sign_off",
                        to="ledger.dropbox",
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
                ("expected_chips", models.BigIntegerField()),
                ("expected_cash", models.BigIntegerField()),
                ("counted_chips", models.BigIntegerField()),
                ("counted_cash", models.BigIntegerField()),
                ("cause", models.TextField(blank=True)),
                (
                    "signed_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("signed_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_dropsignoff_numbered_from_one"
                    ),
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
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CageSlip",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cage_slips",
                        to="ledger.site",
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="serial, without gaps within a site")),
                (
                    "way",
                    models.CharField(
                        choices=[("in", "Into the cage"), ("out", "Out of the cage")], max_length=3
                    ),
                ),
                ("gaming_day", models.DateField()),
                ("pieces", models.JSONField(help_text="[denomination in cents, pieces] by asset")),
                ("chips_cents", models.BigIntegerField()),
                ("cash_cents", models.BigIntegerField()),
                (
                    "counted_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("counted_at", models.DateTimeField()),
                ("terminal", models.CharField(blank=True, max_length=100)),
                ("key", models.CharField(max_length=100)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_cageslip_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("site", "number"), name="ledger_cage_slip_number"),
                    models.UniqueConstraint(fields=("site", "key"), name="ledger_cage_slip_key"),
                    models.CheckConstraint(
                        condition=models.Q(("way__in", ["in", "out"])), name="ledger_cage_slip_way"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("cash_cents__gte", 0),
                            ("chips_cents__gte", 0),
                            models.Q(("chips_cents__gt", 0), ("cash_cents__gt", 0), _connector="OR"),
                        ),
                        name="ledger_cage_slip_counts_something",
                    ),
                ],
                "indexes": [models.Index(fields=["site", "gaming_day"], name="ledger_cage_slip_day")],
            },
        ),
        migrations.CreateModel(
            name="CageSlipResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="ledger.site",
                    ),
                ),
                (
                    "slip",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="result",
                        to="ledger.cageslip",
                    ),
                ),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("posted", "Posted"),
                            ("differed", "Counts differed"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "pieces",
                    models.JSONField(help_text="the second count; without pieces if the slip was withdrawn"),
                ),
                ("chips_cents", models.BigIntegerField()),
                ("cash_cents", models.BigIntegerField()),
                (
                    "person",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("reason", models.TextField(blank=True)),
                (
                    "entry",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cage_slip",
                        to="ledger.journalentry",
                    ),
                ),
                ("key", models.CharField(max_length=100)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_cageslipresult_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("site", "key"), name="ledger_cage_slip_result_key"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("entry__isnull", False), ("outcome", "posted")),
                            models.Q(("entry__isnull", True), ("outcome__in", ["differed", "withdrawn"])),
                            _connector="OR",
                        ),
                        name="ledger_cage_slip_posted_has_entry",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("outcome", "withdrawn"), _negated=True),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="ledger_cage_slip_withdrawn_with_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("cash_cents__gte", 0), ("chips_cents__gte", 0)),
                        name="ledger_cage_slip_count_not_negative",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReversalSlip",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reversal_slips",
                        to="ledger.site",
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="serial, without gaps within a site")),
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reversal_slip",
                        to="ledger.journalentry",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_reversalslip_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("site", "number"), name="ledger_reversal_slip_number"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ClosedDay",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="closed_days",
                        to="ledger.site",
                    ),
                ),
                ("gaming_day", models.DateField()),
                ("closed_at", models.DateTimeField()),
                (
                    "closed_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("key", models.CharField(max_length=100)),
                ("terminal", models.CharField(blank=True, max_length=100)),
                ("entries", models.PositiveIntegerField()),
                (
                    "totals",
                    models.TextField(help_text="canonical JSON: kind of account, asset, cents in and out"),
                ),
                (
                    "balances",
                    models.TextField(
                        help_text="canonical JSON: asset, kind of account, account, cents at its end"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_closedday_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("site", "gaming_day"), name="ledger_day_closed_once"),
                    models.UniqueConstraint(fields=("site", "key"), name="ledger_closed_day_key"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Exclusion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to="ledger.site",
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=80)),
                ("number", models.CharField(blank=True, max_length=20)),
                (
                    "reference",
                    models.CharField(help_text="the list or the order it comes from", max_length=80),
                ),
                ("effective_from", models.DateField()),
                ("added_at", models.DateTimeField()),
                (
                    "added_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("lifted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "lifted_by",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "permissions": [("keep_exclusions", "Keeps the exclusion list and reads who looked at it")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), ("number", ""), _negated=True),
                        name="ledger_exclusion_known_somehow",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("lifted_at__isnull", True), ("lifted_by__isnull", True)),
                            models.Q(("lifted_at__isnull", False), ("lifted_by__isnull", False)),
                            _connector="OR",
                        ),
                        name="ledger_exclusion_lifted_whole",
                    ),
                ],
                "indexes": [models.Index(fields=["site", "lifted_at"], name="ledger_exclusions_in_force")],
            },
        ),
        migrations.CreateModel(
            name="Withheld",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="withheld",
                        to="ledger.site",
                    ),
                ),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("exclusion_look", "Exclusion Look"),
                            ("exclusion_added", "Exclusion Added"),
                            ("exclusion_lifted", "Exclusion Lifted"),
                        ],
                        max_length=30,
                    ),
                ),
                ("salt", models.CharField(max_length=64)),
                ("text", models.TextField()),
                ("commitment", models.CharField(max_length=64)),
                ("recorded_at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "withheld text",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_withheld_numbered_from_one"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("salt", models.F("text")), _negated=True),
                        name="ledger_withheld_has_salt",
                    ),
                ],
                "indexes": [
                    models.Index(fields=["site", "recorded_at"], name="ledger_withheld_times"),
                    models.Index(fields=["site", "id"], name="ledger_withheld_ids"),
                ],
            },
        ),
        migrations.CreateModel(
            name="WithheldBatch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="ledger.site",
                    ),
                ),
                ("salt", models.CharField(max_length=64)),
                ("commitment", models.CharField(max_length=64)),
                ("recorded_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_withheldbatch_numbered_from_one"
                    )
                ],
                "verbose_name": "withheld",
                "verbose_name_plural": "withheld batches",
                "indexes": [models.Index(fields=["site", "id"], name="ledger_withheld_batches")],
            },
        ),
        migrations.CreateModel(
            name="WithheldInBatch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="texts",
                        to="ledger.withheldbatch",
                    ),
                ),
                (
                    "withheld",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="in_batch",
                        to="ledger.withheld",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="ledger_withheldinbatch_numbered_from_one"
                    )
                ]
            },
        ),
        migrations.CreateModel(
            name="TokeAccount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="toke_accounts",
                        to="ledger.site",
                    ),
                ),
                (
                    "dealer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "account",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.account"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("site", "dealer"), name="ledger_one_toke_account_per_dealer"
                    )
                ],
            },
        ),
    ]
