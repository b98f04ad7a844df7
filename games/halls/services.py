"""Changes of a hall and of what hangs on it.

Each asks for the version of the hall that the caller saw, raises it by one, and leaves a reason in the audit trail.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from audit.trail import audit_record
from casino.db import now as database_now
from casino.db import unit_of_work
from casino.errors import Conflict, Forbidden, InvalidInput, NotFound, PreconditionRequired
from casino.permissions import Role
from casino.users.models import User
from games.core.engine import Engine, Json
from games.engines import current_engine
from games.halls import checks
from games.halls.edges import Bands, edge_bands_changed, edge_bands_json, pay_table_figures
from games.halls.locks import hall_lock
from games.halls.models import Hall, LimitSet, PayTable, PayTableFigures
from games.halls.selectors import hall_get
from games.halls.terms import terms_check, terms_publish, terms_withdraw
from wallets.ledger import cage_account, house_account, rake_account


def hall_create(
    *, actor: User, code: str, name: str, currency: str, time_zone: str, reason: str, now: datetime | None = None
) -> Hall:
    """Create a hall, closed, with the accounts that its money moves through.

    **Errors** InvalidInput with the field; Forbidden to all but admins; Conflict ``hall_code_taken``.
    """
    checks.check_code(code)
    checks.check_name(name)
    checks.check_currency(currency)
    checks.check_time_zone(time_zone)
    if not actor.has_role(Role.ADMIN):
        raise Forbidden("forbidden")
    with unit_of_work():
        hall = Hall(code=code, name=name, currency=currency, time_zone=time_zone, created_at=now or database_now())
        try:
            with transaction.atomic():
                hall.save()
        except IntegrityError as error:
            if not Hall.objects.filter(code=code).exists():
                raise
            raise Conflict("hall_code_taken", field="code") from error
        house_account(hall.pk, currency)
        rake_account(hall.pk, currency)
        cage_account(hall.pk, currency)
        audit_record(
            actor=actor, action="hall_created", subject=hall, before=None, after=_hall_data(hall), reason=reason, hall=hall
        )
        return hall


def hall_edit(
    *,
    actor: User,
    hall_id: UUID,
    version: int | None,
    reason: str,
    name: str | None = None,
    time_zone: str | None = None,
    edge_bands: Bands | None = None,
) -> Hall:
    """Rename a hall, move it to another time zone, or change the house's edges that it allows; what is None stays.

    **Rule** Bands count for pay tables that are published from then on. Admins alone change them: whoever publishes pay tables
    must not be able to widen what bounds them.
    **Errors** InvalidInput with the field; those of ``_hall_to_change``; Forbidden for bands to all but admins.
    """
    if name is None and time_zone is None and edge_bands is None:
        raise InvalidInput("invalid_input", "Nothing to change.", field="name")
    if name is not None:
        checks.check_name(name)
    if time_zone is not None:
        checks.check_time_zone(time_zone)
    with unit_of_work():
        hall = _hall_to_change(actor, hall_id, version)
        before = _hall_data(hall)
        hall.name = name if name is not None else hall.name
        hall.time_zone = time_zone if time_zone is not None else hall.time_zone
        if edge_bands is not None:
            if not actor.has_role(Role.ADMIN):
                raise Forbidden("forbidden")
            hall.edge_bands = edge_bands_changed(hall.edge_bands, edge_bands)
        return _hall_changed(hall, actor, "hall_edited", before, reason)


def hall_open(*, actor: User, hall_id: UUID, version: int | None, reason: str, now: datetime | None = None) -> Hall:
    """Let rounds open in a hall.

    **Errors** InvalidInput with the field; those of ``_hall_to_change``; Conflict ``hall_open``.
    """
    with unit_of_work():
        hall = _hall_to_change(actor, hall_id, version)
        if hall.is_open:
            raise Conflict("hall_open")
        before = _hall_data(hall)
        hall.is_open = True
        hall.opened_at = now or database_now()
        return _hall_changed(hall, actor, "hall_opened", before, reason)


def hall_close(*, actor: User, hall_id: UUID, version: int | None, reason: str) -> Hall:
    """Let no more rounds open in a hall; open ones go on to their end.

    **Errors** InvalidInput with the field; those of ``_hall_to_change``; Conflict ``hall_closed``.
    """
    with unit_of_work():
        hall = _hall_to_change(actor, hall_id, version)
        if not hall.is_open:
            raise Conflict("hall_closed")
        before = _hall_data(hall)
        hall.is_open = False
        return _hall_changed(hall, actor, "hall_closed", before, reason)


def limit_set_publish(
    *,
    actor: User,
    hall_id: UUID,
    version: int | None,
    game: str,
    data: Json,
    reason: str,
    effective_at: datetime | None = None,
    now: datetime | None = None,
) -> LimitSet:
    """Publish the limits of a game from a moment on, by default from now; rounds that are open keep theirs.

    **Errors** InvalidInput with the field; those of ``_hall_to_change``, ``terms_publish``.
    """
    checks.check_effective_at(effective_at, now or database_now())
    terms_check(_engine(game).check_limits, data)
    with unit_of_work():
        hall = _hall_to_change(actor, hall_id, version)
        return terms_publish(
            LimitSet, hall=hall, actor=actor, game=game, data=data, reason=reason, effective_at=effective_at, now=now
        )


def pay_table_publish(
    *,
    actor: User,
    hall_id: UUID,
    version: int | None,
    game: str,
    data: Json,
    reason: str,
    effective_at: datetime | None = None,
    now: datetime | None = None,
) -> PayTable:
    """Publish the pay table of a game from a moment on, by default from now; rounds that are open keep theirs.

    **Rule** It is published together with its exact figures, and only with edges that the hall allows.
    **Errors** InvalidInput with the field; those of ``_hall_to_change``, ``pay_table_figures``, ``terms_publish``.
    """
    checks.check_effective_at(effective_at, now or database_now())
    terms_check(_engine(game).check_pay_table, data)
    with unit_of_work():
        hall = _hall_to_change(actor, hall_id, version)
        figures = pay_table_figures(hall.edge_bands, game, data)
        row = terms_publish(
            PayTable, hall=hall, actor=actor, game=game, data=data, reason=reason, effective_at=effective_at, now=now
        )
        if figures is not None:
            PayTableFigures.objects.create(pay_table=row, data=figures)
        return row


def limit_set_withdraw(
    *, actor: User, hall_id: UUID, version: int | None, game: str, limit_set_id: UUID, reason: str, now: datetime | None = None
) -> LimitSet:
    """Take back a limit set that has not taken effect yet; answers the row that says so.

    **Errors** InvalidInput with the field; those of ``_hall_to_change``, ``terms_withdraw``.
    """
    with unit_of_work():
        hall = _hall_to_change(actor, hall_id, version)
        return terms_withdraw(LimitSet, hall=hall, actor=actor, game=game, terms_id=limit_set_id, reason=reason, now=now)


def pay_table_withdraw(
    *, actor: User, hall_id: UUID, version: int | None, game: str, pay_table_id: UUID, reason: str, now: datetime | None = None
) -> PayTable:
    """Take back a pay table that has not taken effect yet; answers the row that says so.

    **Errors** InvalidInput with the field; those of ``_hall_to_change``, ``terms_withdraw``.
    """
    with unit_of_work():
        hall = _hall_to_change(actor, hall_id, version)
        return terms_withdraw(PayTable, hall=hall, actor=actor, game=game, terms_id=pay_table_id, reason=reason, now=now)


def _engine(game: str) -> Engine[Any, Any, Any]:
    try:
        return current_engine(game)
    except KeyError as error:
        raise NotFound("not_found") from error


def _hall_to_change(actor: User, hall_id: UUID, version: int | None) -> Hall:
    """Lock a hall for one of its operators or an admin, as they saw it.

    **Errors** PreconditionRequired without a version; NotFound; Forbidden to all others; PreconditionFailed when it has changed.
    """
    if version is None:
        raise PreconditionRequired("precondition_required")
    hall = hall_get(viewer=actor, hall_id=hall_id)
    if not (actor.has_role(Role.ADMIN) or actor.has_role(Role.OPERATOR, hall=hall)):
        raise Forbidden("forbidden")
    return hall_lock(hall_id=hall_id, version=version)


def _hall_changed(hall: Hall, actor: User, action: str, before: dict[str, Any], reason: str) -> Hall:
    hall.version += 1
    hall.save()
    audit_record(actor=actor, action=action, subject=hall, before=before, after=_hall_data(hall), reason=reason, hall=hall)
    return hall


def _hall_data(hall: Hall) -> dict[str, Any]:
    """Return what the trail tells of a hall, with the bands that hold: the default is one that is changed, too."""
    return {
        "code": hall.code,
        "name": hall.name,
        "currency": hall.currency,
        "time_zone": hall.time_zone,
        "is_open": hall.is_open,
        "edge_bands": edge_bands_json(hall.edge_bands),
    }
