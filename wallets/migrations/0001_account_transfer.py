"""Accounts and the transfers between them."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from casino.db import append_only


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("halls", "0001_halls"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Account",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(db_default=models.Func(function="gen_random_uuid"), editable=False, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("player", "Player"),
                            ("escrow", "Escrow"),
                            ("house", "House"),
                            ("rake", "Rake"),
                            ("cage", "Cage"),
                        ],
                        max_length=6,
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                ("round_reference", models.UUIDField(null=True)),
                ("balance_minor", models.BigIntegerField(null=True)),
                ("sequence", models.BigIntegerField(null=True)),
                ("opened_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "hall",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="accounts",
                        to="halls.hall",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="accounts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Transfer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(db_default=models.Func(function="gen_random_uuid"), editable=False, unique=True)),
                ("at", models.DateTimeField()),
                ("step_id", models.BigIntegerField(null=True)),
                ("index", models.SmallIntegerField()),
                ("amount_minor", models.BigIntegerField()),
                ("currency", models.CharField(max_length=3)),
                ("code", models.CharField(max_length=40)),
                ("reference", models.CharField(blank=True, max_length=100)),
                ("debit_balance_after_minor", models.BigIntegerField(null=True)),
                ("debit_sequence", models.BigIntegerField(null=True)),
                ("credit_balance_after_minor", models.BigIntegerField(null=True)),
                ("credit_sequence", models.BigIntegerField(null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "credit_account",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="credits",
                        to="wallets.account",
                    ),
                ),
                (
                    "debit_account",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="debits",
                        to="wallets.account",
                    ),
                ),
                (
                    "reversal_of",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reversals",
                        to="wallets.transfer",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="account",
            index=models.Index(
                condition=models.Q(("closed_at__isnull", True), ("kind", "escrow")), fields=["id"], name="account_open_escrow"
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.CheckConstraint(
                condition=models.Q(("currency__regex", "^[A-Z]{3}$")), name="account_currency_code"
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("hall__isnull", True),
                        ("kind", "player"),
                        ("round_reference__isnull", True),
                        ("user__isnull", False),
                        ("balance_minor__isnull", False),
                        ("sequence__isnull", False),
                    ),
                    models.Q(
                        ("hall__isnull", True),
                        ("kind", "escrow"),
                        ("round_reference__isnull", False),
                        ("user__isnull", True),
                        ("balance_minor__isnull", False),
                        ("sequence__isnull", False),
                    ),
                    models.Q(
                        ("hall__isnull", False),
                        ("kind__in", ("house", "rake", "cage")),
                        ("round_reference__isnull", True),
                        ("user__isnull", True),
                        ("balance_minor__isnull", True),
                        ("sequence__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="account_fits_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.CheckConstraint(
                condition=models.Q(("balance_minor__gte", 0), ("balance_minor__lte", 9007199254740991)),
                name="account_balance_in_bounds",
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("closed_at__isnull", True), models.Q(("balance_minor", 0), ("kind", "escrow")), _connector="OR"
                ),
                name="account_closed_empty",
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "player")), fields=("user", "currency"), name="account_one_per_player"
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "escrow")), fields=("round_reference", "currency"), name="account_one_per_round"
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind__in", ("house", "rake", "cage"))),
                fields=("hall", "kind", "currency"),
                name="account_one_per_hall",
            ),
        ),
        migrations.AddIndex(
            model_name="transfer",
            index=models.Index(
                condition=models.Q(("debit_sequence__isnull", True)), fields=["debit_account", "id"], name="transfer_hall_debits"
            ),
        ),
        migrations.AddIndex(
            model_name="transfer",
            index=models.Index(
                condition=models.Q(("credit_sequence__isnull", True)),
                fields=["credit_account", "id"],
                name="transfer_hall_credits",
            ),
        ),
        migrations.AddIndex(
            model_name="transfer",
            index=models.Index(
                condition=models.Q(("created_by__isnull", False)), fields=["created_by", "id"], name="transfer_by_author"
            ),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount_minor__gte", 1), ("amount_minor__lte", 9007199254740991)),
                name="transfer_amount_in_bounds",
            ),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.CheckConstraint(
                condition=models.Q(("debit_account", models.F("credit_account")), _negated=True),
                name="transfer_between_two_accounts",
            ),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.CheckConstraint(condition=models.Q(("code", ""), _negated=True), name="transfer_has_code"),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.UniqueConstraint(
                condition=models.Q(("step_id__isnull", False)), fields=("step_id", "index"), name="transfer_step_posted_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.UniqueConstraint(
                condition=models.Q(("reversal_of__isnull", False)), fields=("reversal_of",), name="transfer_reversed_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.UniqueConstraint(
                condition=models.Q(("debit_sequence__isnull", False)),
                fields=("debit_account", "debit_sequence"),
                name="transfer_debit_sequence",
            ),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.UniqueConstraint(
                condition=models.Q(("credit_sequence__isnull", False)),
                fields=("credit_account", "credit_sequence"),
                name="transfer_credit_sequence",
            ),
        ),
        append_only("wallets_transfer"),
    ]
