"""Halls with a past, and play in it at times of the test's choosing, for reports."""

import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import F

from audit.models import AuditRecord
from audit.reports.intervals import Period, period_parse
from audit.reports.services import report_build
from casino.db import now
from casino.permissions import Role
from casino.users.models import User
from games.core.shuffle import commitment as seed_hash_of
from games.engines import current_engines
from games.halls.models import Hall
from games.halls.services import hall_create, hall_open, limit_set_publish, pay_table_publish
from games.rounds import cipher
from games.rounds.models import Commitment
from games.rounds.services import round_act
from games.tables.services import table_create, table_sit
from tests import playing
from tests.playing import user_with
from tests.table_builders import Clock, Game, convention
from wallets.services import deposit_create, withdrawal_create

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
AGAINST_HOUSE = "russian_poker"
ONE_BOX = {"boxes": [{"box": 1, "ante_minor": 100}]}
RAKE = {"basis_points": 250, "cap_minor": 300}


def utc(text: str) -> datetime:
    """A time of 2026, such as ``03-29 21:30``."""
    return datetime.fromisoformat(f"2026-{text}").replace(tzinfo=UTC)


def hall_of(code: str, *, currency: str = "EUR", time_zone: str = "Europe/Kyiv", now: datetime = LONG_AGO) -> Hall:
    """An open hall that has offered every game since long ago, with a rake at its tables."""
    admin = user_with(Role.ADMIN)
    hall = hall_create(
        actor=admin, code=code, name=f"Hall {code}", currency=currency, time_zone=time_zone, reason="test", now=now
    )
    for engine in current_engines():
        limits = dict(engine.default_limits["first"])
        limits |= {"rake": RAKE} if "rake" in limits else {}
        publish_limits(hall, engine.code, limits, now=now)
        publish_pay_table(hall, engine.code, dict(engine.default_pay_table), now=now)
    return hall_open(actor=admin, hall_id=hall.public_id, version=hall.version, reason="test", now=now)


def publish_limits(hall: Hall, game: str, data: Mapping[str, Any], *, now: datetime, **changes: Any) -> Any:
    return _publish(limit_set_publish, hall, game, data, now, changes)


def publish_pay_table(hall: Hall, game: str, data: Mapping[str, Any], *, now: datetime, **changes: Any) -> Any:
    return _publish(pay_table_publish, hall, game, data, now, changes)


def _publish(publish: Any, hall: Hall, game: str, data: Mapping[str, Any], now: datetime, changes: Mapping[str, Any]) -> Any:
    arguments = {"hall_id": hall.public_id, "version": hall.version, "game": game, "data": data, "reason": "test", "now": now}
    row = publish(**{"actor": user_with(Role.ADMIN), **arguments, **changes})
    hall.refresh_from_db()
    return row


def zone_changed(hall: Hall, time_zone: str, at: datetime) -> None:
    """Move a hall to another time zone at a time of the past, as ``hall_edit`` leaves it in the trail."""
    before = {"code": hall.code, "name": hall.name, "currency": hall.currency, "time_zone": hall.time_zone, "is_open": True}
    AuditRecord.objects.create(
        at=at, actor_name="admin", action="hall_edited", subject_type="halls.hall", subject_id=str(hall.public_id),
        hall_id=hall.pk, before=before, after={**before, "time_zone": time_zone}, reason="moved",
    )  # fmt: skip
    Hall.objects.filter(pk=hall.pk).update(time_zone=time_zone, version=F("version") + 1)
    hall.refresh_from_db()


def pay_in(player: User, hall: Hall, amount_minor: int, at: datetime) -> Any:
    return deposit_create(**_at_the_counter(player, hall, amount_minor, at))


def pay_out(player: User, hall: Hall, amount_minor: int, at: datetime) -> Any:
    return withdrawal_create(**_at_the_counter(player, hall, amount_minor, at))


def _at_the_counter(player: User, hall: Hall, amount_minor: int, at: datetime) -> dict[str, Any]:
    cashier = user_with(Role.CASHIER, hall=hall)
    money = {"amount_minor": amount_minor, "currency": hall.currency}
    return {"actor": cashier, "hall_id": hall.public_id, "player_id": player.public_id, "now": at, **money}


def player_with(hall: Hall, amount_minor: int = 0, at: datetime = LONG_AGO) -> User:
    player = user_with(Role.PLAYER)
    if amount_minor:
        pay_in(player, hall, amount_minor, at)
    return player


def open_round(player: User, hall: Hall, at: datetime, *, opening: Mapping[str, Any] = ONE_BOX, deal: UUID | None = None) -> UUID:
    """Open a round against the house; with a ``deal``, a player's first one and always the same cards."""
    round_id = None
    if deal is not None:
        seed, round_id = bytes(32), deal
        Commitment.objects.create(
            round_id=deal, user=player, hall=hall, game=AGAINST_HOUSE, seed_hash=seed_hash_of(seed),
            seed_secret=cipher.seal(deal, "seed", seed.hex()),
        )  # fmt: skip
    return playing.open_round(player, hall, opening, round_id=round_id, now=at).round_id


def fold(player: User, round_id: UUID, at: datetime) -> None:
    """Lose the Ante of the only box, whatever the cards are."""
    act(player, round_id, {"type": "fold", "box": 1}, at)


def act(player: User, round_id: UUID, action: Mapping[str, Any], at: datetime) -> None:
    round_act(user=player, round_id=round_id, turn=playing.look(player, round_id)["turn"], action=action, now=at)


def play_out(player: User, round_id: UUID, chance: random.Random, at: datetime) -> None:
    """Play by chance, a second for each action."""
    while specs := playing.legal(player, round_id):
        at += timedelta(seconds=1)
        act(player, round_id, playing.choose(specs, chance), at)


def table_of(hall: Hall, players: list[User], at: datetime, *, game: str = "ukrainian_poker", **changes: Any) -> Game:
    """Players at a table of theirs in a round that has just opened; the game's own clock goes on from there."""
    made = table_create(
        actor=players[0], hall_id=hall.public_id, game=game, convention=convention(game, **changes), seats=len(players),
        allows_spectators=False, now=at,
    )  # fmt: skip
    table = Game(made.table.public_id, players, Clock(at))
    for player in players:
        table_sit(user=player, table_id=table.table_id, now=table.clock())
    table.all_ready()
    return table


def period(text: str) -> Period:
    """A day, a month or a year, as its name is long."""
    if len(text) == 10:
        return period_parse(day=datetime.fromisoformat(text).date())
    return period_parse(month=text) if len(text) == 7 else period_parse(year=int(text))


def yesterday() -> Period:
    """The last day that is over in UTC."""
    return period((now() - timedelta(days=1)).date().isoformat())


def report(name: str, hall: Hall | None = None, of: str = "", **arguments: Any) -> dict[str, Any]:
    """A report of a period, of all time without one."""
    return report_build(name=name, hall=hall, **({"period": period(of)} if of else {}), **arguments)


def agreeing(document: Mapping[str, Any]) -> bool:
    """Say whether a report's checks agree, all of them."""
    return bool(document["checks"]) and all(check["agrees"] for check in document["checks"])
