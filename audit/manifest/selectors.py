"""Reading the manifest and the log of its checks."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet

from audit.manifest.files import engines_digest, manifest_read, manifest_text, part_of, sha256
from audit.manifest.gate import IS_STOPPED, process_deviations
from audit.manifest.models import ManifestCheck
from audit.manifest.terms import terms_entries
from casino.db import now as database_now


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the manifest."""

    name: str
    part: str
    sha256: str


def manifest_now() -> dict[str, Any]:
    """Return every entry of this process's manifest and of the published terms, and whether rounds may open."""
    listed = manifest_read(settings.MANIFEST_FILE) or {}
    terms = {each.name: each.digest for each in terms_entries()}
    entries = [Entry(name, part_of(name), digest) for name, digest in sorted(listed.items())]
    entries += [Entry(name, "terms", digest) for name, digest in sorted(terms.items())]
    return {
        "digest": sha256(manifest_text({**listed, **terms}).encode()),
        "files_digest": sha256(settings.MANIFEST_FILE.read_bytes()) if listed else None,
        "engines": [{"package": package, "digest": digest} for package, digest in engines_digest(listed).items()],
        "entries": entries,
        "rounds_may_open": not (process_deviations() or openings_stopped()),
        "last_check": check_list().first(),
    }


def openings_stopped() -> bool:
    """Say whether new rounds are stopped in every process."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {IS_STOPPED}")
        return bool(cursor.fetchone()[0])


def check_list() -> QuerySet[ManifestCheck]:
    """List all checks, newest first."""
    return ManifestCheck.objects.select_related("actor").order_by("-pk")


def check_age() -> timedelta | None:
    """Tell how long ago a check last passed; None if none ever has."""
    at: datetime | None = ManifestCheck.objects.filter(passed=True).order_by("-pk").values_list("at", flat=True).first()
    return None if at is None else max(timedelta(), database_now() - at)
