"""RA-2.4 on random games: other seats' decks, colours, discards and bonuses are in nothing that a viewer gets.

The conformance suite lays known slots in another order; here other seats get quite other cards, as bonuses could have made them.
"""

from random import Random

import pytest

from games.core.errors import IllegalAction
from games.rapira.engine import Rapira
from games.rapira.engine.cards import CARDS
from tests.rounds import action_of, seed_of

ENGINE = Rapira()


def play(random, settings, look):
    """Play a random game; ``look`` at every step, with the state before and what was done."""
    setup = ENGINE.parse_setup({"entry_minor": 100, **settings})
    state = ENGINE.start(setup, seed_of(random, setup.seats)).state
    while ENGINE.to_act(state):
        seat = random.choice(sorted(ENGINE.to_act(state)))
        action = ENGINE.parse_action(action_of(random.choice(ENGINE.legal_actions(state, seat)), random))
        step = ENGINE.apply(state, seat, action)
        look(state, seat, action, step)
        state = step.state
    return state


def with_other_cards(state, seat, random):
    """Give a seat other cards, another number of bonuses, and other hidden counts."""
    of = state.seats[seat]
    other = of._replace(
        slots=tuple(random.choices(CARDS, k=52)),
        earned=of.earned + random.randint(0, 3),
        bonuses=of.bonuses + random.randint(0, 3) if of.bonuses else 0,
        discards=random.randint(0, 4),
        blue=random.getrandbits(52),
    )
    return state._replace(seats=(*state.seats[:seat], other, *state.seats[seat + 1 :]))


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_nothing_that_others_hide_is_in_a_view(seats):
    random = Random(seats)

    def look(before, seat, action, step):
        for viewer in (*range(seats), None):
            seen = ENGINE.view(step.state, viewer)
            for hidden in set(range(seats)) - {viewer}:
                assert ENGINE.view(with_other_cards(step.state, hidden, random), viewer) == seen

    play(random, {"seats": seats, "max_cycles": 2}, look)


@pytest.mark.parametrize("seats", [2, 4])
def test_what_a_seat_does_by_itself_looks_the_same_whatever_its_cards(seats):
    """A play, a discard or a bonus that settles nothing is told to others without anything of the cards."""
    random, compared = Random(seats), []

    def look(before, seat, action, step):
        if step.state[2:6] != before[2:6]:
            return
        try:
            otherwise = ENGINE.apply(with_other_cards(before, seat, random), seat, action)
        except IllegalAction:
            return
        for viewer in ({*range(seats), None}) - {seat}:
            told = [ENGINE.event_view(event, viewer) for event in step.events]
            others = [ENGINE.event_view(event, viewer) for event in otherwise.events]
            finished = {"type": "bonuses_finished", "seat": seat}
            assert [event for event in told if event not in (None, finished)] == [
                event for event in others if event not in (None, finished)
            ]
            compared.append(viewer)

    play(random, {"seats": seats, "max_cycles": 3}, look)
    assert len(compared) > 50


def test_a_viewer_gets_no_card_of_others_but_from_hands_that_all_have_played():
    """Every card here bears a mark of its seat, so that a leak shows in the text itself."""
    random = Random(7)
    marks = {0: "r", 1: "g", 2: "b"}
    by_mark = {seat: [card for card in CARDS if card.text.partition(".")[2] == mark] for seat, mark in marks.items()}
    setup = ENGINE.parse_setup({"seats": 3, "entry_minor": 100, "max_cycles": 2})
    state = ENGINE.start(setup, seed_of(random, 3)).state
    state = state._replace(seats=tuple(seat._replace(slots=tuple(by_mark[at])) for at, seat in enumerate(state.seats)))
    while ENGINE.to_act(state):
        seat = random.choice(sorted(ENGINE.to_act(state)))
        specs = [
            spec
            for spec in ENGINE.legal_actions(state, seat)
            if spec.type in ("discard", "play_hand", "bonus_suit", "bonus_skip")
        ]
        step = ENGINE.apply(state, seat, ENGINE.parse_action(action_of(random.choice(specs), random)))
        for viewer in (0, 1, 2, None):
            view = dict(ENGINE.view(step.state, viewer))
            view.pop("last_hand")
            told = [ENGINE.event_view(event, viewer) for event in step.events]
            secret = str([view, [event for event in told if event and event["type"] != "hand_shown"]])
            assert not [mark for at, mark in marks.items() if at != viewer and f".{mark}'" in secret]
        state = step.state


def test_the_order_of_the_own_deck_is_in_no_view():
    random = Random(1)

    def look(before, seat, action, step):
        for viewer, own in enumerate(step.state.seats):
            asked = []

            def order(cards, asked=asked):
                asked.append(sorted(cards))
                return random.sample(list(cards), len(cards))

            other = ENGINE.permute_hidden(step.state, viewer, order)
            assert ENGINE.view(other, viewer) == ENGINE.view(step.state, viewer)
            assert sorted(own.deck[len(own.shown) :]) in asked
            assert other.seats[viewer].hand == own.hand and other.seats[viewer].shown == own.shown

    play(random, {"seats": 3, "max_cycles": 2}, look)


def test_a_dump_stays_small_and_comes_back():
    random, sizes = Random(3), []

    def look(before, seat, action, step):
        text = str(ENGINE.dump(step.state))
        sizes.append(len(text))
        assert ENGINE.load(ENGINE.dump(step.state)) == step.state

    play(random, {"seats": 6, "max_cycles": 4}, look)
    assert max(sizes) < 8_000
