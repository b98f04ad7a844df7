"""(g) Random games of every game among players, on one core: cards played per second, against other game libraries."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import pyspiel
import rlcard
from rlcard.agents import RandomAgent

from bench.scale import Scale
from bench.table import Line, interleaved, per_second
from games.core.engine import Engine
from games.engines import current_engines
from tests.playthroughs import setups_of
from tests.rounds import action_of, seed_of

SEED = 21
OH_HELL_SEATS = 4
UNO_DRAW = 60
"""The one action of RLCard's UNO that plays no card."""
Played = Callable[[Any], int]
CARDS_OF: dict[str, Played] = {
    "play_card": lambda action: 1,
    "arrange": lambda action: 13,
    "play_hand": lambda action: len(action["positions"]),
}
"""How many cards an action plays, by its type; the others play none."""


def playout_lines(scale: Scale) -> Iterator[Line]:
    """Play each engine in turn with both yardsticks, in this process's own time."""
    for engine in current_engines():
        if engine.seats[1] == 1:
            continue
        chance = Random(SEED)
        ours, oh_hell, uno = interleaved(
            scale.repeats,
            partial(_rate, partial(_game, engine, chance), scale.seconds),
            partial(_rate, partial(_oh_hell, pyspiel.load_game("oh_hell", {"players": OH_HELL_SEATS}), chance), scale.seconds),
            partial(_rate, partial(_uno, _uno_table()), scale.seconds),
        )
        what = f"cards played in random games of {engine.code}"
        yield Line("g", f"{what} / OpenSpiel", per_second(ours), per_second(oh_hell), ours / oh_hell, "≥ 0.05")
        yield Line("g", f"{what} / RLCard", per_second(ours), per_second(uno), ours / uno, "≥ 1")


def _rate(play: Callable[[], int], seconds: float) -> float:
    """Cards per second of this process's own time, over as many games as fit."""
    cards, begun = 0, time.process_time()
    while time.process_time() - begun < seconds or not cards:
        cards += play()
    return cards / (time.process_time() - begun)


def _game(engine: Engine[Any, Any, Any], chance: Random) -> int:
    """Play one game as a service does, without its database: what is legal, one of it, the step."""
    setup = engine.parse_setup(chance.choice(setups_of(engine.code)))
    state = engine.start(setup, seed_of(chance, len(engine.exposure(setup).seats_minor))).state
    cards = 0
    while seats := engine.to_act(state):
        seat = min(seats)
        action = action_of(chance.choice(engine.legal_actions(state, seat)), chance)
        cards += CARDS_OF.get(action["type"], lambda action: 0)(action)
        state = engine.apply(state, seat, engine.parse_action(action)).state
    return cards


def _oh_hell(game: Any, chance: Random) -> int:
    """Play one game of OpenSpiel's Oh Hell; every player bids once, all else that players do plays a card."""
    state, actions = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chance.choices(outcomes, weights)[0])
        else:
            state.apply_action(chance.choice(state.legal_actions()))
            actions += 1
    return actions - OH_HELL_SEATS


def _uno_table() -> Any:
    table = rlcard.make("uno", config={"seed": SEED})
    table.set_agents([RandomAgent(table.num_actions) for _ in range(table.num_players)])
    return table


def _uno(table: Any) -> int:
    """Play one game of RLCard's UNO; a player's trajectory is state, action, state, action …"""
    trajectories, _ = table.run(is_training=False)
    return sum(action != UNO_DRAW for trajectory in trajectories for action in trajectory[1::2])
