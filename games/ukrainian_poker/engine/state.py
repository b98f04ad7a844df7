"""A game at one moment."""

from typing import Any, NamedTuple

from games.core.cards import Card, card, packed, unpacked
from games.core.engine import Json
from games.core.shuffle import Shuffles, load_shuffles
from games.ukrainian_poker.engine.schedule import Round, schedule
from games.ukrainian_poker.engine.scoring import points, trump_of
from games.ukrainian_poker.engine.setup import Setup, setup_from_text

Bids = tuple[int | None, ...]
"""By seat; None before the bid, and in rounds without bids."""
NOBODY = -1
"""Stands for the seat to act when the game is over, and for the winner of a trick that is not finished."""


class Trick(NamedTuple):
    """Cards in the order of play, beginning with the leader's; ``winner`` is ``NOBODY`` until all have played."""

    leader: int
    cards: tuple[Card, ...] = ()
    by_highest: bool = False
    winner: int = NOBODY


class Score(NamedTuple):
    """What a finished round brought, by seat: a row of the score table (UP-5.3)."""

    bids: Bids
    taken: tuple[int, ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]


class State(NamedTuple):
    """A game.

    ``number`` counts rounds from 1. ``hands`` are as they were dealt, less what was played; ``stock`` is what was neither dealt
    nor turned. ``trick`` is being played, ``tricks`` are the finished ones of the round, ``last_trick`` is the last finished
    one of any round. ``turn`` is the seat to act.
    """

    setup: Setup
    seed: Shuffles
    number: int
    dealer: int
    hands: tuple[tuple[Card, ...], ...]
    turned: Card | None
    stock: tuple[Card, ...]
    bids: Bids
    taken: tuple[int, ...]
    turn: int
    trick: Trick
    tricks: tuple[Trick, ...] = ()
    last_trick: Trick | None = None
    scores: tuple[Score, ...] = ()

    @property
    def round(self) -> Round:
        """What is played."""
        return schedule(self.setup.seats)[self.number - 1]

    @property
    def trump(self) -> int:
        """The trump suit, or ``NO_TRUMP``."""
        return trump_of(self.turned)

    @property
    def is_bidding(self) -> bool:
        """Whether a bid is still to be made; the dealer's is the last (UP-3.1)."""
        return self.bids[self.dealer] is None and self.round.has_bids

    @property
    def totals(self) -> tuple[int, ...]:
        """Points so far, by seat."""
        return self.scores[-1].totals if self.scores else (0,) * self.setup.seats


def scored(number: int, bids: Bids, taken: tuple[int, ...], before: tuple[int, ...]) -> Score:
    """Return the row of round ``number``, given the totals before it (UP-5)."""
    kind = schedule(len(taken))[number - 1].kind
    earned = tuple([points(kind, bid, tricks) for bid, tricks in zip(bids, taken, strict=True)])
    return Score(bids, taken, earned, tuple([total + more for total, more in zip(before, earned, strict=True)]))


def dump_state(state: State) -> dict[str, Any]:
    """Return the whole state as JSON, with the seed. Decks to come are in the seed; points follow from bids and tricks."""
    return {
        "setup": state.setup.text,
        "seed": state.seed.dump(),
        "number": state.number,
        "dealer": state.dealer,
        "hands": [packed(hand) for hand in state.hands],
        "turned": state.turned.text if state.turned else None,
        "stock": packed(state.stock),
        "bids": _dump_bids(state.bids),
        "taken": _dump_counts(state.taken),
        "turn": state.turn,
        "trick": _dump_trick(state.trick),
        "tricks": [_dump_trick(trick) for trick in state.tricks],
        "last_trick": _dump_trick(state.last_trick) if state.last_trick else None,
        "scores": [_dump_bids(row.bids) + _dump_counts(row.taken) for row in state.scores],
    }


def load_state(data: Json) -> State:
    """Return the state that was dumped."""
    setup = setup_from_text(data["setup"].encode())
    last_trick = data["last_trick"]
    return State(
        setup,
        load_shuffles(data["seed"]),
        data["number"],
        data["dealer"],
        tuple([unpacked(hand) for hand in data["hands"]]),
        card(data["turned"]) if data["turned"] else None,
        unpacked(data["stock"]),
        _load_bids(data["bids"]),
        _load_counts(data["taken"]),
        data["turn"],
        _load_trick(data["trick"]),
        tuple([_load_trick(trick) for trick in data["tricks"]]),
        _load_trick(last_trick) if last_trick else None,
        _load_scores(data["scores"], setup.seats),
    )


def _load_scores(rows: list[str], seats: int) -> tuple[Score, ...]:
    found: list[Score] = []
    totals: tuple[int, ...] = (0,) * seats
    for number, row in enumerate(rows, start=1):
        score = scored(number, _load_bids(row[:seats]), _load_counts(row[seats:]), totals)
        found.append(score)
        totals = score.totals
    return tuple(found)


def _dump_bids(bids: Bids) -> str:
    """A digit for each seat: no round has more than nine cards."""
    return "".join(["-" if bid is None else str(bid) for bid in bids])


def _load_bids(text: str) -> Bids:
    return tuple([None if sign == "-" else int(sign) for sign in text])


def _dump_counts(counts: tuple[int, ...]) -> str:
    return "".join([str(count) for count in counts])


def _load_counts(text: str) -> tuple[int, ...]:
    return tuple([int(sign) for sign in text])


def _dump_trick(trick: Trick) -> str:
    winner = "-" if trick.winner == NOBODY else str(trick.winner)
    return f"{trick.leader}{winner}{'!' if trick.by_highest else '.'}{packed(trick.cards)}"


def _load_trick(text: str) -> Trick:
    winner = NOBODY if text[1] == "-" else int(text[1])
    return Trick(int(text[0]), unpacked(text[3:]), text[2] == "!", winner)
