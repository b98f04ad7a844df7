"""Rounds of every rules version that there ever was replay as they were played."""

from pathlib import Path

import pytest

from games.core.codec import parse
from games.engines import ENGINES, current_engines, engine_for
from games.verify import verify
from tests.playthroughs.records import FOLDER, PER_VERSION, file_of

FILES = sorted(FOLDER.glob("*.json"))
EVER = [(engine.code, version) for engine in current_engines() for version in range(1, engine.rules_version + 1)]
"""Every version that any game has ever had: they are numbered from 1."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_golden_record_verifies(file: Path) -> None:
    assert str(verify(file.read_bytes())).startswith("verified")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_golden_record_is_of_the_version_that_its_name_says(file: Path) -> None:
    head = parse(file.read_bytes())["head"]
    game, version, _ = file.stem.rsplit("-", 2)
    assert (head["game"], head["rules_version"]) == (game, int(version))


@pytest.mark.parametrize(("game", "version"), EVER)
def test_every_version_is_still_there_with_its_golden_records(game: str, version: int) -> None:
    assert engine_for(game, version).rules_version == version
    assert [
        file_of(game, version, number) for number in range(1, PER_VERSION + 1) if file_of(game, version, number) not in FILES
    ] == []


def test_no_record_is_of_a_version_that_nobody_knows() -> None:
    known = {(engine.code, engine.rules_version) for engine in ENGINES}
    assert known == set(EVER)
    assert {tuple(file.stem.rsplit("-", 2)[:2]) for file in FILES} == {(game, str(version)) for game, version in EVER}
