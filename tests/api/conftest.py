"""Every answer of every API test is held against the API's document."""

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def answers_are_as_documented(settings: Any) -> None:
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "tests.contract.Contract"]
