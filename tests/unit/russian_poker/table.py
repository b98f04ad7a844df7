"""A table to play rules at: decks laid out by hand, actions as JSON, everything that happened kept."""

import pytest

from games.core.cards import card
from games.core.errors import IllegalAction
from games.core.record import escrow_balance, seat_totals
from games.core.shuffle import ExplicitDecks
from games.russian_poker.engine import RussianPoker
from games.russian_poker.engine.setup import NO_LIMITS

ENGINE = RussianPoker()

NO_GAME = "2d 5h 9s Jd Kc"
"""A dealer without a game."""


def cards(text):
    return tuple(map(card, text.split()))


def limits(*, step_minor=1, max_payout_minor=None, abandon_after_seconds=86_400):
    bounds = {"min_minor": step_minor, "max_minor": 1_000 * step_minor, "step_minor": step_minor}
    return {
        "stakes": {"ante": bounds, "bonus": bounds},
        "max_payout_minor": max_payout_minor,
        "abandon_after_seconds": abandon_after_seconds,
    }


class Table:
    """One round. ``deck`` is what is dealt first: five cards for each box, five for the dealer, then what is drawn."""

    def __init__(self, *deck, boxes=({"box": 1, "ante_minor": 100},), limits=NO_LIMITS, pay_table=None):
        data = {"boxes": list(boxes), "limits": limits, "pay_table": pay_table or ENGINE.default_pay_table}
        self.setup = ENGINE.parse_setup(data)
        self.steps = [ENGINE.start(self.setup, ExplicitDecks((tuple(" ".join(deck).split()),)))]

    @property
    def state(self):
        return self.steps[-1].state

    @property
    def moves(self):
        return [move for step in self.steps for move in step.moves]

    @property
    def totals(self):
        return seat_totals(self.moves, 1)[0]

    @property
    def over(self):
        return not ENGINE.to_act(self.state)

    @property
    def view(self):
        return ENGINE.view(self.state, 0)

    def box(self, number=1):
        return next(box for box in self.view["boxes"] if box["box"] == number)

    def act(self, type, **parameters):
        step = ENGINE.apply(self.state, 0, ENGINE.parse_action({"type": type, **parameters}))
        self.steps.append(step)
        if self.over:
            assert escrow_balance(self.moves) == 0
        return self

    def play(self, *types, box=1):
        """Act several times on one box."""
        for type in types:
            self.act(type, **({} if type in ("open_dealer", "continue") else {"box": box}))
        return self

    def refuse(self, code, type, **parameters):
        with pytest.raises(IllegalAction) as refused:
            ENGINE.apply(self.state, 0, ENGINE.parse_action({"type": type, **parameters}))
        assert refused.value.code == code
        assert code in ENGINE.error_codes

    def legal(self):
        """What may be done, as (type, box) with box None for the whole table, and its spec."""
        specs = ENGINE.legal_actions(self.state, 0)
        return {(s.type, s.parameters["box"].options[0] if "box" in s.parameters else None): s for s in specs}

    def events(self, step=-1):
        return [ENGINE.dump_event(event) for event in self.steps[step].events]

    def event(self, type, step=-1):
        (found,) = (event for event in self.events(step) if event["type"] == type)
        return found

    def money(self, step=-1):
        """The moves of a step, brief."""
        return [(move.kind, move.amount_minor, move.code) for move in self.steps[step].moves]
