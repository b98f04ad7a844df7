"""The fairness statistics over HTTP: runs with their verdicts, every p-value of one."""

from uuid import UUID, uuid4

import pytest

from audit.fairness.keeping import run_declare
from audit.fairness.services import fairness_run
from casino.permissions import Role
from tests import playing
from tests.playing import client

pytestmark = pytest.mark.django_db
RUNS = "/api/v1/audit/fairness-runs"


@pytest.mark.parametrize("path", [RUNS, f"{RUNS}/{UUID(int=1)}"])
@pytest.mark.parametrize("role", [Role.PLAYER, Role.OPERATOR, Role.CASHIER, Role.SUPERVISOR])
def test_runs_are_for_auditors(role: Role, path: str) -> None:
    hall = playing.halls()["first"]
    assert client(playing.user_with(role, hall=hall)).get(path).status_code == 403


def test_an_auditor_lists_runs_and_reads_every_p_value() -> None:
    (passed,) = fairness_run(pack="52", count=500, seed="a")
    (failed,) = fairness_run(pack="seats-3", count=31, seed="a", level=0.999_999)
    begun = run_declare(source="live", pack="54", decks=5, seed="live", level=0.01, period="2026-01-01")
    assert begun is not None
    auditor = client(playing.user_with(Role.AUDITOR))

    def listed(**filters: str) -> list[tuple[str, str]]:
        return [(run["id"], run["verdict"]) for run in auditor.get(RUNS, filters).json()["results"]]

    everything = [
        (str(begun.public_id), "unfinished"),
        (str(failed.run.public_id), "failed"),
        (str(passed.run.public_id), "passed"),
    ]
    assert listed() == everything
    assert listed(verdict="unfinished") == listed(period="2026-01-01") == listed(source="live") == everything[:1]
    assert listed(verdict="failed") == listed(pack="seats-3") == everything[1:2]
    run = auditor.get(f"{RUNS}/{passed.run.public_id}").json()
    assert run["outcomes"] == passed.outcomes
    assert (run["decks"], run["seed"], run["least_p"], run["failed"], run["faults"]) == (500, "a", passed.least_p, [], [])
    assert run["skipped"] == passed.skipped != []
    unfinished = auditor.get(f"{RUNS}/{begun.public_id}").json()
    assert (unfinished["outcomes"], unfinished["skipped"]) == ([], [])


def test_a_run_that_could_judge_nothing_has_not_passed() -> None:
    (verdict,) = fairness_run(pack="54", count=5, seed="a")
    auditor = client(playing.user_with(Role.AUDITOR))
    (run,) = auditor.get(RUNS, {"verdict": "too_few"}).json()["results"]
    assert (run["id"], run["verdict"], run["skipped"]) == (str(verdict.run.public_id), "too_few", verdict.skipped)
    assert "card by position" in run["skipped"]


def test_an_unknown_run_or_filter_is_refused() -> None:
    auditor = client(playing.user_with(Role.AUDITOR))
    assert auditor.get(f"{RUNS}/{uuid4()}").status_code == 404
    assert auditor.get(RUNS, {"verdict": "fine"}).status_code == 400
    assert auditor.get(RUNS, {"source": "other"}).status_code == 400
    assert auditor.get(RUNS, {"period": "last night"}).status_code == 400
    assert auditor.get(RUNS, {"pack": "foo", "period": "2026-W13"}).json()["results"] == []
