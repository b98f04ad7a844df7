"""An export may be of the seals."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0016_finding_previous")]

    operations = [
        migrations.AlterField(
            model_name="export",
            name="format",
            field=models.CharField(choices=[("jsonl", "Jsonl"), ("csv", "Csv"), ("seals", "Seals")], max_length=5),
        ),
        migrations.RemoveConstraint(model_name="export", name="audit_export_format"),
        migrations.AddConstraint(
            model_name="export",
            constraint=models.CheckConstraint(
                condition=models.Q(("format__in", ["jsonl", "csv", "seals"])), name="audit_export_format"
            ),
        ),
    ]
