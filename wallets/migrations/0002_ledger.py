"""What keeps the ledger right below the application: triggers and the one function that posts."""

from pathlib import Path

from django.db import migrations, models

REVERSE = """
    DROP VIEW wallets_statement;
    DROP FUNCTION ledger_post;
    DROP FUNCTION transfer_reversal_mirrors CASCADE;
    DROP FUNCTION transfer_apply CASCADE;
    DROP FUNCTION transfer_pair_allowed;
    DROP FUNCTION refuse_account_change CASCADE;
    ALTER TABLE wallets_account RESET (fillfactor);
"""


class Migration(migrations.Migration):
    dependencies = [("wallets", "0001_account_transfer")]

    operations = [
        migrations.RunSQL(
            sql=Path(__file__).with_suffix(".sql").read_text(),
            reverse_sql=REVERSE,
            state_operations=[
                migrations.CreateModel(
                    name="StatementLine",
                    fields=[
                        (
                            "transfer",
                            models.OneToOneField(
                                on_delete=models.DO_NOTHING,
                                primary_key=True,
                                related_name="+",
                                serialize=False,
                                to="wallets.transfer",
                            ),
                        ),
                        ("account", models.ForeignKey(on_delete=models.DO_NOTHING, related_name="lines", to="wallets.account")),
                        ("counterpart", models.ForeignKey(on_delete=models.DO_NOTHING, related_name="+", to="wallets.account")),
                        ("direction", models.CharField(choices=[("in", "In"), ("out", "Out")], max_length=3)),
                        ("amount_minor", models.BigIntegerField()),
                        ("sequence", models.BigIntegerField(null=True)),
                        ("balance_after_minor", models.BigIntegerField(null=True)),
                        ("counterpart_sequence", models.BigIntegerField(null=True)),
                    ],
                    options={"db_table": "wallets_statement", "managed": False},
                )
            ],
        )
    ]
