import django.db.models.deletion
import django.db.models.expressions
import django.db.models.fields.json
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("casino", "__first__"),
        ("ledger", "0001_books_and_patrons"),
    ]

    operations = [
        migrations.CreateModel(
            name="Rate",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                (
                    "option",
                    models.PositiveSmallIntegerField(
                        help_text="1 to 8 are those of the rules; a house's own follow"
                    ),
                ),
                ("version", models.PositiveSmallIntegerField(default=1)),
                ("limit_cents", models.BigIntegerField()),
                ("fee_cents", models.BigIntegerField()),
                ("approval_reference", models.CharField(max_length=80)),
                ("effective_from", models.DateField()),
                (
                    "published_by",
                    models.ForeignKey(
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
                        condition=models.Q(("id__gt", 0)), name="tables_rate_numbered_from_one"
                    ),
                    models.UniqueConstraint(
                        fields=("site", "option", "version"), name="one_rate_per_version"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("fee_cents__gt", 0), ("limit_cents__gt", 0)),
                        name="rate_amounts_above_zero",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="WaiverReason",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                ("code", models.SlugField(max_length=30)),
                ("text", models.CharField(max_length=120)),
                ("approval_reference", models.CharField(max_length=80)),
                ("effective_from", models.DateField()),
                ("withdrawn_on", models.DateField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("site", "code"), name="one_waiver_reason_per_code")
                ],
            },
        ),
        migrations.CreateModel(
            name="Player",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=80)),
                ("number", models.CharField(blank=True, max_length=20)),
                ("description", models.CharField(blank=True, max_length=120)),
                ("alias", models.CharField(blank=True, max_length=60)),
                (
                    "merged_into",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merged",
                        to="tables.player",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("number", ""), _negated=True),
                        fields=("site", "number"),
                        name="one_player_per_number",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), ("number", ""), ("description", ""), _negated=True),
                        name="player_known_somehow",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("merged_into__isnull", True),
                            models.Q(("merged_into", models.F("id")), _negated=True),
                            _connector="OR",
                        ),
                        name="player_merged_into_another",
                    ),
                ],
                "indexes": [models.Index(fields=["site", "name", "number"], name="players_by_name")],
            },
        ),
        migrations.CreateModel(
            name="PlayerChange",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="changes",
                        to="tables.player",
                    ),
                ),
                ("before", models.JSONField(default=dict)),
                ("after", models.JSONField(default=dict)),
                ("salt", models.CharField(max_length=64)),
                ("commitment", models.CharField(max_length=64)),
                ("follows", models.CharField(blank=True, max_length=64)),
                ("recorded_at", models.DateTimeField()),
                (
                    "actor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("terminal", models.CharField(blank=True, max_length=100)),
                ("key", models.CharField(blank=True, max_length=64)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_playerchange_numbered_from_one"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("key", ""), _negated=True),
                        fields=("site", "key"),
                        name="one_player_change_per_key",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlayerWord",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="words", to="tables.player"
                    ),
                ),
                ("word", models.CharField(db_index=True, max_length=120)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_playerword_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("player", "word"), name="one_word_per_player"),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlayerMerge",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="serial, from 1")),
                (
                    "merged",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="merge", to="tables.player"
                    ),
                ),
                (
                    "into",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="merges", to="tables.player"
                    ),
                ),
                ("recorded_at", models.DateTimeField()),
                (
                    "actor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "approver",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("terminal", models.CharField(blank=True, max_length=100)),
                ("reason", models.CharField(max_length=200)),
                ("key", models.CharField(max_length=64)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_playermerge_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("site", "number"), name="one_player_merge_per_number"),
                    models.UniqueConstraint(fields=("site", "key"), name="one_player_merge_per_key"),
                    models.CheckConstraint(
                        condition=models.Q(("merged", models.F("into")), _negated=True),
                        name="two_entries_are_merged",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("actor", models.F("approver")), _negated=True),
                        name="two_people_merge",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Table",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "seat_one",
                    models.CharField(
                        choices=[("left", "The dealer's left"), ("right", "The dealer's right")],
                        default="left",
                        help_text="the side of the dealer at which seat 1 is",
                        max_length=5,
                    ),
                ),
                (
                    "retired_at",
                    models.DateTimeField(blank=True, help_text="out of use since then", null=True),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("site", "number"), name="one_table_per_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="GameOffer",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                ("code", models.CharField(max_length=40)),
                ("offered", models.BooleanField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("site", "code"), name="one_offer_per_game")],
            },
        ),
        migrations.CreateModel(
            name="SheetVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=40)),
                ("version", models.PositiveIntegerField()),
                ("title", models.CharField(max_length=120)),
                ("raw", models.BinaryField()),
                ("sha256", models.CharField(max_length=64)),
                ("first_used_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_sheetversion_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("code", "version"), name="one_sheet_per_version"),
                ],
            },
        ),
        migrations.CreateModel(
            name="TableSession",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sessions",
                        to="tables.table",
                    ),
                ),
                (
                    "sheet",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tables.sheetversion",
                    ),
                ),
                (
                    "rate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.rate"
                    ),
                ),
                ("limit_cents", models.BigIntegerField()),
                ("max_buy_in_cents", models.BigIntegerField()),
                ("opener_cents", models.BigIntegerField()),
                (
                    "bank_chips",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.account"
                    ),
                ),
                (
                    "bank_cash",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.account"
                    ),
                ),
                ("closer_cents", models.BigIntegerField(blank=True, null=True)),
                (
                    "box",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.dropbox"
                    ),
                ),
                (
                    "dealer",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "next_rate",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tables.rate",
                    ),
                ),
                ("next_max_buy_in_cents", models.BigIntegerField(blank=True, null=True)),
                (
                    "must_move_to",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="feeders",
                        to="tables.tablesession",
                    ),
                ),
                ("opened_at", models.DateTimeField()),
                (
                    "latest_at",
                    models.DateTimeField(
                        help_text="the newest moment recorded at the table; no act is dated before it (R65)"
                    ),
                ),
                (
                    "opened_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "told_until",
                    models.DateTimeField(
                        blank=True,
                        help_text="the newest boundary or warning of which screens were told",
                        null=True,
                    ),
                ),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "closed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "permissions": [
                    ("run_floor", "Opens and closes tables, runs the floor"),
                    ("deal", "Deals rounds and enters hands"),
                    ("handle_chips", "Sells chips at a table, seats players and cashes them out"),
                    ("ask_corrections", "Asks for corrections"),
                    ("approve_corrections", "Approves corrections that somebody else asked for"),
                    ("read_tables", "Reads tables, rounds and statements"),
                    ("manage_house", "Keeps rates, sheets and staff"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("closed_at__isnull", True)),
                        fields=("table",),
                        name="one_open_session_per_table",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("limit_cents__gt", 0)), name="session_limit_above_zero"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "max_buy_in_cents__gte",
                                django.db.models.expressions.CombinedExpression(
                                    models.F("limit_cents"), "*", models.Value(30)
                                ),
                            )
                        ),
                        name="session_maximum_fits_buy_in",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("next_max_buy_in_cents__isnull", True), ("next_rate__isnull", True)),
                            models.Q(("next_max_buy_in_cents__gt", 0), ("next_rate__isnull", False)),
                            _connector="OR",
                        ),
                        name="session_change_announced_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("must_move_to__isnull", True),
                            models.Q(("must_move_to", models.F("id")), _negated=True),
                            _connector="OR",
                        ),
                        name="session_moves_elsewhere",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Attention",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tables.tablesession",
                    ),
                ),
                ("kind", models.CharField(max_length=30)),
                ("subject", models.CharField(max_length=60)),
                ("sentence", models.CharField(max_length=200)),
                ("raised_at", models.DateTimeField()),
                ("cleared_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name_plural": "attention",
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("cleared_at__isnull", True)),
                        fields=("site", "kind", "subject"),
                        name="attention_raised_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Down",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="downs",
                        to="tables.tablesession",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "rate",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tables.rate",
                    ),
                ),
                ("started_at", models.DateTimeField()),
                ("waited_from", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_down_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("session", "number"), name="one_down_per_number"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("waited_from__isnull", True),
                            ("waited_from__lt", models.F("started_at")),
                            _connector="OR",
                        ),
                        name="down_waits_forward",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ClockStop",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="stops",
                        to="tables.tablesession",
                    ),
                ),
                ("stopped_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("reason", models.CharField(max_length=200)),
                (
                    "stopped_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("started_at__isnull", True)),
                        fields=("session",),
                        name="one_open_stop_per_table",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("started_at__isnull", True),
                            ("started_at__gte", models.F("stopped_at")),
                            _connector="OR",
                        ),
                        name="stop_runs_forward",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TableEvent",
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
                    "session",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="tables.tablesession",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("opened", "Opened"),
                            ("closed", "Closed"),
                            ("seated", "Seated"),
                            ("left", "Left"),
                            ("seat_changed", "Seat Changed"),
                            ("sat_out", "Sat Out"),
                            ("returned", "Returned"),
                            ("round_started", "Round Started"),
                            ("round_voided", "Round Voided"),
                            ("clock_stopped", "Clock Stopped"),
                            ("clock_started", "Clock Started"),
                            ("correction_asked", "Correction Asked"),
                            ("correction_refused", "Correction Refused"),
                            ("box_changed", "Box Changed"),
                            ("match_called_off", "Match Called Off"),
                            ("pushed", "Pushed"),
                            ("rate_announced", "Rate Announced"),
                            ("rate_withdrawn", "Rate Withdrawn"),
                            ("rate_changed", "Rate Changed"),
                            ("must_move_set", "Must Move Set"),
                            ("time_called", "Time Called"),
                            ("chips_counted", "Chips Counted"),
                            ("fee_uncollected", "Fee Uncollected"),
                            ("claim_paid", "Claim Paid"),
                            ("hand_settlement_asked", "Hand Settlement Asked"),
                            ("hand_settlement_refused", "Hand Settlement Refused"),
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
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("data", models.JSONField(default=dict)),
                (
                    "key",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.fields.json.KeyTextTransform("key", "data"),
                        output_field=models.TextField(),
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_tableevent_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("site", "key"), name="one_event_per_key"),
                ],
                "indexes": [models.Index(fields=["session", "recorded_at"], name="events_of_a_session")],
            },
        ),
        migrations.CreateModel(
            name="Match",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="matches",
                        to="tables.tablesession",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("stake_cents", models.BigIntegerField()),
                ("called_off_at", models.DateTimeField(blank=True, null=True)),
                (
                    "called_off_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("called_off_reason", models.CharField(blank=True, max_length=200)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("session", "number"), name="one_match_per_number"),
                    models.CheckConstraint(
                        condition=models.Q(("stake_cents__gt", 0)), name="match_stake_above_zero"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("called_off_at__isnull", True),
                                ("called_off_by__isnull", True),
                                ("called_off_reason", ""),
                            ),
                            models.Q(
                                ("called_off_at__isnull", False),
                                ("called_off_by__isnull", False),
                                models.Q(("called_off_reason", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="match_called_off_with_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Round",
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
                    "session",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rounds",
                        to="tables.tablesession",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("limit_cents", models.BigIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("dealt", "Dealt"), ("settled", "Settled"), ("void", "Void")],
                        default="dealt",
                        max_length=8,
                    ),
                ),
                ("key", models.CharField(max_length=64)),
                ("content_hash", models.CharField(max_length=64)),
                ("button_seat", models.PositiveSmallIntegerField()),
                (
                    "down",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="rounds", to="tables.down"
                    ),
                ),
                (
                    "dealer",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("started_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("pair_stakes", models.JSONField(blank=True, default=list)),
                (
                    "reserved_from",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reserved_for",
                        to="tables.round",
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rounds",
                        to="tables.match",
                    ),
                ),
                ("draft", models.JSONField(default=list)),
                ("draft_version", models.PositiveIntegerField(default=0)),
                ("void_reason", models.CharField(blank=True, max_length=200)),
                ("void_key", models.CharField(blank=True, max_length=64)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("session", "number"), name="one_round_per_number"),
                    models.UniqueConstraint(fields=("site", "key"), name="one_round_per_key"),
                    models.UniqueConstraint(
                        condition=models.Q(("void_key", ""), _negated=True),
                        fields=("site", "void_key"),
                        name="one_void_per_key",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "dealt")),
                        fields=("session",),
                        name="one_running_round_per_table",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Settlement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="settlements",
                        to="tables.round",
                    ),
                ),
                ("ordinal", models.PositiveSmallIntegerField()),
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="ledger.journalentry",
                    ),
                ),
                ("settled_at", models.DateTimeField()),
                ("by_hand", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "ordering": ["ordinal"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_settlement_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("round", "ordinal"), name="one_settlement_per_ordinal"),
                ],
            },
        ),
        migrations.CreateModel(
            name="CorrectionRequest",
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
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="corrections",
                        to="tables.round",
                    ),
                ),
                ("key", models.CharField(max_length=64)),
                ("hands", models.JSONField(null=True)),
                ("points", models.JSONField(null=True)),
                ("reason", models.CharField(max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("asked", "Asked"),
                            ("approved", "Approved"),
                            ("refused", "Refused"),
                            ("overtaken", "Overtaken"),
                        ],
                        default="asked",
                        max_length=9,
                    ),
                ),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("asked_at", models.DateTimeField()),
                (
                    "decided_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("decided_at", models.DateTimeField(null=True)),
                ("decision_key", models.CharField(blank=True, max_length=64)),
                ("decision_reason", models.CharField(blank=True, max_length=200)),
                (
                    "settlement",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="correction",
                        to="tables.settlement",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("site", "key"), name="one_correction_per_key"),
                    models.UniqueConstraint(
                        condition=models.Q(("decision_key", ""), _negated=True),
                        fields=("site", "decision_key"),
                        name="one_correction_decided_per_key",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "asked")),
                        fields=("round",),
                        name="one_open_correction_per_round",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("decided_by__isnull", True),
                            models.Q(("decided_by", models.F("asked_by")), _negated=True),
                            _connector="OR",
                        ),
                        name="correction_takes_two_people",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("hands__isnull", False), ("points__isnull", True)),
                            models.Q(("hands__isnull", True), ("points__isnull", False)),
                            _connector="OR",
                        ),
                        name="correction_by_cards_or_by_points",
                    ),
                ],
                "indexes": [
                    models.Index(fields=["site", "state"], name="corrections_that_wait"),
                    models.Index(fields=["site", "asked_at"], name="corrections_of_a_day"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Claim",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "settlement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="claims",
                        to="tables.settlement",
                    ),
                ),
                (
                    "debtor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.player"
                    ),
                ),
                (
                    "creditor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.player"
                    ),
                ),
                ("cents", models.BigIntegerField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_claim_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("site", "number"), name="one_claim_per_number"),
                    models.CheckConstraint(condition=models.Q(("cents__gt", 0)), name="claim_above_zero"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ClaimPayment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "claim",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="payment", to="tables.claim"
                    ),
                ),
                (
                    "event",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.tableevent"
                    ),
                ),
                (
                    "seen_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_claimpayment_numbered_from_one"
                    )
                ]
            },
        ),
        migrations.CreateModel(
            name="Charge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="charges",
                        to="tables.tablesession",
                    ),
                ),
                (
                    "down",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="charges", to="tables.down"
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="charges",
                        to="tables.player",
                    ),
                ),
                (
                    "rate",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tables.rate",
                    ),
                ),
                ("fee_cents", models.BigIntegerField()),
                (
                    "rule",
                    models.CharField(
                        choices=[("full", "Full"), ("half", "Half"), ("covered", "Covered")], max_length=7
                    ),
                ),
                ("cents", models.BigIntegerField()),
                ("entered_at", models.DateTimeField()),
                ("minute_seconds", models.DecimalField(decimal_places=6, max_digits=12, null=True)),
                ("charged_at", models.DateTimeField()),
                (
                    "charged_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("gaming_day", models.DateField()),
                (
                    "round",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="charges",
                        to="tables.round",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_charge_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("player", "down"), name="one_charge_per_player_and_down"),
                    models.CheckConstraint(
                        condition=models.Q(("cents__gte", 0), ("cents__lte", models.F("fee_cents"))),
                        name="charge_within_fee",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("rule", "covered"), _negated=True), ("cents", 0), _connector="OR"
                        ),
                        name="covered_charge_is_nothing",
                    ),
                ],
                "indexes": [models.Index(fields=["gaming_day"], name="charges_of_a_day")],
            },
        ),
        migrations.CreateModel(
            name="Uncollected",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "charge",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="uncollected",
                        to="tables.charge",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.player"
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.tableevent"
                    ),
                ),
                ("gaming_day", models.DateField()),
                ("recorded_at", models.DateTimeField()),
            ],
            options={
                "verbose_name_plural": "uncollected fees",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_uncollected_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("site", "number"), name="one_uncollected_per_number"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Sitting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sittings",
                        to="tables.tablesession",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sittings",
                        to="tables.player",
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                (
                    "stack",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.account"
                    ),
                ),
                ("entered_at", models.DateTimeField()),
                ("recorded_at", models.DateTimeField()),
                ("left_at", models.DateTimeField(blank=True, null=True)),
                ("sitting_out", models.BooleanField(default=False)),
                ("fantasy_land", models.BooleanField(default=False)),
                ("taken_away_cents", models.BigIntegerField(blank=True, null=True)),
                (
                    "moved_from",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="moved_to",
                        to="tables.sitting",
                    ),
                ),
                (
                    "covered_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tables.charge",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("seat__gte", 1), ("seat__lte", 5)), name="five_seats"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("left_at__isnull", True)),
                        fields=("session", "seat"),
                        name="one_player_per_seat",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("left_at__isnull", True)),
                        fields=("player",),
                        name="one_seat_per_player",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FeePayment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "charge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="payments",
                        to="tables.charge",
                    ),
                ),
                (
                    "sitting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="fees_paid",
                        to="tables.sitting",
                    ),
                ),
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="fee_payment",
                        to="ledger.journalentry",
                    ),
                ),
                (
                    "method",
                    models.CharField(
                        choices=[
                            ("stack", "Stack"),
                            ("cash", "Cash"),
                            ("cage", "Cage"),
                            ("covered", "Covered"),
                            ("waived", "Waived"),
                        ],
                        max_length=7,
                    ),
                ),
                ("taken_at", models.DateTimeField()),
                (
                    "after",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="ledger.journalentry",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_feepayment_numbered_from_one"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("after__isnull", True)),
                        fields=("charge",),
                        name="one_first_payment_per_charge",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Waiver",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "payment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="waiver",
                        to="tables.feepayment",
                    ),
                ),
                (
                    "reason",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tables.waiverreason",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_waiver_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("site", "number"), name="one_waiver_per_number"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Recovery",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "uncollected",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="recoveries",
                        to="tables.uncollected",
                    ),
                ),
                (
                    "payment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="recovery",
                        to="tables.feepayment",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "recoveries",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_recovery_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("site", "number"), name="one_recovery_per_number"),
                ],
            },
        ),
        migrations.CreateModel(
            name="MatchPlayer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="players", to="tables.match"
                    ),
                ),
                (
                    "sitting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="matches",
                        to="tables.sitting",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_matchplayer_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("match", "sitting"), name="once_in_a_match"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Hand",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="hands",
                        to="tables.round",
                    ),
                ),
                (
                    "sitting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="hands", to="tables.sitting"
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                ("position", models.PositiveSmallIntegerField()),
                ("stack_cents", models.BigIntegerField()),
                ("fantasy_land", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_hand_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("round", "position"), name="one_hand_per_position"),
                ],
            },
        ),
        migrations.CreateModel(
            name="WaitingPlace",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                ("gaming_day", models.DateField()),
                ("number", models.PositiveIntegerField(help_text="serial, from 1 in every gaming day")),
                ("game", models.CharField(max_length=40)),
                ("limit_cents", models.BigIntegerField()),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="places", to="tables.player"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("called", "Called"),
                            ("held", "Held"),
                            ("seated", "Seated"),
                            ("left", "Left"),
                            ("expired", "Expired"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                (
                    "sitting",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tables.sitting",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="held_places",
                        to="tables.tablesession",
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("until", models.DateTimeField(blank=True, null=True)),
                ("key", models.CharField(max_length=64)),
                ("joined_at", models.DateTimeField()),
                (
                    "joined_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("changed_at", models.DateTimeField()),
                (
                    "changed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=200)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("site", "gaming_day", "number"), name="one_place_per_number_and_day"
                    ),
                    models.UniqueConstraint(fields=("site", "key"), name="one_place_per_key"),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["waiting", "called", "held"])),
                        fields=("player", "game", "limit_cents"),
                        name="one_place_per_player_and_list",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("seat__isnull", False), ("state__in", ["called", "held"])),
                        fields=("session", "seat"),
                        name="one_held_seat",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("seat__isnull", True),
                            models.Q(("seat__gte", 1), ("seat__lte", 5), ("session__isnull", False)),
                            _connector="OR",
                        ),
                        name="held_seat_is_at_a_table",
                    ),
                ],
                "indexes": [models.Index(fields=["site", "state"], name="places_that_stand")],
            },
        ),
        migrations.CreateModel(
            name="PlaceAct",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="ledger.site"
                    ),
                ),
                (
                    "place",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="acts",
                        to="tables.waitingplace",
                    ),
                ),
                ("key", models.CharField(max_length=100)),
                ("said", models.JSONField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id__gt", 0)), name="tables_placeact_numbered_from_one"
                    ),
                    models.UniqueConstraint(fields=("site", "key"), name="one_place_act_per_key"),
                ],
            },
        ),
        migrations.AddField(
            model_name="charge",
            name="sitting",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="charges", to="tables.sitting"
            ),
        ),
    ]
