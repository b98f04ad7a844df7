"""Clients as processes, each repeating its own operation, all from the same moment on."""

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from django.db import connections

Operations = Iterator[None]
"""What a client does: it prepares up to its first ``yield``; each further one ends an operation."""

_processes = get_context("fork")


@dataclass(frozen=True)
class Series:
    """When each client began, and when each of its operations ended."""

    moments: Sequence[Sequence[float]]

    @property
    def rate(self) -> float:
        """Operations per second while every client was at work."""
        first, last = max(each[0] for each in self.moments), min(each[-1] for each in self.moments)
        done = sum(first < moment <= last for each in self.moments for moment in each)
        return done / (last - first)

    @property
    def median_seconds(self) -> float:
        """The time that half of the operations kept within."""
        return statistics.median([after - before for each in self.moments for before, after in pairwise(each)])


def barrier(count: int) -> Any:
    """Return what so many clients wait at for each other."""
    return _processes.Barrier(count)


def together(count: int, work: Callable[[int], Operations], *, database: str, seconds: float) -> Series:
    """Let clients 0 … count - 1 repeat their operations for some seconds, or until one has no more."""
    gate = barrier(count)

    def client(index: int) -> list[float]:
        operations = work(index)
        next(operations)
        gate.wait()
        moments = [time.monotonic()]
        for _ in operations:
            moments.append(time.monotonic())
            if moments[-1] - moments[0] > seconds:
                break
        return moments

    return Series(results(count, client, database=database))


def results(count: int, work: Callable[[int], Any], *, database: str) -> list[Any]:
    """Run ``work`` in so many processes, and collect what each returns."""

    def worker(index: int, pipe: Connection) -> None:
        pipe.send(work(index))

    started = [_start(partial(worker, index), database) for index in range(count)]
    found = [_received(pipe) for _, pipe in started]
    for process, _ in started:
        process.join()
    return found


@contextmanager
def beside(work: Callable[[Any], Any], *, database: str) -> Iterator[list[Any]]:
    """Let one more process work until what is inside has ended, as its event then says; the list gets what it returns."""
    ended = _processes.Event()
    found: list[Any] = []
    process, pipe = _start(lambda there: there.send(work(ended)), database)
    try:
        yield found
    finally:
        ended.set()
        found.append(_received(pipe))
        process.join()


def in_turn(work: Sequence[tuple[str, Callable[[], Operations]]], count: int) -> list[list[float]]:
    """Let one client per database do its operations one after another, by turns; return the seconds of each."""

    def client(operations: Callable[[], Operations], pipe: Connection) -> None:
        todo = operations()
        next(todo)
        pipe.send(None)
        while pipe.recv():
            begun = time.perf_counter()
            next(todo)
            pipe.send(time.perf_counter() - begun)

    started = [_start(partial(client, operations), database) for database, operations in work]
    for _, pipe in started:
        _received(pipe)
    seconds: list[list[float]] = [[] for _ in work]
    for turn in range(count * len(work)):
        place = turn % len(work)
        pipe = started[place][1]
        pipe.send(True)
        seconds[place].append(_received(pipe))
    for process, pipe in started:
        pipe.send(False)
        process.join()
    return seconds


def _start(run: Callable[[Connection], None], database: str) -> tuple[Any, Connection]:
    # A connection that two processes share would be ended by the first of them.
    connections.close_all()
    here, there = _processes.Pipe()

    def child() -> None:
        here.close()
        connections["default"].settings_dict["NAME"] = database
        run(there)
        connections.close_all()

    process = _processes.Process(target=child, daemon=True)
    process.start()
    there.close()
    return process, here


def _received(pipe: Connection) -> Any:
    try:
        return pipe.recv()
    except EOFError:
        raise RuntimeError(f"a client of process {os.getpid()} has died; its error is above") from None
