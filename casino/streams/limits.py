"""How many streams one process keeps open: of one user, and in all."""

from collections import Counter
from threading import Lock

from django.conf import settings

from casino.errors import Busy, RateLimited


class Places:
    """The places for streams in this process; requests take them in many threads."""

    def __init__(self) -> None:
        self.taken: Counter[int] = Counter()
        self.lock = Lock()

    def take(self, user_id: int) -> None:
        """Take a place. **Errors** RateLimited ``too_many_streams``; Busy ``streams_full``."""
        with self.lock:
            if self.taken[user_id] >= settings.STREAMS_PER_USER:
                raise RateLimited("too_many_streams", retry_after_seconds=5)
            if self.taken.total() >= settings.STREAMS_PER_PROCESS:
                raise Busy("streams_full", retry_after_seconds=5)
            self.taken[user_id] += 1

    def give_back(self, user_id: int) -> None:
        with self.lock:
            self.taken[user_id] -= 1
            if not self.taken[user_id]:
                del self.taken[user_id]
