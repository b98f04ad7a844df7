"""Start, find and end processes of the embedded stack."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from pwd import struct_passwd
from typing import Any

import psutil

from casino.embedded.folders import Folders

IDENTITY_VARIABLE = "CASINO_STACK_IDENTITY"
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def spawn(
    command: Sequence[str | Path],
    *,
    environment: Mapping[str, str],
    folder: Path,
    log: Path,
    account: struct_passwd | None = None,
    death_signal: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own, its output in a log; it gets ``death_signal`` if the supervisor dies first."""

    def die_with_supervisor() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, death_signal)

    with log.open("ab") as output:
        return subprocess.Popen(
            [str(part) for part in command],
            env=dict(environment),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # The signal is lost when the user changes, so Python sets it last, in preexec_fn. The supervisor has one thread.
            preexec_fn=die_with_supervisor if sys.platform == "linux" else None,
            **as_account(account),
        )


def as_account(account: struct_passwd | None) -> dict[str, Any]:
    """Make subprocess arguments that drop root's rights."""
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}


def service_environment(folders: Folders) -> dict[str, str]:
    """Make the environment of a service that has no business with the application's secrets."""
    return {"PATH": os.defpath, "LANG": "C.UTF-8", "TZ": "UTC", "HOME": str(folders.home), IDENTITY_VARIABLE: folders.identity}


def group_end(group_id: int) -> None:
    """Kill what a dead part has left in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group_id, signal.SIGKILL)


def orphans_end(folders: Folders) -> list[int]:
    """End the processes of a killed run of this checkout's stack; the caller holds its lock, so none of them is in use."""
    orphans = [process for process in psutil.process_iter() if process.pid != os.getpid() and _belongs(process, folders)]
    for process in orphans:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    _, alive = psutil.wait_procs(orphans, timeout=5)
    for process in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    return [process.pid for process in orphans]


def _belongs(process: psutil.Process, folders: Folders) -> bool:
    try:
        return bool(process.environ().get(IDENTITY_VARIABLE) == folders.identity)
    except (psutil.Error, OSError):
        return False


def process_uses(process_id: int, folder: Path) -> bool:
    """Tell whether a process lives and was started for a folder (a number alone may have been given to a stranger since)."""
    try:
        return any(str(folder) in argument for argument in psutil.Process(process_id).cmdline())
    except psutil.Error:
        return False


def wait_gone(process_id: int, timeout_seconds: float) -> bool:
    """Wait until a process that need not be our child has ended; a zombie has."""
    deadline = time.monotonic() + timeout_seconds
    while time.monotonic() < deadline:
        try:
            if psutil.Process(process_id).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False
