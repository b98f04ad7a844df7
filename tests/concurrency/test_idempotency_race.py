"""The same request many times at once, for real: threads, connections and commits of their own."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from casino.models import IdempotencyRecord
from tests.api.probe import GateView, effects
from tests.user_builders import bearer, keyed, token, user

pytestmark = pytest.mark.urls("tests.api.probe")
REQUESTS = 50
BODY = {"amount_minor": 10}


def at_once(bearer_token: str, path: str, headers: dict[str, Any], bodies: list[dict[str, Any]]) -> list[Any]:
    """Send requests that all wait for each other at a barrier."""
    barrier = threading.Barrier(len(bodies))

    def send(body: dict[str, Any]) -> Any:
        caller = bearer(bearer_token)
        barrier.wait(timeout=120)
        try:
            return caller.post(path, body, **headers)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(bodies)) as pool:
        return list(pool.map(send, bodies))


def test_fifty_equal_requests_with_one_key_have_one_effect(committed_db: str) -> None:
    anna = token(user("anna"))
    answers = at_once(anna, "/effects", keyed("k"), [BODY] * REQUESTS)
    assert effects() == 1
    assert IdempotencyRecord.objects.count() == 1
    given = [answer for answer in answers if answer.status_code == 201]
    assert len({answer.content for answer in given}) == 1
    assert sum("Idempotency-Replayed" not in answer.headers for answer in given) == 1
    waiting = [answer for answer in answers if answer.status_code != 201]
    assert {(answer.status_code, answer.json()["code"]) for answer in waiting} <= {(409, "idempotency_in_progress")}
    assert all(answer.headers["Retry-After"] == "1" for answer in waiting)


def test_control_without_a_key_every_request_has_its_effect(committed_db: str) -> None:
    answers = at_once(token(user("anna")), "/optional-effects", {}, [BODY] * REQUESTS)
    assert Counter(answer.status_code for answer in answers) == {201: REQUESTS}
    assert effects() == REQUESTS
    assert sorted(answer.json()["count"] for answer in answers) == list(range(1, REQUESTS + 1))


def test_two_bodies_race_for_one_key_and_one_wins(committed_db: str) -> None:
    anna = token(user("anna"))
    bodies = [{"amount_minor": 10 + number % 2} for number in range(20)]
    answers = at_once(anna, "/effects", keyed("k"), bodies)
    assert effects() == 1
    won = {answer.json()["body"]["amount_minor"] for answer in answers if answer.status_code == 201}
    assert len(won) == 1
    codes = {answer.json()["code"] for answer in answers if answer.status_code != 201}
    assert codes <= {"idempotency_in_progress", "idempotency_key_reused"}
    for body in ({"amount_minor": 10}, {"amount_minor": 11}):
        expected = 201 if body["amount_minor"] in won else 422
        assert bearer(anna).post("/effects", body, **keyed("k")).status_code == expected


def test_a_key_in_progress_is_409_with_retry_after(committed_db: str) -> None:
    anna = token(user("anna"))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(at_once, anna, "/gate", keyed("k"), [BODY])
        assert GateView.entered.wait(timeout=120)
        second = bearer(anna).post("/gate", BODY, **keyed("k"))
        GateView.opened.set()
        assert first.result(timeout=120)[0].status_code == 201
    assert (second.status_code, second.json()["code"]) == (409, "idempotency_in_progress")
    assert second.headers["Retry-After"] == "1"
    assert bearer(anna).post("/gate", BODY, **keyed("k")).headers["Idempotency-Replayed"] == "true"
