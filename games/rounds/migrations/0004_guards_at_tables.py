"""Triggers that keep commitments, rounds and seats at their tables, as all else that says what they are."""

from typing import ClassVar

from django.db import migrations

COMMITMENT = ("round_id", "user_id", "hall_id", "game", "seed_hash", "seed_secret", "follows_id", "created_at")
ROUND = (
    "id", "commitment_id", "game", "rules_version", "engine_digest", "hall_id", "limit_set_id", "pay_table_id", "escrow_id",
    "currency", "head", "opened_at",
)  # fmt: skip
SEAT = ("id", "round_id", "index", "user_id", "hall_id", "account_id", "client_seed")


def guards(*more: str) -> str:
    """Write the triggers anew, for the columns of the first guards and these."""
    return "".join(
        (
            _guard("rounds_commitment", "commitment_fixed", "OLD.status <> 'unused' OR", (*COMMITMENT, *more),
                   "is what was committed to, and is spent once"),
            _guard("rounds_round", "round_identity_fixed", "", (*ROUND, *more), "plays on as it was opened"),
            _guard("rounds_roundseat", "seat_identity_fixed", "NOT OLD.is_open OR", (*SEAT, *more),
                   "stays whose it is, and is left once"),
        )
    )  # fmt: skip


def _guard(table: str, name: str, over: str, columns: tuple[str, ...], message: str) -> str:
    before, after = (", ".join(f"{row}.{column}" for column in columns) for row in ("OLD", "NEW"))
    return f"""
        DROP TRIGGER {name} ON {table};
        CREATE TRIGGER {name} BEFORE UPDATE ON {table} FOR EACH ROW
            WHEN ({over} ({before}) IS DISTINCT FROM ({after}))
            EXECUTE FUNCTION refuse_round_change('{message}');
    """


class Migration(migrations.Migration):
    dependencies: ClassVar[list[tuple[str, str]]] = [("rounds", "0003_rounds_at_tables")]
    operations: ClassVar[list[migrations.operations.base.Operation]] = [
        migrations.RunSQL(sql=guards("table_id"), reverse_sql=guards())
    ]
