"""Each step and record keeps the transaction that wrote it, for those who read what is new."""

from django.db import migrations

from casino.db import written_in


class Migration(migrations.Migration):
    dependencies = [("rounds", "0006_hidden_steps")]

    operations = [written_in("rounds_roundstep"), written_in("rounds_roundrecord")]
