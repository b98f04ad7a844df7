"""Users over HTTP: logging in and out, oneself, and what each kind of staff may do to others."""

from typing import Any

import pytest
from knox.models import AuthToken
from rest_framework.test import APIClient

from audit.models import AuditRecord
from casino.permissions import Role
from casino.users.login import NAME_AT_ADDRESS_LIMIT
from casino.users.models import User
from tests.hall_builders import hall_in_preparation
from tests.user_builders import PASSWORD, bearer, client, code_of, keyed, user

pytestmark = pytest.mark.django_db
WHY = {"reason": "test"}


@pytest.fixture
def admin() -> APIClient:
    return client(user("boss", Role.ADMIN))


def login(username: str, password: str = PASSWORD) -> Any:
    return client().post("/api/v1/auth/login", {"username": username, "password": password})


def path(of: User, action: str = "") -> str:
    return f"/api/v1/users/{of.public_id}" + (f"/{action}" if action else "")


def test_a_login_gives_a_token_that_works_until_logout() -> None:
    user("anna", Role.PLAYER)
    answer = login("Anna").json()
    anna = bearer(answer["token"])
    me = anna.get("/api/v1/me").json()
    assert (me["username"], [grant["role"] for grant in me["roles"]]) == ("anna", ["player"])
    assert me["token_expires_at"] == answer["expires_at"]
    assert me["last_login"] is not None and me["last_login"].endswith("Z")
    assert anna.post("/api/v1/auth/logout").status_code == 204
    assert code_of(anna.get("/api/v1/me"), 401) == "unauthenticated"


def test_a_logout_ends_one_token_and_logout_all_every() -> None:
    user("anna")
    first, second, third = (bearer(login("anna").json()["token"]) for _ in range(3))
    first.post("/api/v1/auth/logout")
    assert second.get("/api/v1/me").status_code == 200
    assert second.post("/api/v1/auth/logout-all").status_code == 204
    for caller in (first, second, third):
        assert code_of(caller.get("/api/v1/me"), 401) == "unauthenticated"


@pytest.mark.parametrize("who", ["unknown", "disabled", "wrong"])
def test_whatever_is_wrong_with_a_login_the_answer_is_the_same(who: str) -> None:
    user("disabled", is_active=False)
    user("wrong")
    response = login(who, PASSWORD if who == "disabled" else "wrong-password")
    assert code_of(response, 401) == "invalid_credentials"
    body = {name: value for name, value in response.json().items() if name != "request_id"}
    other = {name: value for name, value in login("nobody").json().items() if name != "request_id"}
    assert body == other


def test_no_answer_about_a_login_is_cached() -> None:
    user("anna")
    assert login("anna").headers["Cache-Control"] == "no-store"


def test_me_has_an_etag_of_its_own() -> None:
    anna = client(user("anna"))
    etag = anna.get("/api/v1/me").headers["ETag"]
    assert anna.get("/api/v1/me", HTTP_IF_NONE_MATCH=etag).status_code == 304
    assert client(user("bert")).get("/api/v1/me", HTTP_IF_NONE_MATCH=etag).status_code == 200


def test_a_password_change_ends_every_other_token() -> None:
    user("anna")
    here, there = (bearer(login("anna").json()["token"]) for _ in range(2))
    body = {"current_password": PASSWORD, "new_password": "staple-battery-horse"}
    assert here.post("/api/v1/me/password", body).status_code == 204
    assert here.get("/api/v1/me").status_code == 200
    assert there.get("/api/v1/me").status_code == 401
    assert login("anna").status_code == 401
    assert login("anna", "staple-battery-horse").status_code == 200


@pytest.mark.parametrize("weak", ["short", "password1234", "anna-anna-anna"])
def test_a_weak_password_is_refused_and_a_wrong_present_one_too(weak: str) -> None:
    anna = client(user("anna-anna-ann"))
    change = {"current_password": PASSWORD, "new_password": weak}
    response = anna.post("/api/v1/me/password", change)
    assert (code_of(response, 400), response.json()["details"]["field"]) == ("password_weak", "new_password")
    change = {"current_password": "wrong", "new_password": "staple-battery-horse"}
    assert code_of(anna.post("/api/v1/me/password", change), 403) == "password_wrong"


