"""Reading tables: which there are, who sits there, which round is played."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from casino.errors import NotFound
from casino.users.models import User
from games.halls.selectors import hall_list
from games.rounds.models import Commitment, Round
from games.tables.models import Table, TableEvent, TableSeat


@dataclass(frozen=True, slots=True)
class Standing:
    """A table with its seats in order, its last round if there was one, and the commitment of the next."""

    table: Table
    stays: list[TableSeat]
    round: Round | None
    commitment: Commitment | None

    @property
    def is_playing(self) -> bool:
        """Whether a round is open here."""
        return self.round is not None and self.round.status == Round.Status.OPEN

    @property
    def is_full(self) -> bool:
        """Whether every seat is taken."""
        return len(self.stays) == self.table.seats

    def stay_of(self, user: User) -> TableSeat | None:
        """The seat that a user has taken."""
        return next((stay for stay in self.stays if stay.user_id == user.pk), None)


def table_list(
    *,
    viewer: User,
    hall_id: UUID | None = None,
    game: str | None = None,
    stake_from_minor: int | None = None,
    stake_to_minor: int | None = None,
    has_free_seats: bool | None = None,
    status: str = Table.Status.OPEN,
) -> QuerySet[Table]:
    """Tables in the halls that a user may know of and that fit every given filter, newest first."""
    asked = {
        "hall__public_id": hall_id,
        "game": game,
        "stake_minor__gte": stake_from_minor,
        "stake_minor__lte": stake_to_minor,
    }
    tables = Table.objects.filter(hall__in=hall_list(viewer=viewer), status=status)
    tables = tables.filter(**{name: value for name, value in asked.items() if value is not None})
    if has_free_seats is not None:
        tables = tables.annotate(taken=Count("stays", filter=Q(stays__left_at=None)))
        tables = tables.filter(taken__lt=F("seats")) if has_free_seats else tables.filter(taken__gte=F("seats"))
    return tables.select_related("hall").order_by("-pk")


def table_get(*, viewer: User, table_id: UUID) -> Table:
    """Find a table that a user may know of. **Errors** NotFound."""
    table = Table.objects.filter(public_id=table_id, hall__in=hall_list(viewer=viewer)).select_related("hall").first()
    if table is None:
        raise NotFound("not_found")
    return table


def table_players(table_id: UUID) -> list[UUID]:
    """Tell who sits at a table."""
    stays = TableSeat.objects.filter(table__public_id=table_id, left_at=None).order_by("index")
    return list(stays.values_list("user__public_id", flat=True))


def standing_of(table: Table) -> Standing:
    """Return how a table stands."""
    stays = TableSeat.objects.filter(table=table, left_at=None).select_related("user").order_by("index")
    last = Round.objects.filter(table=table).defer("head", "state_secret").last()
    unused = Commitment.objects.filter(table=table, status=Commitment.Status.UNUSED).first()
    return Standing(table, list(stays), last, unused)


def event_list(*, viewer: User, table_id: UUID) -> QuerySet[TableEvent]:
    """What happened at a table, newest first. **Errors** NotFound."""
    return TableEvent.objects.filter(table=table_get(viewer=viewer, table_id=table_id)).order_by("-pk")


def tables_fitting(*, viewer: User, hall_id: UUID, game: str, stake_to_minor: int | None) -> list[UUID]:
    """Open tables with a free seat at which the user does not sit yet, in random order."""
    sits = TableSeat.objects.filter(table=OuterRef("pk"), user=viewer, left_at=None)
    tables = table_list(viewer=viewer, hall_id=hall_id, game=game, stake_to_minor=stake_to_minor, has_free_seats=True)
    return list(tables.filter(~Exists(sits)).order_by("?").values_list("public_id", flat=True))


def tables_due(now: datetime, page_size: int = 100) -> Iterator[UUID]:
    """Open tables that the sweep has something to do at: close an empty one, begin to wait for a player, or wait no longer.

    Each kind is found by an index of its own; in pages, so that one at which nothing can be done never hides the rest.
    """
    unready = TableSeat.objects.filter(left_at=None, is_ready=False)
    empty = Table.objects.filter(closes_at__lte=now)
    late = Table.objects.filter(pk__in=unready.filter(ready_by__lte=now).values("table"))
    unasked = Table.objects.filter(pk__in=unready.filter(ready_by=None).values("table")).filter(
        ~Exists(Round.objects.filter(table=OuterRef("pk"), status=Round.Status.OPEN)), seats=_taken()
    )
    last = 0
    while True:
        kinds = [
            kind.filter(status=Table.Status.OPEN, pk__gt=last).values_list("pk", "public_id").order_by("pk")[:page_size]
            for kind in (empty, late, unasked)
        ]
        page = list(kinds[0].union(*kinds[1:]).order_by("pk")[:page_size])
        yield from (table_id for _, table_id in page)
        if len(page) < page_size:
            return
        last = page[-1][0]


def _taken() -> Subquery:
    """Count the seats of an outer table that are taken."""
    stays = TableSeat.objects.filter(table=OuterRef("pk"), left_at=None).order_by().values("table")
    return Subquery(stays.annotate(taken=Count("pk")).values("taken"))
