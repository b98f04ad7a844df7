"""What keeps the ledger right below the application: triggers and the one function that posts."""

from pathlib import Path

from django.db import migrations

REVERSE = """
    DROP FUNCTION ledger_post;
    DROP FUNCTION transfer_reversal_mirrors CASCADE;
    DROP FUNCTION transfer_apply CASCADE;
    DROP FUNCTION transfer_pair_allowed;
    DROP FUNCTION refuse_account_change CASCADE;
    ALTER TABLE wallets_account RESET (fillfactor);
"""


class Migration(migrations.Migration):
    dependencies = [("wallets", "0001_account_transfer")]

    operations = [migrations.RunSQL(sql=Path(__file__).with_suffix(".sql").read_text(), reverse_sql=REVERSE)]
