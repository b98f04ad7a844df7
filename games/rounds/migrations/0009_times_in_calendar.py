"""Times of rounds are such as can be read: one that cannot hides from every reader what else is there."""

from django.db import migrations

from casino.db import times_in_calendar


class Migration(migrations.Migration):
    dependencies = [("rounds", "0008_history")]

    operations = [
        migrations.AddConstraint("commitment", times_in_calendar("rounds_commitment_time_in_calendar", "created_at")),
        migrations.AddConstraint(
            "round", times_in_calendar("rounds_round_times_in_calendar", "opened_at", "acted_at", "closed_at")
        ),
        migrations.AddConstraint("roundseat", times_in_calendar("rounds_seat_times_in_calendar", "deadline", "waiting_since")),
        migrations.AddConstraint("roundstep", times_in_calendar("rounds_step_time_in_calendar", "at")),
    ]
