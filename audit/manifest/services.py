"""Services of the manifest: check it, write down what was found, and stop new rounds where anything deviates."""

import os
import socket

import structlog
from django.conf import settings
from django.db import connection

from audit.findings import Severity, finding_raise
from audit.manifest.files import Deviation, engines_digest, files_deviate, manifest_read, sha256
from audit.manifest.gate import CHECK, process_deviations
from audit.manifest.models import ManifestCheck
from audit.manifest.terms import terms_deviate, terms_entries
from audit.models import AuditRecord
from audit.trail import audit_record
from casino import metrics
from casino.db import unit_of_work
from casino.users.models import User

FINDINGS_MAX = 20
"""So many files get a finding each; the log of the check names all of them."""
STARTED = "software_started"
_SOFTWARE = 0x736F667477617265
Occasion, Part = ManifestCheck.Occasion, ManifestCheck.Part
logger = structlog.get_logger(__name__)


def manifest_check(*, occasion: ManifestCheck.Occasion, part: ManifestCheck.Part, actor: User | None = None) -> ManifestCheck:
    """Verify this host's files against its manifest, and the published terms against the trail.

    **Rule** What deviates is a critical finding, and while one is unresolved no round opens anywhere. A process that began with
    deviating files fails every check, whatever the files are now. Two versions of the program may run at once: each is held
    against its own manifest.
    **Writes** the check, findings; at a start with another manifest than at the last one an audit record ``software_started``.
    """
    begun, present = process_deviations(), files_deviate(settings.BASE_DIR, settings.MANIFEST_FILE)
    listed = manifest_read(settings.MANIFEST_FILE) or {}
    digest = sha256(settings.MANIFEST_FILE.read_bytes()) if listed else ""
    with unit_of_work():
        entries = list(terms_entries())
        deviations = [*present, *(each for each in begun if each not in present), *terms_deviate(entries)]
        check = ManifestCheck.objects.create(
            occasion=occasion,
            part=part,
            host=socket.gethostname(),
            process_id=os.getpid(),
            actor=actor,
            digest=digest,
            files=len(listed),
            terms=len(entries),
            passed=not deviations,
            deviations=[each.as_json() for each in deviations],
            request_id=structlog.contextvars.get_contextvars().get("request_id", ""),
        )
        for each in deviations[:FINDINGS_MAX]:
            _find(each, check)
        if occasion == Occasion.START and digest:
            _note_software(check, engines_digest(listed))
        metrics.count_on_commit(metrics.MANIFEST_CHECKS.labels("passed" if check.passed else "failed"))
    if deviations:
        logger.error("manifest_deviates", names=[each.name for each in deviations], check_id=str(check.public_id))
    return check


def _find(deviation: Deviation, check: ManifestCheck) -> None:
    evidence = deviation.as_json() | {"check_id": str(check.public_id), "host": check.host, "manifest_digest": check.digest}
    finding_raise(check=CHECK, severity=Severity.CRITICAL, subject=("manifest.entry", deviation.name), evidence=evidence)


def _note_software(check: ManifestCheck, engines: dict[str, str]) -> None:
    """Note that another program than before has been started, once, however many processes of it start at once."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_SOFTWARE])
    last = AuditRecord.objects.filter(action=STARTED).order_by("pk").values_list("after", flat=True).last()
    if last is None or last["manifest_digest"] != check.digest:
        audit_record(
            actor=None,
            action=STARTED,
            subject=("manifest", check.digest),
            before=last,
            after={"manifest_digest": check.digest, "engines": engines, "host": check.host, "part": check.part},
            reason="A process began with another manifest than the last one.",
        )
