"""The heartbeat of the web: a thread in each of its worker processes."""

import threading
from contextlib import closing
from math import inf
from time import monotonic

import structlog
from django.db import connection

from games.outages.models import Part
from games.outages.services import heartbeat_write

INTERVAL_SECONDS = 1
REPORTED_EVERY_SECONDS = 60
logger = structlog.get_logger(__name__)


class WebHeartbeat(threading.Thread):
    """Writes the web's beat each second for as long as the process lives.

    A database that does not take the beat is survived: then the web cannot serve players either, and its silence says so.
    """

    def __init__(self) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.stopped = threading.Event()
        self.reported_at = -inf

    def run(self) -> None:
        while not self.stopped.is_set():
            started = monotonic()
            self.beat()
            self.stopped.wait(max(0, INTERVAL_SECONDS - (monotonic() - started)))

    def beat(self) -> None:
        """Write one beat, and give the connection back."""
        try:
            with closing(connection):
                heartbeat_write(part=Part.WEB)
        except Exception:
            if monotonic() - self.reported_at >= REPORTED_EVERY_SECONDS:
                self.reported_at = monotonic()
                logger.exception("heartbeat_failed")
