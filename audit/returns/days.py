"""Adding up the settled rounds of days, each day once."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import Max, Min, QuerySet

from audit.findings import Severity, error_text, finding_raise, storable
from audit.returns.models import ReturnsDay
from audit.returns.rake import POT, record_rake
from audit.returns.sums import Sums, backs_json, level_of, read_backs
from casino.db import unit_of_work
from casino.errors import Conflict
from games.core.codec import MAX_INTEGER
from games.core.engine import Json
from games.core.mathematics import Play
from games.mathematics import MATHEMATICS
from games.rounds.models import Round, RoundRecord

DAY = timedelta(days=1)
LATEST_COMMIT = timedelta(hours=1)
"""By so long after a day every round that closed in it has been committed."""
PAGE_ROUNDS = 500
MOST_UNFINISHED_DAYS = 2
"""So many days are summed while somebody waits: today, and in the night the day before; more are the daily task's."""


class Of(NamedTuple):
    """Which rounds are looked at: those of a hall, by its outside id, of a game, or all."""

    hall_id: UUID | None = None
    game: str | None = None

    @property
    def filters(self) -> dict[str, Any]:
        """What rows with a hall and a game are filtered by."""
        named = {"hall__public_id": self.hall_id, "game": self.game}
        return {name: value for name, value in named.items() if value is not None}


EVERYTHING = Of()


class Key(NamedTuple):
    """What is summed together."""

    hall_id: int
    game: str
    rules_version: int
    pay_table_id: int
    series: str
    level_minor: int


DaySums = Mapping[Key, Sums]


def days_finish(*, now: datetime) -> list[date]:
    """Sum every day that is over and has not been summed; answers these days.

    **Rule** Each in a transaction of its own, under a lock: twice, or in two workers at once, adds nothing.
    **Writes** ``ReturnsDay``; findings of a rake that is not that of its rule, and of records that cannot be read.
    """
    finished = []
    until = (now - LATEST_COMMIT).astimezone(UTC).date()
    for day in _days_with_rounds(_first_open_day(), until):
        with unit_of_work():
            if not _locked():
                break
            if not ReturnsDay.objects.filter(day=day).exists():
                _store(day, sums_of(day, day + DAY, raises=True))
                finished.append(day)
    return finished


def unfinished_sums(*, now: datetime, of: Of = EVERYTHING) -> DaySums:
    """Sum the settled rounds of the days that are not summed yet, without keeping it.

    **Errors** Conflict ``returns_not_summed`` when these are more than today and the day before.
    """
    first, today = _first_open_day(), now.astimezone(UTC).date()
    oldest = _first_settled(first) if first else None
    if oldest is None:
        return {}
    if oldest <= today - MOST_UNFINISHED_DAYS * DAY:
        raise Conflict("returns_not_summed", through=first - DAY if first else None)
    return sums_of(oldest, today + DAY, of=of)


def stored_sums(*, since: date | None = None, of: Of = EVERYTHING) -> Iterator[tuple[Key, Sums]]:
    """Read the sums of finished days, from a day on."""
    rows = ReturnsDay.objects.filter(**of.filters)
    if since is not None:
        rows = rows.filter(day__gte=since)
    for row in rows.order_by("id"):
        sums = Sums(row.plays, row.staked_minor, row.returned_minor, int(row.stake_squares), int(row.net_squares))
        sums.backs, sums.staked_by_back = read_backs(row.backs)
        yield Key(row.hall_id, row.game, row.rules_version, row.pay_table_id, row.series, row.level_minor), sums


def sums_of(first: date, end: date, *, raises: bool = False, of: Of = EVERYTHING) -> DaySums:
    """Sum the settled rounds that closed from one day until before another. Voided rounds and open ones do not count.

    **Rule** A record whose bets cannot be read is a finding, and all others are summed.
    """
    sums: dict[Key, Sums] = {}
    for row, document in _documents(_settled(first, end).filter(**of.filters)):
        try:
            plays, wrong = _plays(row.game, json.loads(document))  # one that is not strict JSON is the replay's to find
        except Exception as error:
            if raises:
                _raise(row, "returns.record", error_text(error))
            continue
        if wrong and raises:
            _raise(row, "returns.rake", storable(wrong))
        for play in plays:
            key = Key(row.hall_id, row.game, row.rules_version, row.pay_table_id, play.series, level_of(play.level_minor))
            sums.setdefault(key, Sums()).add(play)
    return sums


