"""Money of games that players play among themselves: equal stakes make a pot, the house takes its rake, winners share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from games.core.codec import Fields
from games.core.engine import Move

MOST_BASIS_POINTS = 10_000


@dataclass(frozen=True, slots=True)
class Rake:
    """The house's part of a win, in hundredths of a per cent, rounded down, and the most that it takes (None: no cap)."""

    basis_points: int = 0
    cap_minor: int | None = None

    def of(self, amount_minor: int) -> int:
        """Return the rake of an amount.

        **Rule** CP-5.2, UP-1.2, RA-1.2. **Units** minor units.
        """
        share = amount_minor * self.basis_points // MOST_BASIS_POINTS
        return share if self.cap_minor is None else min(share, self.cap_minor)

    def dump(self) -> dict[str, Any]:
        """Return what ``parse_rake`` reads."""
        return {"basis_points": self.basis_points, "cap_minor": self.cap_minor}


NO_RAKE = Rake()


def parse_rake(fields: Fields) -> Rake:
    """Read the setup's ``rake``; left out, there is none.

    **Errors** InvalidData for more than the whole or a cap below zero.
    """
    if "rake" not in fields:
        return NO_RAKE
    own = fields.fields("rake")
    basis_points = own.integer("basis_points", 0, MOST_BASIS_POINTS)
    cap_minor = own.value("cap_minor") if "cap_minor" in own else None
    if cap_minor is not None:
        cap_minor = own.integer("cap_minor", 0)
    own.end()
    return Rake(basis_points, cap_minor)


def pot_moves(stake_minor: int, seats: int, winners: Sequence[int], rake: Rake) -> tuple[Move, ...]:
    """Return the moves that pay out a pot to which every seat gave the same stake.

    **Rule** UP-1.2, RA-1.2, RA-1.3: the rake of the whole pot first, then equal parts to the winners; units that cannot be
    parted go to the winner of the lowest seat, who also stands for the rake.
    """
    pot = stake_minor * seats
    taken = rake.of(pot)
    first, *others = sorted(winners)
    part, odd = divmod(pot - taken, 1 + len(others))
    moves = (
        Move("rake", first, taken, "rake"),
        Move("release", first, part + odd, "pot"),
        *(Move("release", seat, part, "pot") for seat in others),
    )
    return tuple(move for move in moves if move.amount_minor)
