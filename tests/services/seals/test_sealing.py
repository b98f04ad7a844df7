"""What is sealed when, by whom, and what the tables of the seals refuse."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection

from audit.check_seals import checked
from audit.models import AuditFinding
from audit.seals import checking, export, inspection, services
from audit.seals.checking import SealCheck
from audit.seals.inspection import seals_check
from audit.seals.merkle import Edge
from audit.seals.models import LeafKind, Seal, SealDelivery, SealLeaf, SealNode
from audit.seals.rows import rows_waiting
from audit.seals.selectors import seal_lag
from audit.seals.services import seal_make
from audit.seals.tasks import LAG_SECONDS_MAX, seals_check_all, seals_check_recent, seals_make
from casino.db import now
from games.rounds.models import RoundStep
from tests import playing
from tests.concurrency.racing import race
from tests.databases import OLDEST_IN_DATABASE
from tests.services.seals.conftest import Sealed
from tests.wallet_builders import account, hall, move, player
from wallets import ledger
from wallets.ledger import Posting
from wallets.models import Transfer

Owner = psycopg.Connection[tuple[Any, ...]]
POST = """
    SELECT id FROM ledger_post(ARRAY[{cage}]::bigint[], ARRAY[{purse}]::bigint[], ARRAY[100]::bigint[], ARRAY['deposit'],
                               ARRAY['']::text[], ARRAY[NULL]::bigint[], NULL, clock_timestamp(), NULL)
"""


@pytest.fixture
def money(committed_db: str) -> dict[str, int]:
    """Two purses and the cage that fills them."""
    cage = ledger.cage_account(hall().pk, "EUR")
    return {"cage": cage.pk, "purse": account(player()).pk, "other": account(player("berta")).pk}


def pay(money: dict[str, int], to: str = "purse", **kwargs: Any) -> int:
    (posted,) = move(Posting(money["cage"], money[to], 100, "deposit"), **kwargs)
    return posted.id


def sealed_ids() -> set[int]:
    return set(SealLeaf.objects.filter(kind=LeafKind.TRANSFER).values_list("row_id", flat=True))


def late_pay(owner: Owner, money: dict[str, int]) -> int:
    """Post in the owner's open transaction."""
    ((row,),) = owner.execute(POST.format(cage=money["cage"], purse=money["other"]).encode()).fetchall()
    return int(row)


def test_everything_is_sealed_once_and_nothing_makes_no_seal(sealed: Sealed) -> None:
    assert seal_make() is None
    assert sealed_ids() == set(Transfer.objects.values_list("pk", flat=True))
    assert SealLeaf.objects.filter(kind=LeafKind.STEP).count() == RoundStep.objects.count()
    assert list(SealLeaf.objects.order_by("index").values_list("index", flat=True)) == list(range(SealLeaf.objects.count()))
    sizes = [(seal.steps + seal.transfers, seal.tree_size) for seal in Seal.objects.order_by("number")]
    assert [sum(added for added, _ in sizes[: place + 1]) for place in range(3)] == [size for _, size in sizes]
    edge = Edge()
    for leaf in SealLeaf.objects.order_by("index"):
        edge.append(bytes(leaf.hash))
    assert edge.root().hex() == Seal.objects.get(number=3).root


def test_a_late_commit_with_a_lower_key_is_not_missed(money: dict[str, int], owner_connection: Owner) -> None:
    pay(money)
    assert seal_make() is not None
    with owner_connection.transaction():
        late = late_pay(owner_connection, money)
        early = pay(money)
        assert early > late
        assert seal_make() is None, "what is younger than an open transaction waits for it"
    assert seal_make() is not None
    assert {late, early} <= sealed_ids()


def test_control_by_the_newest_transaction_it_would_be_missed(
    money: dict[str, int], owner_connection: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        services, "_MOMENT_SQL", services._MOMENT_SQL.replace(OLDEST_IN_DATABASE, "pg_snapshot_xmax(pg_current_snapshot())")
    )
    pay(money)
    assert seal_make() is not None
    with owner_connection.transaction():
        late = late_pay(owner_connection, money)
        early = pay(money)
        assert seal_make() is not None
    assert seal_make() is None
    assert early in sealed_ids() and late not in sealed_ids()
    assert [(each.check, each.key) for each in seals_check(is_full=True)] == [("row_is_sealed", str(late))]


