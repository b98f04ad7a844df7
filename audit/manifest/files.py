"""The manifest of the program: a reviewed file with the SHA-256 of every rule-bearing file, in the format of ``sha256sum -c``.

Standard library only. It writes such a file and says where a tree of files is not as one says.
"""

import hashlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.machinery import BYTECODE_SUFFIXES, EXTENSION_SUFFIXES
from pathlib import Path
from types import CodeType

from games.core import digest

NAME = "manifest.sha256"
SUFFIXES = (".json", ".py", ".sql")
PATTERNS = ("audit/manifest/**/*", "casino/*", "casino/*/__init__.*", "games/**/*", "wallets/**/*")
"""Rule-bearing is every program, data and SQL file of the games and of the wallets, the wiring that all play runs through, and
this check itself. It is a rule and no list, so that a new file cannot be forgotten."""
BINARY_SUFFIXES = tuple({Path("x" + each).suffix for each in (*BYTECODE_SUFFIXES, *EXTENSION_SUFFIXES)})
"""Python imports such files too, and rather than the source beside them: a folder's before a file's, an extension before both."""
COMPILED = " (compiled)"
TWICE = "listed twice"
"""Stands for the digest of a name that has two: one of them is wrong, whichever it is."""
UNREADABLE = "unreadable"
"""Stands for the digest of a file that cannot be read: like every other, it is not the reviewed one."""
_HEADER_BYTES = 16


@dataclass(frozen=True, slots=True)
class Deviation:
    """Something that is not as the manifest says: by name, with the digest expected and found; None for what is not there."""

    name: str
    expected: str | None
    found: str | None

    def as_json(self) -> dict[str, str | None]:
        return asdict(self)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def files_digest(root: Path) -> dict[str, str]:
    """Return the SHA-256 of every rule-bearing file under a root, by its path from there."""
    found = {path for pattern in PATTERNS for path in root.glob(pattern) if _bears_rules(path)} | set(_shadows(root))
    contents = {_name(path.relative_to(root)): _content(path) for path in sorted(found)}
    return {name: UNREADABLE if content is None else sha256(content) for name, content in contents.items()}


def _bears_rules(path: Path) -> bool:
    """Say whether Python would read or import a file, or through a link to a folder whatever is there."""
    if path.is_dir():
        return path.is_symlink()
    is_binary = path.suffix in BINARY_SUFFIXES and path.parent.name != "__pycache__"
    return path.is_file() and (path.suffix in SUFFIXES or is_binary)


def _shadows(root: Path) -> Iterator[Path]:
    """Find what would be imported from the root in place of a module of the standard library.

    Data takes no module's place, nor does a folder, linked or not, without what makes it a package.
    """
    for pattern in ("*", "*/__init__.*"):
        for path in root.glob(pattern):
            name = path.relative_to(root).parts[0].partition(".")[0]
            if name in sys.stdlib_module_names and path.suffix in (".py", *BINARY_SUFFIXES) and path.is_file():
                yield path


def _name(path: Path) -> str:
    """Spell a path so that it can be written down, whatever bytes somebody has called a file by."""
    return os.fsencode(path.as_posix()).decode(errors="backslashreplace")


def _content(path: Path) -> bytes | None:
    """Return what a file holds, of a link to a folder where it leads; None of what cannot be read."""
    try:
        return os.fsencode(path.readlink()) if path.is_dir() else path.read_bytes()
    except OSError:
        return None


def manifest_text(digests: Mapping[str, str]) -> str:
    """Write digests as ``sha256sum`` does, by name."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))


def manifest_parse(text: str) -> dict[str, str]:
    """Read what ``manifest_text`` writes. A line of another form names nothing, and so what it should name deviates."""
    found: dict[str, str] = {}
    for listed, separator, name in (line.partition("  ") for line in text.splitlines()):
        if separator:
            found[name] = listed if found.get(name, listed) == listed else TWICE
    return found


def manifest_read(file: Path) -> dict[str, str] | None:
    """Read a manifest; None where there is none."""
    try:
        return manifest_parse(file.read_text())
    except (FileNotFoundError, UnicodeDecodeError):
        return None


def files_deviate(root: Path, file: Path) -> list[Deviation]:
    """Hold the files under a root against a manifest: changed, missing and unlisted ones, and compiled copies of other code."""
    expected, found = manifest_read(file), files_digest(root)
    if expected is None:
        return [Deviation(file.name, "a manifest", None)]
    names = sorted(expected.keys() | found.keys())
    deviations = [Deviation(name, expected.get(name), found.get(name)) for name in names if expected.get(name) != found.get(name)]
    return [*deviations, *_compiled_deviate(root, found)]


def engines_digest(digests: Mapping[str, str]) -> dict[str, str]:
    """Return the digest that the rounds of each engine carry (``games.core.digest``), by its package, from those of the files."""
    folders = {name.partition("/engine/")[0] + "/engine/" for name in digests if "/engine/" in name}
    core = digest.SHARED_PACKAGE.replace(".", "/") + "/"
    return {folder.strip("/").replace("/", "."): _joined(digests, core, folder) for folder in sorted(folders)}


def part_of(name: str) -> str:
    """Say what a file is part of: ``rules`` (what a lab has to see again), ``play``, ``money``, ``wiring``."""
    top, _, rest = name.partition("/")
    if top == "games":
        is_rules = rest.startswith("core/") or "/engine/" in rest or rest in ("engines.py", "verify.py")
        return "rules" if is_rules else "play"
    return "money" if top == "wallets" else "wiring"


def _joined(digests: Mapping[str, str], *folders: str) -> str:
    hashes = [each for name, each in digests.items() if name.startswith(folders) and name.endswith(digest.SUFFIXES)]
    return sha256("\n".join(sorted(hashes)).encode())


def _compiled_deviate(root: Path, names: Iterable[str]) -> Iterator[Deviation]:
    """Find compiled copies that Python would run in place of a file, and that hold other code than the file."""
    for name in names:
        path = root / name
        if path.suffix == ".py" and (compiled := Path(importlib.util.cache_from_source(path))).is_file():
            content, source = _content(compiled) or b"", _content(path) or b""
            if _would_run(content, path) and not _is_code_of(content, source, path):
                yield Deviation(name + COMPILED, sha256(source), sha256(content))


def _would_run(compiled: bytes, path: Path) -> bool:
    """Say whether Python would run a compiled copy: of its own version, and of the file's time and size or unconditionally."""
    if compiled[:4] != importlib.util.MAGIC_NUMBER:
        return False
    if compiled[4:8] != bytes(4):
        return True
    status = path.stat()
    parts = (int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)
    return compiled[8:_HEADER_BYTES] == b"".join(part.to_bytes(4, "little") for part in parts)


def _is_code_of(compiled: bytes, source: bytes, path: Path) -> bool:
    try:
        copied = marshal.loads(compiled[_HEADER_BYTES:])  # noqa: S302 only compared
        return _without_positions(copied) == _without_positions(compile(source, path, "exec", dont_inherit=True))
    except Exception:  # whatever it is that Python meets in either: a check that fell over it would have found nothing
        return False


def _without_positions(code: CodeType) -> CodeType:
    """Return code without the table of its lines, which decides nothing and differs between the patch releases of a Python."""
    inner = tuple(_without_positions(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_linetable=b"", co_consts=inner)
