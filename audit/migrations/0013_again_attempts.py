"""How often the look at older rows has begun without coming to its end: what workers die at is told of and passed over."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0012_times_in_calendar")]

    operations = [
        migrations.AddField("auditmark", "again_attempts", models.PositiveSmallIntegerField(default=0, db_default=0)),
    ]
