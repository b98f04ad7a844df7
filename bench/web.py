"""(c) An action over HTTP, against a view that locks a row, changes one and adds one by the ORM behind the same front."""

import json
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import quantiles

from knox.models import AuthToken

from bench import clients, play
from bench.scale import Scale
from bench.server import Server
from bench.server import web as serve
from bench.table import Line, interleaved, per_second

TIMEOUT_SECONDS = 10


class Client:
    """A client of one connection that spends next to nothing of the machine it shares with the server."""

    def __init__(self, port: int, token: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"

    def request(self, path: str, body: object) -> bytes:
        """Write a POST request."""
        content = json.dumps(body)
        return f"POST /api/v1/{path} HTTP/1.1\r\n{self._head}Content-Length: {len(content)}\r\n\r\n{content}".encode()

    def send(self, request: bytes) -> int:
        """Send a request, read the whole answer, and return its status."""
        self._socket.sendall(request)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more()
        head, _, content = received.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        missing = int(fields[b"content-length"]) - len(content)
        while missing > 0:
            missing -= len(self._more())
        return int(head.split(b" ", 2)[1])

    def _more(self) -> bytes:
        received = self._socket.recv(65536)
        if not received:
            raise ConnectionError("the server has closed the connection")
        return received


def lines(server: Server, database: str, players: Iterator[int], scale: Scale) -> Iterator[Line]:
    """Exchange a card in rounds opened before, at full load; then at half of that, by the clock and not by the answers."""
    with serve(server, database) as port:

        def rate(requests: Callable[[int, Client], Iterator[bytes]]) -> float:
            numbers = [next(players) for _ in range(scale.clients)]

            def work(index: int) -> clients.Operations:
                return _closed_loop(port, numbers[index], requests)

            return clients.together(scale.clients, work, database=database, seconds=scale.seconds).rate

        actions = partial(_actions, count=scale.rounds_per_client)
        peak, yardstick = interleaved(scale.repeats, lambda: rate(actions), lambda: rate(_yardsticks))
        what = f"HTTP: exchange of a card / ORM view, {scale.clients} clients"
        yield Line("c", what, per_second(peak), per_second(yardstick), peak / yardstick, "≥ 0.60")
        numbers = [next(players) for _ in range(scale.clients)]
        yield _open_loop(port, database, numbers, peak / 2, scale)


def _closed_loop(port: int, number: int, requests: Callable[[int, Client], Iterator[bytes]]) -> Iterator[None]:
    """Send request after request."""
    token = AuthToken.objects.create(play.player(number))[1]
    client = Client(port, token)
    prepared = list(requests(number, client))
    for request in prepared:
        status = client.send(request)
        if status != 200:
            raise RuntimeError(f"answered with {status}")
        yield


def _actions(number: int, client: Client, count: int) -> Iterator[bytes]:
    """Open rounds and write the request that exchanges a card in each."""
    for taken in play.open_rounds(play.player(number), count):
        body = {"turn": taken.position.seats[0].turn, "action": play.next_action(taken)}
        yield client.request(f"rounds/{taken.round_id}/actions", body)


def _yardsticks(number: int, client: Client) -> Iterator[bytes]:
    """Write the yardstick's request, on a row of the player's own."""
    return iter([client.request(f"yardstick/{number + 1}", {"amount": 1})] * 10_000)


def _open_loop(port: int, database: str, numbers: Sequence[int], rate: float, scale: Scale) -> Line:
    """Send at a fixed rate, whatever the answers do; an answer's time counts from when its request was due."""
    count, between = len(numbers), len(numbers) / rate
    sent = min(scale.rounds_per_client, max(2, int(2 * scale.seconds / between)))
    barrier = clients.barrier(count)

    def client(index: int) -> list[float | None]:
        number = numbers[index]
        connection = Client(port, AuthToken.objects.create(play.player(number))[1])
        requests = list(_actions(number, connection, sent))
        barrier.wait()
        begun = time.monotonic() + between * index / count
        return [_waited(connection, request, begun + place * between) for place, request in enumerate(requests)]

    answers = [each for of_client in clients.results(count, client, database=database) for each in of_client]
    waited = sorted(each for each in answers if each is not None)
    percentiles = quantiles(waited, n=100)
    dropped = len(answers) - len(waited)
    what = f"HTTP at {rate:,.0f}/s by the clock: p50, p99; {dropped} of {len(answers)} dropped"
    return Line("c", what, f"{percentiles[49] * 1e3:.1f} ms", f"{percentiles[98] * 1e3:.1f} ms", 0, "")


def _waited(connection: Client, request: bytes, due: float) -> float | None:
    """Send a request when it is due; return the seconds until its answer, None for none or another than 200."""
    time.sleep(max(0.0, due - time.monotonic()))
    try:
        status = connection.send(request)
    except OSError:
        return None
    return time.monotonic() - due if status == 200 else None
