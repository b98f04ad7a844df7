"""The API does what its document says, for everybody: schemathesis makes requests from it, good and bad, and judges the answers.

Ids that requests need are often those of rounds, halls and accounts that exist, so that answers beyond 404 are judged too.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings, strategies
from pytest_django import DjangoDbBlocker
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig

from casino.api.reference import schema_document
from tests.api.access_world import CALLERS, NOBODY, World, body_for, object_for, version_for, world_build
from tests.api.test_access_matrix import undone

CONFIG = SchemathesisConfig.from_path(Path(__file__).with_name("schemathesis.toml"))
schema = schemathesis.openapi.from_dict(json.loads(schema_document()), config=CONFIG)
schema.app = get_wsgi_application()
OPERATIONS = [found.ok() for found in schema.get_all_operations()]
EXAMPLES, EXAMPLES_SLOW = 5, 60


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    signals = (request_started, request_finished)
    for signal in signals:  # or the first request would end the transaction that all of this happens in
        signal.disconnect(close_old_connections)
    with django_db_blocker.unblock(), undone():
        yield world_build()
    for signal in signals:
        signal.connect(close_old_connections)


def with_what_exists(case: Any, world: World, chance: int) -> Any:
    """Let a good request be about objects that exist; one in four stays as it was made up, and so does every bad one."""
    if chance == 0 or case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return case
    operation = case.operation.label
    case.path_parameters = {name: str(object_for(operation, name, world)) for name in case.path_parameters or {}}
    if "If-Match" in (case.headers or {}):
        case.headers["If-Match"] = f'"{version_for(operation, world)}"'
    if chance > 1 and isinstance(case.body, Mapping):
        accepted = json.loads(json.dumps(body_for(operation, world, "player") or {}, default=str))
        case.body = {name: accepted.get(name, value) for name, value in case.body.items()} if chance == 2 else accepted
    return case


def is_sent_whole(case: Any) -> bool:
    """Say whether a request can be sent as it was meant: an empty list or object among its parameters is not sent at all."""
    return all(value not in ([], {}) for value in (case.query or {}).values())


def keep_to_the_document(operation: Any, world: World, examples: int) -> dict[str, set[int]]:
    """Send requests of all kinds as everybody and hand back which statuses came, by caller."""
    good, bad = (operation.as_strategy(generation_mode=mode).filter(is_sent_whole) for mode in GenerationMode)
    answered: dict[str, set[int]] = {caller: set() for caller in CALLERS}

    @given(case=good | bad, chance=strategies.integers(0, 3))
    @settings(max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    def send(case: Any, chance: int) -> None:
        sent = with_what_exists(case, world, chance)
        for caller in CALLERS:
            token = world.clients[caller]._credentials.get("HTTP_AUTHORIZATION")
            headers = {} if caller == NOBODY else {"Authorization": token}
            with undone():
                answered[caller].add(sent.call_and_validate(headers=headers).status_code)

    send()
    return answered


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_every_operation_keeps_to_the_document_for_everybody(operation: Any, world: World) -> None:
    keep_to_the_document(operation, world, EXAMPLES)


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_every_operation_keeps_to_the_document_at_length(operation: Any, world: World) -> None:
    answered = keep_to_the_document(operation, world, EXAMPLES_SLOW)
    assert any(200 <= status < 300 for statuses in answered.values() for status in statuses), answered
