"""Services of a round: open, act, let time run out, void. Each is one durable transaction: lock, apply, pay, record."""

from datetime import datetime
from typing import Any
from uuid import UUID

from audit.trail import audit_record
from casino.db import unit_of_work
from casino.errors import Conflict, Forbidden, InvalidInput, NotFound, Refused
from casino.users.models import User
from games.core.engine import Engine, Json
from games.core.errors import IllegalAction, InvalidData
from games.core.record import VOID, void_moves
from games.engines import current_engine, engine_for
from games.halls.locks import hall_lock_shared
from games.halls.models import Hall
from games.halls.selectors import terms_for_round
from games.rounds.commitments import commitment_create, commitment_use
from games.rounds.locks import opening_moment, round_lock, step_moment
from games.rounds.models import Round, RoundSeat, RoundStep
from games.rounds.opening import Opener, Opening, round_begin, setup_parse, stakes_check, standing_round
from games.rounds.position import position_after, position_voided
from games.rounds.records import step_moves, step_unsealed
from games.rounds.replay import position_load, round_replay
from games.rounds.steps import LockedRound, StepTaken, step_append


def round_open(
    *,
    user: User,
    hall_id: UUID,
    game: str,
    round_id: UUID,
    client_seed: str,
    opening: Json,
    now: datetime | None = None,
) -> StepTaken:
    """Open a round for one player against the house: take the stakes and deal.

    **Rule** The limit set and pay table in force now hold to the round's end; the round id is the player's committed one.
    **Errors** InvalidInput; NotFound; Conflict ``hall_closed``, ``game_not_offered``, ``round_already_open``,
    ``commitment_mismatch``, ``engine_unverified``; Refused ``stake_…``, ``balance_too_large``, ``insufficient_funds``.
    **Locks** the hall, shared; the commitment; then the accounts.
    **Writes** round, seat, escrow account, step, transfers, the next commitment.
    """
    engine = current_engine(game)
    setup_parse(engine, opening)
    with unit_of_work():
        hall = hall_lock_shared(hall_id=hall_id)
        if hall.opened_at is None:
            raise NotFound("not_found")
        commitment = commitment_use(round_id=round_id, hall=hall, game=game, user=user)
        _refuse_second_round(user, hall)
        clock, step_id = opening_moment()
        at = now or clock
        terms = terms_for_round(hall=hall, game=game, at=at)
        setup = setup_parse(engine, {**opening, "limits": terms.limit_set.data, "pay_table": terms.pay_table.data})
        stakes_check(engine, setup, terms.limit_set.data or {})
        beginning = Opening(engine, setup, hall, terms, commitment, [Opener.found(user, client_seed, hall.currency)])
        taken = round_begin(beginning, at=at, step_id=step_id)
        commitment_create(hall=hall, game=game, user=user, follows=commitment)
        return taken


def round_act(*, user: User, round_id: UUID, turn: int, action: Json, now: datetime | None = None) -> StepTaken:
    """Carry out a seat's action in its turn; a repeated request gets the first answer again.

    **Errors** InvalidInput; NotFound; Conflict ``turn_already_played``, ``turn_not_reached``, ``round_closed``,
    ``not_your_turn``, ``deadline_passed``; Refused with the rules' code, or ``insufficient_funds``.
    **Locks** the round, then the accounts.
    """
    with unit_of_work():
        row, seats, (clock, step_id) = round_lock(round_id)
        seat = next((seat for seat in seats if seat.user_id == user.pk), None)
        if seat is None:
            raise NotFound("not_found")
        engine = engine_for(row.game, row.rules_version)
        parsed = _parse_action(engine, action)
        at = now or clock
        if turn < seat.turn:
            return _played_before(row, seats, seat, turn, parsed, engine)
        _check_turn(row, seat, turn, at)
        locked = _load(row, seats, engine)
        if seat.index not in engine.to_act(locked.position.state):
            raise Conflict("not_your_turn")
        return _play(locked, seat.index, parsed, RoundStep.Origin.PLAYER, at, step_id)


def round_expire(*, round_id: UUID, until: datetime | None = None, now: datetime | None = None) -> int:
    """Play for every seat whose deadline has passed, by the game's published rule; return the number of steps.

    With ``until`` only for those whose deadline passed by then: later ones may yet be moved by an outage.

    **Rule** One transaction. A round that is closed, not yet due or locked by another is left alone: a late, double or lost call
    does nothing.
    """
    with unit_of_work():
        try:
            row, seats, (clock, step_id) = round_lock(round_id, skip_locked=True)
        except NotFound:
            return 0
        locked = _load(row, seats, engine_for(row.game, row.rules_version)) if row.status == Round.Status.OPEN else None
        steps = 0
        while locked and row.status == Round.Status.OPEN:
            at = now or clock
            limit = min(until or at, at)
            due = [seat for seat in seats if seat.deadline is not None and seat.deadline <= limit]
            if not due:
                break
            seat = min(due, key=lambda seat: (seat.deadline, seat.index)).index
            action = locked.engine.timeout_action(locked.position.state, seat)
            _play(locked, seat, action, RoundStep.Origin.TIMEOUT, at, step_id)
            steps += 1
            clock, step_id = step_moment()
        return steps


