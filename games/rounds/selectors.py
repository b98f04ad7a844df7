"""Reading rounds: who may see which, as they stand now or stood after a step."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Min, Prefetch, QuerySet

from casino.db import now as database_now
from casino.errors import Conflict, NotFound
from casino.permissions import OVERSEERS
from casino.users.models import User
from games.engines import engine_for
from games.rounds.documents import Viewpoint, events_shown, round_document, step_document
from games.rounds.history import HistoryFilter, rounds_fitting, with_figures
from games.rounds.models import Commitment, Round, RoundRecord, RoundSeat
from games.rounds.records import iso
from games.rounds.replay import position_load, round_replay, steps_seen
from games.rounds.steps import StepTaken


def round_list(*, user: User, **asked: Any) -> QuerySet[Round]:
    """Rounds that a user may know of and that fit, newest first, with their seats; for overseers with the figures beside.

    **Shapes** ``asked`` are the fields of ``HistoryFilter``.
    """
    rounds = rounds_fitting(HistoryFilter(**asked), user=user)
    if user.has_any_role(OVERSEERS):
        rounds = with_figures(rounds)
    seats = Prefetch("seats", RoundSeat.objects.order_by("index").select_related("user"))
    return rounds.select_related("hall", "table").prefetch_related(seats).order_by("-pk")


def record_get(*, user: User, round_id: UUID) -> tuple[str, str]:
    """Return the record of a closed round and its hash. **Errors** NotFound; Conflict ``round_open``, ``record_unreadable``."""
    row, _, _ = round_get(user=user, round_id=round_id)
    record = RoundRecord.objects.filter(round=row).values_list("document", "record_hash").first()
    if record is None:
        raise record_missing(row)
    return record


def record_missing(row: Round) -> Conflict:
    """Say why a round, read before its record was asked for, has none: it goes on, or somebody took the record away."""
    return Conflict("round_open" if row.status == Round.Status.OPEN else "record_unreadable")


def round_get(*, user: User, round_id: UUID) -> tuple[Round, list[RoundSeat], int | None]:
    """Return a round, its seats, and the user's own seat, all of one moment.

    **Rule** Others may watch only at a table that allows it, and see what is public.
    **Errors** NotFound, also for another's round.
    """
    seats = round_seats(round_id)
    viewer = next((seat.index for seat in seats if seat.user_id == user.pk), None)
    if not seats or (viewer is None and not may_watch(user, seats[0].round)):
        raise NotFound("not_found")
    return seats[0].round, seats, viewer


def may_watch(user: User, row: Round) -> bool:
    """Say whether a user who has no seat in a round may watch it: anybody at a table that allows it."""
    return user.has_any_role(OVERSEERS) or (row.table is not None and row.table.allows_spectators)


def round_seats(round_id: UUID) -> list[RoundSeat]:
    """Return a round's seats in order, with the round and all that its documents are made of; none where there is no round."""
    return list(
        RoundSeat.objects.filter(round__commitment_id=round_id)
        .select_related("round__hall", "round__commitment__next", "round__table", "user", "account")
        .order_by("index")
    )


def round_players(round_id: UUID) -> list[UUID]:
    """Tell whose round it is."""
    seats = RoundSeat.objects.filter(round__commitment_id=round_id).order_by("index")
    return list(seats.values_list("user__public_id", flat=True))


def round_now(*, user: User, round_id: UUID, now: datetime | None = None) -> dict[str, Any]:
    """Return a round as it stands for a user."""
    row, seats, viewer = round_get(user=user, round_id=round_id)
    return round_standing(row, seats, viewer=viewer, now=now)


def round_standing(row: Round, seats: Sequence[RoundSeat], *, viewer: int | None, now: datetime | None = None) -> dict[str, Any]:
    """Return a round as its rows say that it stands, for a seat or with None for anybody else."""
    engine = engine_for(row.game, row.rules_version)
    available = None if viewer is None else seats[viewer].account.balance_minor
    return round_document(
        row,
        seats,
        engine=engine,
        position=position_load(row, seats, engine=engine),
        viewpoint=Viewpoint(viewer, available, now or database_now()),
        events=(),
    )


def round_after_step(*, user: User, round_id: UUID, seq: int) -> dict[str, Any]:
    """Return a round as it stood for a user right after a step: the same answer however often it is asked for."""
    row, seats, viewer = round_get(user=user, round_id=round_id)
    engine = engine_for(row.game, row.rules_version)
    return step_document(round_replay(row, seats, engine=engine, until_seq=seq)[-1], viewer=viewer)


def round_steps(*, user: User, round_id: UUID) -> list[dict[str, Any]]:
    """Return a round's steps as a user may see them.

    **Rule** While it is open, a step of which another seat is shown nothing is left out and not counted, and one that hides its
    origin does not tell that.
    """
    row, seats, viewer = round_get(user=user, round_id=round_id)
    engine = engine_for(row.game, row.rules_version)
    taken = round_replay(row, seats, engine=engine)
    if row.status != Round.Status.OPEN:
        return [_step(each, viewer, seq=each.step.seq) for each in taken]
    return [_step(each, viewer, seq=each.position.seq_for(viewer)) for each in steps_seen(taken, viewer)]


def _step(taken: StepTaken, viewer: int | None, *, seq: int) -> dict[str, Any]:
    step, is_open = taken.step, taken.row.status == Round.Status.OPEN
    hides_origin = is_open and viewer != step.seat and any(event.hides_origin for event in taken.events)
    return {
        "seq": seq,
        "at": iso(step.at),
        "seat": step.seat,
        "turn": step.turn,
        "origin": None if hides_origin else step.origin,
        "events": events_shown(taken.engine, taken.events, viewer),
        "previous_hash": step.previous_hash,
        "hash": step.hash,
    }


def last_opening(*, user: User, hall_id: UUID, game: str) -> dict[str, Any] | None:
    """Return what the player opened the last round of a game in a hall with, to repeat the bets (RP-8.1)."""
    head = (
        Round.objects.filter(hall__public_id=hall_id, game=game, table=None, seats__user=user)
        .order_by("-pk")
        .values_list("head", flat=True)
        .first()
    )
    return None if head is None else {k: v for k, v in head["setup"].items() if k not in ("limits", "pay_table")}


def commitment_list(*, user: User) -> QuerySet[Commitment]:
    """The player's commitments for next rounds."""
    return Commitment.objects.filter(user=user, status=Commitment.Status.UNUSED).select_related("hall").order_by("created_at")


def sweep_lag() -> timedelta:
    """Tell how long the oldest deadline that has passed has been waiting for the sweep."""
    oldest: datetime | None = RoundSeat.objects.aggregate(oldest=Min("deadline"))["oldest"]
    return max(timedelta(), database_now() - oldest) if oldest else timedelta()


def rounds_due(now: datetime, page_size: int = 100) -> Iterator[UUID]:
    """Ids of rounds with a deadline that has passed, in pages, so that one that cannot be played on never hides the rest."""
    last = 0
    while True:
        page = list(
            RoundSeat.objects.filter(deadline__lte=now, round_id__gt=last)
            .order_by("round_id")
            .values_list("round_id", "round__commitment_id")
            .distinct()[:page_size]
        )
        yield from (round_id for _, round_id in page)
        if len(page) < page_size:
            return
        last = page[-1][0]
