"""Races whose worst moment is not left to chance."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import connection

from games.rounds.locks import step_moment
from games.rounds.models import Round, RoundSeat
from tests.concurrency.racing import race
from wallets.ledger import house_account

PATIENCE = "120s"
_WAITING = """
    SELECT count(DISTINCT waiter.pid) FROM pg_locks waiter JOIN pg_locks present USING (pid)
    WHERE NOT waiter.granted AND present.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def race_behind(owner: psycopg.Connection, account_ids: Iterable[int], calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Race while the accounts' rows are held, until every call waits for one: each has read all it reads before.

    A busy machine may take longer to bring them there than the role's lock timeout allows: the callers are patient.
    """
    with ThreadPoolExecutor(1) as pool:
        with owner.transaction():
            owner.execute("SELECT FROM wallets_account WHERE id = ANY(%s) FOR NO KEY UPDATE", [list(account_ids)])
            running = pool.submit(race, [patient(call) for call in calls])
            pause = threading.Event()
            while not running.done() and owner.execute(_WAITING).fetchone() != (len(calls),):
                pause.wait(0.01)  # leaves the interpreter to the callers
        return running.result()


def patient(call: Callable[[], Any]) -> Callable[[], Any]:
    """Let a call wait for locks as long as it takes."""

    def patiently() -> Any:
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = '{PATIENCE}'; SET statement_timeout = '{PATIENCE}'")
        return call()

    return patiently


def kinds(outcomes: Sequence[Any]) -> Counter[str]:
    """Count what came out: the code of a refusal, the name of any other error, ``done`` for the rest."""
    return Counter(
        getattr(outcome, "code", type(outcome).__name__) if isinstance(outcome, Exception) else "done" for outcome in outcomes
    )


def without_posting_lock(owner: psycopg.Connection) -> None:
    """Let ledger_post go ahead without locking its accounts first."""
    (source,) = owner.execute("SELECT pg_get_functiondef('ledger_post'::regproc)").fetchone() or ("",)
    head, lock, rest = source.partition("PERFORM FROM wallets_account")
    assert lock
    owner.execute((head + rest.partition(";")[2]).encode())


def without_balance_check(owner: psycopg.Connection) -> None:
    """Let a balance go below zero."""
    owner.execute("ALTER TABLE wallets_account DROP CONSTRAINT account_balance_in_bounds")


def without_the_rounds_lock(monkeypatch: pytest.MonkeyPatch, callers: int) -> None:
    """Let all callers read a round as it stands before any of them plays on."""
    meeting = threading.Barrier(callers)

    def unlocked(round_id: UUID, *, skip_locked: bool = False) -> Any:
        row = Round.objects.defer("head").get(commitment_id=round_id)
        row.house_id = house_account(row.hall_id, row.currency).pk
        seats = list(RoundSeat.objects.filter(round=row).order_by("index"))
        moment = step_moment()
        meeting.wait(timeout=60)
        return row, seats, moment

    monkeypatch.setattr("games.rounds.services.round_lock", unlocked)