def test_more_than_one_seal_holds_goes_into_the_next(money: dict[str, int]) -> None:
    first = {pay(money) for _ in range(7)}
    assert [seal_make(leaves_max=3) is not None for _ in range(4)] == [True, True, True, False]
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(written_xid)::text::bigint < %s FROM wallets_transfer", [Seal.objects.get(number=3).mark])
        assert cursor.fetchone() == (True,)
    second = {posted.id for posted in move(*[Posting(money["cage"], money["purse"], 1, "deposit")] * 5)}
    assert [seal_make(leaves_max=2) is not None for _ in range(4)] == [True, True, True, False]
    assert sealed_ids() == first | second
    assert seals_check(is_full=True) == []


def outside(tmp_path: Path) -> list[str]:
    """What the offline checker finds, in this process, so that a test may make seals small."""
    path = tmp_path / "export.jsonl"
    call_command("seals_export", output=path)
    with path.open("rb") as lines:
        return [each.check for each in checked(SealCheck(), lines)]


def test_a_backlog_of_several_seals_is_sealed_in_its_time(
    money: dict[str, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Sealing stood still for two hours; its first seals follow each other by seconds, while their rows are old."""
    for module in (checking, export):
        monkeypatch.setattr(module, "LEAVES_MAX", 3)
    start = now()
    for hours in (9, 8):  # the first seal takes all that there is, the second is measured from it
        monkeypatch.setattr(services, "database_now", lambda hours=hours: start - timedelta(hours=hours))
        pay(money, now=start - timedelta(hours=hours))
        assert seal_make(leaves_max=3) is not None
    monkeypatch.setattr(services, "database_now", lambda: start - timedelta(minutes=20))
    for minutes in range(8):
        pay(money, now=start - timedelta(hours=2, minutes=minutes))
    assert [seal_make(leaves_max=3) is not None for _ in range(2)] == [True, True]
    monkeypatch.setattr(services, "database_now", now)
    assert seal_make(leaves_max=3) is not None, "the recent check goes on after a full seal"
    assert (seals_check(is_full=True), seals_check(is_full=False), outside(tmp_path)) == ([], [], [])
    late = pay(money, now=start - timedelta(hours=2))
    assert seal_make(leaves_max=3) is not None
    found = [("row_is_sealed_in_its_time", str(late))]
    for is_full in (True, False):
        assert [(each.check, each.key) for each in seals_check(is_full=is_full)] == found
    assert outside(tmp_path) == ["row_is_sealed_in_its_time"]


def test_rows_that_wait_are_read_a_page_at_a_time(money: dict[str, int]) -> None:
    pay(money)
    seal = seal_make()
    assert seal is not None
    waiting = {pay(money) for _ in range(2)}
    waiting |= {posted.id for posted in move(*[Posting(money["cage"], money["purse"], 1, "deposit")] * 5)}
    read: list[tuple[int, str]] = []

    def look(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        answer = execute(sql, params, many, context)
        if "FROM wallets_transfer" in sql:
            with connection.cursor() as cursor:
                cursor.cursor.execute("SHOW statement_timeout")
                read.append((context["cursor"].rowcount, cursor.cursor.fetchone()[0]))
        return answer

    with connection.execute_wrapper(look):
        rows = list(rows_waiting(mark=seal.mark, tree_size=seal.tree_size, at_once=3))
    assert [row.id for row in rows] == sorted(waiting)
    assert read == [(3, "0"), (3, "0"), (1, "0")]


@pytest.mark.parametrize("task", [seals_check_all, seals_check_recent])
def test_of_two_checks_at_once_one_works(money: dict[str, int], monkeypatch: pytest.MonkeyPatch, task: Any) -> None:
    """The first is held until the second has come to its end."""
    pay(money)
    assert seal_make() is not None
    is_over, lines = threading.Event(), inspection.export_lines
    runs: list[str] = []

    def held(**kwargs: Any) -> Any:
        runs.append("run")
        assert is_over.wait(timeout=120), "the other one works as well, and waits for this one"
        return lines(**kwargs)

    def checked_and_over() -> Any:
        answer = task()
        is_over.set()
        return answer

    monkeypatch.setattr(inspection, "export_lines", held)
    answers = race([checked_and_over] * 2)
    assert (sorted(answers, key=str), runs) == ([0, None], ["run"])
    assert task() == 0, "the lock is free again"


def test_of_several_at_once_one_seals(money: dict[str, int]) -> None:
    pay(money)
    made = race([seal_make] * 4)
    assert [each for each in made if isinstance(each, Exception)] == []
    assert Seal.objects.count() == sum(each is not None for each in made) == 1


def test_control_without_the_lock_the_tables_let_one_through(money: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = threading.Barrier(3)
    rows_new = services.rows_new

    def together(**kwargs: Any) -> Any:
        found = rows_new(**kwargs)
        meeting.wait(timeout=60)
        return found

    monkeypatch.setattr(services, "_MOMENT_SQL", services._MOMENT_SQL.replace("pg_try_advisory_xact_lock(%s)", "%s IS NOT NULL"))
    monkeypatch.setattr(services, "rows_new", together)
    pay(money)
    made = race([seal_make] * 3)
    assert sorted(type(each).__name__ for each in made) == ["Seal", "UniqueViolation", "UniqueViolation"]
    assert Seal.objects.count() == 1


def test_it_locks_nothing_that_play_waits_for(sealed: Sealed) -> None:
    playing.player(playing.Hall.objects.get(code="first"))
    held: set[tuple[str, str]] = set()

    def look(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        answer = execute(sql, params, many, context)
        if sql.startswith("INSERT INTO"):
            with connection.cursor() as cursor:
                cursor.cursor.execute(
                    "SELECT relname, mode FROM pg_locks JOIN pg_class ON pg_class.oid = relation "
                    "WHERE pid = pg_backend_pid() AND relkind = 'r' AND relnamespace = 'public'::regnamespace"
                )
                held.update(cursor.cursor.fetchall())
        return answer

    with connection.execute_wrapper(look):
        assert seal_make() is not None
    modes = {name: mode for name, mode in held if not name.startswith("seals_")}
    assert modes.keys() >= {"wallets_transfer", "rounds_roundstep"}
    assert set(modes.values()) == {"AccessShareLock"}


def test_rows_restored_on_another_server_are_sealed_whatever_their_transactions_say(
    money: dict[str, int], owner_connection: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    pay(money)
    assert seal_make() is not None
    restored = [pay(money), pay(money)]
    owner_connection.execute("ALTER TABLE wallets_transfer DISABLE TRIGGER USER")
    for row, written in zip(restored, (3, 10**15), strict=True):
        owner_connection.execute("UPDATE wallets_transfer SET written_xid = %s::xid8 WHERE id = %s", [str(written), row])
    owner_connection.execute("ALTER TABLE wallets_transfer ENABLE TRIGGER USER")
    assert seal_make() is None, "control: on the same server they cannot be told from rows that slipped in"
    named = list(zip(("row_is_sealed", "row_is_of_a_transaction"), map(str, restored), strict=True))
    assert [(each.check, each.key) for each in seals_check(is_full=True)] == named
    monkeypatch.setattr(
        services, "_MOMENT_SQL", services._MOMENT_SQL.replace("(SELECT system_identifier FROM pg_control_system())", "42")
    )
    assert seal_make(leaves_max=1) is not None
    assert Seal.objects.get(number=2).mark == 0, "not done yet"
    assert seal_make() is not None
    assert set(restored) <= sealed_ids()
    after = pay(money)
    assert seal_make() is not None
    assert after in sealed_ids() and Seal.objects.get(number=4).mark > 0
    assert seals_check(is_full=True) == []


def test_rows_held_back_by_a_transaction_that_stands_still_are_noticed(money: dict[str, int], owner_connection: Owner) -> None:
    pay(money)
    assert seals_make() == 1
    assert seal_lag() == timedelta()
    assert LAG_SECONDS_MAX == 90
    with owner_connection.transaction():
        late_pay(owner_connection, money)
        pay(money, now=now() - timedelta(seconds=30))
        assert seals_make() == 0
        assert not AuditFinding.objects.exists()
        pay(money, now=now() - timedelta(seconds=100))
        assert seals_make() == 0
        lag = seal_lag()
    assert lag >= timedelta(seconds=30)
    owner_connection.execute("SELECT 1")
    assert seals_make() == 1
    assert seal_lag() == timedelta()


def test_a_lag_over_ninety_seconds_is_a_finding(money: dict[str, int], owner_connection: Owner) -> None:
    with owner_connection.transaction():
        late_pay(owner_connection, money)
        pay(money)
        assert seals_make() == 1, "the first seal takes all that it sees"
        pay(money, now=now() - timedelta(seconds=100))
        for _ in range(2):
            assert seals_make() == 0
    finding = AuditFinding.objects.get()
    assert (finding.check_name, finding.severity, finding.times_seen) == ("seal_lag", "notice", 2)
    assert finding.evidence["seconds"] >= 100


def test_what_was_sealed_stays(sealed: Sealed, owner_connection: Owner) -> None:
    owner_connection.execute("INSERT INTO seals_sealnode (level, index, hash) VALUES (8, 0, sha256('x'))")
    for table in ("seals_seal", "seals_sealleaf", "seals_sealnode"):
        column = "steps" if table == "seals_seal" else "index"
        for statement in (f"UPDATE {table} SET {column} = 5", f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"):
            with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
                owner_connection.execute(statement.encode())


WRONG_SEALS = [
    ("seals_seal_adds_leaves", {"steps": 0, "transfers": 0}),
    ("seals_seal_adds_leaves", {"number": 0}),
    ("seals_seal_adds_leaves", {"steps": 6}),
    ("seals_seal_hashes", {"root": "x" * 64}),
    ("seals_seal_hashes", {"edge": b"x" * 32}),
    ("seals_seal_tree_size", {"number": 2, "previous_hash": "2" * 64}),
    ("seals_seal_chained_once", {"number": 2, "tree_size": 7, "edge": b"x" * 96}),
    ("seals_seal_pkey", {}),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("constraint", "changes"), WRONG_SEALS)
def test_a_seal_is_whole_and_follows_one(constraint: str, changes: dict[str, Any]) -> None:
    whole = {
        "number": 1, "at": now(), "system_identifier": 1, "mark": 9, "steps": 2, "transfers": 3, "tree_size": 5,
        "root": "0" * 64, "previous_hash": "0" * 64, "hash": "1" * 64, "edge": b"x" * 64,
    }  # fmt: skip
    Seal.objects.create(**whole)
    with pytest.raises(IntegrityError, match=constraint):
        Seal.objects.bulk_create([Seal(**(whole | changes))])


WRONG_ROWS = [
    ("seals_leaf_hash_length", SealLeaf, {"index": 1, "kind": 1, "row_id": 2, "hash": b"x"}),
    ("seals_leaf_kind", SealLeaf, {"index": 1, "kind": 3, "row_id": 2, "hash": b"x" * 32}),
    ("seals_leaf_once_per_row", SealLeaf, {"index": 1, "kind": 1, "row_id": 1, "hash": b"x" * 32}),
    ("seals_sealleaf_pkey", SealLeaf, {"index": 0, "kind": 1, "row_id": 2, "hash": b"x" * 32}),
    ("seals_node_hash_length", SealNode, {"level": 8, "index": 1, "hash": b"x"}),
    ("seals_node_once", SealNode, {"level": 8, "index": 0, "hash": b"x" * 32}),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("constraint", "model", "values"), WRONG_ROWS)
def test_a_leaf_and_a_node_are_whole_and_there_once(constraint: str, model: Any, values: dict[str, Any]) -> None:
    SealLeaf.objects.create(index=0, kind=1, row_id=1, hash=b"x" * 32)
    SealNode.objects.create(level=8, index=0, hash=b"x" * 32)
    with pytest.raises(IntegrityError, match=constraint):
        model.objects.bulk_create([model(**values)])


def test_a_seal_without_a_webhook_has_no_delivery(sealed: Sealed) -> None:
    assert not SealDelivery.objects.exists()
