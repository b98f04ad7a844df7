"""The anchor file: every head on a line, added and never changed; it proves what it is kept apart from: the database's disk."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings

from audit.findings import Severity, finding_raise
from audit.seals.heads import anchor_kept, head_text
from audit.seals.lines import anchor_read
from audit.seals.models import AnchorFile, Seal
from audit.seals.services import head_of
from casino.db import unit_of_work

_TAIL_BYTES = 2**21
"""Some four thousand heads: more than three days of them."""


def anchor_catch_up() -> int:
    """Add every head that the anchor file lacks, and return how many; a crash after a seal's commit is made good here.

    **Rule** Heads are added after the newest that stands there, and only while the database still holds that very seal: one that
    was cut back or written anew does not go on in the file, and is a finding. So is a file that has lost heads; those are added
    again.
    **Locks** The file, against another worker of this host. **Errors** OSError.
    """
    if not settings.SEAL_ANCHOR_FILE:
        return 0
    path = Path(settings.SEAL_ANCHOR_FILE)
    with _opened(path) as file:
        heads, _ = anchor_tail(path)
        newest = max(anchor_kept(heads).values(), key=lambda head: head["number"], default=None)
        if newest and not Seal.objects.filter(number=newest["number"], hash=newest["hash"]).exists():
            _say("seal_is_the_anchored_one", ("seals.seal", newest["number"]), {"anchored": newest, "file": str(path)})
            return 0
        last = newest["number"] if newest else 0
        written = AnchorFile.objects.filter(path=str(path)).values_list("number", flat=True).first() or 0
        if last < written:
            told = {"written_up_to": written, "found_up_to": last, "file": str(path)}
            _say("anchor_keeps_its_heads", ("seals.anchor", str(path)), told)
        added = 0
        for seal in Seal.objects.filter(number__gt=last).order_by("number").iterator():
            _append(file, path, head_text(head_of(seal)))
            added, last = added + 1, seal.number
        if added:
            os.fsync(file)
        if last != written:
            AnchorFile.objects.update_or_create(path=str(path), defaults={"number": last})
    return added


def _say(check: str, subject: tuple[str, object], evidence: dict[str, Any]) -> None:
    with unit_of_work():
        finding_raise(check=check, severity=Severity.CRITICAL, subject=subject, evidence=evidence)


def anchor_tail(path: Path) -> tuple[list[dict[str, Any]], list[int]]:
    """Read the newest heads of an anchor file, and which lines there are none."""
    with path.open("rb") as file:
        start = max(0, path.stat().st_size - _TAIL_BYTES)
        file.seek(start)
        lines = file.read().decode(errors="replace").splitlines(keepends=True)
    return anchor_read(lines[1:] if start else lines)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    is_new = not path.exists()
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o640)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file
    finally:
        os.close(file)
    if is_new:  # the file's name must last as well
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def _append(file: int, path: Path, line: str) -> None:
    """Write a line whole; what a crash left of one before it stays and is ended."""
    size = os.fstat(file).st_size
    is_torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
    os.write(file, (("\n" if is_torn else "") + line + "\n").encode())
