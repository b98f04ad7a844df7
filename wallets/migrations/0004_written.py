"""Each transfer keeps the transaction that wrote it, for those who read what is new."""

from django.db import migrations

from casino.db import written_in


class Migration(migrations.Migration):
    dependencies = [("wallets", "0003_counter")]

    operations = [written_in("wallets_transfer")]
