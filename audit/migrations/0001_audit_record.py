"""The trail of administrative changes, written once."""

import uuid

import django.core.serializers.json
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from casino.db import append_only


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("actor_name", models.CharField(max_length=150)),
                ("action", models.CharField(max_length=100)),
                ("subject_type", models.CharField(max_length=100)),
                ("subject_id", models.CharField(max_length=100)),
                ("hall_id", models.BigIntegerField(null=True)),
                ("before", models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, null=True)),
                ("after", models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, null=True)),
                ("reason", models.TextField(blank=True, default="")),
                ("request_id", models.CharField(blank=True, default="", max_length=100)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["subject_type", "subject_id", "id"], name="audit_record_by_subject"),
                    models.Index(fields=["hall_id", "id"], name="audit_record_by_hall"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("actor_name", ""), _negated=True),
                            models.Q(("action", ""), _negated=True),
                            models.Q(("subject_type", ""), _negated=True),
                            models.Q(("subject_id", ""), _negated=True),
                        ),
                        name="audit_record_complete",
                    )
                ],
            },
        ),
        append_only("audit_auditrecord"),
    ]
