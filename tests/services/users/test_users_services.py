"""Users' services where HTTP does not reach: the last admin, locked logins, commands, demo users."""

import io
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import check_password
from django.core.management import CommandError, call_command
from knox.models import AuthToken

from audit.models import AuditRecord
from casino.db import now
from casino.errors import Conflict, Forbidden, RateLimited, Unauthenticated
from casino.permissions import Grant, Role
from casino.play.house import HOUSE_BOTS
from casino.users.demo import DEMO_USERS, demo_users_create
from casino.users.login import NAME_AT_ADDRESS_LIMIT, NAME_LIMIT, WINDOW, counters_purge
from casino.users.models import LoginCounter, RoleGrant, User
from casino.users.roles import role_grant, role_revoke
from casino.users.services import token_create, user_create, user_disable
from tests import playing
from tests.hall_builders import hall_in_preparation
from tests.user_builders import PASSWORD, user

pytestmark = pytest.mark.django_db


def attempt(password: str, address: str = "192.0.2.1", after: timedelta = timedelta(0), username: str = "anna") -> None:
    token_create(username=username, password=password, address=address, now=now() + after)


def test_the_last_admin_can_be_neither_stripped_nor_disabled() -> None:
    boss = user("boss", Role.ADMIN)
    user("former", Role.ADMIN, is_active=False)
    for service in (
        lambda: role_revoke(actor=None, user_id=boss.public_id, role=Role.ADMIN, hall_id=None, reason="test"),
        lambda: user_disable(actor=None, user_id=boss.public_id, reason="test"),
    ):
        with pytest.raises(Conflict, match="last admin"):
            service()
    user("second", Role.ADMIN)
    assert user_disable(actor=None, user_id=boss.public_id, reason="test").is_active is False


def test_guesses_are_locked_out_until_the_window_is_over_even_if_right() -> None:
    user("anna")
    for _ in range(NAME_AT_ADDRESS_LIMIT):
        with pytest.raises(Unauthenticated):
            attempt("wrong")
    with pytest.raises(RateLimited) as locked:
        attempt(PASSWORD)
    assert 0 < locked.value.details["retry_after_seconds"] <= WINDOW.total_seconds()
    attempt(PASSWORD, address="192.0.2.2")
    attempt(PASSWORD, after=WINDOW + timedelta(seconds=5))


def test_an_unknown_name_is_locked_out_alike() -> None:
    for _ in range(NAME_AT_ADDRESS_LIMIT):
        with pytest.raises(Unauthenticated):
            attempt("wrong", username="nobody")
    with pytest.raises(RateLimited):
        attempt("wrong", username="nobody")


def test_a_failed_login_is_in_the_trail_with_its_address() -> None:
    anna = user("anna")
    for _ in range(NAME_AT_ADDRESS_LIMIT):
        with pytest.raises(Unauthenticated):
            attempt("wrong")
    with pytest.raises(RateLimited):
        attempt("wrong")
    records = AuditRecord.objects.filter(action="login_failed").order_by("pk")
    assert [record.after for record in records] == [
        {"address": "192.0.2.1", "is_known_name": True, "locked": number == NAME_AT_ADDRESS_LIMIT}
        for number in range(1, NAME_AT_ADDRESS_LIMIT + 1)
    ]
    assert {(record.subject_type, record.subject_id) for record in records} == {("users.user", str(anna.public_id))}
    assert {(record.actor, record.actor_name) for record in records} == {(None, "system")}


def test_the_trail_keeps_no_name_that_nobody_has() -> None:
    with pytest.raises(Unauthenticated):
        attempt("wrong", username="hunter2-hunter2")
    record = AuditRecord.objects.get(action="login_failed")
    assert (record.subject_type, record.subject_id) == ("users.address", "192.0.2.1")
    assert record.after == {"address": "192.0.2.1", "is_known_name": False, "locked": False}
    assert "hunter2" not in str(record.__dict__)


def test_a_disabled_users_login_is_in_the_trail_and_a_login_is_not() -> None:
    user("anna")
    user("former", is_active=False)
    attempt(PASSWORD)
    with pytest.raises(Unauthenticated):
        attempt(PASSWORD, username="former")
    assert AuditRecord.objects.filter(action="login_failed").count() == 1


def test_many_addresses_together_are_locked_out_of_one_name() -> None:
    user("anna")
    for number in range(NAME_LIMIT):
        with pytest.raises(Unauthenticated):
            attempt("wrong", address=f"192.0.2.{number}")
    with pytest.raises(RateLimited):
        attempt(PASSWORD, address="198.51.100.1")


def test_successes_do_not_count() -> None:
    user("anna")
    for _ in range(NAME_AT_ADDRESS_LIMIT + 1):
        attempt(PASSWORD)
    assert set(LoginCounter.objects.values_list("attempts", flat=True)) == {0}


def test_no_name_or_address_is_stored_in_the_clear_and_counters_are_forgotten() -> None:
    with pytest.raises(Unauthenticated):
        attempt("wrong")
    assert all(len(key) == 64 for key in LoginCounter.objects.values_list("key", flat=True))
    assert counters_purge() == 0
    assert counters_purge(now=now() + WINDOW) == 3


