"""Nobody sees a hand before it is opened, nor one that never is: every view and event of random games, deal by deal."""

from random import Random

import pytest

from games.chinese_poker.engine import ChinesePoker
from games.core.codec import canonical
from tests.property.test_chinese_poker_money import random_action, random_setup
from tests.property.test_conformance import texts_in
from tests.rounds import seed_of

ENGINE = ChinesePoker()


def may_see(state, viewer, actions):
    """The cards of the deal on the table that a viewer may see: what is open, and the own ones while they matter."""
    seen = set()
    for seat, hand in enumerate(state.deal.hands):
        action = actions.get(seat)
        if seat == viewer and action != "missed" and ENGINE.to_act(state):
            seen |= {card.text for card in hand}
        elif action not in (None, "missed"):
            opened = ("first", "second", "third")[: len(state.deal.opened)]
            seen |= {text for name in opened for text in action[name]}
    return seen


@pytest.mark.parametrize("chunk", range(2))
def test_views_and_events_show_only_what_is_open_or_ones_own(chunk):
    random = Random(chunk)
    for _ in range(40):
        setup = ENGINE.parse_setup(random_setup(random))
        step = ENGINE.start(setup, seed_of(random, setup.seats))
        actions, deal = {}, 1
        while True:
            state = step.state
            for viewer in (*range(setup.seats), None):
                check(step, viewer, actions if state.deal.number == deal else {})
            if not ENGINE.to_act(state):
                break
            if state.deal.number != deal:
                actions, deal = {}, state.deal.number
            seat = random.choice(sorted(ENGINE.to_act(state)))
            asked = random_action(state, seat, random)
            if state.phase == "arranging":
                actions[seat] = asked or "missed"
            action = ENGINE.parse_action(asked) if asked else ENGINE.timeout_action(state, seat)
            step = ENGINE.apply(state, seat, action)


def check(step, viewer, actions):
    view = ENGINE.view(step.state, viewer)
    pack = {str(card) for card in ENGINE.cards(step.state)}
    allowed = may_see(step.state, viewer, actions)
    assert set(texts_in({**view, "last_deal": None})) & pack <= allowed
    told = [ENGINE.event_view(event, viewer) for event in step.events]
    types = [event["type"] for event in told if event]
    if "deal_started" in types:
        dealt = [event for event in told if event and event["type"] == "hand_dealt"]
        assert [event["seat"] for event in dealt] == ([] if viewer is None else [viewer])
        told = dealt
    assert set(texts_in(told)) & pack <= allowed


def test_the_deal_before_shows_the_same_to_all():
    random = Random(9)
    setup = ENGINE.parse_setup({"seats": 3, "target": 60, "point_price_minor": 1})
    state = ENGINE.start(setup, seed_of(random, 3)).state
    while ENGINE.to_act(state):
        shown = {canonical(ENGINE.view(state, viewer)["last_deal"]) for viewer in (0, 1, 2, None)}
        assert len(shown) == 1
        seat = min(ENGINE.to_act(state))
        action = random.choice(random.choice(ENGINE.legal_actions(state, seat)).suggestions or [{"type": "compare_next"}])
        state = ENGINE.apply(state, seat, ENGINE.parse_action(action)).state
