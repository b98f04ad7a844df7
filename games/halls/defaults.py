"""The three halls that the games' documents describe, made from the engines' own data."""

from collections.abc import Iterable
from typing import Any

from casino.users.models import User
from games.core.engine import Engine
from games.halls.models import Hall, LimitSet, PayTable
from games.halls.services import hall_create, hall_open, limit_set_publish, pay_table_publish

HALLS = (("first", "First hall"), ("second", "Second hall"), ("vip", "VIP hall"))
REASON = "The amounts of the game's document."


def default_halls_create(
    *, engines: Iterable[Engine[Any, Any, Any]], author: User, currency: str = "EUR", time_zone: str = "UTC"
) -> list[Hall]:
    """Create and open the first hall, the second hall and VIP, with every game's limits and pay table.

    **Rule** What is there already stays as it is, so that a second call, or one after a crash, adds only what is missing.
    """
    games = tuple(engines)
    return [_default_hall(code, name, games, author, currency, time_zone) for code, name in HALLS]


def _default_hall(
    code: str, name: str, engines: tuple[Engine[Any, Any, Any], ...], author: User, currency: str, time_zone: str
) -> Hall:
    hall = Hall.objects.filter(code=code).first()
    if hall is None:
        hall = hall_create(actor=author, code=code, name=name, currency=currency, time_zone=time_zone, reason=REASON)
    for engine in engines:
        if not LimitSet.objects.filter(hall=hall, game=engine.code).exists():
            limits = engine.default_limits[code]
            hall = limit_set_publish(
                actor=author, hall_id=hall.public_id, version=hall.version, game=engine.code, data=limits, reason=REASON
            ).hall
        if not PayTable.objects.filter(hall=hall, game=engine.code).exists():
            table = engine.default_pay_table
            hall = pay_table_publish(
                actor=author, hall_id=hall.public_id, version=hall.version, game=engine.code, data=table, reason=REASON
            ).hall
    if hall.opened_at is None:
        hall = hall_open(actor=author, hall_id=hall.public_id, version=hall.version, reason=REASON)
    return hall
