"""What halls offer, now and at any moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When

from casino.errors import Conflict, Forbidden, NotFound
from casino.permissions import OVERSEERS, Role
from casino.users.models import User
from games.halls.models import Hall, LimitSet, PayTable, PayTableFigures, Terms

SomeTerms = TypeVar("SomeTerms", bound=Terms)


@dataclass(frozen=True, slots=True)
class RoundTerms:
    """What a round that opens now is opened with."""

    limit_set: LimitSet
    pay_table: PayTable


@dataclass(frozen=True, slots=True)
class GameOffer:
    """What a hall offers for one game at a moment, and the next scheduled change of it."""

    hall: Hall
    game: str
    limit_set: LimitSet
    pay_table: PayTable
    next_limit_set: LimitSet | None
    next_pay_table: PayTable | None


def hall_list(*, viewer: User) -> QuerySet[Hall]:
    """The halls that a user may know of: staff all, those of a hall also theirs, everybody the ones that have ever opened."""
    if viewer.has_any_role(OVERSEERS):
        return Hall.objects.all()
    return Hall.objects.filter(Q(opened_at__isnull=False) | Q(pk__in=_theirs(viewer)))


def may_know(viewer: User, hall: Hall) -> bool:
    """Say of a hall that has been read whether a user may know of it, as ``hall_list`` does of all."""
    return hall.opened_at is not None or viewer.has_any_role(OVERSEERS) or hall.pk in _theirs(viewer)


def _theirs(viewer: User) -> frozenset[int]:
    return viewer.halls_of(Role.OPERATOR) | viewer.halls_of(Role.CASHIER)


def hall_get(*, viewer: User, hall_id: UUID) -> Hall:
    """Find a hall that a user may know of.

    **Errors** NotFound.
    """
    hall = hall_list(viewer=viewer).filter(public_id=hall_id).first()
    if hall is None:
        raise NotFound("not_found")
    return hall


def terms_live(model: type[SomeTerms], *, hall: Hall, game: str) -> QuerySet[Any]:
    """The published rows of a hall and game that no later revision withdrew."""
    rows: QuerySet[Any] = model.objects.filter(hall=hall, game=game)
    later = rows.filter(effective_at=OuterRef("effective_at"), revision__gt=OuterRef("revision"))
    return rows.filter(~Exists(later), data__isnull=False)


def terms_in_force(model: type[SomeTerms], *, hall: Hall, game: str, at: datetime) -> SomeTerms | None:
    """The row that a round opened at this moment plays by.

    **Rule** A row can be withdrawn only before it takes effect, so the answer for a past moment never changes.
    """
    return terms_live(model, hall=hall, game=game).filter(effective_at__lte=at).order_by("-effective_at").first()


def terms_next(model: type[SomeTerms], *, hall: Hall, game: str, at: datetime) -> SomeTerms | None:
    """The next scheduled change after this moment."""
    return terms_live(model, hall=hall, game=game).filter(effective_at__gt=at).order_by("effective_at").first()


def limit_set_in_force(*, hall: Hall, game: str, at: datetime) -> LimitSet | None:
    """The limits of a round opened at this moment."""
    return terms_in_force(LimitSet, hall=hall, game=game, at=at)


def pay_table_in_force(*, hall: Hall, game: str, at: datetime) -> PayTable | None:
    """The pay table of a round opened at this moment."""
    return terms_in_force(PayTable, hall=hall, game=game, at=at)


def terms_for_round(*, hall: Hall, game: str, at: datetime) -> RoundTerms:
    """Choose what a round opens with.

    **Errors** Conflict ``hall_closed``; Conflict ``game_not_offered`` when the hall has no limits or no pay table for the game.
    **Locks** Needs the hall locked (``hall_lock_shared``) and ``at`` read from the database's clock after that.
    """
    if not hall.is_open:
        raise Conflict("hall_closed")
    limit_set = limit_set_in_force(hall=hall, game=game, at=at)
    pay_table = pay_table_in_force(hall=hall, game=game, at=at)
    if limit_set is None or pay_table is None:
        raise Conflict("game_not_offered", game=game)
    return RoundTerms(limit_set, pay_table)


def game_offer_list(*, hall: Hall, at: datetime) -> list[GameOffer]:
    """Every game that a hall offers at a moment, by name."""
    games = LimitSet.objects.filter(hall=hall, effective_at__lte=at).order_by("game").values_list("game", flat=True).distinct()
    offers = (_game_offer(hall, game, at) for game in games)
    return [offer for offer in offers if offer is not None]


def game_offer_get(*, hall: Hall, game: str, at: datetime) -> GameOffer:
    """What a hall offers for a game at a moment.

    **Errors** NotFound when it has no limits or no pay table for it.
    """
    offer = _game_offer(hall, game, at)
    if offer is None:
        raise NotFound("not_found")
    return offer


def _game_offer(hall: Hall, game: str, at: datetime) -> GameOffer | None:
    limit_set = limit_set_in_force(hall=hall, game=game, at=at)
    pay_table = pay_table_in_force(hall=hall, game=game, at=at)
    if limit_set is None or pay_table is None:
        return None
    return GameOffer(
        hall,
        game,
        limit_set,
        pay_table,
        next_limit_set=terms_next(LimitSet, hall=hall, game=game, at=at),
        next_pay_table=terms_next(PayTable, hall=hall, game=game, at=at),
    )


def terms_list(model: type[SomeTerms], *, viewer: User, hall_id: UUID, game: str, at: datetime) -> QuerySet[Any]:
    """The history of a hall and game for those who oversee the hall.

    **Errors** NotFound; Forbidden to all but the hall's operators and those who oversee every hall.
    """
    return terms_history(model, hall=hall_overseen(viewer=viewer, hall_id=hall_id), game=game, at=at)


def pay_table_figures_get(*, viewer: User, hall_id: UUID, game: str, pay_table_id: UUID) -> PayTableFigures:
    """The exact figures that a pay table was published with, for those who oversee the hall.

    **Errors** NotFound, also for a pay table without figures; Forbidden as for ``terms_list``.
    """
    hall = hall_overseen(viewer=viewer, hall_id=hall_id)
    rows = PayTableFigures.objects.select_related("pay_table")
    figures: PayTableFigures | None = rows.filter(
        pay_table__hall=hall, pay_table__game=game, pay_table__public_id=pay_table_id
    ).first()
    if figures is None:
        raise NotFound("not_found")
    return figures


def hall_overseen(*, viewer: User, hall_id: UUID) -> Hall:
    """A hall for those who oversee it.

    **Errors** NotFound; Forbidden as for ``terms_list``.
    """
    hall = hall_get(viewer=viewer, hall_id=hall_id)
    if not (viewer.has_role(Role.OPERATOR, hall=hall) or viewer.has_any_role(OVERSEERS)):
        raise Forbidden("forbidden")
    return hall


def terms_history(model: type[SomeTerms], *, hall: Hall, game: str, at: datetime) -> QuerySet[Any]:
    """Every row of a hall and game with its author and its ``status`` at a moment."""
    rows = model.objects.filter(hall=hall, game=game)
    withdrawal = rows.filter(effective_at=OuterRef("effective_at"), revision=OuterRef("revision") + 1)
    successor = terms_live(model, hall=hall, game=game).filter(effective_at__gt=OuterRef("effective_at"), effective_at__lte=at)
    status = Case(
        When(data__isnull=True, then=Value("withdrawal")),
        When(Exists(withdrawal), then=Value("withdrawn")),
        When(effective_at__gt=at, then=Value("scheduled")),
        When(Exists(successor), then=Value("superseded")),
        default=Value("in_force"),
    )
    related = ("author", "figures") if model is PayTable else ("author",)
    history: QuerySet[Any] = rows.select_related(*related).annotate(status=status)
    return history


def stakes_minimum(limits: Mapping[str, Any]) -> dict[str, int]:
    """The least stake of each kind, what a click on an empty field places."""
    return {kind: bounds["min_minor"] for kind, bounds in limits["stakes"].items()}
