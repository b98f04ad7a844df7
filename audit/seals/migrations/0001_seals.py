"""Seals, their leaves, nodes and deliveries; what was sealed stays."""

import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models

from casino.db import append_only

_LENGTHS = """
ALTER TABLE seals_sealleaf ADD CONSTRAINT seals_leaf_hash_length CHECK (octet_length(hash) = 32);
ALTER TABLE seals_sealnode ADD CONSTRAINT seals_node_hash_length CHECK (octet_length(hash) = 32);
ALTER TABLE seals_seal ADD CONSTRAINT seals_seal_hashes CHECK (
    root ~ '^[0-9a-f]{64}$' AND previous_hash ~ '^[0-9a-f]{64}$' AND hash ~ '^[0-9a-f]{64}$'
    AND octet_length(edge) = 32 * length(replace((tree_size::bit(64))::text, '0', '')));
"""
_NO_LENGTHS = """
ALTER TABLE seals_sealleaf DROP CONSTRAINT seals_leaf_hash_length;
ALTER TABLE seals_sealnode DROP CONSTRAINT seals_node_hash_length;
ALTER TABLE seals_seal DROP CONSTRAINT seals_seal_hashes;
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [("rounds", "0007_written"), ("wallets", "0004_written")]

    operations = [
        migrations.CreateModel(
            name="Seal",
            fields=[
                ("number", models.BigIntegerField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("system_identifier", models.BigIntegerField()),
                ("mark", models.BigIntegerField()),
                ("steps", models.IntegerField()),
                ("transfers", models.IntegerField()),
                ("tree_size", models.BigIntegerField()),
                ("root", models.CharField(max_length=64)),
                ("previous_hash", models.CharField(max_length=64)),
                ("hash", models.CharField(max_length=64)),
                ("edge", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="SealLeaf",
            fields=[
                ("index", models.BigIntegerField(primary_key=True, serialize=False)),
                ("kind", models.SmallIntegerField(choices=[(1, "step"), (2, "transfer")])),
                ("row_id", models.BigIntegerField()),
                ("hash", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="SealNode",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("level", models.SmallIntegerField()),
                ("index", models.BigIntegerField()),
                ("hash", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="SealDelivery",
            fields=[
                (
                    "seal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="delivery",
                        serialize=False,
                        to="seals.seal",
                    ),
                ),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("due_at", models.DateTimeField()),
                ("delivered_at", models.DateTimeField(null=True)),
                ("answer", models.CharField(blank=True, max_length=200)),
            ],
        ),
        migrations.AddConstraint(
            model_name="seal",
            constraint=models.UniqueConstraint(fields=("tree_size",), name="seals_seal_tree_size"),
        ),
        migrations.AddConstraint(
            model_name="seal",
            constraint=models.UniqueConstraint(fields=("previous_hash",), name="seals_seal_chained_once"),
        ),
        migrations.AddConstraint(
            model_name="seal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("mark__gte", 0),
                    ("number__gte", 1),
                    ("steps__gte", 0),
                    ("transfers__gte", 0),
                    models.Q(("steps__gt", 0), ("transfers__gt", 0), _connector="OR"),
                    (
                        "tree_size__gte",
                        django.db.models.expressions.CombinedExpression(models.F("steps"), "+", models.F("transfers")),
                    ),
                ),
                name="seals_seal_adds_leaves",
            ),
        ),
        migrations.AddConstraint(
            model_name="sealleaf",
            constraint=models.UniqueConstraint(fields=("kind", "row_id"), name="seals_leaf_once_per_row"),
        ),
        migrations.AddConstraint(
            model_name="sealleaf",
            constraint=models.CheckConstraint(
                condition=models.Q(("index__gte", 0), ("kind__in", [1, 2])), name="seals_leaf_kind"
            ),
        ),
        migrations.AddConstraint(
            model_name="sealnode",
            constraint=models.UniqueConstraint(fields=("level", "index"), name="seals_node_once"),
        ),
        migrations.AddIndex(
            model_name="sealdelivery",
            index=models.Index(condition=models.Q(("delivered_at", None)), fields=["due_at"], name="seals_delivery_due"),
        ),
        migrations.RunSQL(sql=_LENGTHS, reverse_sql=_NO_LENGTHS),
        append_only("seals_seal"),
        append_only("seals_sealleaf"),
        append_only("seals_sealnode"),
    ]
