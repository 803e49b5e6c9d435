"""One full name in place of two halves, badges with their last day, and one-time codes."""

from django.db import migrations, models


def join_names(apps, schema_editor):
    """Keep the names that are known, cut to the length of the new column."""
    staff = apps.get_model("casino", "Staff")
    for person in staff.objects.exclude(first_name="", last_name=""):
        person.full_name = f"{person.first_name} {person.last_name}".strip()[:60]
        person.save(update_fields=["full_name"])


def split_names(apps, schema_editor):
    """Put the whole name into the first half."""
    staff = apps.get_model("casino", "Staff")
    for person in staff.objects.exclude(full_name=""):
        person.first_name = person.full_name
        person.save(update_fields=["first_name"])


class Migration(migrations.Migration):
    dependencies = [("casino", "0002_set_up_links")]

    operations = [
        migrations.AddField(
            "staff",
            "full_name",
            models.CharField(blank=True, help_text="in any script", max_length=60),
        ),
        migrations.RunPython(join_names, split_names),
        migrations.RemoveField("staff", "first_name"),
        migrations.RemoveField("staff", "last_name"),
        migrations.AddField(
            "staff",
            "badge",
            models.CharField(
                blank=True, help_text="number of the licence or badge to work here", max_length=30
            ),
        ),
        migrations.AddField(
            "staff",
            "badge_expires",
            models.DateField(blank=True, help_text="the last day on which it is valid", null=True),
        ),
        migrations.AddField(
            "staff",
            "code",
            models.CharField(
                blank=True,
                help_text="hashed; a one-time code from a manager, until it is used",
                max_length=128,
            ),
        ),
        migrations.AddField("staff", "code_until", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "staff",
            "must_renew",
            models.BooleanField(
                default=False, help_text="given a one-time code, and has set no own password since"
            ),
        ),
    ]
