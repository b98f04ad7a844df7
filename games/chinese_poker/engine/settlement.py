"""Which money moves (CP-1.4, CP-5): amounts, never whether a player has them."""

from collections.abc import Sequence
from typing import NamedTuple

from games.chinese_poker.engine.scoring import differences
from games.chinese_poker.engine.setup import Setup
from games.core.engine import UNPLACED, Move

STAKE, WIN, RAKE = "stake", "win", "rake"


class Account(NamedTuple):
    """How a seat comes out of a game: what it won or, below zero, lost (CP-5.1), and the rake of a win (CP-5.2)."""

    won_minor: int
    rake_minor: int

    @property
    def net_minor(self) -> int:
        """What the seat has more, or less, than before the game."""
        return self.won_minor - self.rake_minor


def stakes_held(setup: Setup) -> tuple[Move, ...]:
    """Return the moves that hold every seat's stake."""
    return tuple([Move("hold", seat, setup.hold_minor, STAKE) for seat in range(setup.seats)])


def accounts(setup: Setup, scores: Sequence[int]) -> tuple[Account, ...]:
    """Settle everybody with everybody, by seat (CP-5)."""
    won = [setup.point_price_minor * points for points in differences(scores)]
    return tuple([Account(amount, setup.rake.of(max(0, amount))) for amount in won])


def paid_out(setup: Setup, accounts: Sequence[Account]) -> tuple[Move, ...]:
    """Return the moves that empty the escrow: stakes less what was lost, then what was won less its rake.

    Of a stake only what was lost counts as staked.
    """
    moves = [
        Move("release", seat, setup.hold_minor + min(0, account.won_minor), UNPLACED) for seat, account in enumerate(accounts)
    ]
    for seat, account in enumerate(accounts):
        if account.won_minor > 0:
            moves += [Move("rake", seat, account.rake_minor, RAKE), Move("release", seat, account.net_minor, WIN)]
    return tuple([move for move in moves if move.amount_minor])
