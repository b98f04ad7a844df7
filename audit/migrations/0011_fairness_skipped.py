"""Which tests a run left out; and a run of few decks that looked for repeated ones alone has not passed by that."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0010_mark_set_xid"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="fairnessverdict",
            name="audit_fairness_verdict_follows",
        ),
        migrations.AddField(
            model_name="fairnessverdict",
            name="skipped",
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddConstraint(
            model_name="fairnessverdict",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("verdict", "failed"), models.Q(("failed", []), ("faults", []), _negated=True)),
                    models.Q(("failed", []), ("faults", []), ("least_p__isnull", False), ("verdict", "passed")),
                    models.Q(("failed", []), ("faults", []), ("verdict", "too_few")),
                    _connector="OR",
                ),
                name="audit_fairness_verdict_follows",
            ),
        ),
    ]
