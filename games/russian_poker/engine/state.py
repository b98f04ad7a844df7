"""A round at one moment."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from games.core.cards import Card, packed, unpacked
from games.core.engine import Json
from games.core.shuffle import Shuffles, load_shuffles
from games.russian_poker.engine.scoring import Hand, evaluate
from games.russian_poker.engine.setup import BoxStakes, Setup, limits_from_text, pay_table_from_text


class Phase(StrEnum):
    """What the round waits for."""

    DECIDING = "deciding"
    """Open boxes decide, one after another (RP-5.7)."""
    INSURING = "insuring"
    """The insurance window is open (RP-5.8)."""
    BUYING = "buying"
    """The dealer has no game; it can be bought until the player continues (RP-6.3)."""
    OVER = "over"


class Draw(StrEnum):
    """How a box changed its cards."""

    NONE = "none"
    EXCHANGE = "exchange"
    SIXTH_CARD = "sixth_card"


class Decision(StrEnum):
    """Whether a box plays."""

    NONE = "none"
    BET = "bet"
    FOLD = "fold"


class Outcome(StrEnum):
    """How a box ended: the rows of RP-6.6's table."""

    NONE = "none"
    FOLDED = "folded"
    WON = "won"
    LOST = "lost"
    TIED = "tied"
    NO_GAME = "no_game"
    """The dealer had no game and none was bought: Ante paid, Bet returned."""
    STILL_NO_GAME = "still_no_game"
    """A game was bought and did not come: both returned."""


class Box(NamedTuple):
    """A played box. ``returned_minor`` is what it has paid back so far, stakes and wins together."""

    number: int
    ante_minor: int
    bonus_minor: int
    blind: bool
    cards: tuple[Card, ...]
    draw: Draw = Draw.NONE
    decision: Decision = Decision.NONE
    insurance_minor: int = 0
    game_bought: bool = False
    outcome: Outcome = Outcome.NONE
    returned_minor: int = 0

    @property
    def hand(self) -> Hand:
        """The combinations of its cards."""
        return evaluate(self.cards)

    @property
    def bet_minor(self) -> int:
        """The Bet on it: twice the Ante once it plays."""
        return 2 * self.ante_minor if self.decision is Decision.BET else 0

    @property
    def staked_minor(self) -> int:
        """Everything staked and paid on it so far."""
        fees = (self.draw is not Draw.NONE) + self.game_bought
        return self.bonus_minor + (1 + fees) * self.ante_minor + self.bet_minor + self.insurance_minor


class State(NamedTuple):
    """A round. ``dealer`` holds five cards, the last one shown; ``deck`` the cards not yet dealt, next one first.

    ``replaced`` are the cards that the dealer gave back, ``discarded`` those that boxes did; neither comes back.
    """

    setup: Setup
    seed: Shuffles
    phase: Phase
    boxes: tuple[Box, ...]
    dealer: tuple[Card, ...]
    deck: tuple[Card, ...]
    discarded: tuple[Card, ...] = ()
    replaced: tuple[Card, ...] = ()

    def box(self, number: int) -> Box | None:
        """The played box of that number."""
        for box in self.boxes:
            if box.number == number:
                return box
        return None

    def with_box(self, box: Box) -> "State":
        """The state with that box in the place of its former self."""
        return self._replace(boxes=tuple([box if each.number == box.number else each for each in self.boxes]))

    @property
    def playing(self) -> tuple[Box, ...]:
        """The boxes with a Bet."""
        return tuple([box for box in self.boxes if box.decision is Decision.BET])

    @property
    def undecided(self) -> Box | None:
        """The open box whose turn it is (RP-5.7)."""
        for box in self.boxes:
            if box.decision is Decision.NONE and not box.blind:
                return box
        return None

    @property
    def dealer_opened(self) -> bool:
        """Whether all of the dealer's cards have been shown; never when every box folded (RP-5.9)."""
        return self.phase is Phase.BUYING or (self.phase is Phase.OVER and bool(self.playing))


def dump_state(state: State) -> dict[str, Any]:
    """Return the whole state as JSON, with the seed.

    It is written and hashed at every step, so it is terse: a box is the list of its fields, and the setup is what the boxes do
    not say of it, in the words that its parts keep.
    """
    return {
        "limits": state.setup.limits.text,
        "pay_table": state.setup.pay_table.text,
        "seed": state.seed.dump(),
        "phase": state.phase,
        "boxes": [_dump_box(box) for box in state.boxes],
        "dealer": packed(state.dealer),
        "deck": packed(state.deck),
        "discarded": packed(state.discarded),
        "replaced": packed(state.replaced),
    }


def load_state(data: Json) -> State:
    """Return the state that was dumped."""
    boxes = tuple([_load_box(fields) for fields in data["boxes"]])
    return State(
        Setup(
            tuple([BoxStakes(box.number, box.ante_minor, box.bonus_minor) for box in boxes]),
            limits_from_text(data["limits"].encode()),
            pay_table_from_text(data["pay_table"].encode()),
        ),
        load_shuffles(data["seed"]),
        Phase(data["phase"]),
        boxes,
        unpacked(data["dealer"]),
        unpacked(data["deck"]),
        unpacked(data["discarded"]),
        unpacked(data["replaced"]),
    )


def _dump_box(box: Box) -> list[Any]:
    number, ante_minor, bonus_minor, blind, cards, *rest = box
    return [number, ante_minor, bonus_minor, blind, packed(cards), *rest]


def _load_box(fields: Sequence[Any]) -> Box:
    box = Box(*fields)
    return box._replace(
        cards=unpacked(fields[4]), draw=Draw(box.draw), decision=Decision(box.decision), outcome=Outcome(box.outcome)
    )
