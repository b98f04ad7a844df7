"""Marks count transactions, not keys: a row that was drawn early and committed late is read, where a mark by key misses it."""

import random
from functools import partial
from typing import Any

import psycopg
import pytest
from django.db import connection, connections, transaction

from audit.continuous import incremental
from audit.continuous.moments import moment_now
from audit.models import AuditFinding, AuditMark, AuditPass, AuditReading
from casino.users.models import User
from games.rounds.models import RoundRecord
from tests import databases, playing
from tests.concurrency.racing import race
from tests.services.audit.reading import begin, findings, read_on
from wallets.models import Transfer

POST = """
    SELECT id FROM ledger_post(
        ARRAY[(SELECT min(id) FROM wallets_account WHERE kind = 'cage')], ARRAY[%s::bigint], ARRAY[100]::bigint[],
        ARRAY['deposit'], ARRAY[''], ARRAY[NULL]::bigint[], NULL, NULL, NULL)
"""


def mark_by_key() -> int:
    """Where a mark by key would stand after reading all that can be seen now."""
    return Transfer.objects.latest("pk").pk


def test_a_late_commit_with_a_lower_key_is_not_missed(committed_db: str) -> None:
    hall = playing.halls()["first"]
    early, late = (playing.fund(playing.player(hall), hall, 1).pk for _ in range(2))
    begin()
    known = set(Transfer.objects.values_list("pk", flat=True))
    with psycopg.connect(committed_db) as first, psycopg.connect(committed_db) as second:
        (lower,) = first.execute(POST, [early]).fetchone() or ()
        (higher,) = second.execute(POST, [late]).fetchone() or ()
        second.commit()
        assert lower < higher
        incremental.audit_continue()
        by_key = mark_by_key()
        assert by_key == higher
        first.commit()
    # The control: by key there is nothing new, though a row is there that nobody has read.
    assert not Transfer.objects.filter(pk__gt=by_key).exists()
    assert set(Transfer.objects.values_list("pk", flat=True)) - known == {lower, higher}
    read_on()
    unrecorded = AuditFinding.objects.filter(check_name="counter_moves_with_its_record").values_list("subject_id", flat=True)
    both = Transfer.objects.filter(pk__in=[lower, higher]).values_list("public_id", flat=True)
    assert set(unrecorded) == set(map(str, both)), "both were read: neither has its audit record"


def test_nothing_is_read_beyond_a_transaction_that_is_not_over(committed_db: str) -> None:
    hall = playing.halls()["first"]
    purse = playing.fund(playing.player(hall), hall, 1).pk
    begin()
    with psycopg.connect(committed_db) as open_session:
        open_session.execute(POST, [purse])
        (own,) = open_session.execute("SELECT pg_current_xact_id()::text::bigint").fetchone() or ()
        incremental.audit_continue()
        assert AuditMark.objects.get(pk="wallets_transfer").xid <= own


@pytest.fixture
def played(committed_db: str) -> Any:
    hall = playing.halls()["first"]
    player = playing.player(hall)
    begin()
    playing.play_out(player, playing.open_round(player, hall).round_id, random.Random(1))
    read_on()
    return hall, player


def test_a_restore_is_noticed_and_looked_at_as_a_whole(played: Any, database_server: databases.Server) -> None:
    """A copy of the database is what a restore is: all its rows, marks too, where transactions are counted otherwise."""
    settings = connections["default"].settings_dict
    name, before = settings["NAME"], AuditMark.objects.get(pk="wallets_transfer")
    connections["default"].close()
    copy = database_server.clone(name)
    settings["NAME"] = copy
    try:
        read_on()
        after = AuditMark.objects.get(pk="wallets_transfer")
        assert (after.database != before.database, after.era, after.first_key) == (True, 2, mark_by_key())
        assert findings() == {("database_restored", "database")}
        (begun,) = AuditPass.objects.filter(database=after.database)
        assert (begun.cause, begun.ended_at) == ("marks", None)
        hall, player = played
        playing.play_out(player, playing.open_round(player, hall).round_id, random.Random(2))
        assert read_on()["rounds_roundrecord"].rows == 1
    finally:
        connections["default"].close()
        settings["NAME"] = name
        database_server.drop(copy)


def test_transactions_that_count_from_below_the_mark_reset_it(played: Any) -> None:
    AuditMark.objects.update(xid=moment_now().next_xid + 1_000_000)
    read_on()
    mark = AuditMark.objects.get(pk="rounds_roundstep")
    assert (mark.era, mark.xid <= moment_now().next_xid) == (2, True)
    assert AuditPass.objects.filter(cause="marks").count() == 2
    assert {check for check, _ in findings()} == {"database_restored"}


def test_two_that_begin_a_pass_at_once_begin_one(played: Any) -> None:
    from audit.tasks import audit_night

    race([audit_night, audit_night, audit_night])
    audit_night()
    assert AuditPass.objects.filter(cause="night").count() == 1
    with transaction.atomic():
        assert AuditPass.objects.get(cause="night").pages.count() == 6


def oldest_here() -> int:
    """The oldest transaction open in this database: what is not over in another test's holds up nothing here."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {databases.OLDEST_IN_DATABASE}::text::bigint")
        return int(cursor.fetchone()[0])


def test_whoever_plays_while_the_audit_reads_is_never_suspect(committed_db: str) -> None:
    """Keys and numbers are drawn in any order between sessions: rows come with lower keys than those that have been read."""
    hall = playing.halls()["first"]
    begin()
    players = [playing.player(hall) for _ in range(3)]

    def play(player: User) -> None:
        for chance in range(4):
            playing.play_out(player, playing.open_round(player, hall).round_id, random.Random(chance))

    def read() -> None:
        for _ in range(5000):
            incremental.audit_continue(until_xid=oldest_here())
            if RoundRecord.objects.count() == 12:
                break

    outcomes = race([*(partial(play, player) for player in players), read])
    assert outcomes == [None] * len(outcomes)
    read_on()
    read_on()
    assert AuditReading.objects.filter(table_name="rounds_roundstep").count() > 1, "nothing was read while they played"
    assert findings() == set()
