"""A table to play rules at: decks laid out by hand, actions as JSON, everything that happened kept."""

import pytest

from games.core.cards import card
from games.core.errors import IllegalAction
from games.core.record import escrow_balance, seat_totals
from games.core.shuffle import ExplicitDecks
from games.ukrainian_poker.engine import UkrainianPoker
from games.ukrainian_poker.engine.state import Trick

ENGINE = UkrainianPoker()
ROUNDS = 27
"""More decks than any game needs."""
NUMBERS = {"climb": 1, "nines": 9, "no_trump": -4, "blind": -3, "minimum": -2, "maximum": -1}


def cards(text):
    return tuple(map(card, text.split()))


class Table:
    """One game. ``decks`` are what is dealt first in round 1, 2, …; seat 0 deals first unless the settings say otherwise."""

    def __init__(self, *decks, seats=2, ante_minor=100, first_dealer=0, **settings):
        self.setup = ENGINE.parse_setup({"seats": seats, "ante_minor": ante_minor, "first_dealer": first_dealer, **settings})
        self.seats = seats
        texts = [tuple(deck.split()) for deck in decks]
        texts += [()] * (ROUNDS - len(texts))
        self.steps = [ENGINE.start(self.setup, ExplicitDecks(tuple(texts)))]
        self.state = self.steps[0].state

    def at(self, kind="nines", *, hands=None, turned=None, led="", leader=0, by_highest=False, bids=None, dealer=None):
        """Put the table into a round with all bids made; ``led`` is what was played to the trick since its leader."""
        number = NUMBERS[kind]
        number = number if number > 0 else 21 + self.seats + number
        played = cards(led)
        has_bids = kind not in ("minimum", "maximum")
        self.state = self.state._replace(
            number=number,
            dealer=(leader - 1) % self.seats if dealer is None else dealer,
            hands=tuple(map(cards, hands)) if hands else self.state.hands,
            turned=card(turned) if turned else None,
            stock=(),
            bids=bids or ((0 if has_bids else None),) * self.seats,
            taken=(0,) * self.seats,
            trick=Trick(leader, played, by_highest),
            turn=(leader + len(played)) % self.seats,
            tricks=(),
        )
        return self

    def bidding(self, kind="nines", *, dealer=0, made=()):
        """Put the table into the bids of a round, with those of the first bidders made."""
        bids = [None] * self.seats
        for place, tricks in enumerate(made):
            bids[(dealer + 1 + place) % self.seats] = tricks
        self.at(kind, bids=tuple(bids), dealer=dealer, leader=(dealer + 1) % self.seats)
        self.state = self.state._replace(turn=(dealer + 1 + len(made)) % self.seats)
        return self

    @property
    def moves(self):
        return [move for step in self.steps for move in step.moves]

    @property
    def totals(self):
        return seat_totals(self.moves, self.seats)

    @property
    def over(self):
        return not ENGINE.to_act(self.state)

    @property
    def turn(self):
        (seat,) = ENGINE.to_act(self.state)
        return seat

    def view(self, viewer=None):
        return ENGINE.view(self.state, viewer)

    def act(self, type, *, seat=None, **parameters):
        action = ENGINE.parse_action({"type": type, **parameters})
        self.steps.append(ENGINE.apply(self.state, self.turn if seat is None else seat, action))
        self.state = self.steps[-1].state
        if self.over:
            assert escrow_balance(self.moves) == 0
        return self

    def bid(self, *numbers):
        for tricks in numbers:
            self.act("bid", tricks=tricks)
        return self

    def play(self, text):
        """Play cards one after another, each by the seat whose turn it is; a ``!`` behind a joker claims."""
        for each in text.split():
            self.act("play_card", card=each.rstrip("!"), by_highest=each.endswith("!"))
        return self

    def time_out(self):
        """Let the system play."""
        action = ENGINE.timeout_action(self.state, self.turn)
        return self.act(**ENGINE.dump_action(action))

    def play_out(self):
        """Let the system play the rest of the game."""
        while not self.over:
            self.time_out()
        return self

    def refuse(self, code, type, *, seat=None, **parameters):
        before = ENGINE.dump(self.state)
        with pytest.raises(IllegalAction) as refused:
            ENGINE.apply(self.state, self.turn if seat is None else seat, ENGINE.parse_action({"type": type, **parameters}))
        assert refused.value.code == code
        assert code in ENGINE.error_codes
        assert ENGINE.dump(self.state) == before

    def refuse_card(self, code, text):
        self.refuse(code, "play_card", card=text.rstrip("!"), by_highest=text.endswith("!"))

    def legal_bids(self):
        (spec,) = ENGINE.legal_actions(self.state, self.turn)
        return list(spec.parameters["tricks"].options)

    def legal(self):
        """Cards that may be played, in order; a ``!`` behind one that may be played with the claim too."""
        found = {}
        for spec in ENGINE.legal_actions(self.state, self.turn):
            for text in spec.parameters["card"].options:
                found[text] = text + "!" * (True in spec.parameters["by_highest"].options)
        return " ".join(found[each.text] for each in self.state.hands[self.turn] if each.text in found)

    def events(self, step=-1):
        return [ENGINE.dump_event(event) for event in self.steps[step].events]

    def told(self, viewer, step=-1):
        return [told for event in self.steps[step].events if (told := ENGINE.event_view(event, viewer)) is not None]

    def event(self, type, step=-1):
        (found,) = (event for event in self.events(step) if event["type"] == type)
        return found

    def money(self, step=-1):
        """The moves of a step, brief."""
        return [(move.kind, move.seat, move.amount_minor, move.code) for move in self.steps[step].moves]
