"""The API does what its document says: schemathesis makes requests from it, good and bad, and judges the answers."""

import json
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig

from casino.api.reference import schema_document
from casino.permissions import Role
from casino.users.models import User
from casino.wsgi import application
from tests.hall_builders import hall_in_preparation
from tests.user_builders import token, user

CONFIG = SchemathesisConfig.from_path(Path(__file__).with_name("schemathesis.toml"))
schema = schemathesis.openapi.from_dict(json.loads(schema_document()), config=CONFIG)
schema.app = application
OPERATIONS = [found.ok() for found in schema.get_all_operations()]


@pytest.fixture
def everything(committed_db: str) -> User:
    """A user whom no operation turns away for want of a role."""
    return user("everything", *Role, hall=hall_in_preparation())


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_every_operation_keeps_to_the_document(operation: Any, everything: User) -> None:
    good, bad = (operation.as_strategy(generation_mode=mode) for mode in GenerationMode)

    @given(case=good | bad)
    @settings(max_examples=8, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    def keeps_to_the_document(case: Any) -> None:
        case.call_and_validate(headers={"Authorization": f"Bearer {token(everything)}"})

    keeps_to_the_document()
