"""A running stack tells how it is: ready, counted over all its processes, and logged as JSON."""

import json

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from casino.embedded.folders import Folders
from casino.embedded.secrets import environment_read
from tests.e2e.stacks import PATIENCE_SECONDS, RunningStack, wait_until

pytestmark = [pytest.mark.xdist_group("stack")]


def asked(stack: RunningStack, path: str, **headers: str) -> httpx.Response:
    return httpx.get(f"{stack.address}{path}", headers=headers, timeout=PATIENCE_SECONDS)


def samples(stack: RunningStack) -> dict[tuple[str, ...], float]:
    token = environment_read(stack.checkout / "var" / "stack.env")["METRICS_TOKEN"]
    answer = asked(stack, "/metrics", Authorization=f"Bearer {token}")
    assert answer.status_code == httpx.codes.OK
    families = text_string_to_metric_families(answer.text)
    return {(each.name, *sorted(each.labels.values())): each.value for family in families for each in family.samples}


def test_the_stack_is_ready_and_its_metrics_are_closed(stack: RunningStack) -> None:
    assert asked(stack, "/readyz").json() == {"status": "ready"}
    assert asked(stack, "/metrics").status_code == httpx.codes.UNAUTHORIZED


def test_requests_to_all_web_processes_and_tasks_of_the_worker_are_told_by_any(stack: RunningStack) -> None:
    served = ("casino_http_request_duration_seconds_count", "/healthz", "200", "GET")
    key = (served[0], *sorted(served[1:]))
    before = samples(stack).get(key, 0)
    for _ in range(40):  # a connection each, so that both processes get some
        asked(stack, "/healthz")
    assert {samples(stack)[key] for _ in range(6)} == {before + 40}
    sweeps = ("casino_task_duration_seconds_count", "SUCCESS", "games.rounds.tasks.deadlines_expire")
    wait_until(lambda: samples(stack).get(sweeps, 0) > 1)
    now = samples(stack)
    assert now[("casino_sweep_lag_seconds",)] < 10
    assert now[("casino_database_pool_connections", "all")] >= 1


def test_web_worker_and_beat_log_json(stack: RunningStack) -> None:
    asked(stack, "/api/v1/me")
    logs = Folders(stack.checkout, "stack").logs
    lines = [line for name in ("web", "worker", "beat") for line in (logs / f"{name}.log").read_text().splitlines()]
    parsed = [json.loads(line) for line in lines if line.startswith("{")]
    refused = [each for each in parsed if each["event"] == "request_finished" and each["code"] == 401]
    assert refused and all(len(each["request_id"]) == 36 for each in refused)
