"""How much time a wait has left when an outage is over. Pure: the same for play, where rows move, and for replay."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, order=True)
class Gap:
    """A time in which a part of the service was not there."""

    began_at: datetime
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class Loss:
    """A gap that has just ended, and those known before, which waits have been given back already.

    **Rule** None of the known gaps ended later: they become known one after the other, each when it ends.
    """

    gap: Gap
    known: Sequence[Gap] = ()

    def lost(self, since: datetime) -> timedelta:
        """Return how much of the gap after a moment has not been given back yet."""
        start = max(self.gap.began_at, since)
        return max(self.gap.ended_at - start, timedelta()) - _within(self.known, start, self.gap.ended_at)

    def deadline(self, deadline: datetime, since: datetime) -> datetime:
        """Return the new deadline of a wait.

        **Rule** It has as much time after the gap as it had left when the gap began, or as it had in all if it began in the gap.
        A deadline that had passed by then stays.
        """
        start = max(self.gap.began_at, since)
        if deadline <= self.gap.began_at or since >= self.gap.ended_at:
            return deadline
        return self.gap.ended_at + (deadline - start - _within(self.known, start, deadline))


def _within(gaps: Iterable[Gap], start: datetime, end: datetime) -> timedelta:
    """Return how much of a time lies in any of the gaps."""
    inside, reached = timedelta(), start
    for gap in sorted(gaps):
        from_, to = max(gap.began_at, reached), min(gap.ended_at, end)
        if to > from_:
            inside += to - from_
            reached = to
    return inside
