"""A client of the public API: requests that are safe to repeat, and live updates that are taken up again where they broke off."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from casino.play.events import read_events

MOST_TRIES = 30
FIRST_TRIES = 4
"""So often a login is tried where nothing answers: a casino never reached before has rather a wrong address than gone away."""
FIRST_TIMEOUT = httpx.Timeout(10.0, connect=2.0)
LONGEST_PAUSE_SECONDS = 5.0
PASSING = frozenset({429, 502, 503, 504})
"""Statuses after which the same request may well succeed."""
Document = dict[str, Any]


class Refusal(Exception):
    """An answer that says no: its status, and the problem's code and details."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status} {problem.get('code', '')} {problem.get('details', '')}")
        self.status = status
        self.code = str(problem.get("code", ""))


@dataclass(frozen=True, slots=True)
class Update:
    """One event of a stream: what it is and the document that it brings."""

    event: str
    document: Document


class Client:
    """One logged-in user of a casino at ``url``."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._http = httpx.AsyncClient(
            base_url=f"{url.rstrip('/')}/api/v1/",
            timeout=httpx.Timeout(10.0),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=4),
        )

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._http.aclose()

    async def login(self, username: str, password: str) -> None:
        """Log in; every further request is this user's. **Errors** Refusal; ConnectionError when nothing answers."""
        body = {"username": username, "password": password}
        answer = await self._answered("POST", "auth/login", away_tries=FIRST_TRIES, json=body, timeout=FIRST_TIMEOUT)
        self._http.headers["Authorization"] = f"Bearer {answer['token']}"

    async def get(self, path: str, **parameters: str | int | bool) -> Document:
        """Read. **Errors** Refusal; ConnectionError when nobody answers for long."""
        words = {name: str(value).lower() if isinstance(value, bool) else value for name, value in parameters.items()}
        return await self._answered("GET", path, params=words)

    async def post(self, path: str, body: Mapping[str, Any]) -> Document:
        """Change something, once however often it has to be sent. **Errors** Refusal; ConnectionError as above."""
        return await self._answered("POST", path, json=dict(body), headers={"Idempotency-Key": str(uuid.uuid4())})

    async def updates(self, stream_url: str) -> AsyncIterator[Update]:
        """Yield a stream's events from the present position on to its end, without gap or repeat whatever breaks off.

        **Errors** Refusal, when the stream is not (or no longer) for this user; ConnectionError.
        """
        last, tries = None, 0
        while True:
            headers = {"Accept": "text/event-stream"} | ({} if last is None else {"Last-Event-ID": last})
            try:
                async with self._http.stream(
                    "GET", stream_url, headers=headers, timeout=httpx.Timeout(10.0, read=60.0)
                ) as answer:
                    if answer.status_code == httpx.codes.OK:
                        async for event in read_events(answer.aiter_lines()):
                            last, tries = event.id or last, 0
                            if event.name == "end":
                                return
                            yield Update(event.name, json.loads(event.data))
                    elif answer.status_code not in PASSING:
                        await answer.aread()
                        raise _refusal(answer)
            except httpx.TransportError:
                pass
            tries += 1
            await self._pause(tries, None)

    async def _answered(self, method: str, path: str, *, away_tries: int = MOST_TRIES, **options: Any) -> Document:
        tries = 0
        while True:
            try:
                answer = await self._http.request(method, path, **options)
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.is_success:
                document: Document = answer.json()
                return document
            is_running = answer is not None and answer.status_code == httpx.codes.CONFLICT and "Retry-After" in answer.headers
            if answer is not None and answer.status_code not in PASSING and not is_running:
                raise _refusal(answer)
            tries += 1
            if answer is None:
                await self._pause(tries, None, most_tries=away_tries)
            else:
                await self._pause(tries, answer.headers.get("Retry-After"))

    async def _pause(self, tries: int, retry_after: str | None, *, most_tries: int = MOST_TRIES) -> None:
        """Wait before trying again, longer each time. **Errors** ConnectionError when it has been tried too often."""
        if tries >= most_tries:
            raise ConnectionError(f"no casino answers at {self.url}")
        asked = float(retry_after) if retry_after else 0.1 * 2 ** min(tries, 6)
        await asyncio.sleep(min(asked, LONGEST_PAUSE_SECONDS))


def _refusal(answer: httpx.Response) -> Refusal:
    try:
        problem = answer.json()
    except ValueError:
        problem = {}
    return Refusal(answer.status_code, problem if isinstance(problem, dict) else {})
