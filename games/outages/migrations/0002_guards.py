"""Outages are written once; of heartbeats there is one for each part, from the beginning."""

from typing import ClassVar

from django.db import migrations

from casino.db import append_only


class Migration(migrations.Migration):
    dependencies: ClassVar[list[tuple[str, str]]] = [("outages", "0001_outages")]
    operations: ClassVar[list[migrations.operations.base.Operation]] = [
        append_only("outages_outage"),
        migrations.RunSQL(
            sql="INSERT INTO outages_heartbeat (part) VALUES ('web'), ('sweep')",
            reverse_sql="DELETE FROM outages_heartbeat",
        ),
    ]
