"""Golden rounds come out as they did when they were read."""

import pytest

from games.engines import current_engines
from games.sandbox import run
from tests.playthroughs import PLAYTHROUGHS, kept, setups_of


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_a_golden_round_comes_out_as_before(name):
    assert kept(run(PLAYTHROUGHS[name]["script"])) == PLAYTHROUGHS[name]["played"]


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_a_golden_round_is_played_to_its_end(name):
    played = PLAYTHROUGHS[name]["played"]
    assert played["completed"] and played["over"] and played["escrow_minor"] == 0


@pytest.mark.parametrize("engine", current_engines(), ids=lambda engine: engine.code)
def test_every_game_has_two_golden_rounds(engine):
    assert len(setups_of(engine.code)) >= 2
