"""(i) Play with seals made each second against play without, how long rows wait for them, and proofs in a large tree."""

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import psutil
from django.db import connections

from audit.seals.inspection import seals_check
from audit.seals.merkle import Edge, consistency_ranges, inclusion_ranges
from audit.seals.selectors import seal_lag, subtree_hashes
from audit.seals.services import rows_copy, seal_make
from bench import clients, play
from bench.scale import Scale
from bench.server import Server
from bench.table import Line, interleaved, per_second

FACTOR = 2  # twice as often and as long as others are measured, so that some seals fall into each
LAG_SECONDS_MAX = 90
LEAVES = "bench_leaves"


def sealing_lines(server: Server, database: str, players: Iterator[int], scale: Scale) -> Iterator[Line]:
    """Play rounds through the service, as in (b); what was not sealed while that was measured is sealed in between."""
    sealers: list[Sealer] = []

    def rate(*, is_sealed: bool) -> float:
        numbers = [next(players) for _ in range(scale.clients)]
        each = play.HALLS // scale.clients

        def work(index: int) -> clients.Operations:
            return play.rounds(numbers[index], range(index * each, (index + 1) * each))

        def played() -> float:
            return clients.together(scale.clients, work, database=database, seconds=scale.seconds * FACTOR).rate

        clients.results(1, _seal_all, database=database)
        server.settle(database)  # what the last measurement left to do is no cost of this one
        if not is_sealed:
            return played()
        with clients.beside(_seal_each_second, database=database) as sealer:
            found = played()
        sealers.extend(sealer)
        return found

    sealed, unsealed = interleaved(scale.repeats * FACTOR, lambda: rate(is_sealed=True), lambda: rate(is_sealed=False))
    clients.results(1, _verified, database=database)
    what = f"service calls, {scale.clients} players, sealed each second / not"
    yield Line("i", what, per_second(sealed), per_second(unsealed), sealed / unsealed, "≥ 0.95")
    taken = sum(each.processor_seconds for each in sealers) / sum(each.seconds for each in sealers) / (os.cpu_count() or 1)
    yield Line("i", "sealing's share of the processors' time", f"{taken:.1%}", "", taken, "≤ 0.05")
    lag = max(each.longest_wait for each in sealers)
    yield Line("i", "longest wait for a seal meanwhile", f"{lag:.1f} s", "", lag / LAG_SECONDS_MAX, f"≤ {LAG_SECONDS_MAX} s")
    yield from _proof_lines(server, scale.transfers_many)


def _seal_all(index: int) -> None:
    while seal_make():
        pass


@dataclass(frozen=True)
class Sealer:
    """For how long it was at work, what it took of the processors with its server process, and the longest that a row waited."""

    seconds: float
    processor_seconds: float
    longest_wait: float


def _seal_each_second(ended: Any) -> Sealer:
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        processes = psutil.Process(), psutil.Process(cursor.fetchone()[0])
    started, before, longest = time.monotonic(), _processor_seconds(processes), 0.0
    while not ended.wait(1):
        lag = seal_lag()
        began = time.monotonic()
        seal_make()
        longest = max(longest, lag.total_seconds() + time.monotonic() - began)
    return Sealer(time.monotonic() - started, _processor_seconds(processes) - before, longest)


def _processor_seconds(processes: Sequence[psutil.Process]) -> float:
    times = [process.cpu_times() for process in processes]
    return sum(each.user + each.system for each in times)


def _verified(index: int) -> None:
    _seal_all(index)
    deviations = seals_check(is_full=True)
    if deviations:
        raise RuntimeError(f"the seals are not right: {deviations[:5]}")


def _proof_lines(server: Server, size: int) -> Iterator[Line]:
    """Time proofs over the whole of a tree with so many leaves."""
    server.copy(LEAVES)

    def proven(index: int) -> tuple[float, float]:
        edge = Edge()
        leaves = [hashlib.sha256(number.to_bytes(8, "big")).digest() for number in range(size)]
        nodes = [node for leaf in leaves for node in edge.append(leaf)]
        rows_copy("seals_sealleaf (index, kind, row_id, hash)", [(place, 1, place, leaf) for place, leaf in enumerate(leaves)])
        rows_copy("seals_sealnode (level, index, hash)", nodes)
        places = range(1, size, max(1, size // 50))
        inclusion = median(_seconds(inclusion_ranges(place, size)) for place in places)
        return inclusion, median(_seconds(consistency_ranges(place, size)) for place in places)

    ((inclusion, consistency),) = clients.results(1, proven, database=LEAVES)
    what = f"proof of inclusion / of consistency, {size:,} leaves"
    yield Line("i", what, f"{inclusion * 1e3:.1f} ms", f"{consistency * 1e3:.1f} ms", 0, "")


def _seconds(ranges: list[tuple[int, int]]) -> float:
    began = time.perf_counter()
    subtree_hashes(ranges)
    return time.perf_counter() - began
