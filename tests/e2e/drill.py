"""A drill: players, a cashier and a supervisor at a running stack, what can be done to its parts, and the look at all books."""

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime

import celery
import psutil
import redis

from casino.embedded.folders import Folders
from casino.embedded.secrets import environment_file, environment_read
from casino.embedded.valkey import Valkey
from tests.e2e.cutting import CuttingProxy, cutting
from tests.e2e.load import ABANDON_AFTER_SECONDS, GAME, Client, Counter, Crew, Player, void_at_random
from tests.e2e.stacks import RunningStack, wait_until

MONEY_MINOR = 10_000_000
SWEEP = "games.rounds.tasks.deadlines_expire"


@dataclass
class Drill:
    """A stack with people at it, in trouble."""

    stack: RunningStack
    proxy: CuttingProxy
    chance: random.Random
    players: list[Player]
    counter: Counter
    counted: Client
    supervisor: Client
    auditor: Client
    crew: Crew = field(default_factory=Crew)

    @property
    def answers(self) -> int:
        return sum(player.answers for player in self.players) + self.counter.posted

    @property
    def folders(self) -> Folders:
        return Folders(self.stack.checkout, "stack")

    def work(self) -> None:
        for player in self.players:
            self.crew.set_to_work(player.play_on)
        self.crew.set_to_work(self.counter.serve)
        self.crew.set_to_work(lambda stop: void_at_random(self.supervisor, self.chance, stop))

    def go_on(self, answers: int = 25) -> None:
        """Wait until play has gone on by some answers."""
        until = self.answers + answers
        wait_until(lambda: self.answers >= until or bool(self.crew.broken), self.stack.said)

    def killed(self, words: str) -> None:
        """Kill a part with -9 and wait for the next one."""
        victim = self.stack.part(words)
        victim.kill()
        wait_until(lambda: self._part(words) not in (None, victim), self.stack.said)

    def _part(self, words: str) -> psutil.Process | None:
        try:
            return self.stack.part(words)
        except (ValueError, psutil.Error):
            return None

    def child_killed(self, words: str) -> None:
        """Kill one of the processes below a part."""

        def killed() -> bool:
            try:
                self.chance.choice(self.stack.part(words).children()).kill()
            except (ValueError, IndexError, psutil.NoSuchProcess):
                return False  # the part, or what is below it, is just being started
            return True

        wait_until(killed, self.stack.said)

    @contextmanager
    def valkey(self) -> Iterator[redis.Redis]:
        client = redis.Redis(unix_socket_path=str(Valkey(self.folders).socket))
        try:
            yield client
        finally:
            client.close()

    def sweeps_sent(self, *, copies: int, expires: datetime | None = None, countdown_seconds: float = 0) -> None:
        """Send sweep messages, as another beat would."""
        with celery.Celery(broker=Valkey(self.folders).url) as app:
            for _ in range(copies):
                app.send_task(SWEEP, expires=expires, countdown=countdown_seconds)

    @contextmanager
    def second_beat(self) -> Iterator[None]:
        environment = environment_read(environment_file(self.folders)) | {"DJANGO_SETTINGS_MODULE": "casino.settings"}
        command = [sys.executable, "-m", "celery", "--app", "casino", "beat", "--pidfile="]
        with (self.folders.logs / "second-beat.log").open("ab") as log:
            beat = subprocess.Popen(command, cwd=self.stack.checkout, env=environment, stdout=log, stderr=log)
        try:
            yield
        finally:
            beat.kill()
            beat.wait()


@contextmanager
def drill(stack: RunningStack, *, players: int, seed: int) -> Iterator[Drill]:
    """Lay out a drill: players with money, tables where an abandoned round is soon played on, a proxy that loses answers."""
    with cutting(stack.address) as proxy, ExitStack() as leaving:

        def person(name: str, password: str) -> Client:
            return leaving.enter_context(closing(Client(proxy.address, name, password, stack.address)))

        staff = ("admin", "cashier", "operator", "supervisor", "auditor")
        admin, cashier, operator, supervisor, auditor = (person(name, f"{name}-demo") for name in staff)
        (hall,) = [hall["id"] for hall in admin.get("/halls")["results"] if hall["code"] == "first"]
        _tables_hurried(operator, hall)
        names = [f"drill-{seed}-{number}" for number in range(players + 1)]
        for name in names:
            admin.post("/users", {"username": name, "password": f"{name}-password", "role": "player"}, 201)
        for name in names[1:]:
            payment = {"hall_id": hall, "username": name, "amount_minor": MONEY_MINOR, "currency": "EUR"}
            cashier.post("/deposits", payment, 201)
        counted, *clients = [person(name, f"{name}-password") for name in names]
        yield Drill(
            stack=stack,
            proxy=proxy,
            chance=random.Random(seed),
            players=[
                Player(client, hall, random.Random(f"{seed} {number}"), MONEY_MINOR) for number, client in enumerate(clients)
            ],
            counter=Counter(cashier, hall, names[0], random.Random(seed)),
            counted=counted,
            supervisor=supervisor,
            auditor=auditor,
        )


def _tables_hurried(operator: Client, hall: str) -> None:
    game = f"/halls/{hall}/games/{GAME}"
    limits = {**operator.get(game)["limit_set"]["data"], "abandon_after_seconds": ABANDON_AFTER_SECONDS}
    etag = operator.send("GET", f"/halls/{hall}").headers["ETag"]
    operator.post(f"{game}/limit-sets", {"data": limits, "reason": "drill"}, 201, **{"If-Match": etag})


def deviations(drill: Drill) -> list[str]:
    """Say everything that is not as it must be: what people met, what their own books say, and what the service's do."""
    found = [*drill.crew.broken, *drill.proxy.differences]
    for player in drill.players:
        found += player.deviations()
    found += drill.counter.deviations(drill.counted)
    for standing in drill.auditor.get("/rounds?status=open")["results"]:
        found.append(f"round {standing['id']} is neither closed nor played")
    for command in (["reconcile"], ["round_replay", "--all"]):
        done = subprocess.run(
            [sys.executable, "manage.py", *command], cwd=drill.stack.checkout, env={}, capture_output=True, text=True
        )
        if done.returncode != 0:
            found.append(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return found


def summary(drill: Drill) -> str:
    """Say how much was played and lost on the way."""
    clients = [drill.counter.client, drill.supervisor, *(player.client for player in drill.players)]
    return (
        f"{sum(len(player.rounds) for player in drill.players)} rounds, {drill.answers} answers, "
        f"{sum(client.retries for client in clients)} retries, {len(drill.proxy.swallowed)} answers swallowed, "
        f"{drill.proxy.compared} given again alike, {sum(player.timed_out for player in drill.players)} time-outs and voids met, "
        f"{drill.counter.posted} payments"
    )
