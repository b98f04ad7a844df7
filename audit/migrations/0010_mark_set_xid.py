"""The transaction that came next when a mark was set: what was there by then is looked at for having been written again."""

from django.db import migrations

import casino.db

# Of marks that are there the moment is not known any more: the first reading after it comes nearest, else it is now.
SET = """
    UPDATE audit_auditmark mark SET set_xid = coalesce(
        (SELECT min(before_xid) FROM audit_auditreading WHERE table_name = mark.table_name AND era = mark.era),
        pg_snapshot_xmax(pg_current_snapshot())
    )
"""


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0009_finding_round"),
    ]

    operations = [
        migrations.AddField(
            model_name="auditmark",
            name="set_xid",
            field=casino.db.TransactionIdField(default=0),
            preserve_default=False,
        ),
        migrations.RunSQL(SET, migrations.RunSQL.noop),
    ]
