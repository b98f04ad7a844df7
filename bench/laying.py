"""Rounds by the hundred thousand: played by the engine and written as the service writes them, without its way there.

Cards, actions, hashes, moves, ciphertexts, balances and sequences are those of real rounds; what is left out is asking the
database a dozen times for each step. Whether the rows are right is for the audit to say: it is what they are laid out for.
"""

import secrets
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg import Connection, sql

from bench import play
from bench.server import Server
from casino.users.models import User
from games.core.codec import canonical
from games.core.engine import Json, Move
from games.core.record import OPEN, build_record, build_result, build_step, head_hash, state_hash, transfer_json
from games.core.shuffle import Seed, commitment
from games.rounds import cipher
from games.rounds.models import Round, RoundSeat
from games.rounds.records import iso
from games.rounds.steps import HIDDEN
from wallets.ledger import house_account

ENGINE = play.ENGINE
COMMIT_ROUNDS = 250
COLUMNS = {
    "rounds_commitment": "round_id user_id hall_id game status seed_hash seed_secret discard_reason created_at",
    "wallets_account": "id public_id kind currency round_reference balance_minor sequence opened_at closed_at",
    "rounds_round": "id commitment_id game rules_version engine_digest hall_id limit_set_id pay_table_id escrow_id currency head"
    " status seq last_hash state_secret opened_at acted_at closed_at",
    "rounds_roundseat": "round_id index user_id hall_id account_id client_seed is_open turn missed hidden_steps staked_minor"
    " returned_minor held_minor",
    "rounds_roundstep": "id round_id seq at seat turn origin secret previous_hash hash",
    "rounds_roundrecord": "round_id document record_hash",
    "wallets_transfer": "public_id at step_id index debit_account_id credit_account_id amount_minor currency code reference"
    " debit_balance_after_minor debit_sequence credit_balance_after_minor credit_sequence",
}
Rows = dict[str, list[tuple[Any, ...]]]


@dataclass(slots=True)
class Purse:
    """An account that stores its balance; its key, and how it stands."""

    id: int
    balance_minor: int = 0
    sequence: int = 0

    def moved(self, signed_minor: int) -> tuple[int, int]:
        self.balance_minor += signed_minor
        self.sequence += 1
        return self.balance_minor, self.sequence


