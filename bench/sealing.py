"""(i) Play with seals made each second against play without, how long rows wait for them, and proofs in a large tree."""

import hashlib
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

from audit.seals.inspection import seals_check
from audit.seals.merkle import Edge, consistency_ranges, inclusion_ranges
from audit.seals.selectors import seal_lag, subtree_hashes
from audit.seals.services import rows_copy, seal_make
from bench import clients, play
from bench.scale import Scale
from bench.server import Server
from bench.table import Line, interleaved, per_second

SECONDS_FACTOR = 3  # some seals in each measurement
LAG_SECONDS_MAX = 90
LEAVES = "bench_leaves"


def sealing_lines(server: Server, database: str, players: Iterator[int], scale: Scale) -> Iterator[Line]:
    """Play rounds through the service, as in (b); what was not sealed while that was measured is sealed in between."""
    lags: list[float] = []

    def rate(*, is_sealed: bool) -> float:
        numbers = [next(players) for _ in range(scale.clients)]
        each = play.HALLS // scale.clients

        def work(index: int) -> clients.Operations:
            return play.rounds(numbers[index], range(index * each, (index + 1) * each))

        def played() -> float:
            return clients.together(scale.clients, work, database=database, seconds=scale.seconds * SECONDS_FACTOR).rate

        clients.results(1, _seal_all, database=database)
        if not is_sealed:
            return played()
        with clients.beside(_seal_each_second, database=database) as waited:
            found = played()
        lags.extend(waited)
        return found

    sealed, unsealed = interleaved(scale.repeats, lambda: rate(is_sealed=True), lambda: rate(is_sealed=False))
    clients.results(1, _verified, database=database)
    what = f"service calls, {scale.clients} players, sealed each second / not"
    yield Line("i", what, per_second(sealed), per_second(unsealed), sealed / unsealed, "≥ 0.95")
    lag = max(lags)
    yield Line("i", "longest wait for a seal meanwhile", f"{lag:.1f} s", "", lag / LAG_SECONDS_MAX, f"≤ {LAG_SECONDS_MAX} s")
    yield from _proof_lines(server, scale.transfers_many)


def _seal_all(index: int) -> None:
    while seal_make():
        pass


def _seal_each_second(ended: Any) -> float:
    """Seal each second; return the longest that a row had waited when its seal was made."""
    longest = 0.0
    while not ended.wait(1):
        lag = seal_lag()
        began = time.monotonic()
        seal_make()
        longest = max(longest, lag.total_seconds() + time.monotonic() - began)
    return longest


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
