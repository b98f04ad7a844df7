"""The manifest finds every byte that differs, by itself and with an outside tool."""

import importlib.util
import marshal
import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from audit.manifest.files import (
    NAME,
    engines_digest,
    files_deviate,
    files_digest,
    manifest_parse,
    manifest_text,
    part_of,
)
from games.core.digest import engine_digest
from games.engines import ENGINES
from tests.architecture.source import ROOT, python_files

RULES = "games/russian_poker/engine/rules.py"
PAYS = "games/russian_poker/engine/pay_table.json"
LEDGER = "wallets/ledger.py"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the rule-bearing files with a manifest of them."""
    for name in files_digest(ROOT):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    (tmp_path / NAME).write_text(manifest_text(files_digest(tmp_path)))
    return tmp_path


def names(tree: Path) -> list[str]:
    return [each.name for each in files_deviate(tree, tree / NAME)]


def outside(tree: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sha256sum", "-c", "--quiet", NAME], cwd=tree, capture_output=True, text=True)


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def test_an_untouched_tree_is_as_its_manifest_says(tree: Path) -> None:
    assert names(tree) == []
    assert outside(tree).returncode == 0
    assert manifest_parse((tree / NAME).read_text()) == files_digest(ROOT)


@pytest.mark.parametrize("is_last", [False, True])
def test_a_name_with_two_digests_deviates_whichever_is_right(tree: Path, is_last: bool) -> None:
    text = (tree / NAME).read_text()
    other = f"{'0' * 64}  {RULES}\n"
    (tree / NAME).write_text(text + other if is_last else other + text)
    assert RULES in names(tree)
    assert outside(tree).returncode == 1


@pytest.mark.parametrize("name", [RULES, PAYS, LEDGER, "games/engines.py", "games/core/shuffle.py", "casino/settings.py"])
def test_one_flipped_bit_is_found_and_named_and_its_return_is_seen(tree: Path, name: str) -> None:
    flip(tree / name)
    assert names(tree) == [name]
    told = outside(tree)
    assert (told.returncode, told.stdout) == (1, f"{name}: FAILED\n")
    flip(tree / name)
    assert names(tree) == []


def test_missing_and_unlisted_files_are_found(tree: Path) -> None:
    (tree / RULES).unlink()
    (tree / "games/core/extra.py").write_text("")
    found = files_deviate(tree, tree / NAME)
    assert [(each.name, each.expected is None, each.found is None) for each in found] == [
        ("games/core/extra.py", True, False),
        (RULES, False, True),
    ]


@pytest.mark.parametrize("content", [None, b"", b"\xff", b"nonsense"])
def test_a_manifest_that_says_nothing_lets_nothing_pass(tree: Path, content: bytes | None) -> None:
    (tree / NAME).unlink()
    if content is not None:
        (tree / NAME).write_bytes(content)
    assert files_deviate(tree, tree / NAME)


def compiled(tree: Path, code: str) -> Path:
    """Put a compiled copy of some code beside the rules, which Python would run in their place."""
    source = tree / RULES
    other = tree / "other.py"
    other.write_text(code + "\n" * (source.stat().st_size - len(code)))
    os.utime(other, (source.stat().st_atime, source.stat().st_mtime))
    place = Path(importlib.util.cache_from_source(source))
    py_compile.compile(str(other), cfile=str(place), dfile=str(source), doraise=True)
    other.unlink()
    return place


def test_a_compiled_copy_of_other_code_is_found(tree: Path) -> None:
    place = compiled(tree, "PAYS = 1000\n")
    assert names(tree) == [f"{RULES} (compiled)"]
    place.write_bytes(place.read_bytes()[:20])
    assert names(tree) == [f"{RULES} (compiled)"]


def test_a_compiled_copy_with_other_positions_runs_the_same(tree: Path) -> None:
    """As another patch release of the same Python writes it."""
    place = Path(py_compile.compile(str(tree / RULES), doraise=True) or "")
    header, code = place.read_bytes()[:16], marshal.loads(place.read_bytes()[16:])  # noqa: S302 our own
    place.write_bytes(header + marshal.dumps(code.replace(co_linetable=b"")))
    assert names(tree) == []
    place.write_bytes(header + marshal.dumps(code.replace(co_names=("other",) * len(code.co_names), co_consts=(7,))))
    assert names(tree) == [f"{RULES} (compiled)"]


def test_a_copy_beside_a_source_that_nothing_compiles_is_found(tree: Path) -> None:
    """Python runs the copy and never looks at the source."""
    (tree / RULES).write_text("x = " + "-" * 5000 + "1")
    compiled(tree, "PAYS = 1000\n")
    assert names(tree) == [RULES, f"{RULES} (compiled)"]


def test_a_file_that_cannot_be_read_deviates_and_hides_no_other(tree: Path) -> None:
    (tree / "games/a.py").symlink_to("/proc/self/mem")
    with pytest.raises(OSError):
        (tree / "games/a.py").read_bytes()
    (tree / RULES).write_text("PAYS = 1000\n")
    assert names(tree) == ["games/a.py", RULES]


def test_a_compiled_copy_that_python_would_not_run_is_nothing(tree: Path) -> None:
    compiled(tree, "PAYS = 1000\n")
    os.utime(tree / RULES, (1, 1))
    assert names(tree) == []


def test_the_copy_of_the_very_file_is_as_it_should_be(tree: Path) -> None:
    py_compile.compile(str(tree / RULES), doraise=True)
    assert Path(importlib.util.cache_from_source(tree / RULES)).exists()
    assert names(tree) == []


@pytest.mark.parametrize(
    ("place", "module"),
    [
        ("games/core/shuffle/__init__.pyc", "games.core.shuffle"),
        ("games/core/shuffle.abi3.so", "games.core.shuffle"),
        ("wallets/ledger/__init__.py", "wallets.ledger"),
        ("casino/settings/__init__.py", "casino.settings"),
        ("secrets.py", "secrets"),
        ("hashlib/__init__.pyc", "hashlib"),
    ],
)
def test_what_python_imports_in_a_files_place_is_found(tree: Path, place: str, module: str) -> None:
    path = tree / place
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"")
    *_, name = module.split(".")
    command = (
        f"import sys; from importlib.machinery import PathFinder; print(PathFinder.find_spec({name!r}, sys.argv[1:]).origin)"
    )
    folder = tree / module.replace(".", "/")
    asked = subprocess.run([sys.executable, "-S", "-c", command, folder.parent], capture_output=True, text=True)
    assert asked.stdout == f"{path}\n", "control"
    assert names(tree) == [place]


@pytest.mark.parametrize("place", ["games/core/shuffle", "casino/settings", "secrets"])
def test_a_link_in_a_files_place_is_found(tree: Path, tmp_path_factory: pytest.TempPathFactory, place: str) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "__init__.py").write_text("")
    (tree / place).symlink_to(elsewhere)
    assert {name.removesuffix("/__init__.py") for name in names(tree)} == {place}


def test_what_stands_beside_the_program_and_takes_nothings_place_is_nothing(
    tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for name in ("other.py", "secrets.txt", "secrets.json", "test.sql", "other/__init__.py", "site/index.py"):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text("")
    (tree / "venv").symlink_to(tmp_path_factory.mktemp("venv"))
    assert names(tree) == []


def test_the_manifest_shows_the_digest_that_rounds_carry() -> None:
    shown = engines_digest(files_digest(ROOT))
    assert shown == {engine.package: engine_digest(engine.package) for engine in ENGINES}


def test_every_file_has_its_part() -> None:
    parts = {part_of(name) for name in files_digest(ROOT)}
    assert parts == {"rules", "play", "money", "wiring"}
    assert [part_of(name) for name in (RULES, PAYS, "games/verify.py", "games/core/cards.py")] == ["rules"] * 4
    assert [part_of(name) for name in ("games/rounds/steps.py", LEDGER, "casino/db.py")] == ["play", "money", "wiring"]


def test_no_program_of_the_games_and_wallets_is_left_out() -> None:
    listed = files_digest(ROOT)
    ours = [path.relative_to(ROOT).as_posix() for path in python_files("games", "wallets", "audit/manifest")]
    assert len(ours) > 100 and [name for name in ours if name not in listed] == []
    data = [path.relative_to(ROOT).as_posix() for path in (ROOT / "games").rglob("*.json")]
    assert data and [name for name in data if name not in listed] == []
