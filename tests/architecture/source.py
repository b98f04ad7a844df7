"""The project's source files, parsed once for the tests of its shape."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("audit", "casino", "games", "wallets")


@cache
def python_files(*folders: str) -> tuple[Path, ...]:
    """List the project's Python files, by default those of its packages."""
    return tuple(sorted(path for folder in folders or PACKAGES for path in (ROOT / folder).rglob("*.py")))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def place(path: Path, node: ast.AST | None = None) -> str:
    return str(path.relative_to(ROOT)) + (f":{node.lineno}" if isinstance(node, ast.expr | ast.stmt) else "")


@cache
def text_files() -> tuple[Path, ...]:
    """List every file that is or may be committed, as git sees it."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
    )
    return tuple(path for name in listed.stdout.decode().split("\0") if name and (path := ROOT / name).is_file())


def imported(module: ast.Module) -> list[tuple[ast.stmt, str]]:
    """List the modules that a file imports, wherever in it."""
    found: list[tuple[ast.stmt, str]] = []
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found += [(node, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node, "." * node.level + (node.module or "")))
    return found
