"""Guesses at once, admins against each other, a login against the end of its user."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from django.db import connection
from knox.models import AuthToken

from casino.errors import DomainError
from casino.permissions import Role
from casino.users.login import NAME_AT_ADDRESS_LIMIT
from casino.users.models import LoginCounter, RoleGrant, User
from casino.users.roles import role_revoke
from casino.users.services import token_create, user_create, user_disable
from tests.user_builders import PASSWORD, user

GUESSES = 40


def at_once(calls: list[Callable[[], Any]]) -> list[str]:
    """Make the calls from one barrier; tell each one's end by its error's code or "done"."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> str:
        barrier.wait(timeout=30)
        try:
            call()
        except DomainError as error:
            return error.code
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def guess(username: str, address: str, password: str) -> Callable[[], Any]:
    return lambda: token_create(username=username, password=password, address=address)


def test_guesses_at_once_get_no_more_tries_than_one_after_another(committed_db: str) -> None:
    user("anna")
    ends = Counter(at_once([guess("anna", "192.0.2.1", "wrong") for _ in range(GUESSES)]))
    assert ends == {"invalid_credentials": NAME_AT_ADDRESS_LIMIT, "login_locked": GUESSES - NAME_AT_ADDRESS_LIMIT}


def test_control_guesses_that_share_nothing_are_all_tried(committed_db: str) -> None:
    ends = Counter(at_once([guess(f"user{number}", f"192.0.2.{number}", "wrong") for number in range(GUESSES)]))
    assert ends == {"invalid_credentials": GUESSES}


def test_successes_at_once_leave_the_counters_at_zero(committed_db: str) -> None:
    user("anna")
    ends = at_once([guess("anna", "192.0.2.1", PASSWORD) for _ in range(NAME_AT_ADDRESS_LIMIT)])
    assert set(ends) == {"done"}
    assert AuthToken.objects.count() == NAME_AT_ADDRESS_LIMIT
    assert set(LoginCounter.objects.values_list("attempts", flat=True)) == {0}


@pytest.mark.parametrize("round_number", range(5))
def test_admins_who_remove_each_other_at_once_leave_one(committed_db: str, round_number: int) -> None:
    first, second = user("first", Role.ADMIN), user("second", Role.ADMIN)
    why = {"reason": "test"}
    ends = at_once(
        [
            lambda: role_revoke(actor=first, public_id=second.public_id, role=Role.ADMIN, hall_id=None, **why),
            lambda: user_disable(actor=second, public_id=first.public_id, **why),
        ]
    )
    assert sorted(ends) == ["done", "last_admin"]
    assert RoleGrant.objects.filter(role=Role.ADMIN, user__is_active=True).count() == 1


def test_control_without_the_lock_both_admins_go(committed_db: str) -> None:
    first, second = user("first", Role.ADMIN), user("second", Role.ADMIN)
    others = "SELECT count(*) FROM users_rolegrant WHERE role = 'admin' AND user_id <> %s"
    with psycopg.connect(committed_db) as one, psycopg.connect(committed_db) as other:
        for transaction, target in ((one, second), (other, first)):
            assert transaction.execute(others, [target.pk]).fetchone() == (1,), "each sees the other's admin remain"
        for transaction, target in ((one, second), (other, first)):
            transaction.execute("DELETE FROM users_rolegrant WHERE user_id = %s", [target.pk])
    assert not RoleGrant.objects.filter(role=Role.ADMIN).exists()


@pytest.mark.parametrize("round_number", range(5))
def test_a_login_against_a_disabling_leaves_no_token(committed_db: str, round_number: int) -> None:
    anna = user("anna", Role.PLAYER)
    boss = user("boss", Role.ADMIN)
    at_once(
        [
            *[guess("anna", "192.0.2.1", PASSWORD) for _ in range(5)],
            lambda: user_disable(actor=boss, public_id=anna.public_id, reason="test"),
        ]
    )
    assert not User.objects.get(pk=anna.pk).is_active
    assert not AuthToken.objects.filter(user=anna).exists()


def test_one_name_created_at_once_is_one_user(committed_db: str) -> None:
    def create() -> User:
        return user_create(actor=None, username="anna", password=PASSWORD, role=Role.PLAYER)

    ends = Counter(at_once([create] * 8))
    assert ends == {"done": 1, "username_taken": 7}
    assert RoleGrant.objects.filter(user__username="anna").count() == 1