def test_an_admin_creates_anybody_and_an_operator_players_only(admin: APIClient) -> None:
    hall = hall_in_preparation()
    operator = client(user("operator1", Role.OPERATOR, hall=hall))
    staff = {"username": "Carla", "password": PASSWORD}
    assert admin.post("/api/v1/users", staff).json()["username"] == "carla"
    player = {"username": "dora", "password": PASSWORD, "role": "player"}
    assert [grant["role"] for grant in operator.post("/api/v1/users", player).json()["roles"]] == ["player"]
    assert code_of(operator.post("/api/v1/users", {"username": "emil", "password": PASSWORD}), 403) == "forbidden"
    assert code_of(operator.post("/api/v1/users", {**player, "role": "admin"}), 400) == "invalid_input"
    for role in (Role.PLAYER, Role.SUPERVISOR, Role.AUDITOR):
        assert code_of(client(user(f"the-{role}", role)).post("/api/v1/users", player), 403) == "forbidden"


def test_a_taken_name_is_refused_whatever_its_case(admin: APIClient) -> None:
    user("anna")
    assert code_of(admin.post("/api/v1/users", {"username": "ANNA", "password": PASSWORD}), 409) == "username_taken"


@pytest.mark.parametrize("username", ["ab", "with space", "änna", "anna@home", "-anna", "аnna", "a" * 33])
def test_a_name_is_plain(admin: APIClient, username: str) -> None:
    response = admin.post("/api/v1/users", {"username": username, "password": PASSWORD})
    assert (code_of(response, 400), response.json()["details"]["field"]) == ("invalid_input", "username")


def test_creating_with_a_key_makes_one_user(admin: APIClient) -> None:
    body = {"username": "anna", "password": PASSWORD}
    first = admin.post("/api/v1/users", body, **keyed("k"))
    disabled = admin.post(f"/api/v1/users/{first.json()['id']}/disable", WHY)
    assert disabled.json()["is_active"] is False
    again = admin.post("/api/v1/users", body, **keyed("k"))
    assert (again.status_code, again.content) == (201, first.content)
    assert User.objects.filter(username="anna").count() == 1


def test_disabling_ends_every_token_and_enabling_brings_none_back(admin: APIClient) -> None:
    anna = user("anna", Role.PLAYER)
    caller = client(anna)
    assert admin.post(path(anna, "disable"), WHY).json()["is_active"] is False
    assert caller.get("/api/v1/me").status_code == 401
    assert not AuthToken.objects.filter(user=anna).exists()
    assert login("anna").status_code == 401
    assert code_of(admin.post(path(anna, "disable"), WHY), 409) == "user_already_disabled"
    assert admin.post(path(anna, "enable"), WHY).json()["is_active"] is True
    assert code_of(admin.post(path(anna, "enable"), WHY), 409) == "user_already_enabled"
    assert caller.get("/api/v1/me").status_code == 401
    assert login("anna").status_code == 200
    records = AuditRecord.objects.filter(subject_id=str(anna.public_id)).order_by("pk")
    assert [(record.action, record.actor_name, record.reason) for record in records] == [
        ("user_disabled", "boss", "test"),
        ("login_failed", "system", ""),
        ("user_enabled", "boss", "test"),
    ]
    assert all(record.request_id for record in records)


def test_operators_look_after_players_and_see_nobody_else() -> None:
    operator = client(user("operator1", Role.OPERATOR, hall=hall_in_preparation()))
    player, staff = user("anna", Role.PLAYER), user("auditor1", Role.AUDITOR)
    both = user("both", Role.PLAYER, Role.AUDITOR)
    assert [row["username"] for row in operator.get("/api/v1/users").json()["results"]] == ["anna"]
    assert operator.get(path(player)).status_code == 200
    assert operator.post(path(player, "disable"), WHY).status_code == 200
    for other in (staff, both):
        assert code_of(operator.get(path(other)), 404) == "not_found"
        assert code_of(operator.post(path(other, "disable"), WHY), 404) == "not_found"


