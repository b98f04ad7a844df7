"""A table to play rules at: decks laid out by slot, actions as JSON, everything that happened kept."""

import pytest

from games.core.errors import IllegalAction
from games.core.record import escrow_balance
from games.core.shuffle import ExplicitDecks
from games.rapira.engine import Rapira
from games.rapira.engine.cards import FRESH, coloured
from games.rapira.engine.state import Phase

ENGINE = Rapira()
SLOT = {card.text: slot for slot, card in enumerate(FRESH)}
IN_ORDER = ()
"""A deck that a shuffle leaves in slot order."""


def cards(text):
    return tuple(map(coloured, text.split()))


def slots(text):
    """The slots that these cards lie in at the start, as a sandbox's deck names them."""
    return tuple(str(SLOT[name]) for name in text.split())


class Table:
    """One game. ``decks`` are the first shuffles as texts of cards; further shuffles leave the slots in order."""

    def __init__(self, *decks, seats=2, colours=None, **settings):
        self.setup = ENGINE.parse_setup({"seats": seats, "entry_minor": 100, **settings})
        orders = tuple(map(slots, decks)) + (IN_ORDER,) * 2000
        self.steps = [ENGINE.start(self.setup, ExplicitDecks(orders))]
        for seat, names in (colours or {}).items():
            self.paint(seat, *names.split())

    def paint(self, seat, *names):
        """Put coloured cards in the slots of their plain selves; ``Ac=Ks.r`` puts another card there."""
        new = list(self.state.seats[seat].slots)
        for name in names:
            place, _, card = name.rpartition("=")
            new[SLOT[place or card[:2]]] = coloured(card)
        self.change(seat, slots=tuple(new))

    def change(self, seat, **changes):
        """Set what a seat has."""
        seats = list(self.state.seats)
        seats[seat] = seats[seat]._replace(**changes)
        step = self.steps[-1]
        self.steps[-1] = type(step)(step.state._replace(seats=tuple(seats)), step.events, step.moves)

    @property
    def state(self):
        return self.steps[-1].state

    @property
    def moves(self):
        return [move for step in self.steps for move in step.moves]

    @property
    def over(self):
        return not ENGINE.to_act(self.state)

    @property
    def points(self):
        return [seat.points for seat in self.state.seats]

    @property
    def earned(self):
        return [seat.earned for seat in self.state.seats]

    @property
    def bonuses(self):
        return [seat.bonuses for seat in self.state.seats]

    def view(self, viewer=0):
        return ENGINE.view(self.state, viewer)

    def own(self, seat):
        return self.view(seat)["own"]

    def act(self, seat, type, **parameters):
        step = ENGINE.apply(self.state, seat, ENGINE.parse_action({"type": type, **parameters}))
        self.steps.append(step)
        for each in step.state.seats:
            assert sorted(each.deck + each.hand + each.pile) == list(range(52))
        assert escrow_balance(self.moves) == (0 if self.over else 100 * self.setup.seats)
        return self

    def discard(self, seat, *positions):
        return self.act(seat, "discard", positions=list(positions))

    def play(self, seat, *positions):
        return self.act(seat, "play_hand", positions=list(positions))

    def play_cards(self, seat, text):
        """Play cards of the hand by their texts."""
        hand = self.own(seat)["hand"]
        return self.play(seat, *[hand.index(name) for name in text.split()])

    def skip(self, seat, times=1):
        for _ in range(times):
            self.act(seat, "bonus_skip")
        return self

    def time_out(self, seat):
        return self.act(seat, **ENGINE.dump_action(ENGINE.timeout_action(self.state, seat)))

    def play_all(self, *positions):
        """Everybody plays these positions, as far as the hand goes."""
        for seat in sorted(ENGINE.to_act(self.state)):
            self.play(seat, *[each for each in positions if each < len(self.state.seats[seat].hand)])
        return self

    def to_bonuses(self):
        """Play the hands that are left in the cycle, one card each."""
        while self.state.phase is Phase.HAND:
            self.play_all(0)
        return self

    def to_next_cycle(self):
        self.to_bonuses()
        while self.state.phase is Phase.BONUSES:
            self.skip(min(ENGINE.to_act(self.state)))
        return self

    def refuse(self, code, seat, type, **parameters):
        before = ENGINE.dump(self.state)
        with pytest.raises(IllegalAction) as refused:
            ENGINE.apply(self.state, seat, ENGINE.parse_action({"type": type, **parameters}))
        assert refused.value.code == code
        assert code in ENGINE.error_codes
        assert ENGINE.dump(self.state) == before

    def legal(self, seat):
        return [spec.type for spec in ENGINE.legal_actions(self.state, seat)]

    def events(self, viewer=None, step=-1):
        """What a viewer is told of a step."""
        told = [ENGINE.event_view(event, viewer) for event in self.steps[step].events]
        return [event for event in told if event is not None]

    def types(self, viewer=None, step=-1):
        return [event["type"] for event in self.events(viewer, step)]

    def event(self, type, viewer=None, step=-1):
        (found,) = (event for event in self.events(viewer, step) if event["type"] == type)
        return found