def _plays(game: str, record: Json) -> tuple[tuple[Play, ...], str | None]:
    """Return the bets of a round and what is wrong with its rake.

    **Errors** whatever a bad record makes of its reading; ValueError for amounts that are none.
    """
    mathematics, wrong = MATHEMATICS.get(game), None
    if mathematics is not None:
        plays = mathematics.plays(record)
    else:
        play, wrong = record_rake(record)
        plays = (play,)
    for play in plays:
        amounts = (play.level_minor, play.staked_minor, play.returned_minor)
        if any(type(amount) is not int or abs(amount) > MAX_INTEGER for amount in amounts):
            raise ValueError(f"no amounts: {amounts!r}")
        if min(play.level_minor, play.staked_minor) < 0:  # what the rest of a round got back can be below zero
            raise ValueError(f"negative stakes: {amounts!r}")
    return plays, wrong


def _raise(row: Round, check: str, found: str) -> None:
    evidence = {"game": row.game, "found": found}
    finding_raise(check=check, severity=Severity.CRITICAL, subject=row, evidence=evidence, hall=row.hall_id)


def _documents(rounds: QuerySet[Round]) -> Iterator[tuple[Round, str]]:
    """Read rounds with their records' documents, some at a time: a day of them would not fit into memory."""
    keys = list(rounds.order_by("id").values_list("pk", flat=True))
    for start in range(0, len(keys), PAGE_ROUNDS):
        page = RoundRecord.objects.filter(pk__in=keys[start : start + PAGE_ROUNDS]).select_related("round").order_by("pk")
        for stored in page.defer("round__state_secret", "round__head"):
            yield stored.round, stored.document


def _settled(first: date, end: date) -> QuerySet[Round]:
    return Round.objects.filter(status=Round.Status.SETTLED, closed_at__gte=_midnight(first), closed_at__lt=_midnight(end))


def last_day() -> date | None:
    """The last day that is summed."""
    last: date | None = ReturnsDay.objects.aggregate(last=Max("day"))["last"]
    return last


def _first_open_day() -> date | None:
    """The day after the last one that is summed; before any is, the day of the first settled round."""
    last = last_day()
    if last is not None:
        return last + DAY
    return _first_settled(None)


def _first_settled(since: date | None) -> date | None:
    """The day of the first settled round, from a day on."""
    rounds = Round.objects.filter(status=Round.Status.SETTLED)
    if since is not None:
        rounds = rounds.filter(closed_at__gte=_midnight(since))
    first = rounds.aggregate(first=Min("closed_at"))["first"]
    return first.astimezone(UTC).date() if first else None


def _days_with_rounds(first: date | None, until: date) -> list[date]:
    if first is None or first >= until:
        return []
    return [day for day in _settled(first, until).dates("closed_at", "day") if day]


def _store(day: date, sums: DaySums) -> None:
    rows = [
        ReturnsDay(
            day=day,
            **key._asdict(),
            plays=each.plays,
            staked_minor=each.staked_minor,
            returned_minor=each.returned_minor,
            stake_squares=each.stake_squares,
            net_squares=each.net_squares,
            backs=backs_json(each) if _has_theory(key) else {},
        )
        for key, each in sums.items()
    ]
    ReturnsDay.objects.bulk_create(rows)


def _has_theory(key: Key) -> bool:
    return key.series != POT and MATHEMATICS[key.game].series[key.series] is not None


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _locked() -> bool:
    """Try to be the only one that sums; another one that is at it goes on by itself."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended('audit.returns', 0))")
        return bool(cursor.fetchone()[0])
