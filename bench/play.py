"""Halls, players and rounds as the service makes them."""

import random
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db import connections

from bench.models import Counter, Entry
from bench.server import Server
from casino.permissions import Role
from casino.users.models import RoleGrant, User
from games.engines import current_engine
from games.halls.models import Hall
from games.halls.services import hall_create, hall_open, limit_set_publish, pay_table_publish
from games.rounds.commitments import commitment_ensure
from games.rounds.services import round_act, round_open
from games.rounds.steps import StepTaken
from wallets.models import Account, AccountKind
from wallets.services import deposit_create

ENGINE = current_engine("russian_poker")
CURRENCY = "EUR"
HALLS = 64
OPENING = {"boxes": [{"box": 1, "ante_minor": 100, "bonus_minor": 10}]}
REASON = "bench"
UNUSABLE = "!"
FUNDS_MINOR = 100_000_000


def populate(players: int, with_money: int) -> None:
    """Fill a migrated database: halls by the first hall's terms, a cashier, players, the yardstick's rows."""
    _yardstick_create(with_money)
    admin = _user("admin", Role.ADMIN)
    every = [_hall(admin, number) for number in range(HALLS)]
    cashier = _user("cashier", Role.CASHIER, every[0])
    made = User.objects.bulk_create(User(username=f"player{number}", password=UNUSABLE) for number in range(players))
    RoleGrant.objects.bulk_create(RoleGrant(user=each, role=Role.PLAYER) for each in made)
    Account.objects.bulk_create(
        Account(kind=AccountKind.PLAYER, user=each, currency=CURRENCY, balance_minor=0, sequence=0) for each in made
    )
    for each in made[:with_money]:
        deposit(cashier, every[0], each)


def _yardstick_create(rows: int) -> None:
    owner = connections["owner"]
    with owner.schema_editor() as editor:
        editor.create_model(Counter)
        editor.create_model(Entry)
    with owner.cursor() as cursor:
        cursor.execute("GRANT SELECT, INSERT, UPDATE ON bench_counter, bench_entry TO casino_app")
    Counter.objects.bulk_create(Counter() for _ in range(rows))


def _user(username: str, role: Role, hall: Hall | None = None) -> User:
    user = User.objects.create(username=username, password=UNUSABLE)
    RoleGrant.objects.create(user=user, role=role, hall=hall)
    return user


def _hall(admin: User, number: int) -> Hall:
    made = hall_create(
        actor=admin, code=f"hall{number}", name=f"Hall {number}", currency=CURRENCY, time_zone="UTC", reason=REASON
    )
    terms: dict[str, Any] = {"actor": admin, "hall_id": made.public_id, "game": ENGINE.code, "reason": REASON}
    made = limit_set_publish(version=made.version, data=ENGINE.default_limits["first"], **terms).hall
    made = pay_table_publish(version=made.version, data=ENGINE.default_pay_table, **terms).hall
    return hall_open(actor=admin, hall_id=made.public_id, version=made.version, reason=REASON)


def deposit(cashier: User, hall: Hall, player: User, amount_minor: int = FUNDS_MINOR) -> None:
    """Pay money in over the counter."""
    deposit_create(
        actor=cashier, hall_id=hall.public_id, amount_minor=amount_minor, currency=CURRENCY, player_id=player.public_id
    )


_TRAIL_SQL = """
    INSERT INTO audit_auditrecord (public_id, at, actor_name, action, subject_type, subject_id, after, reason, request_id)
    SELECT gen_random_uuid(), transfer.at, 'system', 'deposit_created', 'wallets.transfer', transfer.public_id::text,
           jsonb_build_object('amount_minor', transfer.amount_minor), '', ''
    FROM wallets_transfer transfer
    LEFT JOIN audit_auditrecord record
        ON record.subject_type = 'wallets.transfer' AND record.subject_id = transfer.public_id::text
    WHERE transfer.code = 'deposit' AND record.id IS NULL
"""


def trail_complete(server: Server, database: str) -> None:
    """Give the deposits that were posted below the counter's service the audit records that it writes."""
    with server.postgres.connect(database) as connection:
        connection.execute(_TRAIL_SQL)


def player(number: int) -> User:
    """A player of those that were made."""
    return User.objects.get(username=f"player{number}")


def halls() -> list[Hall]:
    """Every hall, in order."""
    return list(Hall.objects.order_by("pk"))


def deposits(seed: int) -> Iterator[None]:
    """Deposit to players by chance."""
    chance = random.Random(seed)
    cashier, hall = User.objects.get(username="cashier"), halls()[0]
    players = list(User.objects.filter(role_grants__role=Role.PLAYER).order_by("pk"))
    while True:
        deposit(cashier, hall, chance.choice(players), 100)
        yield


def rounds(number: int, among: Sequence[int]) -> Iterator[None]:
    """Play rounds in the given halls, one after another and hall after hall; every opening and every action is an operation."""
    user, every = player(number), halls()
    following = [(every[place], committed(user, every[place])) for place in among]
    yield
    while True:
        hall, round_id = following.pop(0)
        taken = opened(user, hall, round_id)
        yield
        while taken.position.status == "open":
            taken = acted(user, taken, next_action(taken))
            yield
        following.append((hall, taken.row.commitment.next.round_id))


def draws(number: int, count: int) -> Iterator[None]:
    """Open a round in each of so many halls, then exchange a card in each: the operation is the exchange alone."""
    user = player(number)
    waiting = open_rounds(user, count)
    yield
    for taken in waiting:
        acted(user, taken, next_action(taken))
        yield


def open_rounds(user: User, count: int) -> list[StepTaken]:
    """Open a round in each of so many halls."""
    return [opened(user, hall, committed(user, hall)) for hall in halls()[:count]]


def committed(user: User, hall: Hall) -> UUID:
    """Return the id of the player's next round in a hall."""
    return commitment_ensure(user=user, hall_id=hall.public_id, game=ENGINE.code)[0].round_id


def opened(user: User, hall: Hall, round_id: UUID) -> StepTaken:
    """Open a round."""
    return round_open(
        user=user, hall_id=hall.public_id, game=ENGINE.code, round_id=round_id, client_seed="bench", opening=OPENING
    )


def acted(user: User, taken: StepTaken, action: dict[str, Any]) -> StepTaken:
    """Act in a round that stands as the last step left it."""
    return round_act(user=user, round_id=taken.round_id, turn=taken.position.seats[0].turn, action=action)


def next_action(taken: StepTaken) -> dict[str, Any]:
    """Choose what to do in a round that stands as the last step left it."""
    return action_in(taken.position.state)


def action_in(state: Any) -> dict[str, Any]:
    """Exchange a card where that is possible, then bet, then whatever moves the round on."""
    legal = [spec.type for spec in ENGINE.legal_actions(state, 0)]
    if "exchange" in legal:
        (box,) = ENGINE.view(state, 0)["boxes"]
        return {"type": "exchange", "box": 1, "cards": box["cards"][:1]}
    return {"type": "bet", "box": 1} if "bet" in legal else {"type": legal[-1]}
