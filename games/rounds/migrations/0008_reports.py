"""Rounds by the time of their end, for reports of intervals."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("halls", "0001_halls"),
        ("rounds", "0007_written"),
        ("tables", "0004_awaited"),
        ("wallets", "0005_reports"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="round",
            index=models.Index(
                condition=models.Q(("closed_at__isnull", False)), fields=["closed_at"], name="rounds_round_closed"
            ),
        ),
    ]
