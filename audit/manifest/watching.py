"""The check that every process which deals or lets time run out makes at its start, and again each day."""

import threading
from contextlib import closing

import structlog
from django.db import connection

from audit.manifest.models import ManifestCheck
from audit.manifest.services import manifest_check

DAY_SECONDS = 24 * 60 * 60
RETRY_SECONDS = 5
Occasion = ManifestCheck.Occasion
logger = structlog.get_logger(__name__)


class ManifestWatch(threading.Thread):
    """Checks for as long as the process lives.

    A database that does not take the result is survived: no round opens without it, and the check is made again soon.
    """

    def __init__(self, part: ManifestCheck.Part) -> None:
        super().__init__(name="manifest", daemon=True)
        self.part = part
        self.occasion = Occasion.START
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(self.check()):
            pass

    def check(self) -> int:
        """Check once and give the connection back; return after how many seconds to check again."""
        try:
            with closing(connection):
                manifest_check(occasion=self.occasion, part=self.part)
        except Exception:
            logger.exception("manifest_check_failed")
            return RETRY_SECONDS
        self.occasion = Occasion.DAILY
        return DAY_SECONDS
