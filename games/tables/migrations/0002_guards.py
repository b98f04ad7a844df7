"""Triggers that keep tables and stays what they were, and a table's events append-only."""

from pathlib import Path
from typing import ClassVar

from django.db import migrations

from casino.db import append_only

GUARDS = {
    "tables_table": ("table_agreement_fixed", "table_stays", "table_no_truncate"),
    "tables_tableseat": ("stay_identity_fixed", "stay_stays", "stay_no_truncate"),
}
DROP = [f"DROP TRIGGER {name} ON {table};" for table, names in GUARDS.items() for name in names]


class Migration(migrations.Migration):
    dependencies: ClassVar[list[tuple[str, str]]] = [("tables", "0001_tables")]
    operations: ClassVar[list[migrations.operations.base.Operation]] = [
        migrations.RunSQL(
            sql=Path(__file__).with_suffix(".sql").read_text(),
            reverse_sql=[*DROP, "DROP FUNCTION refuse_table_change;"],
        ),
        append_only("tables_tableevent"),
    ]
