"""(b) All players in one hall against spread over all halls, and (f) an action in a young ledger against an old one."""

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median

from bench import clients, play
from bench.scale import Scale
from bench.server import Server
from bench.table import Line, interleaved, per_second


def spread_lines(database: str, players: Iterator[int], scale: Scale) -> Iterator[Line]:
    """Play rounds through the service; each client is a player of its own."""

    def rate(halls_of: Sequence[Sequence[int]]) -> float:
        numbers = [next(players) for _ in halls_of]

        def work(index: int) -> clients.Operations:
            return play.rounds(numbers[index], halls_of[index])

        return clients.together(scale.clients, work, database=database, seconds=scale.seconds).rate

    one = [[0]] * scale.clients
    each = play.HALLS // scale.clients
    spread = [range(index * each, (index + 1) * each) for index in range(scale.clients)]
    in_one, in_many = interleaved(scale.repeats, lambda: rate(one), lambda: rate(spread))
    what = f"service calls, {scale.clients} players in one hall / in {play.HALLS} halls"
    yield Line("b", what, per_second(in_one), per_second(in_many), in_one / in_many, "≥ 0.90")


def growth_lines(server: Server, scale: Scale) -> Iterator[Line]:
    """Exchange a card by turns in two ledgers that differ in the number of transfers alone."""
    sizes = {"bench_few": scale.transfers_few, "bench_many": scale.transfers_many}
    for database, transfers in sizes.items():
        server.copy(database)
        load(server, database, transfers)
    server.settle(*sizes)
    seconds: list[list[float]] = [[], []]
    share = min(play.HALLS - 1, scale.actions)
    for player in range(-(-scale.actions // share)):
        work = [(database, partial(play.draws, player, share)) for database in sizes]
        for place, found in enumerate(clients.in_turn(work, share)):
            seconds[place] += found
    few, many = map(median, seconds)
    what = f"action with {scale.transfers_many:,} transfers / with {scale.transfers_few:,}"
    yield Line("f", what, f"{many * 1e3:.2f} ms", f"{few * 1e3:.2f} ms", many / few, "≤ 1.05")


def load(server: Server, database: str, transfers: int) -> None:
    """Add deposits as if they had been posted one by one: triggers are off, so balances and sequences are written here."""
    with server.postgres.connect(database) as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute(_LOAD_SQL, {"transfers": transfers, "currency": play.CURRENCY})
        connection.execute(_BALANCES_SQL)


_LOAD_SQL = """
    INSERT INTO wallets_transfer (at, index, debit_account_id, credit_account_id, amount_minor, currency, code, reference,
                                  credit_balance_after_minor, credit_sequence)
    SELECT clock_timestamp(), 0, cage.id, account.id, 100, %(currency)s, 'deposit', '',
           account.balance_minor + 100 * turn.number, account.sequence + turn.number
    FROM (SELECT min(id) AS id FROM wallets_account WHERE kind = 'cage') AS cage,
         generate_series(1, %(transfers)s::int / (SELECT count(*) FROM wallets_account WHERE kind = 'player')) AS turn (number),
         wallets_account account
    WHERE account.kind = 'player'
    ORDER BY turn.number, account.id
"""
_BALANCES_SQL = """
    UPDATE wallets_account account SET balance_minor = last.balance_minor, sequence = last.sequence
    FROM (
        SELECT DISTINCT ON (credit_account_id) credit_account_id AS id, credit_balance_after_minor AS balance_minor,
               credit_sequence AS sequence
        FROM wallets_transfer WHERE code = 'deposit' ORDER BY credit_account_id, credit_sequence DESC
    ) AS last
    WHERE account.id = last.id AND account.kind = 'player' AND account.sequence < last.sequence
"""
