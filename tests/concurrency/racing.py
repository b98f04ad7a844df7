"""Real threads from one barrier, each with its own connection."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection


def race(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Start all calls at once; return each one's value, or the exception it raised, in order."""
    barrier = threading.Barrier(len(calls))
    outcomes: list[Any] = [None] * len(calls)

    def run(index: int, call: Callable[[], Any]) -> None:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=60)
            outcomes[index] = call()
        except Exception as error:
            outcomes[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads), "a call has not come to its end"
    return outcomes
