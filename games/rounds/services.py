"""Services of a round: open, act, let time run out, void. Each is one durable transaction: lock, apply, pay, record."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError

from audit.trail import audit_record
from casino.db import unit_of_work
from casino.errors import Conflict, Forbidden, InvalidInput, NotFound, Refused
from casino.users.models import User
from games.core.digest import engine_digest
from games.core.engine import Engine, Json
from games.core.errors import IllegalAction, InvalidData
from games.core.limits import stake_errors
from games.core.record import OPEN, VOID, head_hash, void_moves
from games.engines import current_engine, engine_for
from games.halls.locks import hall_lock_shared
from games.halls.models import Hall
from games.halls.selectors import RoundTerms, terms_for_round
from games.rounds.commitments import commitment_create, commitment_use
from games.rounds.locks import round_lock, step_moment
from games.rounds.models import Commitment, Round, RoundSeat, RoundStep
from games.rounds.position import position_after, position_blank, position_start, position_voided
from games.rounds.records import record_head, step_moves, step_unsealed
from games.rounds.replay import position_load, round_replay, round_seed
from games.rounds.steps import LockedRound, StepTaken, step_append
from wallets import ledger
from wallets.models import PAID_IN_MAX_MINOR, Account


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
    ``commitment_mismatch``; Refused ``stake_…``, ``balance_too_large``, ``insufficient_funds``.
    **Locks** the hall, shared; the commitment; then the accounts.
    **Writes** round, seat, escrow account, step, transfers, the next commitment.
    """
    engine = current_engine(game)
    _parse_setup(engine, opening)
    with unit_of_work():
        hall = hall_lock_shared(hall_id=hall_id)
        if hall.opened_at is None:
            raise NotFound("not_found")
        commitment, _ = commitment_use(user=user, hall=hall, game=game, round_id=round_id)
        _refuse_second_round(user, hall)
        clock, step_id = step_moment()
        at = now or clock
        terms = terms_for_round(hall=hall, game=game, at=at)
        setup = _parse_setup(engine, {**opening, "limits": terms.limit_set.data, "pay_table": terms.pay_table.data})
        _check_stakes(engine, setup, terms.limit_set.data or {})
        row, seat = _seated(engine, setup, terms, hall, commitment, user, client_seed, at)
        step = engine.start(setup, round_seed(row, [seat]))
        taken = step_append(
            LockedRound(row, [seat], engine, position_blank(1, at), ledger.house_account(hall.pk, hall.currency).pk),
            position=position_start(engine=engine, step=step, seats=1, opener=0, at=at),
            at=at,
            origin=RoundStep.Origin.PLAYER,
            seat=0,
            action={"type": OPEN},
            events=step.events,
            moves=step.moves,
            step_id=step_id,
        )
        commitment_create(user=user, hall=hall, game=game, follows=commitment)
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


def round_expire(*, round_id: UUID, now: datetime | None = None) -> int:
    """Play for every seat whose deadline has passed, by the game's published rule; return the number of steps.

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
            due = [seat for seat in seats if seat.deadline is not None and seat.deadline <= at]
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
    _parse_setup(current_engine(game), opening)


def _parse_setup(engine: Engine[Any, Any, Any], opening: Json) -> Any:
    try:
        return engine.parse_setup(opening)
    except InvalidData as error:
        raise InvalidInput("invalid_input", error.message, field=error.field) from error


def _refuse_second_round(user: User, hall: Hall) -> None:
    """Tell the player which round is open; that there is one at most is the unique constraint's to say."""
    standing = RoundSeat.objects.filter(user=user, hall=hall, is_open=True).values_list("round__commitment_id", flat=True).first()
    if standing is not None:
        raise Conflict("round_already_open", round_id=str(standing))


def _check_stakes(engine: Engine[Any, Any, Any], setup: Any, limits: Json) -> None:
    errors = stake_errors(engine.stakes(setup), limits)
    if errors:
        field, code, details = errors[0]
        raise Refused(code, field=field, **details)


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


def _seated(
    engine: Engine[Any, Any, Any],
    setup: Any,
    terms: RoundTerms,
    hall: Hall,
    commitment: Commitment,
    user: User,
    client_seed: str,
    at: datetime,
) -> tuple[Round, RoundSeat]:
    """Insert a round with its escrow and its one seat; where it begins, its chain has only the head."""
    row = Round(
        commitment=commitment,
        game=engine.code,
        rules_version=engine.rules_version,
        engine_digest=engine_digest(engine.package),
        hall=hall,
        limit_set=terms.limit_set,
        pay_table=terms.pay_table,
        escrow=ledger.escrow_open(commitment.round_id, hall.currency),
        currency=hall.currency,
        opened_at=at,
        acted_at=at,
        state_secret=b"",
    )
    account = _playable_account(user, hall.currency)
    seat = RoundSeat(round=row, index=0, user=user, hall=hall, account=account, client_seed=client_seed)
    row.head = record_head(row, [seat], engine.dump_setup(setup))
    row.last_hash = head_hash(row.head)
    row.save(force_insert=True)
    try:
        seat.save(force_insert=True)
    except IntegrityError as error:
        if "rounds_seat_one_open_per_player_and_hall" not in str(error):
            raise
        raise Conflict("round_already_open") from error
    return row, seat


def _playable_account(user: User, currency: str) -> Account:
    """Find the player's account, with room for whatever is won: no refusal may come after the deal and tell of the cards."""
    account = ledger.player_account(user.pk, currency)
    if (account.balance_minor or 0) > PAID_IN_MAX_MINOR:
        raise Refused("balance_too_large", max_minor=PAID_IN_MAX_MINOR)
    return account


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
