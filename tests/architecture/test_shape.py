"""How the code must read: small files and functions, one place for locks, no float near money, nothing left half done."""

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGES, ROOT, imported, place, python_files, text_files, tree

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 50
EVERYTHING = python_files(*PACKAGES, "tests")
UNWELCOME = re.compile("|".join((r"\bTO" r"DO\b", r"\bFIX" r"ME\b", r"\bX" r"XX\b", r"\bHA" r"CK\b", "for now[,.;)]")))
UNWELCOME_NAMES = {"utils", "common", "helpers", "misc", "managers"}


@pytest.mark.parametrize("path", EVERYTHING, ids=place)
def test_files_and_functions_stay_small(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= FILE_LINES_MAX
    functions = [node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert [f"{place(path, f)} {f.name}" for f in functions if (f.end_lineno or 0) - f.lineno >= FUNCTION_LINES_MAX] == []


@pytest.mark.parametrize("path", python_files(), ids=place)
def test_rows_are_locked_in_locks_py_only(path: Path) -> None:
    locks = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Attribute) and node.attr == "select_for_update"]
    if path.name != "locks.py":
        assert [place(path, node) for node in locks] == []


def test_every_lock_is_the_weaker_one_and_names_its_table() -> None:
    calls = [
        (path, node)
        for path in python_files()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "select_for_update"
    ]
    for path, call in calls:
        given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        assert (given.get("no_key"), given.get("of")) == ("True", "('self',)"), place(path, call)


@pytest.mark.parametrize("path", python_files("games", "wallets"), ids=place)
def test_no_float_comes_near_money(path: Path) -> None:
    floats = [
        node
        for node in ast.walk(tree(path))
        if (isinstance(node, ast.Constant) and isinstance(node.value, float))
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float")
        or (isinstance(node, ast.Attribute) and node.attr == "FloatField")
        or (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div) and not _joins_paths(node))
    ]
    assert [place(path, node) for node in floats] == []


def _joins_paths(node: ast.BinOp | ast.AugAssign) -> bool:
    return isinstance(node, ast.BinOp) and any(
        (isinstance(part, ast.Constant) and isinstance(part.value, str)) or isinstance(part, ast.JoinedStr)
        for part in (node.left, node.right)
    )


@pytest.mark.parametrize("path", [path for path in python_files() if path.parent != ROOT / "casino" / "play"], ids=place)
def test_chance_is_never_the_predictable_kind(path: Path) -> None:
    """Programs that play are players: what they choose deals no cards and makes no secret."""
    assert [place(path, node) for node, module in imported(tree(path)) if module.split(".")[0] == "random"] == []


@pytest.mark.parametrize("path", text_files(), ids=place)
def test_nothing_is_left_half_done(path: Path) -> None:
    try:
        lines = path.read_text().splitlines()
    except UnicodeDecodeError:
        return
    assert [f"{place(path)}:{number}" for number, line in enumerate(lines, 1) if UNWELCOME.search(line)] == []


def test_names_say_what_a_module_is_for() -> None:
    assert [place(path) for path in EVERYTHING if UNWELCOME_NAMES & set(path.relative_to(ROOT).with_suffix("").parts)] == []
