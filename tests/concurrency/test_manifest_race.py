"""Many processes that begin at once with another program note it once."""

from pathlib import Path
from typing import Any

import pytest

from audit.manifest import services
from audit.manifest.files import sha256
from audit.manifest.models import ManifestCheck
from audit.manifest.services import STARTED, manifest_check
from audit.models import AuditFinding, AuditRecord
from casino.db import unit_of_work
from tests.concurrency.racing import race

Occasion, Part = ManifestCheck.Occasion, ManifestCheck.Part
PROCESSES = 8


def begin() -> ManifestCheck:
    return manifest_check(occasion=Occasion.START, part=Part.WEB)


def test_processes_that_begin_at_once_note_the_program_once(committed_db: str) -> None:
    begun = race([begin] * PROCESSES)
    assert [check.passed for check in begun] == [True] * PROCESSES
    assert ManifestCheck.objects.count() == PROCESSES
    assert AuditRecord.objects.filter(action=STARTED).count() == 1


def test_processes_that_find_the_same_fault_at_once_raise_one_finding(committed_db: str, settings: Any, tmp_path: Path) -> None:
    settings.MANIFEST_FILE = tmp_path / "there-is-none.sha256"
    begun = race([begin] * PROCESSES)
    assert [check.passed for check in begun] == [False] * PROCESSES
    assert AuditFinding.objects.get().times_seen == PROCESSES


@pytest.fixture
def unlocked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the lock be of nothing: PostgreSQL takes none for a key that is NULL."""
    monkeypatch.setattr(services, "_SOFTWARE", None)


@pytest.mark.usefixtures("unlocked")
def test_control_without_the_lock_one_that_begins_meanwhile_notes_it_again(committed_db: str, settings: Any) -> None:
    with unit_of_work():
        digest = sha256(settings.MANIFEST_FILE.read_bytes())
        services._note_software(ManifestCheck(digest=digest, host="x", part=Part.WEB), {})
        race([begin])
    assert AuditRecord.objects.filter(action=STARTED, subject_id=digest).count() == 2
