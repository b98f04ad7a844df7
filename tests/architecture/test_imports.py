"""What the pure modules import; who may call whom is in pyproject.toml's contracts, which this runs too."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT, imported, place, python_files, tree

IMPURE = {
    *("asyncio", "datetime", "io", "logging", "multiprocessing", "os", "random", "secrets", "socket", "subprocess"),
    *("tempfile", "threading", "time", "urllib", "uuid"),
}
OFFLINE = [path for name in ("engines", "verify", "sandbox") if (path := ROOT / "games" / f"{name}.py").exists()]
SEALS_PURE = ("checking", "deviations", "heads", "lines", "merkle", "proofs")
SEALS = [
    ROOT / "audit" / "check_seals.py",
    *(ROOT / "audit" / "seals" / f"{name}.py" for name in SEALS_PURE),
]
CORE = [*python_files("games/core")]
ENGINES = [path for path in python_files("games") if "engine" in path.relative_to(ROOT).parts[1:-1]]


def is_pure(module: str) -> bool:
    parts = module.split(".")
    ours = parts[:2] in (["games", "core"], ["games", "engines"]) or (parts[0] == "games" and parts[2:3] == ["engine"])
    ours = ours or (module.startswith("audit.seals.") and parts[2] in SEALS_PURE)
    return ours or parts[0] in sys.stdlib_module_names


@pytest.mark.parametrize("path", [*OFFLINE, *SEALS, *CORE, *ENGINES], ids=place)
def test_pure_code_imports_the_standard_library_and_pure_code_only(path: Path) -> None:
    strangers = [f"{place(path, node)} imports {module}" for node, module in imported(tree(path)) if not is_pure(module)]
    assert strangers == []


@pytest.mark.parametrize("path", [*CORE, *ENGINES], ids=place)
def test_rules_know_no_clock_no_chance_and_no_outside(path: Path) -> None:
    impure = [f"{place(path, node)} imports {name}" for node, name in imported(tree(path)) if name.split(".")[0] in IMPURE]
    assert impure == []


def test_offline_tools_start_without_any_installed_package() -> None:
    for path in (*OFFLINE, SEALS[0]):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        done = subprocess.run([sys.executable, "-S", "-c", f"import {module}"], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_import_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


GAMES = sorted(path.parent.name for path in (ROOT / "games").glob("*/engine"))
LOWER = ("casino", "wallets", "games.core", "games.halls", "games.rounds", "games.tables", "games.outages")


@pytest.mark.parametrize("game", GAMES)
def test_games_are_strangers_to_each_other_and_unknown_below(game: str) -> None:
    """The contracts name the games one by one; this holds for a game that nobody has named there yet."""
    own = [*python_files(f"games/{game}")]
    others = tuple(f"games.{other}" for other in GAMES if other != game)
    below = [path for package in LOWER for path in python_files(package.replace(".", "/"))]
    assert own and below
    wrong = [place(path, node) for path in own for node, module in imported(tree(path)) if module.startswith(others)]
    wrong += [place(path, node) for path in below for node, module in imported(tree(path)) if module.startswith(f"games.{game}")]
    assert wrong == []
