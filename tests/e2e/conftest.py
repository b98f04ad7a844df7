"""The stack that the end-to-end tests talk to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.stacks import RunningStack, checkout_copied, cleaned, running


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Lay a checkout in a folder that other users cannot enter."""
    closed = tmp_path_factory.mktemp("closed")
    closed.chmod(0o700)
    copy = checkout_copied(closed / "checkout")
    copy.chmod(0o700)
    yield copy
    cleaned(copy)


@pytest.fixture(scope="module")
def stack(checkout: Path) -> Iterator[RunningStack]:
    with running(checkout) as started:
        yield started
