"""Halls over HTTP: who may see and change what, and under which version."""

import uuid
from typing import Any

import pytest
from rest_framework.test import APIClient

from audit.models import AuditRecord
from casino.permissions import Role
from games.halls.models import Hall
from tests.hall_builders import caller, hall_in_preparation, open_hall

pytestmark = pytest.mark.django_db

NEW_HALL = {"code": "garden", "name": "Garden", "currency": "EUR", "time_zone": "Europe/Vienna", "reason": "Summer"}


def test_an_admin_creates_edits_opens_and_closes_a_hall() -> None:
    admin = caller(Role.ADMIN)
    created = admin.post("/api/v1/halls", NEW_HALL)
    assert (created.status_code, created["ETag"], created.json()["is_open"]) == (201, '"1"', False)
    path = f"/api/v1/halls/{created.json()['id']}"
    assert created["Location"] == f"http://testserver{path}"

    edited = admin.patch(path, {"name": "Winter garden", "reason": "Snow"}, HTTP_IF_MATCH='"1"')
    assert (edited.status_code, edited["ETag"], edited.json()["name"]) == (200, '"2"', "Winter garden")
    opened = admin.post(f"{path}/open", {"reason": "Ready"}, HTTP_IF_MATCH='"2"')
    assert (opened.status_code, opened["ETag"], opened.json()["is_open"]) == (200, '"3"', True)
    closed = admin.post(f"{path}/close", {"reason": "Night"}, HTTP_IF_MATCH='"3"')
    assert (closed.status_code, closed["ETag"], closed.json()["is_open"]) == (200, '"4"', False)

    shown = admin.get(path)
    assert (shown["ETag"], shown.json()) == ('"4"', closed.json())
    assert admin.get(path, HTTP_IF_NONE_MATCH='"4"').status_code == 304
    assert admin.head(path)["ETag"] == '"4"'
    assert list(AuditRecord.objects.order_by("id").values_list("action", "reason")) == [
        ("hall_created", "Summer"),
        ("hall_edited", "Snow"),
        ("hall_opened", "Ready"),
        ("hall_closed", "Night"),
    ]


def test_a_hall_shows_these_fields_and_no_others() -> None:
    hall = open_hall()
    assert set(caller(Role.PLAYER).get(f"/api/v1/halls/{hall.public_id}").json()) == {
        "id",
        "code",
        "name",
        "currency",
        "time_zone",
        "is_open",
        "opened_at",
        "created_at",
    }


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"currency": "eur"}, "currency"),
        ({"currency": "XX1"}, "currency"),
        ({"code": "Big Hall"}, "code"),
        ({"code": 5}, "code"),
        ({"name": ""}, "name"),
        ({"name": "two\nlines"}, "name"),
        ({"name": " Garden"}, "name"),
        ({"time_zone": "Nowhere"}, "time_zone"),
        ({"time_zone": None}, "time_zone"),
        ({"reason": " "}, "reason"),
        ({"is_open": True}, "is_open"),
        ({"version": 7}, "version"),
    ],
)
def test_nonsense_is_refused_with_the_field_named(change: dict[str, Any], field: str) -> None:
    refused = caller(Role.ADMIN).post("/api/v1/halls", NEW_HALL | change)
    assert (refused.status_code, refused.json()["code"], refused.json()["details"]["field"]) == (400, "invalid_input", field)
    assert not Hall.objects.exists()


def test_a_code_taken_is_a_conflict() -> None:
    admin = caller(Role.ADMIN)
    admin.post("/api/v1/halls", NEW_HALL)
    again = admin.post("/api/v1/halls", NEW_HALL)
    assert (again.status_code, again.json()["code"]) == (409, "hall_code_taken")
    assert Hall.objects.count() == 1


def test_a_retry_with_its_key_answers_the_same_hall() -> None:
    admin = caller(Role.ADMIN)
    first = admin.post("/api/v1/halls", NEW_HALL, HTTP_IDEMPOTENCY_KEY="garden-1")
    again = admin.post("/api/v1/halls", NEW_HALL, HTTP_IDEMPOTENCY_KEY="garden-1")
    assert (again.status_code, again.content, again["Idempotency-Replayed"]) == (201, first.content, "true")
    assert Hall.objects.count() == AuditRecord.objects.count() == 1


def test_a_retried_change_is_answered_although_the_version_has_moved_on() -> None:
    admin, hall = caller(Role.ADMIN), hall_in_preparation()
    path = f"/api/v1/halls/{hall.public_id}/open"
    headers: dict[str, Any] = {"HTTP_IF_MATCH": '"1"', "HTTP_IDEMPOTENCY_KEY": "open-1"}
    first = admin.post(path, {"reason": "Ready"}, **headers)
    again = admin.post(path, {"reason": "Ready"}, **headers)
    assert (first.status_code, again.status_code, again.content) == (200, 200, first.content)
    hall.refresh_from_db()
    assert hall.version == 2


@pytest.mark.parametrize(
    ("if_match", "status", "code"),
    [
        (None, 428, "precondition_required"),
        ("", 428, "precondition_required"),
        ('"2"', 412, "precondition_failed"),
        ("1", 412, "precondition_failed"),
        ('W/"1"', 412, "precondition_failed"),
        ("*", 412, "precondition_failed"),
        ('"\u0661"', 412, "precondition_failed"),
    ],
)
def test_a_change_must_name_the_version_that_is_there(if_match: str | None, status: int, code: str) -> None:
    hall = hall_in_preparation()
    headers: dict[str, Any] = {} if if_match is None else {"HTTP_IF_MATCH": if_match}
    path = f"/api/v1/halls/{hall.public_id}"
    admin = caller(Role.ADMIN)
    for refused in (
        admin.patch(path, {"name": "Other", "reason": "test"}, **headers),
        admin.post(f"{path}/open", {"reason": "test"}, **headers),
        admin.post(f"{path}/close", {"reason": "test"}, **headers),
    ):
        assert (refused.status_code, refused.json()["code"]) == (status, code)
    after = Hall.objects.get()
    assert (after.name, after.is_open, after.version) == ("Test hall", False, 1)


