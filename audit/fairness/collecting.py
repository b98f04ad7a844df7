"""What a test laboratory collects: final outcomes and raw bits, streamed, of any size."""

import hashlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from audit.fairness.decks import PROGRESS_EVERY, Pack, raw_bytes, seeds_of

RAW_PROGRESS_BYTES = 10_000_000


def outcome_lines(pack: Pack, decks: int, seed: str) -> Iterator[bytes]:
    """Yield shuffled packs from the shuffle that deals for money, one a line, items apart by spaces, the first dealt first."""
    seeds = seeds_of(seed)
    for _ in range(decks):
        yield " ".join(next(seeds).shuffled(pack.items, 0)).encode() + b"\n"


def raw_parts(size: int, seed: str) -> Iterator[bytes]:
    """Yield so many raw bytes, as the shuffle reads them before it maps them to places."""
    left = size
    for part in raw_bytes(seeds_of(seed)):
        yield part[:left]
        left -= len(part)
        if left <= 0:
            return


def collect(
    parts: Iterator[bytes], file: BinaryIO, *, every: int, weigh: Callable[[bytes], int], progress: Callable[[int], None]
) -> str:
    """Write parts to a file as they come; tell how far it is, and return the SHA-256 of all that was written."""
    digest, done, told = hashlib.sha256(), 0, 0
    for part in parts:
        file.write(part)
        digest.update(part)
        done += weigh(part)
        if done - told >= every:
            told = done
            progress(done)
    file.flush()
    return digest.hexdigest()


def collect_outcomes(pack: Pack, decks: int, seed: str, file: BinaryIO, progress: Callable[[int], None]) -> str:
    """Write so many decks; return the SHA-256 of the file."""
    return collect(outcome_lines(pack, decks, seed), file, every=PROGRESS_EVERY, weigh=lambda line: 1, progress=progress)


def collect_bits(size: int, seed: str, file: BinaryIO, progress: Callable[[int], None]) -> str:
    """Write so many raw bytes; return the SHA-256 of the file."""
    return collect(raw_parts(size, seed), file, every=RAW_PROGRESS_BYTES, weigh=len, progress=progress)
