import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="SetUpLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "token_hash",
                    models.CharField(help_text="SHA-256 of the token, in hex", max_length=64, unique=True),
                ),
                ("made_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("address", models.EmailField(max_length=254)),
                ("sentence", models.CharField(max_length=200)),
                ("made_at", models.DateTimeField()),
                (
                    "next_at",
                    models.DateTimeField(
                        help_text="not tried before; who tries moves it on, so that nobody else does"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Pulse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=20, unique=True)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Staff",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        help_text="unaccented letters, digits and @.+-_, so that no two look alike",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.ASCIIUsernameValidator()],
                    ),
                ),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                (
                    "date_joined",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined"),
                ),
                ("full_name", models.CharField(blank=True, help_text="in any script", max_length=60)),
                (
                    "badge",
                    models.CharField(
                        blank=True, help_text="number of the licence or badge to work here", max_length=30
                    ),
                ),
                (
                    "badge_expires",
                    models.DateField(blank=True, help_text="the last day on which it is valid", null=True),
                ),
                (
                    "pin",
                    models.CharField(
                        blank=True,
                        help_text="hashed; what a dealer or a second person types at a table",
                        max_length=128,
                    ),
                ),
                (
                    "code",
                    models.CharField(
                        blank=True,
                        help_text="hashed; a one-time code from a manager, until it is used",
                        max_length=128,
                    ),
                ),
                ("code_until", models.DateTimeField(blank=True, null=True)),
                (
                    "factor_due",
                    models.DateTimeField(
                        blank=True,
                        help_text="until when setting up the second step was put off, once",
                        null=True,
                    ),
                ),
                (
                    "must_renew",
                    models.BooleanField(
                        default=False, help_text="given a one-time code, and has set no own password since"
                    ),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "member of staff",
                "verbose_name_plural": "staff",
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.Lower("username"),
                        name="casino_staff_username_once",
                        violation_error_message="Somebody has this username already, in capital or small letters.",
                    )
                ],
            },
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="KnownBrowser",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "token_hash",
                    models.CharField(help_text="SHA-256 of the browser's cookie, in hex", max_length=64),
                ),
                ("seen_at", models.DateTimeField(help_text="the last sign-in there")),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("person", "token_hash"), name="casino_known_browser_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Attempts",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "at",
                    models.CharField(
                        choices=[
                            ("password", "Password"),
                            ("pin", "Pin"),
                            ("factor", "Factor"),
                            ("terminal", "Terminal"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "subject",
                    models.CharField(
                        help_text="SHA-256 of the name as typed, or of the terminal, in hex", max_length=64
                    ),
                ),
                (
                    "device",
                    models.CharField(
                        blank=True,
                        help_text="terminal or known browser, with its number, or all terminals; empty: all others together",
                        max_length=40,
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        help_text="who has this name, if anybody",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "terminal",
                    models.CharField(blank=True, help_text="where the last one came from", max_length=100),
                ),
                (
                    "judged",
                    models.PositiveIntegerField(
                        default=0, help_text="wrong ones that were looked at: waits follow from it"
                    ),
                ),
                (
                    "refused",
                    models.PositiveIntegerField(
                        default=0, help_text="all, with those that were sent away unread"
                    ),
                ),
                (
                    "unnoted",
                    models.PositiveIntegerField(
                        default=0, help_text="of these, what the audit log does not have yet"
                    ),
                ),
                (
                    "since",
                    models.DateTimeField(help_text="the first that the audit log does not have", null=True),
                ),
                ("last_at", models.DateTimeField()),
                ("until", models.DateTimeField(help_text="nothing is looked at before", null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("at", "subject", "device"), name="casino_attempts_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Terminal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=40)),
                (
                    "token_hash",
                    models.CharField(
                        help_text="SHA-256 of the device's cookie, in hex", max_length=64, unique=True
                    ),
                ),
                (
                    "enrolled_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("enrolled_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField(help_text="the last sign-in or PIN there")),
                ("revoked_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.Lower("name"),
                        condition=models.Q(("revoked_at", None)),
                        name="casino_terminal_name",
                    )
                ],
            },
        ),
    ]
