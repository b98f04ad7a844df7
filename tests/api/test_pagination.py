"""Pages neither skip nor repeat, in either direction, whatever the rows have in common."""

import base64
import uuid
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.hashers import make_password
from rest_framework.test import APIClient

from casino.permissions import Role
from casino.users.models import User
from tests.user_builders import client, code_of, user

pytestmark = pytest.mark.django_db
ROWS = 200


@pytest.fixture
def auditor() -> APIClient:
    encoded = make_password(None)
    User.objects.bulk_create(User(username=f"user-{number}", password=encoded) for number in range(ROWS - 1))
    return client(user("auditor", Role.AUDITOR))


def cursor(position: str) -> str:
    return base64.b64encode(urlencode({"p": position}).encode()).decode().replace("=", "%3D")


def walk(auditor: APIClient, url: str, direction: str) -> list[dict[str, Any]]:
    pages = []
    following: str | None = url
    while following:
        page = auditor.get(following).json()
        pages.append(page)
        following = page[direction]
    return pages


def test_every_row_comes_once_forwards_and_backwards(auditor: APIClient) -> None:
    assert User.objects.values("created_at").distinct().count() == 2, "all rows but the auditor have one time"
    forwards = walk(auditor, "/api/v1/users?page_size=7", "next")
    ids = [row["id"] for page in forwards for row in page["results"]]
    newest_first = [str(key) for key in User.objects.order_by("-pk").values_list("public_id", flat=True)]
    assert ids == newest_first and len(ids) == ROWS
    second_to_last = auditor.get(forwards[-1]["previous"]).json()
    assert second_to_last["results"] == forwards[-2]["results"]
    backwards = walk(auditor, forwards[-1]["previous"], "previous")
    assert [row["id"] for page in reversed(backwards) for row in page["results"]] == ids[: len(backwards) * 7]
    assert backwards[-1]["previous"] is None


def test_rows_added_meanwhile_do_not_disturb_a_walk(auditor: APIClient) -> None:
    first = auditor.get("/api/v1/users?page_size=7").json()
    User.objects.create(username="late", password="!", public_id=uuid.uuid4())
    second = auditor.get(first["next"]).json()
    newest_first = [str(key) for key in User.objects.order_by("-pk").values_list("public_id", flat=True)]
    assert [row["id"] for row in second["results"]] == newest_first[8:15]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("cursor=nonsense", "cursor"),
        ("cursor=cD1hYmM%3D", "cursor"),
        (f"cursor={cursor('9' * 5000)}", "cursor"),
        (f"cursor={cursor('9' * 19)}", "cursor"),
        (f"cursor={cursor('٥')}", "cursor"),
        ("page_size=0", "page_size"),
        ("page_size=201", "page_size"),
        ("page_size=٥", "page_size"),
        ("page_size=-1", "page_size"),
        ("page_size=0000000019999999", "page_size"),
        ("page_size=007", "page_size"),
        (f"page_size={'9' * 5000}", "page_size"),
        ("page_size=7&page_size=8", "page_size"),
        ("rolle=player", "rolle"),
        ("role=king", "role"),
        *((f"is_active={text}", "is_active") for text in ("perhaps", "yes", "on", "T", "True", "1", "")),
        ("username=a%00b", "username"),
    ],
)
def test_a_mistaken_query_is_refused_by_name(auditor: APIClient, query: str, field: str) -> None:
    response = auditor.get(f"/api/v1/users?{query}")
    assert code_of(response, 400) == "invalid_input"
    assert response.json()["details"]["field"] == field


def test_filters_narrow_the_list(auditor: APIClient) -> None:
    assert [row["username"] for row in auditor.get("/api/v1/users?role=auditor").json()["results"]] == ["auditor"]
    assert [row["username"] for row in auditor.get("/api/v1/users?username=USER-3").json()["results"]] == ["user-3"]
    assert auditor.get("/api/v1/users?is_active=false").json()["results"] == []
    assert len(auditor.get("/api/v1/users?is_active=true&page_size=200").json()["results"]) == ROWS
