"""Triggers that keep commitments, rounds and seats what they were, and steps and records append-only."""

from pathlib import Path
from typing import ClassVar

from django.db import migrations

from casino.db import append_only

GUARDS = {
    "rounds_commitment": ("commitment_fixed", "commitment_stays", "commitment_no_truncate"),
    "rounds_round": ("round_closed_is_final", "round_identity_fixed", "round_stays", "round_no_truncate"),
    "rounds_roundseat": ("seat_identity_fixed", "seat_stays", "seat_no_truncate"),
}
DROP = [f"DROP TRIGGER {name} ON {table};" for table, names in GUARDS.items() for name in names]


class Migration(migrations.Migration):
    dependencies: ClassVar[list[tuple[str, str]]] = [("rounds", "0001_rounds")]
    operations: ClassVar[list[migrations.operations.base.Operation]] = [
        migrations.RunSQL(
            sql=Path(__file__).with_suffix(".sql").read_text(),
            reverse_sql=[*DROP, "DROP FUNCTION refuse_round_change;"],
        ),
        append_only("rounds_roundstep"),
        append_only("rounds_roundrecord"),
    ]
