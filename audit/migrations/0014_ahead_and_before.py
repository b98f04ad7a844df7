"""What tells a row that was written under another number than its transaction's: how far numbers and keys had come by when."""

from django.db import migrations, models

import casino.db

# Of marks that are there it is not known any more how far rows' numbers had come: as far as they have come now.
_AHEAD = """
    UPDATE audit_auditmark SET ahead_xid = coalesce((SELECT max(written_xid) FROM {table}), '0') WHERE table_name = '{table}';
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0013_again_attempts"), ("wallets", "0004_written"), ("rounds", "0007_written")]

    operations = [
        migrations.AddField("auditmark", "ahead_xid", casino.db.TransactionIdField(default=0), preserve_default=False),
        migrations.AddField("auditreading", "last_key", models.BigIntegerField(default=0, db_default=0)),
        migrations.AddIndex(
            "auditreading",
            models.Index(fields=["table_name", "era", "before_xid", "last_key"], name="audit_reading_by_moment"),
        ),
        migrations.RunSQL(
            [_AHEAD.format(table=table) for table in ("wallets_transfer", "rounds_roundstep", "rounds_roundrecord")],
            migrations.RunSQL.noop,
        ),
    ]