def test_players_see_no_users_and_not_even_themselves_among_them() -> None:
    anna = user("anna", Role.PLAYER)
    for url in ("/api/v1/users", path(anna), path(user("bert"))):
        assert code_of(client(anna).get(url), 403) == "forbidden"


def test_roles_are_given_and_taken_by_admins(admin: APIClient) -> None:
    anna, hall = user("anna"), hall_in_preparation()
    body = {"role": "cashier", "hall_id": str(hall.public_id), **WHY}
    (grant,) = admin.post(path(anna, "grant-role"), body).json()["roles"]
    assert (grant["role"], grant["hall_id"]) == ("cashier", str(hall.public_id))
    assert code_of(admin.post(path(anna, "grant-role"), body), 409) == "role_already_granted"
    assert admin.post(path(anna, "revoke-role"), body).json()["roles"] == []
    assert code_of(admin.post(path(anna, "revoke-role"), body), 404) == "not_found"
    records = AuditRecord.objects.filter(reason="test", actor_name="boss").order_by("pk")
    changes = [(record.action, record.before, record.after, record.hall_id) for record in records]
    change = {"role": "cashier", "hall_id": str(hall.public_id)}
    assert changes == [("role_granted", None, change, hall.pk), ("role_revoked", change, None, hall.pk)]


def test_a_role_is_per_hall_or_it_is_not(admin: APIClient) -> None:
    anna, hall = user("anna"), str(hall_in_preparation().public_id)
    unknown = "00000000-0000-0000-0000-000000000000"
    refused = (
        ("operator", None, 400, "invalid_input"),
        ("auditor", hall, 400, "invalid_input"),
        ("cashier", unknown, 404, "not_found"),
    )
    for role, hall_id, status, code in refused:
        response = admin.post(path(anna, "grant-role"), {"role": role, "hall_id": hall_id, **WHY})
        assert (code_of(response, status), response.json()["details"]["field"]) == (code, "hall_id")


def test_nobody_changes_their_own_standing() -> None:
    boss = user("boss", Role.ADMIN)
    user("boss2", Role.ADMIN)
    admin = client(boss)
    for action, body in (("grant-role", {"role": "auditor"}), ("revoke-role", {"role": "admin"}), ("disable", {})):
        assert code_of(admin.post(path(boss, action), {**body, **WHY}), 403) == "self_change_forbidden"


def test_only_admins_give_roles() -> None:
    anna = user("anna")
    for role in set(Role) - {Role.ADMIN, Role.OPERATOR, Role.CASHIER}:
        caller = client(user(f"the-{role}", role))
        assert code_of(caller.post(path(anna, "grant-role"), {"role": "admin", **WHY}), 403) == "forbidden"


def test_a_change_without_a_reason_is_refused(admin: APIClient) -> None:
    anna = user("anna")
    for action in ("disable", "enable", "grant-role", "revoke-role"):
        assert code_of(admin.post(path(anna, action), {}), 400) == "invalid_input"
    assert code_of(admin.post(path(anna, "disable"), {"reason": " "}), 400) == "invalid_input"


def test_a_login_over_a_socket_without_addresses_counts_too() -> None:
    user("anna")
    body = {"username": "anna", "password": PASSWORD}
    assert client().post("/api/v1/auth/login", body, REMOTE_ADDR="").status_code == 200


@pytest.mark.parametrize(("proxies", "locked"), [(0, True), (1, False)])
def test_addresses_that_clients_claim_are_believed_from_our_proxies_only(settings: Any, proxies: int, locked: bool) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": proxies}
    body = {"username": "anna", "password": "wrong"}
    codes = [
        client().post("/api/v1/auth/login", body, HTTP_X_FORWARDED_FOR=f"192.0.2.{number}").json()["code"]
        for number in range(NAME_AT_ADDRESS_LIMIT + 1)
    ]
    assert (codes[-1] == "login_locked") is locked