@dataclass(slots=True)
class Layer:
    """Lays out rounds like one that its player has really played; keys count up from where no other's are.

    A step goes by its place among those not yet written until ``write`` draws its key, as the audit knows keys by their order.
    """

    like: Round
    seat: RoundSeat
    house_id: int
    player: Purse
    key: int
    at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    rows: Rows = field(default_factory=lambda: {table: [] for table in COLUMNS})

    def lay(self) -> None:
        """Play a round and lay out its rows."""
        self.key += 1
        like, seed = self.like, Seed(str(uuid.uuid4()), secrets.token_bytes(32), ("bench",))
        self.at = opened = self.at + timedelta(seconds=1)
        head = {**like.head, "round_id": seed.round_id, "seed_hash": commitment(seed.server_seed), "opened_at": iso(opened)}
        steps, moves, outcome = self._played(seed, head)
        escrow, round_id = Purse(self.key), uuid.UUID(seed.round_id)
        flat = [(seq, index, move) for seq, of_step in enumerate(moves) for index, move in enumerate(of_step)]
        transfers = [
            transfer_json(seq=seq, index=index, id=str(uuid.uuid4()), move=move, currency=like.currency)
            for seq, index, move in flat
        ]
        for told in transfers:
            self._transfer(told, escrow)
        result = build_result(moves=[move for _, _, move in flat], seats=1, outcome=outcome)
        record = build_record(head=head, server_seed=seed.server_seed.hex(), steps=steps, result=result, transfers=transfers)
        self._round(round_id, seed, head, steps, escrow, result)
        self.rows["rounds_roundrecord"].append((self.key, canonical(record).decode(), record["record_hash"]))

    def _played(self, seed: Seed, head: Json) -> tuple[list[dict[str, Any]], list[Sequence[Move]], Json]:
        """Play to the end as the other players of the bench do."""
        setup = ENGINE.parse_setup(head["setup"])
        step = ENGINE.start(setup, seed)
        action: Json = {"type": OPEN}
        steps: list[dict[str, Any]] = []
        moves: list[Sequence[Move]] = []
        while True:
            steps.append(
                build_step(
                    seq=len(steps),
                    at=iso(self.at),
                    seat=0,
                    turn=len(steps),
                    origin="player",
                    action=action,
                    events=[ENGINE.dump_event(event) for event in step.events],
                    moves=step.moves,
                    state_hash=state_hash(ENGINE.dump(step.state)),
                    previous_hash=steps[-1]["hash"] if steps else head_hash(head),
                )
            )
            moves.append(step.moves)
            if not ENGINE.to_act(step.state):
                return steps, moves, ENGINE.result(step.state)
            self.at += timedelta(milliseconds=1)
            parsed = ENGINE.parse_action(play.action_in(step.state))
            action, step = ENGINE.dump_action(parsed), ENGINE.apply(step.state, 0, parsed)

    def _transfer(self, told: Json, escrow: Purse) -> None:
        amount = told["amount_minor"]
        sides = {
            "hold": (self.player, escrow),
            "fund": (None, escrow),
            "release": (escrow, self.player),
            "collect": (escrow, None),
        }
        debit, credit = sides[told["kind"]]
        debited = debit.moved(-amount) if debit else (None, None)
        credited = credit.moved(amount) if credit else (None, None)
        accounts = (debit.id if debit else self.house_id, credit.id if credit else self.house_id)
        code, step = f"{told['kind']}.{told['code']}", len(self.rows["rounds_roundstep"]) + told["seq"]
        about = (told["id"], self.at, step, told["index"], *accounts, amount, told["currency"], code, "")
        self.rows["wallets_transfer"].append((*about, *debited, *credited))

    def _round(self, round_id: uuid.UUID, seed: Seed, head: Json, steps: Sequence[Json], escrow: Purse, result: Json) -> None:
        like, seat, rows, opened = self.like, self.seat, self.rows, datetime.fromisoformat(head["opened_at"])
        secret = cipher.seal(round_id, "seed", seed.server_seed.hex())
        rows["rounds_commitment"].append(
            (round_id, seat.user_id, like.hall_id, like.game, "used", head["seed_hash"], secret, "", opened)
        )
        rows["wallets_account"].append(
            (escrow.id, uuid.uuid4(), "escrow", like.currency, round_id, 0, escrow.sequence, opened, self.at)
        )
        terms = (like.game, like.rules_version, like.engine_digest, like.hall_id, like.limit_set_id, like.pay_table_id)
        stands = ("settled", len(steps) - 1, steps[-1]["hash"], b"", opened, self.at, self.at)
        head_text = canonical(head).decode()
        rows["rounds_round"].append((self.key, round_id, *terms, escrow.id, like.currency, head_text, *stands))
        (total,) = result["seats"]
        whose = (self.key, 0, seat.user_id, like.hall_id, seat.account_id)
        rows["rounds_roundseat"].append(
            (*whose, "bench", False, len(steps), 0, 0, total["staked_minor"], total["returned_minor"], 0)
        )
        for step in steps:
            hidden = cipher.seal(round_id, f"step {step['seq']}", {name: step[name] for name in HIDDEN})
            which = (len(rows["rounds_roundstep"]), self.key, step["seq"])
            rows["rounds_roundstep"].append(
                (*which, step["at"], 0, step["turn"], "player", hidden, step["previous_hash"], step["hash"])
            )

    def write(self, connection: Connection[Any]) -> None:
        """Write out what has been laid, and how the player's account stands then."""
        with connection.transaction():
            connection.execute("SET LOCAL session_replication_role = replica")
            self._keys_draw(connection)
            for table, rows in self.rows.items():
                names = sql.SQL(", ").join(map(sql.Identifier, COLUMNS[table].split()))
                copy = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)
                with connection.cursor() as cursor, cursor.copy(copy) as into:
                    for row in rows:
                        into.write_row(row)
                rows.clear()
            stands = (self.player.balance_minor, self.player.sequence, self.player.id)
            connection.execute("UPDATE wallets_account SET balance_minor = %s, sequence = %s WHERE id = %s", stands)

    def _keys_draw(self, connection: Connection[Any]) -> None:
        """Draw the steps' keys where the service does: in the transaction that writes them, once it has its number."""
        connection.execute("SELECT pg_current_xact_id()")
        steps, transfers = self.rows["rounds_roundstep"], self.rows["wallets_transfer"]
        drawn = connection.execute("SELECT nextval('rounds_roundstep_id_seq') FROM generate_series(1, %s)", [len(steps)])
        keys = [key for (key,) in drawn]
        steps[:] = [(keys[place], *rest) for place, *rest in steps]
        transfers[:] = [(public_id, at, keys[place], *rest) for public_id, at, place, *rest in transfers]


def lay(server: Server, database: str, number: int, count: int) -> int:
    """Lay out so many rounds of one player, like one that the player really plays first; return how many there are then."""
    user = play.player(number)
    layer = _layer(user, number)
    with server.postgres.connect(database) as connection:
        for done in range(1, count):
            layer.lay()
            if done % COMMIT_ROUNDS == 0 or done == count - 1:
                layer.write(connection)
    return count


def _layer(user: User, number: int) -> Layer:
    for _ in _one_round(user, number):
        continue
    like = Round.objects.get(seats__user=user)
    seat = like.seats.get()
    account = seat.account
    purse = Purse(account.pk, account.balance_minor or 0, account.sequence or 0)
    return Layer(like, seat, house_account(like.hall_id, like.currency).pk, purse, key=(number + 1) * 10_000_000)


def _one_round(user: User, number: int) -> Iterator[None]:
    hall = play.halls()[number]
    taken = play.opened(user, hall, play.committed(user, hall))
    while taken.position.status == "open":
        taken = play.acted(user, taken, play.next_action(taken))
        yield