def round_void(*, actor: User, round_id: UUID, reason: str, now: datetime | None = None) -> StepTaken:
    """Annul an open round: every stake goes back once, the seed is revealed, the round stays readable.

    **Errors** NotFound; Forbidden ``own_round_forbidden``; Conflict ``round_closed``.
    **Locks** the round, then the accounts. **Writes** a system step, transfers, the record and an audit record.
    """
    with unit_of_work():
        row, seats, (clock, step_id) = round_lock(round_id)
        if any(seat.user_id == actor.pk for seat in seats):
            raise Forbidden("own_round_forbidden")
        if row.status != Round.Status.OPEN:
            raise Conflict("round_closed")
        locked = _load(row, seats, engine_for(row.game, row.rules_version))
        steps = RoundStep.objects.filter(round=row).order_by("seq")
        moves = void_moves([move for step in steps for move in step_moves(step_unsealed(row, step))], len(seats))
        taken = step_append(
            locked,
            position=position_voided(locked.position, moves=moves),
            at=now or clock,
            origin=RoundStep.Origin.SYSTEM,
            seat=None,
            action={"type": VOID},
            events=[],
            moves=moves,
            step_id=step_id,
        )
        audit_record(
            actor=actor,
            action="round_voided",
            subject=("rounds.round", row.public_id),
            before={"status": "open", "seq": taken.step.seq - 1},
            after={"status": "voided", "seq": taken.step.seq, "returned_minor": [seat.returned_minor for seat in seats]},
            reason=reason,
            hall=row.hall_id,
        )
        return taken


def action_check(*, game: str, action: Json) -> None:
    """Refuse an action that no round of the game could take. **Errors** InvalidInput names the field."""
    _parse_action(current_engine(game), action)


def opening_check(*, game: str, opening: Json) -> None:
    """Refuse an opening that no hall could accept. **Errors** InvalidInput names the field."""
    setup_parse(current_engine(game), opening)


def _refuse_second_round(user: User, hall: Hall) -> None:
    """Tell the player which round is open; that there is one at most is the unique constraint's to say."""
    standing = standing_round(user, hall)
    if standing is not None:
        raise Conflict("round_already_open", round_id=str(standing))


def _check_turn(row: Round, seat: RoundSeat, turn: int, at: datetime) -> None:
    if row.status != Round.Status.OPEN:
        raise Conflict("round_closed")
    if turn > seat.turn:
        raise Conflict("turn_not_reached", turn=seat.turn)
    if seat.deadline is not None and seat.deadline <= at:
        raise Conflict("deadline_passed")


def _played_before(
    row: Round, seats: list[RoundSeat], seat: RoundSeat, turn: int, action: Any, engine: Engine[Any, Any, Any]
) -> StepTaken:
    step = RoundStep.objects.get(round=row, seat=seat.index, turn=turn)
    same = step.origin == RoundStep.Origin.PLAYER and step_unsealed(row, step)["action"] == engine.dump_action(action)
    if not same:
        raise Conflict("turn_already_played", turn=seat.turn)
    return round_replay(row, seats, engine=engine, until_seq=step.seq)[-1]


def _load(row: Round, seats: list[RoundSeat], engine: Engine[Any, Any, Any]) -> LockedRound:
    return LockedRound(row, seats, engine, position_load(row, seats, engine=engine), row.house_id)


def _parse_action(engine: Engine[Any, Any, Any], action: Json) -> Any:
    try:
        return engine.parse_action(action)
    except InvalidData as error:
        raise InvalidInput("invalid_input", error.message, field=f"action.{error.field}") from error


def _play(locked: LockedRound, seat: int, action: Any, origin: RoundStep.Origin, at: datetime, step_id: int) -> StepTaken:
    engine, before = locked.engine, locked.position
    try:
        step = engine.apply(before.state, seat, action)
    except IllegalAction as error:
        raise Refused(error.code, error.message) from error
    by_player = origin == RoundStep.Origin.PLAYER
    return step_append(
        locked,
        position=position_after(before, engine=engine, step=step, seat=seat, by_player=by_player, at=at),
        at=at,
        origin=origin,
        seat=seat,
        action=engine.dump_action(action),
        events=step.events,
        moves=step.moves,
        step_id=step_id,
    )
