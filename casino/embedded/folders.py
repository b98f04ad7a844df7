"""Where the embedded services keep their files, and as whom they run.

An ordinary user keeps everything under the checkout's ``var/``. Root cannot: PostgreSQL refuses to run as root, and another
user cannot enter a checkout in a closed folder unless every parent is opened. So, as root, the services run as an existing
system user and their files lie in a folder of that user's own under /var/lib, closed to others; ``var/`` keeps a link to it.
No mode of a folder that was there before is ever changed.
"""

import hashlib
import os
import pwd
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

SERVICE_USERS = ("postgres", "nobody")
ROOTS_HOME = Path("/var/lib/casino-embedded")
SOCKET_PATH_BYTES = 107
_LONGEST_SOCKET_NAME = "/.s.PGSQL.5432.lock.12345"


class EmbeddedError(Exception):
    """A reason, for a person, why the embedded stack cannot run."""


@dataclass(frozen=True)
class Folders:
    """The folders of one set of services (``stack`` or ``tests``) of one checkout."""

    checkout: Path
    name: str

    @property
    def var(self) -> Path:
        return self.checkout / "var"

    @property
    def digest(self) -> str:
        return hashlib.sha256(os.fsencode(self.checkout.resolve())).hexdigest()[:12]

    @property
    def identity(self) -> str:
        """Name this set of services in its processes' environment, so that a killed run's orphans are recognised."""
        return f"{self.digest}-{self.name}"

    @property
    def account(self) -> pwd.struct_passwd | None:
        """Choose the system user of the services; None means that they run as whoever starts them."""
        if os.geteuid() != 0:
            return None
        for name in SERVICE_USERS:
            try:
                return pwd.getpwnam(name)
            except KeyError:
                continue
        raise EmbeddedError(f"PostgreSQL does not run as root and this machine has none of the users {', '.join(SERVICE_USERS)}.")

    @property
    def user_id(self) -> int:
        return self.account.pw_uid if self.account else os.geteuid()

    @property
    def home(self) -> Path:
        return ROOTS_HOME / self.identity if self.account else self.var.resolve() / self.name

    @property
    def sockets(self) -> Path:
        inside = self.home / "sockets"
        if len(os.fsencode(str(inside) + _LONGEST_SOCKET_NAME)) <= SOCKET_PATH_BYTES:
            return inside
        return Path(f"/tmp/casino-{self.user_id}-{self.identity}")  # noqa: S108 the folder is checked in `private`

    @property
    def logs(self) -> Path:
        return self.var / "log"

    def prepare(self) -> None:
        """Make the folders; refuse a folder that is not ours alone."""
        try:
            self.var.mkdir(exist_ok=True)
            self.logs.mkdir(exist_ok=True)
            if self.account:
                ROOTS_HOME.mkdir(exist_ok=True)
                ROOTS_HOME.chmod(0o711)  # our own folder: entered by the services' user, listed by nobody
            self.private(self.home)
            self.private(self.sockets)
            if self.account:
                self._point_to_home()
        except OSError as error:
            raise EmbeddedError(
                f"Cannot make {error.filename2 or error.filename}: {error.strerror}. "
                "If another user has run this checkout: make clean as that user, or run as that user."
            ) from error

    def metrics_emptied(self) -> Path:
        """Hand back the folder in which processes count, without what those of an earlier run have counted."""
        folder = self.var / "metrics"
        folder.mkdir(exist_ok=True)
        for file in folder.glob("*.db"):
            file.unlink()
        return folder

    def private(self, folder: Path) -> None:
        """Make a folder that only the services' user enters."""
        if not os.path.lexists(folder):
            self._made_in_one_step(folder)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != self.user_id or status.st_mode & 0o077:
            raise EmbeddedError(f"{folder} is not a folder of user {self.user_id} alone: remove it.")

    def _made_in_one_step(self, folder: Path) -> None:
        """Make a folder its owner's before it has its name, as test workers do this at the same time."""
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        if self.account:
            os.chown(fresh, self.account.pw_uid, self.account.pw_gid)
        try:
            fresh.rename(folder)
        except OSError:  # another was first, and has something in it
            fresh.rmdir()

    def _point_to_home(self) -> None:
        pointer = self.var / self.name
        fresh = pointer.with_name(f"{pointer.name}.{os.getpid()}")
        fresh.symlink_to(self.home)
        fresh.replace(pointer)  # in one step, as test workers do this at the same time