def test_roles_per_hall_hold_for_their_hall_only() -> None:
    first, second = hall_in_preparation("first"), hall_in_preparation("second")
    anna = user("anna", Role.CASHIER, Role.AUDITOR, hall=first)
    assert anna.has_role(Role.CASHIER) and anna.has_role(Role.CASHIER, hall=first) and anna.has_role(Role.CASHIER, hall=first.pk)
    assert not anna.has_role(Role.CASHIER, hall=second)
    assert anna.has_role(Role.AUDITOR, hall=second)
    assert not anna.has_role(Role.ADMIN)
    assert anna.halls_of(Role.CASHIER) == {first.pk}
    assert set(anna.grants) == {Grant(Role.CASHIER, first.pk), Grant(Role.AUDITOR)}


def test_the_command_makes_an_admin_and_tells_a_made_password() -> None:
    told = io.StringIO()
    call_command("admin_create", "Root1", "--generate", stdout=told)
    root = User.objects.get(username="root1")
    assert root.has_role(Role.ADMIN)
    assert check_password(told.getvalue().split("Password: ")[1].strip(), root.password)
    record = AuditRecord.objects.get(action="user_created")
    assert (record.actor, record.after) == (None, {"username": "root1", "role": "admin", "is_house_bot": False})


def test_a_password_given_anew_ends_every_token_and_leaves_its_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    anna = user("anna", Role.PLAYER)
    token_create(username="anna", password=PASSWORD, address="127.0.0.1")
    monkeypatch.setattr("sys.stdin", io.StringIO("another-long-pass-phrase\n"))
    call_command("changepassword", anna.username, "--reason", "forgotten", stdout=io.StringIO())
    anna.refresh_from_db()
    assert check_password("another-long-pass-phrase", anna.password)
    assert not AuthToken.objects.filter(user=anna).exists()
    record = AuditRecord.objects.get(action="password_reset")
    assert (record.actor, record.reason, record.subject_id) == (None, "forgotten", str(anna.public_id))
    for name, stdin, code in (("nobody", "another-long-pass-phrase\n", "not_found"), ("anna", "x\n", "password_weak")):
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        with pytest.raises(CommandError, match=code):
            call_command("changepassword", name, "--reason", "forgotten")


def test_there_are_no_superusers() -> None:
    with pytest.raises(CommandError, match="admin_create"):
        call_command("createsuperuser")


def test_the_command_reads_a_password_and_refuses_a_weak_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("short\n"))
    with pytest.raises(CommandError, match="password_weak"):
        call_command("admin_create", "root1")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    call_command("admin_create", "root1", stdout=io.StringIO())
    assert User.objects.get(username="root1").has_role(Role.ADMIN)


def test_demo_users_have_every_role_and_come_once(settings: object) -> None:
    settings.EMBEDDED = True  # type: ignore[attr-defined]
    halls = [hall_in_preparation("first"), hall_in_preparation("second")]
    for _ in range(2):
        assert demo_users_create(halls=halls) == DEMO_USERS
    assert {demo.role for demo in DEMO_USERS} == set(Role)
    assert User.objects.filter(username__in=[demo.username for demo in DEMO_USERS]).count() == len(DEMO_USERS)
    cashier = User.objects.get(username="cashier")
    assert cashier.halls_of(Role.CASHIER) == {hall.pk for hall in halls}
    for demo in DEMO_USERS:
        assert check_password(demo.password, User.objects.get(username=demo.username).password)


def test_the_demo_has_a_house_bot_with_money_for_each_game_among_players(db: None, settings: object) -> None:
    settings.EMBEDDED = True  # type: ignore[attr-defined]
    call_command("demo", stdout=io.StringIO())
    bots = User.objects.filter(is_house_bot=True)
    assert set(bots.values_list("username", flat=True)) == set(HOUSE_BOTS.values())
    assert all(playing.balance(bot) for bot in bots)


def test_demo_users_are_refused_outside_the_embedded_stack(settings: object) -> None:
    settings.EMBEDDED = False  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match="embedded"):
        demo_users_create(halls=[])
    assert not RoleGrant.objects.exists()


def test_the_services_decide_who_may_whoever_calls_them() -> None:
    anna, supervisor = user("anna", Role.PLAYER), user("supervisor", Role.SUPERVISOR)
    for actor in (anna, supervisor):
        calls = (
            lambda actor=actor: user_create(actor=actor, username="berta", password=PASSWORD, role=Role.PLAYER),
            lambda actor=actor: role_grant(actor=actor, user_id=anna.public_id, role=Role.ADMIN, hall_id=None, reason="test"),
            lambda actor=actor: role_revoke(actor=actor, user_id=anna.public_id, role=Role.PLAYER, hall_id=None, reason="test"),
        )
        for call in calls:
            with pytest.raises(Forbidden) as refusal:
                call()
            assert refusal.value.code == "forbidden"
    assert {grant.role for grant in User.objects.get(pk=anna.pk).grants} == {Role.PLAYER}
