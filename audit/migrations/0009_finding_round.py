"""The round that a finding is about, to be found by."""

import django.db.models.fields.json
import django.db.models.functions.comparison
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0008_returns"),
    ]

    operations = [
        migrations.AddField(
            model_name="auditfinding",
            name="round_reference",
            field=models.GeneratedField(
                db_persist=True,
                expression=django.db.models.functions.comparison.Coalesce(
                    django.db.models.fields.json.KeyTextTransform("round_id", "evidence"),
                    models.Case(models.When(subject_type="rounds.round", then="subject_id")),
                ),
                output_field=models.TextField(null=True),
            ),
        ),
        migrations.AddIndex(
            model_name="auditfinding",
            index=models.Index(fields=["round_reference", "id"], name="audit_finding_by_round"),
        ),
    ]
