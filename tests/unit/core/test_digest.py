"""Which program played a round."""

import hashlib
from pathlib import Path

import pytest

from games.core.digest import engine_digest
from games.engines import ENGINES, current_engine, current_engines, engine_for

CORE = [path for path in Path("games/core").iterdir() if path.suffix in (".py", ".json")]


def by_hand(*paths):
    return hashlib.sha256("\n".join(sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths)).encode()).hexdigest()


def test_the_digest_is_over_the_files_of_core_and_engine():
    package = Path("games/russian_poker/engine")
    files = [path for path in package.iterdir() if path.suffix in (".py", ".json")]
    assert {"pay_table.json", "limits.json", "rules.py"} <= {path.name for path in files}
    assert engine_digest("games.russian_poker.engine") == by_hand(*CORE, *files)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of one file, anew under each name."""

    def write(name, content):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text(content)
        monkeypatch.syspath_prepend(str(tmp_path))
        return folder / "__init__.py"

    return write


def test_any_change_changes_the_digest(package):
    one, other = package("rules_of_one", "STEP = 1\n"), package("rules_of_another", "STEP = 2\n")
    assert engine_digest("rules_of_one") == by_hand(*CORE, one)
    assert engine_digest("rules_of_one") != engine_digest("rules_of_another") == by_hand(*CORE, other)


def test_engines_are_found_by_game_and_version():
    for engine in ENGINES:
        assert engine_for(engine.code, engine.rules_version) is engine
        assert current_engine(engine.code).rules_version >= engine.rules_version
    assert {engine.code for engine in current_engines()} == {engine.code for engine in ENGINES}
    with pytest.raises(KeyError):
        engine_for(ENGINES[0].code, 0)
    with pytest.raises(KeyError):
        current_engine("roulette")
