"""Reasons are found by their words also where these stand beside signs: the parser takes ``deposit/withdrawal`` for a path."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import migrations, models
from django.db.models import Func, Value

# As audit.models spells it by now: what a migration did stays, whatever becomes of the models.
_WORDS = Func(
    "reason", Value("[^[:alnum:]]+"), Value(" "), Value("g"), function="regexp_replace", output_field=models.TextField()
)


class Migration(migrations.Migration):
    dependencies = [("audit", "0017_seal_exports")]

    operations = [
        migrations.RemoveIndex("auditrecord", "audit_record_by_reason"),
        migrations.AddIndex("auditrecord", GinIndex(SearchVector(_WORDS, config="simple"), name="audit_record_by_reason")),
    ]
