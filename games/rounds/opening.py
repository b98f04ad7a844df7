"""Steps that open a round inside a service's transaction, for one player against the house or for the seats of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError

from casino.errors import Conflict, InvalidInput, Refused
from casino.users.models import User
from games.core.digest import engine_digest
from games.core.engine import Engine, Json
from games.core.errors import InvalidData
from games.core.limits import stake_errors
from games.core.record import OPEN, head_hash, opening_origin
from games.halls.models import Hall
from games.halls.selectors import RoundTerms
from games.rounds.models import Commitment, Round, RoundSeat, RoundStep
from games.rounds.position import position_blank, position_start
from games.rounds.records import record_head
from games.rounds.replay import round_seed
from games.rounds.steps import LockedRound, StepTaken, step_append
from wallets import ledger
from wallets.models import PAID_IN_MAX_MINOR, Account


@dataclass(frozen=True, slots=True)
class Opener:
    """A player who takes part in a round, the text that goes into its shuffles, and the account that plays.

    **Rule** House bots give no client seed, so that the house cannot choose one. **Errors** InvalidInput.
    """

    user: User
    client_seed: str
    account: Account

    def __post_init__(self) -> None:
        if self.user.is_house_bot and self.client_seed:
            raise InvalidInput("invalid_input", "House bots give no client seed.", field="client_seed")

    @classmethod
    def found(cls, user: User, client_seed: str, currency: str) -> "Opener":
        """Find the player's account, with room for whatever is won: no refusal may come after the deal and tell of the cards.

        **Errors** InvalidInput; Refused ``balance_too_large``.
        """
        opener = cls(user, client_seed, ledger.player_account(user.pk, currency))
        if opener.balance_minor > PAID_IN_MAX_MINOR:
            raise Refused("balance_too_large", max_minor=PAID_IN_MAX_MINOR)
        return opener

    @property
    def balance_minor(self) -> int:
        """What the player has."""
        return self.account.balance_minor or 0


@dataclass(frozen=True, slots=True)
class Opening:
    """What a round opens with; the ``setup`` is the engine's, with the terms in it."""

    engine: Engine[Any, Any, Any]
    setup: Any
    hall: Hall
    terms: RoundTerms
    commitment: Commitment
    openers: Sequence[Opener]


def setup_parse(engine: Engine[Any, Any, Any], setup: Json) -> Any:
    """Read a setup as a game's rules do. **Errors** InvalidInput names the field."""
    try:
        return engine.parse_setup(setup)
    except InvalidData as error:
        raise InvalidInput("invalid_input", error.message, field=error.field) from error


def stakes_check(engine: Engine[Any, Any, Any], setup: Any, limits: Json) -> None:
    """Hold a setup's stakes against a hall's limits. **Errors** Refused ``stake_…``."""
    errors = stake_errors(engine.stakes(setup), limits)
    if errors:
        field, code, details = errors[0]
        raise Refused(code, field=field, **details)


def round_begin(opening: Opening, *, at: datetime, step_id: int) -> StepTaken:
    """Insert a round with its seats and take its first step: stakes are held and the cards dealt.

    **Errors** Conflict ``round_already_open``; Refused ``insufficient_funds``.
    **Locks** the accounts. **Writes** round, seats, escrow account, step, transfers.
    """
    engine, hall = opening.engine, opening.hall
    row, seats = _seated(opening, at)
    step = engine.start(opening.setup, round_seed(row, seats))
    origin = RoundStep.Origin(opening_origin(engine))
    opener = 0 if origin == RoundStep.Origin.PLAYER else None
    house = ledger.house_account(hall.pk, hall.currency)
    return step_append(
        LockedRound(row, seats, engine, position_blank(len(seats), at), house.pk),
        position=position_start(engine=engine, step=step, seats=len(seats), opener=opener, at=at),
        at=at,
        origin=origin,
        seat=opener,
        action={"type": OPEN},
        events=step.events,
        moves=step.moves,
        step_id=step_id,
    )


def standing_round(user: User, hall: Hall) -> UUID | None:
    """Tell which round a player has open against the house in a hall."""
    open_seats = RoundSeat.objects.filter(user=user, hall=hall, table=None, is_open=True)
    found: UUID | None = open_seats.values_list("round__commitment_id", flat=True).first()
    return found


def _seated(opening: Opening, at: datetime) -> tuple[Round, list[RoundSeat]]:
    """Insert the round with its escrow and seats; where it begins, its chain has only the head."""
    engine, hall, commitment = opening.engine, opening.hall, opening.commitment
    row = Round(
        commitment=commitment,
        game=engine.code,
        rules_version=engine.rules_version,
        engine_digest=engine_digest(engine.package),
        hall=hall,
        table_id=commitment.table_id,
        limit_set=opening.terms.limit_set,
        pay_table=opening.terms.pay_table,
        escrow=ledger.escrow_open(commitment.round_id, hall.currency),
        currency=hall.currency,
        opened_at=at,
        acted_at=at,
        state_secret=b"",
    )
    seats = [
        RoundSeat(
            round=row,
            index=index,
            user=opener.user,
            hall=hall,
            table_id=commitment.table_id,
            account=opener.account,
            client_seed=opener.client_seed,
        )
        for index, opener in enumerate(opening.openers)
    ]
    row.head = record_head(row, seats, engine.dump_setup(opening.setup))
    row.last_hash = head_hash(row.head)
    row.save(force_insert=True)
    try:
        RoundSeat.objects.bulk_create(seats)
    except IntegrityError as error:
        if "rounds_seat_one_open_per_player" not in str(error):
            raise
        raise Conflict("round_already_open") from error
    return row, seats
