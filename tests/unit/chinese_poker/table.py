"""A table to play rules at: hands laid out by hand, actions as JSON, everything that happened kept."""

import pytest

from games.chinese_poker.engine import ChinesePoker
from games.core.cards import DECK_52
from games.core.errors import IllegalAction
from games.core.record import escrow_balance, seat_totals
from games.core.shuffle import ExplicitDecks

ENGINE = ChinesePoker()
PRICE = 100

HIGH = "Kc Jc 9d 8d 7s | Qd Jd 9s 8s 6s | 5d 4c 3c"
"""An arrangement without a pair."""
ROYAL = "As Ks Qs Js Ts | Kh Qh Jh Th 9h | Ac Ad Ah"
"""The most prizes that one seat can have: 24."""


def hands(text):
    """Read "first | second | third" as lists of card texts."""
    return [part.split() for part in text.split("|")]


def arranged(text):
    first, second, third = hands(text)
    return {"first": first, "second": second, "third": third}


def dealt(*seats):
    """A deck in which seats get these cards; it need not be whole."""
    return tuple(" ".join(seats).replace("|", " ").split())


def padded(*seats):
    """Give seats without cards what is left of the pack, in its own order."""
    used = set(dealt(*[text for text in seats if text]))
    left = [card.text for card in DECK_52 if card.text not in used]
    return tuple(text or " ".join(left.pop(0) for _ in range(13)) for text in seats)


class Table:
    """One game. Each deal is a list of arrangements, one for each seat; ``arrange`` lays out the current deal's as they are."""

    def __init__(self, *deals, **setup):
        self.deals = deals
        self.setup = ENGINE.parse_setup({"seats": len(deals[0]), "point_price_minor": PRICE, **setup})
        self.steps = [ENGINE.start(self.setup, ExplicitDecks(tuple(dealt(*deal) for deal in deals)))]

    @property
    def state(self):
        return self.steps[-1].state

    @property
    def moves(self):
        return [move for step in self.steps for move in step.moves]

    @property
    def totals(self):
        return seat_totals(self.moves, self.setup.seats)

    @property
    def to_act(self):
        return sorted(ENGINE.to_act(self.state))

    @property
    def over(self):
        return not self.to_act

    @property
    def scores(self):
        return list(self.state.scores)

    def view(self, viewer=0):
        return ENGINE.view(self.state, viewer)

    def act(self, seat, type, **parameters):
        return self._take(ENGINE.apply(self.state, seat, ENGINE.parse_action({"type": type, **parameters})))

    def time_out(self, seat):
        return self._take(ENGINE.apply(self.state, seat, ENGINE.timeout_action(self.state, seat)))

    def _take(self, step):
        self.steps.append(step)
        if self.over:
            assert escrow_balance(self.moves) == 0
        return self

    def arrange(self, *seats):
        """Lay out the hands of these seats, or of all that are to act."""
        deal = self.deals[self.state.deal.number - 1]
        for seat in seats or self.to_act:
            self.act(seat, "arrange", **arranged(deal[seat]))
        return self

    def go_on(self, *seats):
        for seat in seats:
            self.act(seat, "compare_next")
        return self

    def refuse(self, code, seat, type, **parameters):
        before = ENGINE.dump(self.state)
        with pytest.raises(IllegalAction) as refused:
            ENGINE.apply(self.state, seat, ENGINE.parse_action({"type": type, **parameters}))
        assert refused.value.code == code
        assert code in ENGINE.error_codes
        assert ENGINE.dump(self.state) == before

    def events(self, step=-1):
        return [ENGINE.dump_event(event) for event in self.steps[step].events]

    def types(self, step=-1):
        return [event["type"] for event in self.events(step)]

    def event(self, type, step=-1):
        (found,) = (event for event in self.events(step) if event["type"] == type)
        return found

    def opened(self, position, step=-1):
        (found,) = (e for e in self.events(step) if e["type"] == "position_opened" and e["position"] == position)
        return found

    def money(self, step=-1):
        """The moves of a step, brief."""
        return [(move.kind, move.seat, move.amount_minor, move.code) for move in self.steps[step].moves]

    def net(self):
        return [total.returned_minor - total.staked_minor for total in self.totals]
