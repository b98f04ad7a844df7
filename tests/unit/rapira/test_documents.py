"""Views and events have the shapes that the API's reference promises, on random games."""

from random import Random

import pytest

from games.rapira.documents import EVENTS, RapiraView
from games.rapira.engine.setup import Setup
from games.rapira.serializers import ACTIONS, RapiraConvention
from tests.rounds import action_of, seed_of

from .table import ENGINE

TABLE_ONLY = {"seats", "limits", "pay_table", "rake"}


def fits(shape, data):
    """Assert that data has a shape: every key, no other, nothing that merely resembles its type."""
    body = shape(data=data)
    assert body.is_valid(), (body.errors, data)
    assert data.keys() == body.fields.keys()


@pytest.mark.parametrize("seats", [2, 3])
def test_views_events_and_actions_have_their_documents(seats):
    random, kinds = Random(seats), set()
    setup = ENGINE.parse_setup({"seats": seats, "entry_minor": 50, "max_cycles": 3, "min_loss": 11})
    step = ENGINE.start(setup, seed_of(random, seats))
    while ENGINE.to_act(step.state):
        state = step.state
        seat = random.choice(sorted(ENGINE.to_act(state)))
        action = action_of(random.choice(ENGINE.legal_actions(state, seat)), random)
        fits(ACTIONS[action["type"]], action)
        step = ENGINE.apply(state, seat, ENGINE.parse_action(action))
        for viewer in (seat, (seat + 1) % seats, None):
            fits(RapiraView, ENGINE.view(step.state, viewer))
        for event in map(ENGINE.dump_event, step.events):
            kinds.add(event["type"])
            fits(EVENTS[event["type"]], event)
    assert kinds >= {"hand_shown", "points_lost", "bonus_shown", "suit_changed", "game_ended", "cards_discarded"}


def test_a_tables_convention_has_every_setting_but_what_its_round_adds():
    body = RapiraConvention(data={"entry_minor": 100})
    assert body.is_valid(), body.errors
    assert RapiraConvention().fields.keys() == Setup.__annotations__.keys() - TABLE_ONLY
    setup = ENGINE.parse_setup({**body.validated_data, "seats": 3, "limits": ENGINE.default_limits["first"], "pay_table": {}})
    left_out = {"seats": 3, "entry_minor": 100, "limits": ENGINE.default_limits["first"]}
    assert setup == ENGINE.parse_setup(left_out)
