"""Whole servers of a test's own, for what one database of the common server cannot show: a standby, a restore elsewhere."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from casino.embedded.folders import Folders
from casino.embedded.postgres import SUPERUSER, Postgres
from casino.embedded.processes import as_account, service_environment

_MAY_BE_FOLLOWED = "local replication {superuser} peer map=embedded\n"


def program_run(postgres: Postgres, program: str, *arguments: str | Path) -> bytes:
    """Run one of PostgreSQL's programs beside a server, as its superuser; return what it prints."""
    done = subprocess.run(
        [postgres.programs() / program, "--host", postgres.folders.sockets, "--username", SUPERUSER, *arguments],
        env=service_environment(postgres.folders),
        cwd=postgres.folders.home,
        stdout=subprocess.PIPE,
        check=True,
        **as_account(postgres.folders.account),
    )
    return done.stdout


@contextmanager
def cluster(folder: Path, name: str) -> Iterator[Postgres]:
    """Start a server of its own, which others may follow, and leave nothing of it."""
    with _prepared(folder, name) as postgres:
        postgres.initialise()
        with (postgres.data / "pg_hba.conf").open("a") as access:
            access.write(_MAY_BE_FOLLOWED.format(superuser=SUPERUSER))
        postgres.start_detached()
        yield postgres


@contextmanager
def standby(folder: Path, name: str, primary: Postgres) -> Iterator[Postgres]:
    """Start a hot standby, which replays what the primary streams to it."""
    with _prepared(folder, name) as postgres:
        program_run(primary, "pg_basebackup", "--pgdata", postgres.data, "--write-recovery-conf", "--checkpoint", "fast")
        postgres.start_detached()
        yield postgres


@contextmanager
def _prepared(folder: Path, name: str) -> Iterator[Postgres]:
    folders = Folders(folder, name)
    folders.prepare()
    postgres = Postgres(folders, durable=False)
    try:
        yield postgres
    finally:
        postgres.stop()
        shutil.rmtree(folders.home)
        shutil.rmtree(folders.sockets, ignore_errors=True)
