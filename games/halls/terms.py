"""Steps that publish and withdraw terms. They need the hall locked (``hall_lock``) and never open a transaction."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Max

from audit.trail import audit_record
from casino.db import now as database_now
from casino.errors import Conflict, InvalidInput, NotFound
from casino.users.models import User
from games.core.engine import Json
from games.core.errors import InvalidData
from games.halls.checks import check_effective_at
from games.halls.models import Hall, LimitSet, PayTable, Terms
from games.halls.selectors import SomeTerms, terms_in_force

ACTIONS: dict[type[Terms], str] = {LimitSet: "limit_set", PayTable: "pay_table"}


def terms_check(check: Callable[[Json], None], data: Json) -> None:
    """Ask a game's rules whether terms make sense.

    **Errors** InvalidInput whose field starts with ``data``.
    """
    try:
        check(data)
    except InvalidData as refusal:
        field = f"data.{refusal.field}" if refusal.field else "data"
        raise InvalidInput("invalid_input", refusal.message, field=field) from refusal


def terms_publish(
    model: type[SomeTerms],
    *,
    hall: Hall,
    actor: User,
    game: str,
    data: Json,
    reason: str,
    effective_at: datetime | None,
    now: datetime | None,
) -> SomeTerms:
    """Add a row that takes effect at its time, by default now.

    **Errors** InvalidInput for a time that has passed; Conflict ``effective_time_taken``.
    """
    moment = now or database_now()
    check_effective_at(effective_at, moment)
    from_when = effective_at or moment
    revision = _next_revision(model, hall, game, from_when)
    if revision % 2 == 1:
        raise Conflict("effective_time_taken", field="effective_at")
    replaced = terms_in_force(model, hall=hall, game=game, at=from_when)
    row = model(game=game, effective_at=from_when, revision=revision, data=dict(data))
    return _add(row, hall=hall, actor=actor, action="published", before=replaced, reason=reason, now=moment)


def terms_withdraw(
    model: type[SomeTerms], *, hall: Hall, actor: User, game: str, terms_id: UUID, reason: str, now: datetime | None
) -> SomeTerms:
    """Add a row that takes back a scheduled one.

    **Errors** NotFound; Conflict ``already_withdrawn``, ``already_in_effect``.
    """
    moment = now or database_now()
    published = model.objects.filter(hall=hall, game=game, public_id=terms_id, data__isnull=False).first()
    if published is None:
        raise NotFound("not_found")
    revision = _next_revision(model, hall, game, published.effective_at)
    if revision != published.revision + 1:
        raise Conflict("already_withdrawn")
    if published.effective_at <= moment:
        raise Conflict("already_in_effect")
    row = model(game=game, effective_at=published.effective_at, revision=revision, data=None)
    return _add(row, hall=hall, actor=actor, action="withdrawn", before=published, reason=reason, now=moment)


def _next_revision(model: type[Terms], hall: Hall, game: str, effective_at: datetime) -> int:
    rows = model.objects.filter(hall=hall, game=game, effective_at=effective_at)
    last = rows.aggregate(last=Max("revision"))["last"]
    return 0 if last is None else last + 1


def _add(row: SomeTerms, *, hall: Hall, actor: User, action: str, before: Terms | None, reason: str, now: datetime) -> SomeTerms:
    last_version = type(row).objects.filter(hall=hall, game=row.game).aggregate(last=Max("version"))["last"] or 0
    row.hall, row.author, row.reason, row.created_at = hall, actor, reason, now
    row.version = last_version + 1
    row.save()
    hall.version += 1
    hall.save(update_fields=["version"])
    audit_record(
        actor=actor,
        action=f"{ACTIONS[type(row)]}_{action}",
        subject=row,
        before=_audit_data(before),
        after=_audit_data(row),
        reason=reason,
        hall=hall,
    )
    return row


def _audit_data(row: Terms | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "id": str(row.public_id),
        "game": row.game,
        "version": row.version,
        "effective_at": row.effective_at,
        "data": row.data,
    }
