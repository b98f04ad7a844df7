"""Tables of any game for several seats: made, seated, readied and played by the services, on a clock of the test's own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from casino.db import now as database_now
from casino.permissions import Role
from casino.users.models import User
from games.core.engine import Engine
from games.engines import current_engine, current_engines, engine_for
from games.halls.models import Hall
from games.halls.services import limit_set_publish
from games.registry import GAMES
from games.rounds.models import Round, RoundSeat
from games.rounds.position import Position
from games.rounds.replay import position_load
from games.rounds.services import round_act, round_expire
from games.rounds.steps import StepTaken
from games.tables.models import TableEvent
from games.tables.selectors import Standing, standing_of, table_get
from games.tables.services import table_create, table_ready, table_sit
from tests import playing
from tests.rounds import action_of

GAME = "ukrainian_poker"
SEVERAL = [engine.code for engine in current_engines() if engine.seats[1] > 1]
"""Every game that is played at tables."""


def convention(game: str = GAME, **changes: Any) -> dict[str, Any]:
    """A game's convention with the least stake of the first hall, complete."""
    engine = current_engine(game)
    (kind,) = engine.stake_kinds
    shape = GAMES[game].convention
    assert shape is not None
    least = engine.default_limits["first"]["stakes"][kind]["min_minor"]
    stake = {name: least for name, each in shape().fields.items() if each.required and name.endswith("_minor")}
    body = shape(data={**stake, **changes})
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)


def make(hall: Hall, seats: int = 2, *, game: str = GAME, actor: User | None = None, **changes: Any) -> Standing:
    """Make a table, by default by a player without money."""
    arguments = {"convention": convention(game), "allows_spectators": False, **changes}
    return table_create(actor=actor or playing.player(hall, 0), hall_id=hall.public_id, game=game, seats=seats, **arguments)


def publish_limits(hall: Hall, game: str = GAME, **changes: Any) -> None:
    """Publish the first hall's limits of a game again, with changes, and bring the caller's hall up to date."""
    data = {**current_engine(game).default_limits["first"], **changes}
    hall.refresh_from_db()
    limit_set_publish(
        actor=playing.user_with(Role.ADMIN), hall_id=hall.public_id, version=hall.version, game=game, data=data, reason="test"
    )
    hall.refresh_from_db()


def look(table_id: UUID, viewer: User) -> Standing:
    return standing_of(table_get(viewer=viewer, table_id=table_id))


def ready(user: User, table_id: UUID, **changes: Any) -> Standing:
    """Be ready for the round that the table has committed to."""
    commitment = look(table_id, user).commitment
    assert commitment is not None
    return table_ready(user=user, table_id=table_id, **{"round_id": commitment.round_id, **changes})


def events(standing: Standing) -> list[str]:
    """The kinds of what happened at a table, in order."""
    return list(TableEvent.objects.filter(table=standing.table).order_by("seq").values_list("kind", flat=True))


@dataclass
class Clock:
    """A test's own time: each reading is a second after the last."""

    at: datetime = field(default_factory=database_now)

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


@dataclass
class Game:
    """Players at a table and the round that they play there, whose position is kept from step to step."""

    table_id: UUID
    players: list[User]
    clock: Clock
    row: Round = field(init=False)
    seats: list[RoundSeat] = field(init=False)
    engine: Engine[Any, Any, Any] = field(init=False)
    position: Position = field(init=False)

    @classmethod
    def seated(cls, hall: Hall, seats: int = 2, *, amount_minor: int = 100_000, **changes: Any) -> "Game":
        """Players with money at a new table of theirs."""
        players = [playing.player(hall, amount_minor) for _ in range(seats)]
        table_id = make(hall, seats, actor=players[0], **changes).table.public_id
        game = cls(table_id, players, Clock())
        for player in players:
            table_sit(user=player, table_id=table_id, now=game.clock())
        return game

    @classmethod
    def opened(cls, hall: Hall, seats: int = 2, **changes: Any) -> "Game":
        """Players in a round that has just opened."""
        game = cls.seated(hall, seats, **changes)
        game.all_ready()
        return game

    @property
    def standing(self) -> Standing:
        return look(self.table_id, self.players[0])

    def all_ready(self) -> None:
        for number, player in enumerate(self.players):
            ready(player, self.table_id, client_seed=f"luck {number}", now=self.clock())
        self.read()

    def read(self) -> None:
        """See how the table's last round stands."""
        row = Round.objects.filter(table__public_id=self.table_id).select_related("escrow", "commitment").last()
        assert row is not None
        self.row, self.seats = row, list(row.seats.order_by("index").select_related("user"))
        self.engine = engine_for(row.game, row.rules_version)
        self.position = position_load(row, self.seats, engine=self.engine)

    def to_act(self) -> list[int]:
        return sorted(self.engine.to_act(self.position.state))

    def some_action(self, index: int, chance: Random) -> dict[str, Any]:
        return action_of(chance.choice(self.engine.legal_actions(self.position.state, index)), chance)

    def act(self, index: int, action: Mapping[str, Any], *, turn: int | None = None) -> StepTaken:
        turn = self.position.seats[index].turn if turn is None else turn
        user, round_id = self.seats[index].user, self.row.public_id
        taken = round_act(user=user, round_id=round_id, turn=turn, action=action, now=self.clock())
        self.position = taken.position
        return taken

    def act_by_chance(self, index: int, chance: Random) -> StepTaken:
        return self.act(index, self.some_action(index, chance))

    def time_out(self, index: int) -> int:
        """Let the time of a seat run out; whoever else is due by then is played for as well."""
        deadline = self.position.seats[index].deadline
        assert deadline is not None
        self.clock.at = max(self.clock.at, deadline)
        steps = round_expire(round_id=self.row.public_id, now=self.clock.at)
        self.read()
        return steps

    def play_out(self, chance: Random, *, is_late: Callable[[int], bool] = lambda seat: False) -> None:
        """Act by chance until the round is over; a seat that is late is left to its time-out."""
        while seats := self.to_act():
            seat = chance.choice(seats)
            deadline = self.position.seats[seat].deadline
            if is_late(seat) or (deadline is not None and deadline <= self.clock.at + timedelta(seconds=1)):
                self.time_out(seat)
            else:
                self.act_by_chance(seat, chance)
        self.read()
