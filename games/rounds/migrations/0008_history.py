"""Indexes for the filters of the history."""

import django.db.models.expressions
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rounds", "0007_written")]

    operations = [
        migrations.AddIndex(
            model_name="round",
            index=models.Index(condition=models.Q(("status", "voided")), fields=["-id"], name="rounds_round_voided"),
        ),
        migrations.AddIndex(
            model_name="round",
            index=models.Index(fields=["game", "-id"], name="rounds_round_of_game"),
        ),
        migrations.AddIndex(
            model_name="round",
            index=models.Index(fields=["opened_at"], name="rounds_round_by_opening"),
        ),
        migrations.AddIndex(
            model_name="round",
            index=models.Index(
                condition=models.Q(("closed_at__isnull", False)), fields=["closed_at"], name="rounds_round_by_closing"
            ),
        ),
        migrations.AddIndex(
            model_name="roundseat",
            index=models.Index(condition=models.Q(("is_open", False)), fields=["staked_minor"], name="rounds_seat_by_staked"),
        ),
        migrations.AddIndex(
            model_name="roundseat",
            index=models.Index(condition=models.Q(("is_open", False)), fields=["returned_minor"], name="rounds_seat_by_returned"),
        ),
        migrations.AddIndex(
            model_name="roundseat",
            index=models.Index(
                django.db.models.expressions.CombinedExpression(models.F("returned_minor"), "-", models.F("staked_minor")),
                condition=models.Q(("is_open", False)),
                name="rounds_seat_by_net",
            ),
        ),
        migrations.AddIndex(
            model_name="roundstep",
            index=models.Index(condition=models.Q(("origin", "timeout")), fields=["-round"], name="rounds_step_automatic"),
        ),
        # The planner does not look into an index of some rows only for how often a net amount occurs.
        migrations.RunSQL(
            sql="CREATE STATISTICS rounds_seat_net ON (returned_minor - staked_minor) FROM rounds_roundseat",
            reverse_sql="DROP STATISTICS rounds_seat_net",
        ),
    ]
