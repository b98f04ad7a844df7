"""Transfers by time, for reports of intervals. They are written in the order of their times, so this costs a posting nothing."""

import django.contrib.postgres.indexes
from django.conf import settings
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("wallets", "0004_written"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="transfer",
            index=django.contrib.postgres.indexes.BrinIndex(
                autosummarize=True, fields=["at"], name="transfer_by_time", pages_per_range=32
            ),
        ),
    ]
