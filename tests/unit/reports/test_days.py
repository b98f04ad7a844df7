"""Gaming days: each instant lies in exactly one, on days when clocks change and when a hall moves."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.reports.days import GamingDays, ZoneSince, clock_reaches

KYIV = GamingDays((ZoneSince("Europe/Kyiv"),))
TICK, DAY, HOUR = timedelta(microseconds=1), timedelta(days=1), timedelta(hours=1)
ZONES = ["Europe/Kyiv", "UTC", "America/Havana", "America/Sao_Paulo", "Asia/Beirut", "Pacific/Apia", "Australia/Lord_Howe"]
MOMENTS = st.datetimes(datetime(2005, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 the zone is beside


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("day", "starts_at", "hours"),
    [
        (date(2026, 3, 28), "2026-03-27 22:00", 24),
        (date(2026, 3, 29), "2026-03-28 22:00", 23),
        (date(2026, 3, 30), "2026-03-29 21:00", 24),
        (date(2026, 10, 24), "2026-10-23 21:00", 24),
        (date(2026, 10, 25), "2026-10-24 21:00", 25),
        (date(2026, 10, 26), "2026-10-25 22:00", 24),
    ],
)
def test_a_day_has_as_many_hours_as_the_clock_lets_it_have(day: date, starts_at: str, hours: int) -> None:
    assert KYIV.starts_at(day) == utc(starts_at)
    assert KYIV.ends_at(day) - KYIV.starts_at(day) == hours * HOUR


@pytest.mark.parametrize(
    ("wall", "zone", "reached"),
    [
        ("2026-03-29 03:00", "Europe/Kyiv", "2026-03-29 01:00"),  # 03:00 to 04:00 is left out
        ("2026-03-29 03:30", "Europe/Kyiv", "2026-03-29 01:00"),
        ("2026-10-25 03:00", "Europe/Kyiv", "2026-10-25 00:00"),  # and comes twice in autumn
        ("2015-10-18 00:00", "America/Sao_Paulo", "2015-10-18 03:00"),  # without a midnight
        ("2011-12-30 00:00", "Pacific/Apia", "2011-12-30 10:00"),  # without this day
        ("2011-12-31 00:00", "Pacific/Apia", "2011-12-30 10:00"),
    ],
)
def test_a_clock_reaches_a_time_at_the_first_instant_that_shows_it_or_more(wall: str, zone: str, reached: str) -> None:
    assert clock_reaches(datetime.fromisoformat(wall), ZoneInfo(zone)) == utc(reached)


def test_a_day_may_begin_at_another_hour() -> None:
    days = GamingDays((ZoneSince("Europe/Kyiv"),), start_hour=6)
    assert days.starts_at(date(2026, 3, 29)) == utc("2026-03-29 03:00")
    assert days.starts_at(date(2026, 3, 29)) - days.starts_at(date(2026, 3, 28)) == 23 * HOUR
    assert days.day_of(utc("2026-03-29 02:59")) == date(2026, 3, 28)


@pytest.mark.parametrize(
    ("later", "moved_at", "lengths"),
    [
        ("Europe/London", "2026-07-05 09:00", [24, 26, 24]),  # the clock goes back: the day at hand is longer
        (
            "Europe/London",
            "2026-07-04 21:30",
            [24, 26, 24],
        ),  # from half past midnight of the 5th to the 4th: it has begun already
        ("Asia/Tokyo", "2026-07-05 09:00", [24, 18, 24]),
        ("Asia/Tokyo", "2026-07-05 16:00", [24, 19, 23]),  # the new clock already shows the 6th: it begins with the move
    ],
)
def test_a_hall_that_moves_has_a_longer_or_a_shorter_day(later: str, moved_at: str, lengths: list[int]) -> None:
    days = GamingDays((ZoneSince("Europe/Kyiv"), ZoneSince(later, utc(moved_at))))
    july = [date(2026, 7, number) for number in (4, 5, 6)]
    assert [days.ends_at(day) - days.starts_at(day) for day in july] == [hours * HOUR for hours in lengths]


@st.composite
def histories(draw: st.DrawFn) -> GamingDays:
    moves = sorted(draw(st.lists(MOMENTS, max_size=3, unique=True)))
    names = draw(st.lists(st.sampled_from(ZONES), min_size=len(moves) + 1, max_size=len(moves) + 1))
    zones = [ZoneSince(name, since) for name, since in zip(names, [None, *moves], strict=True)]
    return GamingDays(tuple(zones), draw(st.integers(0, 23)))


@given(days=histories(), at=MOMENTS)
@example(days=GamingDays((ZoneSince("Pacific/Apia"),)), at=utc("2011-12-30 10:00"))
def test_every_instant_lies_in_exactly_one_day(days: GamingDays, at: datetime) -> None:
    day = days.day_of(at)
    assert days.starts_at(day) <= at < days.ends_at(day)
    around = [day + offset * DAY for offset in range(-3, 4)]
    assert [each for each in around if days.starts_at(each) <= at < days.ends_at(each)] == [day]
    starts = [days.starts_at(each) for each in around]
    assert starts == sorted(starts)


@given(at=MOMENTS, zone=st.sampled_from(ZONES))
def test_a_clock_shows_less_until_it_reaches_a_time(at: datetime, zone: str) -> None:
    wall, place = at.replace(tzinfo=None, minute=0, second=0, microsecond=0), ZoneInfo(zone)
    reached = clock_reaches(wall, place)
    assert (reached - TICK).astimezone(place).replace(tzinfo=None) < wall
    assert reached.astimezone(place).replace(tzinfo=None) >= wall


def test_the_zones_of_an_interval_are_those_in_force_in_it() -> None:
    first, second, third = ZoneSince("UTC"), ZoneSince("Europe/Kyiv", utc("2026-03-01")), ZoneSince("UTC", utc("2026-06-01"))
    days = GamingDays((first, second, third))
    assert days.zones_between(utc("2026-04-01"), utc("2026-05-01")) == [second]
    assert days.zones_between(utc("2026-02-01"), utc("2026-06-02")) == [first, second, third]
    assert days.zones_between(None, utc("2026-03-01")) == [first]
    assert days.zones_between(utc("2026-06-01"), utc("2026-06-02")) == [third]
