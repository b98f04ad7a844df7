"""Guesses at once, admins against each other, a login against the end of its user."""

import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from knox.models import AuthToken

from casino.permissions import Role
from casino.users import login, roles, selectors, services
from casino.users.login import NAME_AT_ADDRESS_LIMIT
from casino.users.models import LoginCounter, RoleGrant, User
from casino.users.roles import role_revoke
from casino.users.services import token_create, user_create, user_disable
from tests.concurrency.gate import kinds
from tests.concurrency.racing import race
from tests.user_builders import PASSWORD, user

GUESSES = 40


def guess(username: str, address: str, password: str) -> Callable[[], Any]:
    return lambda: token_create(username=username, password=password, address=address)


def test_guesses_at_once_get_no_more_tries_than_one_after_another(committed_db: str) -> None:
    user("anna")
    ends = kinds(race([guess("anna", "192.0.2.1", "wrong")] * GUESSES))
    assert ends == {"invalid_credentials": NAME_AT_ADDRESS_LIMIT, "login_locked": GUESSES - NAME_AT_ADDRESS_LIMIT}


def test_control_without_the_counter_all_are_tried(committed_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    user("anna")
    monkeypatch.setattr(login, "attempt_count", lambda limits, now: None)
    ends = kinds(race([guess("anna", "192.0.2.1", "wrong")] * GUESSES))
    assert ends == {"invalid_credentials": GUESSES}


def test_successes_at_once_leave_the_counters_at_zero(committed_db: str) -> None:
    user("anna")
    ends = kinds(race([guess("anna", "192.0.2.1", PASSWORD)] * NAME_AT_ADDRESS_LIMIT))
    assert ends == {"done": NAME_AT_ADDRESS_LIMIT}
    assert AuthToken.objects.count() == NAME_AT_ADDRESS_LIMIT
    assert set(LoginCounter.objects.values_list("attempts", flat=True)) == {0}


def mutual_removal() -> Counter[str]:
    """Let the only two admins remove each other at once."""
    first, second = user("first", Role.ADMIN), user("second", Role.ADMIN)
    revoke = partial(role_revoke, actor=first, user_id=second.public_id, role=Role.ADMIN, hall_id=None, reason="test")
    disable = partial(user_disable, actor=second, user_id=first.public_id, reason="test")
    return kinds(race([revoke, disable]))


def admins_left() -> int:
    return RoleGrant.objects.filter(role=Role.ADMIN, user__is_active=True).count()


@pytest.mark.parametrize("round_number", range(5))
def test_admins_who_remove_each_other_at_once_leave_one(committed_db: str, round_number: int) -> None:
    ends = mutual_removal()
    # Who comes only after being removed is refused as what they have become: nobody to whom users are shown.
    assert ends in ({"done": 1, "last_admin": 1}, {"done": 1, "not_found": 1})
    assert admins_left() == 1


def test_control_without_the_lock_both_admins_go(committed_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have counted before either goes on, which the lock would not let them."""
    both_have_counted = threading.Barrier(2)

    def count_and_wait(*, user: User) -> bool:
        answer = selectors.other_admin_exists(user=user)
        both_have_counted.wait(timeout=60)
        return answer

    for module in (roles, services):
        monkeypatch.setattr(module, "admins_lock", lambda: None)
        monkeypatch.setattr(module, "other_admin_exists", count_and_wait)
    assert mutual_removal() == {"done": 2}
    assert admins_left() == 0


@pytest.mark.parametrize("round_number", range(5))
def test_a_login_against_a_disabling_leaves_no_token(committed_db: str, round_number: int) -> None:
    anna = user("anna", Role.PLAYER)
    boss = user("boss", Role.ADMIN)
    race(
        [
            *[guess("anna", "192.0.2.1", PASSWORD) for _ in range(5)],
            lambda: user_disable(actor=boss, user_id=anna.public_id, reason="test"),
        ]
    )
    assert not User.objects.get(pk=anna.pk).is_active
    assert not AuthToken.objects.filter(user=anna).exists()


def test_one_name_created_at_once_is_one_user(committed_db: str) -> None:
    def create() -> User:
        return user_create(actor=None, username="anna", password=PASSWORD, role=Role.PLAYER)

    ends = kinds(race([create] * 8))
    assert ends == {"done": 1, "username_taken": 7}
    assert RoleGrant.objects.filter(user__username="anna").count() == 1