def test_a_nonsensical_body_comes_before_a_missing_version() -> None:
    hall = hall_in_preparation()
    refused = caller(Role.ADMIN).patch(f"/api/v1/halls/{hall.public_id}", {"name": "", "reason": "test"})
    assert refused.status_code == 400


def test_an_edit_of_nothing_is_refused() -> None:
    hall = hall_in_preparation()
    refused = caller(Role.ADMIN).patch(f"/api/v1/halls/{hall.public_id}", {"reason": "test"}, HTTP_IF_MATCH='"1"')
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_input")
    assert Hall.objects.get().version == 1


def test_opening_twice_is_a_conflict() -> None:
    hall = open_hall()
    path = f"/api/v1/halls/{hall.public_id}/open"
    refused = caller(Role.ADMIN).post(path, {"reason": "test"}, HTTP_IF_MATCH=f'"{hall.version}"')
    assert (refused.status_code, refused.json()["code"]) == (409, "hall_open")


def test_an_operator_changes_their_own_hall_only() -> None:
    own, other = hall_in_preparation("own"), open_hall("other")
    operator = caller(Role.OPERATOR, own)
    body = {"name": "Renamed", "reason": "test"}
    assert operator.patch(f"/api/v1/halls/{own.public_id}", body, HTTP_IF_MATCH='"1"').status_code == 200
    etag = f'"{other.version}"'
    assert operator.patch(f"/api/v1/halls/{other.public_id}", body, HTTP_IF_MATCH=etag).status_code == 403
    assert operator.post(f"/api/v1/halls/{other.public_id}/close", {"reason": "test"}, HTTP_IF_MATCH=etag).status_code == 403
    assert operator.post("/api/v1/halls", NEW_HALL).status_code == 403
    other.refresh_from_db()
    assert (other.name, other.is_open) == ("Test hall", True)


@pytest.mark.parametrize("role", [Role.PLAYER, Role.CASHIER, Role.SUPERVISOR, Role.AUDITOR])
def test_others_change_nothing(role: Role) -> None:
    hall = open_hall()
    client = caller(role, hall if role is Role.CASHIER else None)
    path = f"/api/v1/halls/{hall.public_id}"
    etag = f'"{hall.version}"'
    assert client.post("/api/v1/halls", NEW_HALL).status_code == 403
    assert client.patch(path, {"name": "Other", "reason": "test"}, HTTP_IF_MATCH=etag).status_code == 403
    assert client.post(f"{path}/open", {"reason": "test"}, HTTP_IF_MATCH=etag).status_code == 403
    assert client.post(f"{path}/close", {"reason": "test"}, HTTP_IF_MATCH=etag).status_code == 403
    assert Hall.objects.get().version == hall.version


def test_a_hall_in_preparation_is_for_those_who_prepare_it() -> None:
    hall, known = hall_in_preparation("next"), open_hall("known")
    path = f"/api/v1/halls/{hall.public_id}"
    for client in (caller(Role.PLAYER), caller(Role.OPERATOR, known)):
        assert client.get(path).status_code == 404
        assert client.patch(path, {"name": "x", "reason": "test"}, HTTP_IF_MATCH='"1"').status_code in (403, 404)
        assert [item["code"] for item in client.get("/api/v1/halls").json()["results"]] == ["known"]
    for client in (caller(Role.ADMIN), caller(Role.AUDITOR), caller(Role.OPERATOR, hall)):
        assert client.get(path).status_code == 200
        assert [item["code"] for item in client.get("/api/v1/halls").json()["results"]] == ["known", "next"]


def test_a_closed_hall_stays_visible_so_that_its_rounds_can_be_finished() -> None:
    hall = open_hall()
    path = f"/api/v1/halls/{hall.public_id}"
    caller(Role.ADMIN).post(f"{path}/close", {"reason": "Night"}, HTTP_IF_MATCH=f'"{hall.version}"')
    shown = caller(Role.PLAYER).get(path)
    assert (shown.status_code, shown.json()["is_open"]) == (200, False)


def test_nobody_unknown_sees_halls() -> None:
    hall = open_hall()
    for path in ("/api/v1/halls", f"/api/v1/halls/{hall.public_id}", f"/api/v1/halls/{hall.public_id}/games"):
        assert APIClient().get(path).status_code == 401


def test_an_unknown_hall_is_not_found() -> None:
    admin = caller(Role.ADMIN)
    path = f"/api/v1/halls/{uuid.uuid4()}"
    assert admin.get(path).status_code == 404
    assert admin.patch(path, {"name": "Other", "reason": "test"}, HTTP_IF_MATCH='"1"').status_code == 404
    assert admin.get("/api/v1/halls/first").status_code == 404


def test_pages_of_halls_hold_each_once() -> None:
    for number in range(5):
        hall_in_preparation(f"hall-{number}")
    admin = caller(Role.ADMIN)
    codes, url = [], "/api/v1/halls?page_size=2"
    while url:
        page = admin.get(url).json()
        codes += [item["code"] for item in page["results"]]
        url = page["next"]
    assert codes == [f"hall-{number}" for number in (4, 3, 2, 1, 0)]
    assert admin.get("/api/v1/halls?is_opne=true").status_code == 400
