"""Gaming days: how a hall's time falls into days, whatever its clocks and its time zone do. Pure; only the standard library.

A day is a date. It begins once, and ends when the next one begins, so that every instant lies in exactly one day.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

ONE_DAY = timedelta(days=1)
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class ZoneSince:
    """A time zone, and from when on a hall's clocks showed it; None for from the beginning."""

    time_zone: str
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class GamingDays:
    """A hall's gaming days, from the time zones in their order and the hour of the clock at which a day begins."""

    zones: Sequence[ZoneSince]
    start_hour: int = 0

    def starts_at(self, day: date) -> datetime:
        """Return the instant at which a day begins, in UTC.

        **Rule** The first instant at which the clock of the zone then in force shows the day's first hour or anything later. So a
        day on which clocks change has 23 or 25 hours. A new zone ends no day twice: the day at hand goes on until the new clock
        shows the next one's beginning, and ends with the change where that clock is already past it. A date that a change jumps
        over is a day without an instant.
        """
        for index, zone in enumerate(self.zones):
            found = clock_reaches(datetime.combine(day, time(self.start_hour)), ZoneInfo(zone.time_zone))
            if zone.since is not None:
                found = max(found, zone.since)
            until = self.zones[index + 1].since if index + 1 < len(self.zones) else None
            if until is None or found < until:
                return found
        raise ValueError("a hall has a time zone")

    def ends_at(self, day: date) -> datetime:
        """Return the instant at which the next day begins."""
        return self.starts_at(day + ONE_DAY)

    def day_of(self, at: datetime) -> date:
        """Return the day in which an instant lies."""
        day = at.astimezone(UTC).date() + 2 * ONE_DAY
        while self.starts_at(day) > at:
            day -= ONE_DAY
        return day

    def zones_between(self, starts_at: datetime | None, ends_at: datetime) -> list[ZoneSince]:
        """Return the zones in force from one instant until before another, the first one with its beginning."""
        begun = [zone for zone in self.zones if zone.since is None or zone.since < ends_at]
        earlier = [zone for zone in begun if zone.since is None or (starts_at is not None and zone.since <= starts_at)]
        return begun[max(0, len(earlier) - 1) :]


def clock_reaches(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant at which a zone's clock shows a time or anything later: where clocks jump over it, the jump."""
    if (found := wall.replace(tzinfo=zone).astimezone(UTC)).astimezone(zone).replace(tzinfo=None) == wall:
        return found
    before, after = wall.replace(tzinfo=zone, fold=1).astimezone(UTC), found
    while after - before > _TICK:
        middle = before + (after - before) // 2
        if middle.astimezone(zone).replace(tzinfo=None) < wall:
            before = middle
        else:
            after = middle
    return after
