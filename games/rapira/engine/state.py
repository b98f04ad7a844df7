"""A game at one moment."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from string import ascii_letters
from typing import Any, NamedTuple

from games.core.engine import Json
from games.core.shuffle import Shuffles, load_shuffles
from games.rapira.engine.actions import HAND
from games.rapira.engine.cards import FRESH, SLOTS, ColouredCard, card_texts, coloured
from games.rapira.engine.scoring import Strength
from games.rapira.engine.setup import Setup, setup_from_text

START_POINTS = 100
HANDS = 4
"""Hands in a cycle (RA-6)."""
DISCARDS = 4
"""How often a seat may discard in a hand, or in a cycle (RA-2.1)."""

Slots = tuple[int, ...]
"""Numbers of slots: where cards lie, while ``Seat.slots`` tells which cards they are (RA-1.4)."""


class Phase(StrEnum):
    """What the game waits for."""

    HAND = "hand"
    """Seats discard and play (RA-2)."""
    BONUSES = "bonuses"
    """Seats use their bonuses (RA-6)."""
    OVER = "over"


class Seat(NamedTuple):
    """A seat. Its deck, hand and pile hold each slot once; the next card is drawn from the deck's front.

    In a bonus phase all slots are in the deck, and its first eight are those shown for the bonus (RA-6.2).
    """

    points: int
    slots: tuple[ColouredCard, ...]
    deck: Slots
    hand: Slots = ()
    pile: Slots = ()
    played: Slots | None = None
    """What the seat has played in the running hand; None until it has."""
    discards: int = 0
    """Discards used since the setting's scope began (RA-2.2)."""
    blue: int = 0
    """The slots whose blue card has brought its bonus in this cycle, a bit each (RA-5.4)."""
    earned: int = 0
    """Bonuses that hands and colours have brought in this cycle."""
    bonuses: int = 0
    """Bonuses left in the running phase, the one shown included."""
    shuffle: int = 0
    """The number of the shuffle that shows the present bonus (RA-1.4)."""
    counted_hand: int = 0
    counted_pile: int = 0
    """What others count as its hand and pile as long as it plays (RA-2.4)."""

    @property
    def in_play(self) -> bool:
        """Whether the seat has points left (RA-4.1)."""
        return self.points > 0

    @property
    def shown(self) -> Slots:
        """The slots of the cards shown for the present bonus."""
        return self.deck[:HAND] if self.bonuses else ()

    def cards(self, slots: Sequence[int]) -> tuple[ColouredCard, ...]:
        """The cards that lie in these slots."""
        own = self.slots
        return tuple([own[slot] for slot in slots])


class ShownHand(NamedTuple):
    """What a seat played in the last hand, open to all, and what came of it."""

    seat: int
    cards: tuple[ColouredCard, ...]
    strength: Strength
    won: bool
    points_lost: int
    points: int


class LastHand(NamedTuple):
    """The hand that was settled last."""

    cycle: int
    hand: int
    shown: tuple[ShownHand, ...]


class State(NamedTuple):
    """A game at one moment; ``next_shuffle`` is the first number that no shuffle has taken yet."""

    setup: Setup
    seed: Shuffles
    phase: Phase
    cycle: int
    hand: int
    next_shuffle: int
    seats: tuple[Seat, ...]
    last: LastHand | None

    def waits_for(self, seat: int) -> bool:
        """Say whether a seat may act now."""
        return 0 <= seat < len(self.seats) and waits(self.phase, self.seats[seat])


def waits(phase: Phase, seat: Seat) -> bool:
    """Say whether a seat may act in a phase."""
    if phase is Phase.HAND:
        return seat.points > 0 and seat.played is None
    return phase is Phase.BONUSES and seat.bonuses > 0


def to_act(state: State) -> frozenset[int]:
    """Return the seats that may act now."""
    phase = state.phase
    return frozenset([index for index, seat in enumerate(state.seats) if waits(phase, seat)])


def winners(state: State) -> list[int]:
    """Return the seats with the most points: of a finished game its winners (RA-1.1, RA-1.3)."""
    most = max([seat.points for seat in state.seats])
    return [index for index, seat in enumerate(state.seats) if seat.points == most]


def dump_state(state: State) -> dict[str, Any]:
    """Return the whole state as JSON, with the seed."""
    return {
        "setup": state.setup.text,
        "seed": state.seed.dump(),
        "phase": state.phase.value,
        "cycle": state.cycle,
        "hand": state.hand,
        "next_shuffle": state.next_shuffle,
        "seats": [_dump_seat(seat) for seat in state.seats],
        "last": None if state.last is None else _dump_last(state.last),
    }


def load_state(data: Json) -> State:
    """Return the state that was dumped."""
    return State(
        setup_from_text(data["setup"].encode()),
        load_shuffles(data["seed"]),
        Phase(data["phase"]),
        data["cycle"],
        data["hand"],
        data["next_shuffle"],
        tuple([_load_seat(seat) for seat in data["seats"]]),
        None if data["last"] is None else _load_last(data["last"]),
    )


_LETTERS = bytes.maketrans(bytes(range(SLOTS)), ascii_letters.encode())
_NUMBERS = bytes.maketrans(ascii_letters.encode(), bytes(range(SLOTS)))
"""A dump writes a slot as one of the 52 letters."""


def _packed(slots: Slots) -> str:
    return bytes(slots).translate(_LETTERS).decode()


def _unpacked(text: str) -> Slots:
    return tuple(text.encode().translate(_NUMBERS))


def _dump_seat(seat: Seat) -> dict[str, Any]:
    """Write a seat; of its cards only those that bonuses have changed, each after its slot's letter."""
    cards = zip(ascii_letters, seat.slots, FRESH, strict=True)
    return {
        **seat._asdict(),
        "slots": " ".join([letter + card.text for letter, card, fresh in cards if card is not fresh]),
        "deck": _packed(seat.deck),
        "hand": _packed(seat.hand),
        "pile": _packed(seat.pile),
        "played": None if seat.played is None else _packed(seat.played),
    }


def _load_seat(data: Mapping[str, Any]) -> Seat:
    slots = list(FRESH)
    for text in data["slots"].split():
        slots[ascii_letters.index(text[0])] = coloured(text[1:])
    values = {
        **data,
        "slots": tuple(slots),
        "deck": _unpacked(data["deck"]),
        "hand": _unpacked(data["hand"]),
        "pile": _unpacked(data["pile"]),
        "played": None if data["played"] is None else _unpacked(data["played"]),
    }
    return Seat(**values)


def _dump_last(last: LastHand) -> dict[str, Any]:
    shown = [{**each._asdict(), "cards": card_texts(each.cards), "strength": list(each.strength)} for each in last.shown]
    return {"cycle": last.cycle, "hand": last.hand, "shown": shown}


def _load_last(data: Mapping[str, Any]) -> LastHand:
    shown = [
        ShownHand(**{**each, "cards": tuple(map(coloured, each["cards"])), "strength": tuple(each["strength"])})
        for each in data["shown"]
    ]
    return LastHand(data["cycle"], data["hand"], tuple(shown))
