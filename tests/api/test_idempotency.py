"""One effect per key, one answer for ever: casino/idempotency.py."""

from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from casino.db import now
from casino.idempotency import KEPT_DAYS, keys_purge
from casino.models import IdempotencyRecord
from tests.api.probe import effects
from tests.user_builders import client, code_of, keyed, user

pytestmark = [pytest.mark.urls("tests.api.probe"), pytest.mark.django_db]


@pytest.fixture
def caller() -> APIClient:
    return client(user("anna"))


def post(caller: APIClient, body: dict[str, Any], key: str = "k1", path: str = "/effects") -> Any:
    return caller.post(path, body, **keyed(key))


def test_a_retry_is_answered_byte_for_byte_and_has_no_effect(caller: APIClient) -> None:
    first = post(caller, {"amount_minor": 10, "text": "a"})
    again = post(caller, {"text": "a", "amount_minor": 10})
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    assert first.headers["Location"] == again.headers["Location"] == "/effects/1"
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert effects() == 1


def test_the_first_answer_outlives_later_changes(caller: APIClient) -> None:
    first = post(caller, {"amount_minor": 10})
    post(caller, {"amount_minor": 10}, key="k2")
    assert effects() == 2
    assert post(caller, {"amount_minor": 10}).content == first.content


def test_the_same_key_with_another_body_is_refused_and_has_no_effect(caller: APIClient) -> None:
    first = post(caller, {"amount_minor": 10})
    assert code_of(post(caller, {"amount_minor": 20}), 422) == "idempotency_key_reused"
    assert effects() == 1
    assert post(caller, {"amount_minor": 10}).content == first.content


def test_a_key_belongs_to_one_user_and_one_path(caller: APIClient) -> None:
    post(caller, {"amount_minor": 10})
    assert "Idempotency-Replayed" not in post(client(user("bert")), {"amount_minor": 10}).headers
    assert "Idempotency-Replayed" not in post(caller, {"amount_minor": 10}, path="/other-effects").headers
    assert effects() == 3


def test_a_refusal_is_kept_with_its_body_and_leaves_no_effect(caller: APIClient) -> None:
    first = post(caller, {"text": "refused"})
    assert code_of(first, 422) == "insufficient_funds"
    assert effects() == 0
    again = post(caller, {"text": "refused"})
    assert (again.content, again.headers["Idempotency-Replayed"]) == (first.content, "true")
    assert again.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(("ending", "status"), [("conflict", 409), ("broken", 500)])
def test_any_other_error_leaves_neither_row_nor_effect(caller: APIClient, ending: str, status: int) -> None:
    for _ in range(2):
        response = post(caller, {"text": ending})
        assert response.status_code == status
        assert "Idempotency-Replayed" not in response.headers
    assert effects() == 0
    assert not IdempotencyRecord.objects.exists()


def test_an_answer_with_cards_is_rebuilt_and_not_stored(caller: APIClient) -> None:
    first = post(caller, {"text": "secret"})
    again = post(caller, {"text": "secret"})
    assert first.json() == {"cards": ["Ah"], "count": 1}
    assert (again.status_code, again.content, again.headers["Idempotency-Replayed"]) == (201, first.content, "true")
    record = IdempotencyRecord.objects.get()
    assert (record.body, record.reference) == (None, {"count": 1})


def test_neither_the_key_nor_the_body_is_stored_in_the_clear(caller: APIClient) -> None:
    post(caller, {"text": "seven", "amount_minor": 10}, key="a-key-of-the-client")
    record = IdempotencyRecord.objects.values().get()
    hashes = bytes(record["scope_hash"]) + bytes(record["fingerprint"])
    assert len(hashes) == 64
    assert "a-key-of-the-client" not in str({**record, "body": None})


def test_a_missing_key_is_told_after_the_shape(caller: APIClient) -> None:
    assert code_of(caller.post("/effects", {"amount_minor": "5"}), 400) == "invalid_input"
    assert code_of(caller.post("/effects", {"amount_minor": 5}), 400) == "idempotency_key_required"
    assert code_of(post(caller, {"amount_minor": "5"}, key="un fit"), 400) == "invalid_input"
    assert effects() == 0


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 65, "a,b", 'a"', "a\tb", "٥"])
def test_an_odd_key_is_refused(caller: APIClient, key: str) -> None:
    assert code_of(post(caller, {"amount_minor": 5}, key=key), 400) == "idempotency_key_invalid"
    assert effects() == 0


def test_a_key_may_be_optional(caller: APIClient) -> None:
    for _ in range(2):
        assert caller.post("/optional-effects", {"amount_minor": 5}).status_code == 201
    assert effects() == 2
    first, again = (post(caller, {"amount_minor": 5}, path="/optional-effects") for _ in range(2))
    assert (effects(), first.content) == (3, again.content)
    assert code_of(caller.post("/optional-effects", {"text": "conflict"}), 409) == "user_already_disabled"
    assert effects() == 3


def test_answers_are_kept_for_120_days_and_then_forgotten(caller: APIClient) -> None:
    first = post(caller, {"amount_minor": 5})
    assert keys_purge(now=now() + timedelta(days=KEPT_DAYS, hours=-1)) == 0
    assert post(caller, {"amount_minor": 5}).content == first.content
    assert keys_purge(now=now() + timedelta(days=KEPT_DAYS, hours=1)) == 1
    assert "Idempotency-Replayed" not in post(caller, {"amount_minor": 5}).headers
