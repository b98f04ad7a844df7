"""A proxy on the loopback that now and then swallows an answer after the server has given it, and compares it with the next."""

import http.client
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

UPSTREAM_TIMEOUT_SECONDS = 60
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "host", "content-length", "date", "server"}
FINAL_CONFLICTS = b'"idempotency_in_progress"'

Identity = tuple[str, str, str, str, bytes]


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    body: bytes

    @property
    def is_final(self) -> bool:
        """Whether the request has been dealt with: it has neither to wait nor to be tried again."""
        return self.status < 500 and self.status != 429 and FINAL_CONFLICTS not in self.body


@dataclass
class CuttingProxy:
    """What is cut: each answer to a POST with some probability, and the next one whenever asked."""

    upstream: str
    cut_probability: float = 0.0
    chance: random.Random = field(default_factory=lambda: random.Random(7))
    swallowed: list[Answer] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    compared: int = 0
    address: str = ""
    _cut_next: bool = False
    _awaited: dict[Identity, Answer] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def cut_next(self) -> None:
        """Swallow the next answer to a POST."""
        self._cut_next = True

    def swallows(self, request: Identity, answer: Answer) -> bool:
        """Decide whether an answer is lost; one that follows a lost one must be the same, byte for byte."""
        with self._lock:
            first = self._awaited.get(request)
            if first is not None and answer.is_final:
                self.compared += 1
                if answer != first:
                    self.differences.append(f"{request[0]} {request[1]}: first {first}, then {answer}")
            if request[0] != "POST" or not (self._cut_next or self.chance.random() < self.cut_probability):
                return False
            self._cut_next = False
            self.swallowed.append(answer)
            if answer.status < 300 or (answer.status == 422 and request[3]):
                self._awaited.setdefault(request, answer)
            return True


@contextmanager
def cutting(upstream: str, cut_probability: float = 0.0) -> Iterator[CuttingProxy]:
    """Run a proxy in front of a server."""
    proxy = CuttingProxy(upstream, cut_probability)
    server = _Server(proxy)
    proxy.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, proxy: CuttingProxy) -> None:
        self.proxy = proxy
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone away is nobody's fault here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _pass_on(self) -> None:
        self.close_connection = True
        proxy = self.server.proxy
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            status, headers, content = self._ask(proxy.upstream, body)
        except (OSError, http.client.HTTPException):
            return  # the client sees what the server did: no answer
        key, token = self.headers.get("Idempotency-Key", ""), self.headers.get("Authorization", "")
        if proxy.swallows((self.command, self.path, token, key, body), Answer(status, content)):
            return
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def _ask(self, upstream: str, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(urlsplit(upstream).netloc, timeout=UPSTREAM_TIMEOUT_SECONDS)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            connection.request(self.command, self.path, body or None, headers)
            with connection.getresponse() as response:
                kept = [(name, value) for name, value in response.getheaders() if name.lower() not in HOP_BY_HOP]
                return response.status, kept, response.read()
        finally:
            connection.close()

    def do_GET(self) -> None:
        self._pass_on()

    def do_POST(self) -> None:
        self._pass_on()

    def log_message(self, *args: object) -> None:
        """Say nothing."""
