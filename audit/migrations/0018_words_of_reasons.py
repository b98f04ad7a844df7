"""Reasons are found by their words also where these stand beside signs: the parser takes ``deposit/withdrawal`` for a path."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import migrations

from audit.models import words_of


class Migration(migrations.Migration):
    dependencies = [("audit", "0017_seal_exports")]

    operations = [
        migrations.RemoveIndex("auditrecord", "audit_record_by_reason"),
        migrations.AddIndex(
            "auditrecord", GinIndex(SearchVector(words_of("reason"), config="simple"), name="audit_record_by_reason")
        ),
    ]
