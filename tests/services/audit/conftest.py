"""A database of its own with one settled and one open round, and its owner, who can plant a fault below every trigger."""

import random
import re
from collections.abc import Callable
from uuid import UUID

import psycopg
import pytest

from tests import playing
from tests.playing import open_round, play_out


@pytest.fixture
def settled(committed_db: str) -> UUID:
    hall = playing.halls()["first"]
    player = playing.player(hall)
    round_id = open_round(player, hall, playing.FOUR_BOXES).round_id
    play_out(player, round_id, random.Random(4))
    open_round(player, hall)
    return round_id


@pytest.fixture
def plant(owner_connection: "psycopg.Connection[tuple[object, ...]]") -> Callable[[str], None]:
    """Change rows as only the tables' owner can: with the triggers off."""

    def change(sql: str) -> None:
        (table,) = set(re.findall(r"(?:^UPDATE|^DELETE FROM) (\w+)", sql))
        owner_connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        assert owner_connection.execute(sql).rowcount > 0
        owner_connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")

    return change


@pytest.fixture
def unlinked(owner_connection: "psycopg.Connection[tuple[object, ...]]") -> None:
    """A database without the keys between rounds and other tables: their owner can take them away."""
    keys = "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE contype = 'f'"
    of_rounds = owner_connection.execute(f"{keys} AND 'rounds_round'::regclass IN (conrelid, confrelid)").fetchall()
    for table, name in of_rounds:
        owner_connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}".encode())
