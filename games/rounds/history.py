"""The history of rounds: which ones fit the filters, and the figures that stand beside each for those who oversee all of them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import (
    BigIntegerField,
    Case,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    TextField,
    UUIDField,
    When,
)
from django.db.models.functions import Cast, Coalesce

from audit.models import AuditFinding
from casino.errors import Forbidden
from casino.permissions import OVERSEERS
from casino.users.models import User
from games.rounds.models import Round, RoundSeat, RoundStep
from wallets.models import Transfer

RESULTS = ("won", "lost", "even", "voided", "open")
FINDINGS = ("any", "unresolved")
_ID = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryFilter:
    """What is asked of rounds; None asks nothing. ``…_from`` is included, ``…_to`` of a time is not, that of an amount is.

    **Rule** Result and amounts are asked of one and the same seat: of the player named, of oneself for a player, else of any.
    What an open round comes to is not known yet, so amounts and automatic moves are asked of closed ones only.
    """

    hall_id: UUID | None = None
    player_id: UUID | None = None
    table_id: UUID | None = None
    game: str | None = None
    status: str | None = None
    opened_from: datetime | None = None
    opened_to: datetime | None = None
    closed_from: datetime | None = None
    closed_to: datetime | None = None
    result: str | None = None
    staked_from_minor: int | None = None
    staked_to_minor: int | None = None
    returned_from_minor: int | None = None
    returned_to_minor: int | None = None
    net_from_minor: int | None = None
    net_to_minor: int | None = None
    automatic_moves: bool | None = None
    finding: str | None = None


def rounds_fitting(asked: HistoryFilter, *, user: User, at: datetime | None = None) -> QuerySet[Round]:
    """Return the rounds that a user may know of and that fit, in no order; ``at`` asks for the findings as they were then.

    **Errors** Forbidden when who does not oversee all rounds asks for findings.
    """
    of_round = {
        "hall__public_id": asked.hall_id,
        "table__public_id": asked.table_id,
        "game": asked.game,
        "status": asked.status,
        "opened_at__gte": asked.opened_from,
        "opened_at__lt": asked.opened_to,
        "closed_at__gte": asked.closed_from,
        "closed_at__lt": asked.closed_to,
    }
    rounds = Round.objects.filter(**{name: value for name, value in of_round.items() if value is not None})
    rounds, seats = _of_player(rounds, asked, user)
    rounds = _with_result(rounds, seats, asked)
    if asked.automatic_moves is not None:
        automatic = Exists(_automatic_moves())
        rounds = rounds.exclude(status=Round.Status.OPEN).filter(automatic if asked.automatic_moves else ~automatic)
    if asked.finding is not None:
        if not user.has_any_role(OVERSEERS):
            raise Forbidden("forbidden")
        rounds = rounds.filter(pk__in=_rounds_found(unresolved=asked.finding == "unresolved", at=at))
    return rounds


def with_figures(rounds: QuerySet[Round]) -> QuerySet[Round]:
    """Add to each round its rake, how many moves the system made, and how many findings there are about it."""
    rake = Transfer.objects.filter(debit_account=OuterRef("escrow"), debit_sequence__isnull=False, code__startswith="rake.")
    findings = AuditFinding.objects.filter(round_reference=Cast(OuterRef("commitment_id"), output_field=TextField()))
    unresolved = findings.exclude(status=AuditFinding.Status.RESOLVED)
    return rounds.annotate(
        rake_minor=_number(rake, "debit_account", Sum("amount_minor")),
        automatic_moves=_number(_automatic_moves(), "round", Count("pk")),
        findings=_number(findings, "round_reference", Count("pk")),
        findings_unresolved=_number(unresolved, "round_reference", Count("pk")),
    )


def _of_player(rounds: QuerySet[Round], asked: HistoryFilter, user: User) -> tuple[QuerySet[Round], QuerySet[RoundSeat]]:
    """Narrow rounds to those with the player that is asked for; return also the seats of whom results are asked.

    Joined, not looked up: the index of a player's seats has the rounds in the order in which they are listed.
    """
    seats = RoundSeat.objects.filter(round=OuterRef("pk"))
    if asked.player_id is not None:
        named = Subquery(User.objects.filter(public_id=asked.player_id).values("pk"))
        rounds, seats = rounds.filter(seats__user_id=named), seats.filter(user_id=named)
    if not user.has_any_role(OVERSEERS):
        rounds, seats = rounds.filter(seats__user=user), RoundSeat.objects.filter(round=OuterRef("pk"), user=user)
    return rounds, seats


def _with_result(rounds: QuerySet[Round], seats: QuerySet[RoundSeat], asked: HistoryFilter) -> QuerySet[Round]:
    amounts: dict[str, Any] = {
        "staked_minor__gte": asked.staked_from_minor,
        "staked_minor__lte": asked.staked_to_minor,
        "returned_minor__gte": asked.returned_from_minor,
        "returned_minor__lte": asked.returned_to_minor,
    }
    wanted = Q(**{name: value for name, value in amounts.items() if value is not None})
    net = {"net__gte": asked.net_from_minor, "net__lte": asked.net_to_minor}
    wanted &= Q(**{name: value for name, value in net.items() if value is not None})
    if asked.result in ("open", "voided"):
        rounds = rounds.filter(status=asked.result)
    elif asked.result is not None:
        rounds = rounds.filter(status=Round.Status.SETTLED)
        wanted &= Q(**{{"won": "net__gt", "lost": "net__lt", "even": "net"}[asked.result]: 0})
    if not wanted:
        return rounds
    closed = seats.filter(is_open=False).alias(net=F("returned_minor") - F("staked_minor"))
    return rounds.filter(Exists(closed.filter(wanted)))


def _automatic_moves() -> QuerySet[RoundStep]:
    return RoundStep.objects.filter(round=OuterRef("pk"), origin=RoundStep.Origin.TIMEOUT)


def _rounds_found(*, unresolved: bool, at: datetime | None) -> QuerySet[Any]:
    """Find the rounds with findings, from the findings: they are few."""
    findings = AuditFinding.objects.exclude(round_reference=None)
    if at is not None:
        findings = findings.filter(found_at__lte=at)
    if unresolved:
        still_open = Q(resolved_at=None) if at is None else Q(resolved_at=None) | Q(resolved_at__gt=at)
        findings = findings.filter(still_open)
    as_id = Case(When(round_reference__regex=_ID, then=Cast("round_reference", UUIDField())))
    return Round.objects.filter(commitment__in=findings.annotate(as_id=as_id).values("as_id")).values("pk")


def _number(rows: QuerySet[Any], common: str, aggregate: Any) -> Coalesce:
    """Ask for one number about rows that have a column in common; 0 where there are none."""
    counted = rows.order_by().values(common).annotate(number=aggregate).values("number")
    return Coalesce(Subquery(counted, output_field=BigIntegerField()), 0)
