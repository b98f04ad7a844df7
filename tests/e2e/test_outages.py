"""An outage of web or worker on a running stack: nobody's time runs out by it, and it runs on afterwards."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.e2e.stacks import RunningStack, wait_until
from tests.e2e.test_play import GAME, Person, halls

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("stack")]
ALLOWED_SECONDS = 6


@pytest.fixture
def people(stack: RunningStack) -> Iterator[dict[str, Person]]:
    made = {name: Person(stack.address, name) for name in ("player", "operator", "auditor")}
    yield made
    for person in made.values():
        person.close()


@contextmanager
def stopped(stack: RunningStack, part: str) -> Iterator[None]:
    """Let a part and all its processes stand still; the supervisor sees them alive."""
    group = stack.part(part).pid
    os.killpg(group, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(group, signal.SIGCONT)


def opened(people: dict[str, Person]) -> Any:
    """Open a round whose player may think for a few seconds."""
    hall = halls(people["player"])["first"]
    game, operator = f"/halls/{hall}/games/{GAME}", people["operator"]
    limits = {**operator.get(game)["limit_set"]["data"], "abandon_after_seconds": ALLOWED_SECONDS}
    etag = operator.http.get(f"/halls/{hall}").headers["ETag"]
    operator.post(f"{game}/limit-sets", {"data": limits, "reason": "faster tables"}, 201, **{"If-Match": etag})
    return people["player"].open_round(hall)


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize("part", ["casino.wsgi", "--queues celery"])
def test_a_player_has_the_time_of_an_outage_on_top(stack: RunningStack, people: dict[str, Person], part: str) -> None:
    player, auditor = people["player"], people["auditor"]
    shown = opened(people)
    path, before = f"/rounds/{shown['id']}", moment(shown["deadline"])
    began = datetime.now(UTC)
    with stopped(stack, part):
        wait_until(lambda: datetime.now(UTC) > before + timedelta(seconds=3))
    length = datetime.now(UTC) - began
    wait_until(lambda: moment(player.get(path)["deadline"] or shown["deadline"]) > before, stack.said)
    after = moment(player.get(path)["deadline"])
    assert length - timedelta(seconds=1) < after - before < length + timedelta(seconds=10)
    assert player.get(path)["status"] == "open"
    wait_until(lambda: player.get(path)["status"] == "settled", stack.said)
    steps = player.get(f"{path}/steps")["results"]
    assert {step["origin"] for step in steps[1:]} == {"timeout"}
    assert all(moment(step["at"]) >= after for step in steps[1:])
    assert auditor.get("/audit/records")["results"][0]["action"] == "outage_ended"
    assert auditor.get(f"/audit/rounds/{shown['id']}/replay")["clean"]
