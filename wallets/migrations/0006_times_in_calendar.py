"""Times of the ledger are such as can be read: one that cannot hides from every reader what else is there."""

from django.db import migrations

from casino.db import times_in_calendar


class Migration(migrations.Migration):
    dependencies = [("wallets", "0005_transfer_times")]

    operations = [
        migrations.AddConstraint("account", times_in_calendar("account_times_in_calendar", "opened_at", "closed_at")),
        migrations.AddConstraint("transfer", times_in_calendar("transfer_time_in_calendar", "at")),
    ]
