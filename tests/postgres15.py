"""Run tests on Debian's PostgreSQL 15, the oldest that is supported: ``python -m tests.postgres15 [PYTEST ARGUMENTS]``.

A cluster of its own is made from /usr/lib/postgresql/15, used through TEST_DATABASE_OWNER_URL and removed.
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from casino.embedded.folders import Folders
from casino.embedded.processes import as_account, service_environment

CHECKOUT = Path(__file__).resolve().parent.parent
PROGRAMS = Path("/usr/lib/postgresql/15/bin")
TESTS = ("tests/services", "tests/api", "tests/concurrency", "tests/architecture/test_migrations.py")
OPTIONS = {"listen_addresses": "", "fsync": "off", "synchronous_commit": "off", "max_connections": "200"}


@contextmanager
def cluster() -> Iterator[str]:
    """Start an empty server; the value is its superuser's URL."""
    folders = Folders(CHECKOUT, "postgres15")
    folders.prepare()
    data = folders.home / "data"
    shutil.rmtree(data, ignore_errors=True)

    def run(*command: str | Path) -> None:
        subprocess.run(
            command,
            env=service_environment(folders),
            cwd=folders.home,
            stdout=subprocess.DEVNULL,
            check=True,
            **as_account(folders.account),
        )

    run(PROGRAMS / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
    options = OPTIONS | {"unix_socket_directories": str(folders.sockets)}
    given = shlex.join(part for name, value in options.items() for part in ("-c", f"{name}={value}"))
    run(PROGRAMS / "pg_ctl", "start", "--wait", "--silent", "-D", data, "-l", folders.home / "log", "-o", given)
    try:
        yield f"postgresql://postgres@/postgres?host={folders.sockets}"
    finally:
        run(PROGRAMS / "pg_ctl", "stop", "--mode=immediate", "-D", data)
        shutil.rmtree(folders.home)
        shutil.rmtree(folders.sockets, ignore_errors=True)


def main() -> int:
    if not PROGRAMS.is_dir():
        print(f"PostgreSQL 15 is not installed ({PROGRAMS}). On Debian 12: apt install postgresql", file=sys.stderr)
        return 1
    tests = [path for path in TESTS if (CHECKOUT / path).exists()]
    with cluster() as url:
        command = [sys.executable, "-m", "pytest", "-n", "2", *(sys.argv[1:] or tests)]
        return subprocess.run(command, cwd=CHECKOUT, env={**os.environ, "TEST_DATABASE_OWNER_URL": url}).returncode


if __name__ == "__main__":
    sys.exit(main())
