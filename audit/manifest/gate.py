"""What stops new rounds when the program is not the reviewed one. Openings ask it; it lies below them.

**Rule** A round opens only if this process found its own files to be as its manifest says, if no finding about the manifest is
unresolved, and if the last check passed. The latter two hold in every process, and are read in a statement that an opening sends
anyway. Rounds that are open go on to their end.
"""

from functools import cache

import structlog
from django.conf import settings

from audit.manifest.files import Deviation, engines_digest, files_deviate, manifest_read
from casino.errors import Conflict
from games.core.digest import engine_digest

CHECK = "engine_manifest"
"""The name of the findings that stop new rounds."""
IS_STOPPED = f"""(
    EXISTS (SELECT FROM audit_auditfinding WHERE check_name = '{CHECK}' AND status <> 'resolved')
    OR NOT coalesce((SELECT passed FROM audit_manifestcheck ORDER BY id DESC LIMIT 1), true))"""  # noqa: S608 no value of anybody's
"""An SQL expression: whether new rounds are stopped everywhere."""


logger = structlog.get_logger(__name__)


@cache
def process_deviations() -> tuple[Deviation, ...]:
    """Return how the files were not as the manifest says when this process first looked, which is what it runs until it ends.

    The engines' digests, which rounds carry, are taken at the same moment.
    """
    deviations = files_deviate(settings.BASE_DIR, settings.MANIFEST_FILE)
    for package, expected in engines_digest(manifest_read(settings.MANIFEST_FILE) or {}).items():
        if not deviations and (found := engine_digest(package)) != expected:
            deviations.append(Deviation(package, expected, found))
    if deviations:
        logger.error("process_unverified", names=[each.name for each in deviations])
    return tuple(deviations)


def opening_allow(*, is_stopped: bool) -> None:
    """Let a round open, unless the program is not the reviewed one. **Errors** Conflict ``engine_unverified``."""
    if process_deviations() or is_stopped:
        raise Conflict("engine_unverified")
