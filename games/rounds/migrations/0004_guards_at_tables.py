"""Triggers that keep commitments, rounds and seats at their tables."""

from pathlib import Path
from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar[list[tuple[str, str]]] = [("rounds", "0003_rounds_at_tables")]
    operations: ClassVar[list[migrations.operations.base.Operation]] = [
        migrations.RunSQL(
            sql=Path(__file__).with_suffix(".sql").read_text(),
            reverse_sql=migrations.RunSQL.noop,
        ),
    ]
