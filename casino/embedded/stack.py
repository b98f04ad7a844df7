"""The development stack from first to last: services, database, demo data, web, worker, beat."""

import errno
import fcntl
import http
import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from casino.embedded.folders import EmbeddedError, Folders
from casino.embedded.postgres import Postgres
from casino.embedded.processes import IDENTITY_VARIABLE, orphans_end, spawn
from casino.embedded.secrets import DATABASE, role_passwords, stack_environment
from casino.embedded.supervisor import Part, StopRequested, Supervisor, say, stop_on_signals
from casino.embedded.valkey import Valkey
from casino.play.house import HOUSE_BOTS, PASSWORD

HOST = "127.0.0.1"
GUARD_HOST = "127.0.0.2"
"""Where a stack holds its port for itself: a neighbour on the loopback that nothing listens on."""
PORTS_TRIED = 100
START_SECONDS_MAX = 180
"""For each tier, on the slowest machine; a part that dies ends the start at once."""
LOG_BYTES_KEPT = 10_000_000
BOTS_ROUNDS = 1_000_000
"""More than a stack ever lives to see."""


class Stack:
    """One checkout's stack."""

    def __init__(self, checkout: Path) -> None:
        self.checkout = checkout
        self.folders = Folders(checkout, "stack")
        self.postgres = Postgres(self.folders)
        self.valkey = Valkey(self.folders)
        self.supervisor = Supervisor()
        self.environment: dict[str, str] = {}
        self.port_guards: list[socket.socket] = []

    def run(self, port: int, *, bots: bool) -> None:
        """Start everything, say where it is, and keep it running until a signal."""
        self.folders.prepare()
        with self.only_one():
            stop_on_signals()
            try:
                port = self._start(port)
                if bots:
                    self._start_bots(port)
                self.supervisor.watch()
            except StopRequested as request:
                say(f"\n{request}: stopping")
            finally:
                self.supervisor.stop()
                say("stopped")

    @contextmanager
    def only_one(self) -> Iterator[None]:
        """Hold the lock of this checkout's stack; the kernel gives it back even after kill -9."""
        with (self.folders.var / "stack.lock").open("a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                raise EmbeddedError(f"This checkout's stack is already running (process {lock.read().strip()}).") from None
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            yield

    def _start(self, port: int) -> int:
        if orphans := orphans_end(self.folders):
            say(f"ended {len(orphans)} processes that a killed run had left")
        self._rotate_logs()
        self._start_services()
        inherited = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "DATABASE_OWNER_URL")}
        self.environment = inherited | stack_environment(self.folders, self.postgres, self.valkey)
        self.environment |= {"DJANGO_SETTINGS_MODULE": "casino.settings", IDENTITY_VARIABLE: self.folders.identity}
        self.environment["PROMETHEUS_MULTIPROC_DIR"] = str(self.folders.metrics_emptied())
        self.postgres.provide(DATABASE, role_passwords(self.environment))
        logins = self._prepare_database()
        port, stream_port = self._start_application(port)
        self._announce(port, stream_port, logins)
        return port

    def _rotate_logs(self) -> None:
        for log in self.folders.logs.glob("*.log"):
            if log.stat().st_size > LOG_BYTES_KEPT:
                log.replace(log.with_suffix(".log.1"))

    def _start_services(self) -> None:
        self.postgres.initialise()
        postgres = Part("postgres", self.postgres.start, self.postgres.log, self.postgres.clear_leftovers, is_service=True)
        postgres.stop_signal = signal.SIGINT  # a fast shutdown: SIGTERM would wait for every client to leave
        valkey = Part("valkey", self.valkey.start, self.valkey.log, self.valkey.clear_leftovers, is_service=True)
        self.supervisor.start(postgres)
        self.supervisor.start(valkey)
        self.supervisor.wait_until(self.postgres.ready, [postgres], timeout_seconds=START_SECONDS_MAX)
        self.supervisor.wait_until(self.valkey.ready, [valkey], timeout_seconds=START_SECONDS_MAX)

    def _prepare_database(self) -> str:
        """Run migrations and make demo data; hand back the demo logins."""
        done = subprocess.run(
            [sys.executable, "-m", "casino.embedded.prepare"],
            cwd=self.checkout,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise EmbeddedError(f"The database cannot be brought up to date:\n{done.stdout}{done.stderr}")
        return done.stdout

    def _start_application(self, wanted_port: int) -> tuple[int, int]:
        port, guard = port_reserved(wanted_port)
        if port != wanted_port:
            say(f"port {wanted_port} is taken by another program; using {port} (choose one: make run PORT=…)")
        stream_port, stream_guard = port_reserved(port + 1)
        self.port_guards = [guard, stream_guard]
        self.environment["STREAM_ORIGIN"] = f"http://{HOST}:{stream_port}"
        self.environment.setdefault("CORS_ALLOWED_ORIGINS", f"http://{HOST}:{port},http://localhost:{port}")
        granian = ["granian", "--host", HOST, "--respawn-failed-workers", "--no-ws"]
        web = ["--interface", "wsgi", "--port", str(port), "--workers", "2", "--blocking-threads", "8", "--backpressure", "64"]
        streams = ["--interface", "asgi", "--port", str(stream_port), "--workers", "1", "--workers-kill-timeout", "1"]
        celery = ["celery", "--app", "casino"]
        parts = [
            self._application_part("web", [*granian, *web, "casino.wsgi:application"]),
            self._application_part("streams", [*granian, *streams, "casino.asgi:application"]),
        ]
        self.supervisor.wait_until(
            lambda: answers(port, "/readyz") and answers(stream_port, "/healthz"), parts, timeout_seconds=START_SECONDS_MAX
        )
        worker = [*celery, "worker", "--loglevel", "INFO", "--without-mingle", "--queues"]
        self._application_part("worker", [*worker, "celery", "--concurrency", "2"])
        self._application_part("audit", [*worker, "audit", "--concurrency", "1", "--hostname", "audit@%h"])
        self._application_part("night", [*worker, "night", "--concurrency", "2", "--hostname", "night@%h"])
        self._application_part("beat", [*celery, "beat", "--pidfile=", "--loglevel", "INFO"])
        return port, stream_port

    def _start_bots(self, port: int) -> None:
        """Seat a house bot at a table of each game among players, where it waits for people as long as the stack runs."""
        self.environment["BOT_PASSWORD"] = PASSWORD
        for game, name in HOUSE_BOTS.items():
            bot = ["casino.play.bot", "--url", f"http://{HOST}:{port}", "--username", name, "--game", game]
            self._application_part(name, [*bot, "--host", "--games", str(BOTS_ROUNDS), "--think", "2"])

    def _application_part(self, name: str, module: list[str]) -> Part:
        log = self.folders.logs / f"{name}.log"

        def start() -> subprocess.Popen[bytes]:
            return spawn([sys.executable, "-m", *module], environment=self.environment, folder=self.checkout, log=log)

        return self.supervisor.start(Part(name, start, log))

    def _announce(self, port: int, stream_port: int, logins: str) -> None:
        say(logins.rstrip())
        say(f"""
API        http://{HOST}:{port}/api/v1
reference  http://{HOST}:{port}/api/v1/reference
streams    http://{HOST}:{stream_port}/api/v1/rounds/…/stream
logs       {self.folders.logs}/
settings   {self.folders.var / "stack.env"} (found by .venv/bin/python manage.py …)

Ctrl-C stops everything.""")


def port_reserved(wanted: int) -> tuple[int, socket.socket]:
    """Find a port nobody listens on, the wanted one first, and the socket that keeps other stacks from it while it is open.

    The web server shares its port among its workers, and so would share it with a stack that starts at the same moment.
    """
    for port in range(wanted, min(wanted + PORTS_TRIED, 65536)):
        guard = socket.socket()
        try:
            _guard_bind(guard, port)
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((HOST, port))
        except OSError:
            guard.close()
            continue
        return port, guard
    raise EmbeddedError(f"None of the ports {wanted} … {wanted + PORTS_TRIED - 1} is free.")


def _guard_bind(guard: socket.socket, port: int) -> None:
    try:
        guard.bind((GUARD_HOST, port))
    except OSError as error:
        if error.errno != errno.EADDRNOTAVAIL:  # macOS has one loopback address only, and goes unguarded
            raise


def answers(port: int, path: str) -> bool:
    """Tell whether a web server answers, and well."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
