"""Which program played a round: a digest of the files that hold its rules."""

import hashlib
from functools import cache
from importlib import import_module
from pathlib import Path

SHARED_PACKAGE = "games.core"
SUFFIXES = (".py", ".json")


@cache
def engine_digest(package: str) -> str:
    """Return the SHA-256 over the sorted SHA-256 hashes of the program and data files of ``games.core`` and an engine's package.

    **Shapes** lower-case hex, for each file too; the hashes are joined by newlines.
    """
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for name in (SHARED_PACKAGE, package) for path in _files(name)]
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()


def _files(package: str) -> list[Path]:
    (folder,) = import_module(package).__path__
    return [path for path in Path(folder).rglob("*") if path.suffix in SUFFIXES]
