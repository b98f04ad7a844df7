"""What tests of rounds play with: halls, players with money, commitments whose seed is known, and a policy to play on."""

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from rest_framework.test import APIClient

from audit.trail import audit_record
from casino.db import now as database_now
from casino.db import unit_of_work
from casino.permissions import Role
from casino.users.models import RoleGrant, User
from games.core.engine import ActionSpec, Amount, OneOf
from games.core.shuffle import commitment as seed_hash_of
from games.engines import current_engine, current_engines
from games.halls.defaults import default_halls_create
from games.halls.models import Hall
from games.rounds import cipher
from games.rounds.commitments import commitment_ensure
from games.rounds.models import Commitment, Round
from games.rounds.selectors import round_now
from games.rounds.services import round_act, round_open
from games.rounds.steps import StepTaken
from wallets import ledger
from wallets.ledger import PostedTransfer, Posting
from wallets.models import Account, Transfer

GAME = "russian_poker"
ENGINE = current_engine(GAME)
ONE_BOX = {"boxes": [{"box": 1, "ante_minor": 100, "bonus_minor": 10}]}
FOUR_BOXES = {"boxes": [{"box": box, "ante_minor": 100, "bonus_minor": 10} for box in (1, 2, 4, 5)]}
WITHOUT_BONUS = {"boxes": [{"box": box, "ante_minor": 100} for box in (1, 2, 4, 5)]}
"""Gives back no more than it took, where a Bonus may: not before the end, and at no other's expense."""


def user_with(*roles: Role, name: str = "", hall: Hall | None = None) -> User:
    """A user with roles; those that are per hall, for this one."""
    user = User.objects.create(username=name or f"user-{uuid4().hex[:12]}")
    for role in roles:
        per_hall = role in (Role.OPERATOR, Role.CASHIER)
        RoleGrant.objects.create(user=user, role=role, hall=hall if per_hall else None)
    return user


def halls(currency: str = "EUR") -> dict[str, Hall]:
    """The document's three halls, by code, with every game."""
    admin = user_with(Role.ADMIN)
    return {hall.code: hall for hall in default_halls_create(engines=current_engines(), author=admin, currency=currency)}


def fund(user: User, hall: Hall, amount_minor: int) -> Account:
    """Pay money in through the hall's cage, by the ledger itself."""
    account = ledger.player_account(user.pk, hall.currency)
    cage = ledger.cage_account(hall.pk, hall.currency)
    with unit_of_work():
        (paid,) = ledger.post([Posting(cage.pk, account.pk, amount_minor, "deposit")], step_id=None, now=database_now())
        counter_recorded(paid, "deposit_created")
    return account


def counter_recorded(paid: PostedTransfer, action: str) -> None:
    """Put into the trail what the counter's service puts there."""
    sides = (paid.posting.debit_account_id, paid.posting.credit_account_id)
    account = Account.objects.select_related("user").get(pk__in=sides, kind="player")
    assert account.user is not None
    names = {"account_id": str(account.public_id), "player_id": str(account.user.public_id)}
    after = {"amount_minor": paid.posting.amount_minor, **names}
    audit_record(actor=None, action=action, subject=("wallets.transfer", paid.public_id), before=None, after=after)


def player(hall: Hall, amount_minor: int = 100_000) -> User:
    """A player with money for a hall."""
    user = user_with(Role.PLAYER)
    if amount_minor:
        fund(user, hall, amount_minor)
    return user


def commit(user: User, hall: Hall, seed: bytes | None = None) -> UUID:
    """The player's next round id; with a seed of the test's choosing where one is given."""
    if seed is None:
        return commitment_ensure(user=user, hall_id=hall.public_id, game=GAME)[0].round_id
    round_id = uuid4()
    secret = cipher.seal(round_id, "seed", seed.hex())
    Commitment.objects.create(
        round_id=round_id, user=user, hall=hall, game=GAME, seed_hash=seed_hash_of(seed), seed_secret=secret
    )
    return round_id


def open_round(
    user: User,
    hall: Hall,
    opening: Mapping[str, Any] = ONE_BOX,
    *,
    round_id: UUID | None = None,
    seed: bytes | None = None,
    client_seed: str = "a seed",
    now: datetime | None = None,
) -> StepTaken:
    return round_open(
        user=user,
        hall_id=hall.public_id,
        game=GAME,
        round_id=round_id or commit(user, hall, seed),
        client_seed=client_seed,
        opening=opening,
        now=now,
    )


def look(user: User, round_id: UUID) -> dict[str, Any]:
    return round_now(user=user, round_id=round_id)


def act(user: User, round_id: UUID, action: Mapping[str, Any], turn: int | None = None, now: datetime | None = None) -> StepTaken:
    turn = look(user, round_id)["turn"] if turn is None else turn
    return round_act(user=user, round_id=round_id, turn=turn, action=action, now=now)


def legal(user: User, round_id: UUID) -> tuple[ActionSpec, ...]:
    """What the round's player may do now, as the engine says it."""
    from games.rounds.replay import position_load

    row = Round.objects.get(commitment_id=round_id)
    seats = list(row.seats.order_by("index"))
    return ENGINE.legal_actions(position_load(row, seats, engine=ENGINE).state, 0)


def choose(specs: tuple[ActionSpec, ...], chance: random.Random) -> dict[str, Any]:
    """One of the legal actions, with parameters by chance."""
    spec = chance.choice(specs)
    action: dict[str, Any] = {"type": spec.type}
    for name, parameter in spec.parameters.items():
        if isinstance(parameter, OneOf):
            action[name] = chance.choice(parameter.options)
        elif isinstance(parameter, Amount):
            steps = (parameter.max_minor - parameter.min_minor) // parameter.step_minor
            action[name] = parameter.min_minor + parameter.step_minor * chance.randint(0, min(steps, 10))
        else:
            count = chance.randint(parameter.min, parameter.max)
            action[name] = chance.sample(list(parameter.options), count)
    return action


def play_out(user: User, round_id: UUID, chance: random.Random) -> None:
    """Act by chance until the round is over."""
    while specs := legal(user, round_id):
        act(user, round_id, choose(specs, chance))


def seeds() -> Iterator[bytes]:
    """Seeds to search for a deal that a test needs."""
    return (number.to_bytes(32, "big") for number in itertools.count(1))


@dataclass(frozen=True)
class Books:
    """What every account holds, by the sum of its transfers; equal books mean that nothing moved."""

    balances: Mapping[int, int]
    transfers: int

    @classmethod
    def read(cls) -> "Books":
        balances: dict[int, int] = dict.fromkeys(Account.objects.values_list("pk", flat=True), 0)
        rows = Transfer.objects.values_list("debit_account_id", "credit_account_id", "amount_minor")
        for debit, credit, amount in rows:
            balances[debit] -= amount
            balances[credit] += amount
        return cls({pk: balance for pk, balance in balances.items() if balance}, len(rows))


def balance(user: User) -> int:
    return sum(Account.objects.filter(user=user).values_list("balance_minor", flat=True))


def client(user: User) -> APIClient:
    """A client of the API that acts for a user."""
    made = APIClient()
    made.force_authenticate(user)
    return made


def opening_body(user: User, hall: Hall, **changes: Any) -> dict[str, Any]:
    """The body that opens a round over the API."""
    return {
        "game": GAME,
        "hall_id": str(hall.public_id),
        "round_id": str(commit(user, hall)),
        "client_seed": "a seed",
        **ONE_BOX,
        **changes,
    }
