"""The contract that all API tests are held to notices what is not as documented; without this control it might notice nothing."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import resolve

from tests.contract import JSON, PROBLEM, Contract

HALL = {
    "id": str(uuid4()),
    "code": "first",
    "name": "First hall",
    "currency": "EUR",
    "time_zone": "UTC",
    "is_open": True,
    "opened_at": None,
    "created_at": "2026-01-01T00:00:00.000000Z",
}
NOT_FOUND = {
    "type": "urn:casino:problem:not_found",
    "title": "There is no such thing.",
    "status": 404,
    "code": "not_found",
    "detail": "There is no such thing.",
    "request_id": None,
    "details": {},
}


def held(status: int, body: dict[str, Any], media_type: str = JSON, **headers: str) -> HttpResponse:
    """Answer a request for a hall, under the contract."""

    def answer(request: HttpRequest) -> HttpResponse:
        request.resolver_match = resolve(request.path)
        return HttpResponse(json.dumps(body), status=status, content_type=media_type, headers=headers)

    return Contract(answer)(RequestFactory().get(f"/api/v1/halls/{HALL['id']}"))


def test_what_is_documented_passes() -> None:
    held(200, HALL, ETag='"1"')
    held(404, NOT_FOUND, PROBLEM)


@pytest.mark.parametrize(
    "status, body, media_type, headers, complaint",
    [
        (200, HALL | {"secret": 1}, JSON, {"ETag": '"1"'}, "'secret' was unexpected"),
        (200, {name: value for name, value in HALL.items() if name != "code"}, JSON, {"ETag": '"1"'}, "'code' is a required"),
        (200, HALL | {"is_open": "yes"}, JSON, {"ETag": '"1"'}, "'yes' is not of type"),
        (200, HALL, JSON, {}, "header ETag is missing"),
        (200, HALL, JSON, {"ETag": '"1"', "Location": "/"}, "header Location is undeclared"),
        (201, HALL, JSON, {"ETag": '"1"'}, "undeclared"),
        (404, NOT_FOUND | {"code": "hall_closed"}, PROBLEM, {}, "'hall_closed' is not one of"),
    ],
)
def test_what_is_not_documented_fails(
    status: int, body: dict[str, Any], media_type: str, headers: dict[str, str], complaint: str
) -> None:
    with pytest.raises(AssertionError, match=complaint):
        held(status, body, media_type, **headers)
