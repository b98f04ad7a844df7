"""Runs of the battery: declared before they are computed, kept whole, never repeated in silence, and told when they fail."""

import hashlib
import re
import shlex
from collections.abc import Callable
from datetime import UTC, timedelta
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, transaction

from audit.fairness import tasks
from audit.fairness.keeping import BROKEN_OFF_AFTER, is_blocking, run_conclude, run_declare
from audit.fairness.laws import Outcome
from audit.fairness.models import FairnessRun, FairnessVerdict
from audit.fairness.services import ROUNDS, fairness_dealt, fairness_kept, fairness_run
from audit.models import AuditFinding
from casino.celery import app
from casino.db import now
from games.core.codec import canonical, digest, parse
from games.halls.models import Hall
from games.rounds.models import RoundRecord
from games.rounds.records import iso
from tests import playing
from tests.architecture.source import ROOT
from tests.playing import open_round, play_out
from tests.table_builders import Game, convention

Plant = Callable[[str], None]
HOUR = timedelta(hours=1)


def declared(**given: Any) -> FairnessRun:
    content = {"source": "fixed", "pack": "52", "decks": 10, "seed": "x", "level": 0.01}
    run = run_declare(**content | given)
    assert run is not None
    return run


def outcomes(*p_values: float) -> list[Outcome]:
    return [Outcome(f"test {place}", 1.5, "normal(0, 1)", p) for place, p in enumerate(p_values)]


@pytest.mark.django_db
def test_a_fixed_run_keeps_every_p_value_and_can_be_repeated() -> None:
    (verdict,) = fairness_run(pack="54", count=1_000, seed="a")
    run = verdict.run
    assert (run.source, run.pack, run.decks, run.seed, run.level) == ("fixed", "54", 1_000, "a", 0.01)
    assert run.shuffle_digest == hashlib.sha256((ROOT / "games/core/shuffle.py").read_bytes()).hexdigest()
    assert (verdict.verdict, verdict.failed, verdict.faults) == ("passed", [], [])
    names = [each["name"] for each in verdict.outcomes]
    assert {"card by position", "descents", "repeated decks", "ukrainian_poker: hands alike at all places"} <= set(names)
    assert verdict.least_p == min(each["p"] for each in verdict.outcomes)
    (again,) = fairness_run(pack="54", count=1_000, seed="a")
    verdict.refresh_from_db()
    again.refresh_from_db()
    assert again.outcomes == verdict.outcomes
    assert FairnessRun.objects.count() == 2
    assert AuditFinding.objects.count() == 0


@pytest.mark.django_db
def test_raw_bits_are_judged_with_the_decks() -> None:
    (verdict,) = fairness_run(pack="seats-3", count=100, seed="a", sequences=1)
    assert len([each for each in verdict.outcomes if each["keeps_rule"] is not None]) >= 2 * 162


@pytest.mark.django_db
def test_a_failure_of_live_decks_is_followed_by_one_more_run_of_twice_the_size() -> None:
    """At this level the one test that 31 decks of three allow fails whatever it finds."""
    first, second = fairness_run(pack="seats-3", count=31, level=0.999_999)
    assert (first.verdict, len(first.outcomes)) == ("failed", 1)
    assert (second.run.repeats, second.run.decks, second.run.seed) == (first.run, 62, "live")
    assert FairnessRun.objects.count() == 2
    assert AuditFinding.objects.count() == sum(map(is_blocking, (first, second)))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("source", "is_second", "p_values", "faults", "severity"),
    [
        ("live", False, (1e-5, 0.5), (), None),
        ("live", False, (9e-7, 0.5), (), "critical"),
        ("live", True, (1e-5, 0.5), (), "warning"),
        ("live", True, (0.006, 0.5), (), None),
        ("fixed", False, (0.004, 0.5), (), "warning"),
        ("dealt", False, (0.004, 0.5), (), "warning"),
        ("dealt", False, (0.5,), ("3 items: 1 orders do not come exactly once",), "critical"),
        ("dealt", False, (), (), None),
    ],
)
def test_a_finding_follows_from_what_no_second_sample_excuses(
    source: str, is_second: bool, p_values: tuple[float, ...], faults: tuple[str, ...], severity: str | None
) -> None:
    run = declared(source=source, repeats=declared(source=source) if is_second else None)
    verdict = run_conclude(run, outcomes(*p_values), faults)
    assert is_blocking(verdict) == (severity is not None)
    assert [finding.severity for finding in AuditFinding.objects.all()] == [severity] * (severity is not None)
    for finding in AuditFinding.objects.all():
        assert (finding.check_name, finding.subject_type, finding.subject_id) == (
            "fairness", "audit.fairnessrun", str(run.public_id),
        )  # fmt: skip
        assert [each["p"] for each in finding.evidence["failed"]] == [p for p in p_values if p < 0.005]
        assert finding.evidence["faults"] == list(faults)


@pytest.mark.django_db
def test_a_period_has_one_run_and_one_more_only_when_that_broke_off() -> None:
    assert fairness_run(pack="seats-3", count=31, seed="a", period="2026-01-01")
    assert fairness_run(pack="seats-3", count=31, seed="a", period="2026-01-01") == ()
    assert fairness_run(pack="seats-3", count=31, seed="a", period="2026-01-02")
    broken = {"source": "fixed", "pack": "52", "period": "2026-01-03"}
    declared(**broken, started_at=now() - BROKEN_OFF_AFTER + HOUR)
    assert run_declare(**broken, decks=10, seed="a", level=0.01) is None
    declared(**broken | {"period": "2026-01-04"}, started_at=now() - BROKEN_OFF_AFTER - HOUR)
    assert declared(**broken | {"period": "2026-01-04"}).attempt == 2


@pytest.fixture
def played(hall: Hall) -> list[UUID]:
    """Two rounds against the house and a game of two seats at a table, with jokers, all closed."""
    player = playing.player(hall)
    rounds = []
    for number in range(2):
        rounds.append(open_round(player, hall, playing.FOUR_BOXES).round_id)
        play_out(player, rounds[-1], Random(number))
    game = Game.opened(hall, 2, game="ukrainian_poker", convention=convention("ukrainian_poker"))
    game.play_out(Random(1))
    return [*rounds, game.row.public_id]


def since_yesterday(**given: Any) -> dict[str, FairnessVerdict]:
    verdicts = fairness_dealt(since=now() - 24 * HOUR, until=now() + HOUR, **given)
    return {verdict.run.pack: verdict for verdict in verdicts}


@pytest.mark.django_db
def test_dealt_decks_are_taken_from_the_records_of_closed_rounds(played: list[UUID], hall: Hall) -> None:
    open_round(playing.player(hall), hall)
    verdicts = since_yesterday(level=0.04)
    assert set(verdicts) == {"russian_poker 52", "ukrainian_poker 54", "ukrainian_poker 2", ROUNDS}
    assert verdicts["russian_poker 52"].run.decks == 2
    assert verdicts["ukrainian_poker 54"].run.decks == 22  # 20 + N rounds
    assert verdicts["ukrainian_poker 2"].verdict == "too_few"
    assert [round(verdict.run.level, 6) for verdict in verdicts.values()] == [0.013333] * 3 + [0.04]
    assert verdicts[ROUNDS].outcomes[0]["name"] == "3 rounds dealt again: with other cards"
    assert verdicts[ROUNDS].verdict == "passed"
    few = verdicts["russian_poker 52"]
    assert (few.verdict, [each["name"] for each in few.outcomes]) == ("too_few", ["repeated decks"])
    assert "russian_poker: hands of place 0" in few.skipped
    assert AuditFinding.objects.count() == 0


@pytest.mark.django_db
def test_only_what_closed_in_the_span_counts_and_nothing_is_kept_as_nothing() -> None:
    (verdict,) = fairness_dealt(since=now() - 2 * HOUR, until=now() - HOUR)
    assert (verdict.run.pack, verdict.verdict, verdict.outcomes) == (ROUNDS, "too_few", [])


def test_a_record_of_a_round_that_cannot_be_spelled_is_a_finding_too(settled: UUID, plant: Plant) -> None:
    spelled = """replace(replace(document, '"seq":0,', '"seq":"\\u0000",'), '"dealer_dealt"', '"dealer"')"""
    plant(f"UPDATE rounds_roundrecord SET document = {spelled}")
    assert since_yesterday()[ROUNDS].faults == [str(settled)]
    finding = AuditFinding.objects.get(check_name="fairness_rederivation")
    assert finding.subject_id == str(settled)


def test_cards_that_are_not_those_of_the_seeds_are_a_critical_finding(settled: UUID, plant: Plant) -> None:
    record = parse(RoundRecord.objects.get().document.encode())
    event = next(event for event in record["steps"][0]["events"] if event["type"] == "dealer_dealt")
    event["shown"] = "2c" if event["shown"] != "2c" else "2d"
    del record["record_hash"]
    record["record_hash"] = digest(record)
    text = canonical(record).decode().replace("'", "''")
    plant(f"UPDATE rounds_roundrecord SET document = '{text}', record_hash = '{record['record_hash']}'")
    verdicts = since_yesterday()
    assert (verdicts[ROUNDS].verdict, verdicts[ROUNDS].faults) == ("failed", [str(settled)])
    found = {(finding.check_name, finding.subject_id, finding.severity) for finding in AuditFinding.objects.all()}
    assert found == {
        ("fairness", str(verdicts[ROUNDS].run.public_id), "critical"),
        ("fairness_rederivation", str(settled), "critical"),
    }


@pytest.mark.parametrize(("microseconds", "runs"), [(-1, 2), (0, 1)])
def test_the_weekly_task_tests_the_last_whole_week_once(settled: UUID, plant: Plant, microseconds: int, runs: int) -> None:
    today = now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    monday = today - timedelta(days=today.weekday())
    closed_at = monday + timedelta(microseconds=microseconds)
    plant(f"UPDATE rounds_round SET closed_at = '{closed_at.isoformat()}' WHERE status = 'settled'")
    assert tasks.fairness_weekly() == runs
    assert tasks.fairness_weekly() == 0
    run = FairnessRun.objects.get(pack=ROUNDS)
    assert (run.period, run.level) == (f"{monday - timedelta(days=7):%G-W%V}", pytest.approx(0.01 / 52))
    assert run.sample == {"since": iso(monday - timedelta(days=7)), "until": iso(monday)}


@pytest.mark.django_db
def test_kept_p_values_that_are_not_uniform_are_found() -> None:
    random = Random(3)
    for _ in range(40):
        even, low = random.random(), random.random() ** 3
        run_conclude(
            declared(source="live"), [Outcome("even", 0, "normal(0, 1)", even), Outcome("low", 0, "normal(0, 1)", low)], []
        )
        run_conclude(declared(source="fixed"), [Outcome("fixed", 0, "normal(0, 1)", 0.5)], [])
    run_conclude(declared(source="live"), [Outcome("steps", 0, "Poisson(1e-60)", 1.0)], [])
    verdict = fairness_kept(since=now() - HOUR, until=now() + HOUR, period="2025")
    assert verdict is not None
    assert [each["name"] for each in verdict.outcomes] == ["52: even", "52: low"]
    assert (verdict.verdict, verdict.failed) == ("failed", ["52: low"])
    assert fairness_kept(since=now() - HOUR, until=now() + HOUR, period="2025") is None


@pytest.mark.django_db
def test_the_yearly_task_asks_for_last_year() -> None:
    assert (tasks.fairness_yearly(), tasks.fairness_yearly()) == (1, 0)
    run = FairnessRun.objects.get(source="kept")
    year = now().year - 1
    assert (run.period, run.sample["since"]) == (str(year), f"{year}-01-01T00:00:00.000000Z")


@pytest.mark.slow
@pytest.mark.django_db
def test_the_nightly_task_tests_live_decks_once_a_night() -> None:
    assert tasks.fairness_nightly() >= 2
    assert tasks.fairness_nightly() == 0
    assert {run.pack for run in FairnessRun.objects.all()} == {"52", "54"}
    assert {run.decks for run in FairnessRun.objects.filter(repeats=None)} == {200_000}


def test_the_tasks_are_on_the_schedule() -> None:
    scheduled = {entry["task"]: entry["options"]["expires"] for entry in app.conf.beat_schedule.values()}
    assert {tasks.fairness_nightly.name, tasks.fairness_weekly.name, tasks.fairness_yearly.name} <= set(scheduled)


def said(*arguments: str, **options: Any) -> tuple[str, int]:
    out, status = StringIO(), 0
    try:
        call_command(*arguments, stdout=out, stderr=StringIO(), **options)
    except SystemExit as left:
        status = int(left.code or 0)
    return out.getvalue(), status


@pytest.mark.django_db
def test_the_command_prints_every_p_value_and_the_verdict() -> None:
    text, status = said("fairness_run", source="fixed", decks=14_000, pack="rapira")
    run = FairnessRun.objects.get()
    assert (status, run.pack, run.seed) == (0, "slots", "casino-shuffle/1")
    assert text.startswith(f"run {run.public_id}: fixed slots, 14000 decks")
    assert len(text.splitlines()) == 2 + len(run.verdict.outcomes) + 1
    assert text.splitlines()[-1] == f"passed: {len(run.verdict.outcomes)} p-values, Holm at 0.01"
    assert said("fairness_run", show=str(run.public_id)) == (text, 0)


@pytest.mark.django_db
@pytest.mark.parametrize(("decks", "computed", "verdict"), [(1, 0, "too_few"), (29, 1, "too_few"), (60, 18, "passed")])
def test_the_command_says_what_the_sample_was_too_small_for(decks: int, computed: int, verdict: str) -> None:
    text, status = said("fairness_run", source="fixed", decks=decks, pack="52")
    kept = FairnessRun.objects.get().verdict
    assert (status, kept.verdict, len(kept.outcomes)) == (0, verdict, computed)
    *lines, last = text.splitlines()
    assert last == f"{verdict}: {computed} p-values, Holm at 0.01, {len(kept.skipped)} tests skipped"
    assert [line for line in lines if "skipped" in line] == [
        f"   skipped  {each}: the sample is too small" for each in kept.skipped
    ]
    assert "card by position" in kept.skipped


@pytest.mark.django_db
def test_the_command_ends_with_1_when_a_run_fails() -> None:
    text, status = said("fairness_run", source="fixed", decks=31, pack="seats-3", level=0.999_999)
    assert status == 1
    assert "FAILED" in text
    assert text.splitlines()[-1].startswith("failed")
    assert said("fairness_run", show=str(FairnessRun.objects.get().public_id)) == (text, 1)


@pytest.mark.django_db
def test_the_command_tests_what_was_dealt(played: list[UUID]) -> None:
    text, status = said("fairness_run", "--source", "dealt", "--since", "2020-01-01", "--until", "2100-01-01")
    assert status == 0
    assert "3 rounds dealt again: with other cards: 0" in text


@pytest.mark.django_db
@pytest.mark.parametrize(
    "arguments",
    [("fairness_run", "--pack", "53"), ("fairness_run", "--show", str(uuid4())), ("fairness_outcomes", "53", "--decks", "1")],
)
def test_the_commands_know_no_other_pack_or_run(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match="There is no"):
        call_command(*arguments)


def test_the_collectors_write_files_of_any_size(tmp_path: Path) -> None:
    told = StringIO()
    call_command("fairness_outcomes", "ukrainian_poker", decks=20_000, output=tmp_path / "decks", stderr=told)
    lines = (tmp_path / "decks").read_text().splitlines()
    assert len(lines) == len(set(lines)) == 20_000
    assert {len(set(line.split())) for line in lines} == {54}
    call_command("fairness_bits", bytes=1_000_001, output=tmp_path / "bits", stderr=told)
    assert (tmp_path / "bits").stat().st_size == 1_000_001
    for name in ("decks", "bits"):
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() in told.getvalue()
    assert "10000 decks" in told.getvalue().splitlines()


def test_the_collectors_write_something(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="at least"):
        call_command("fairness_outcomes", "52", decks=0)
    with pytest.raises(CommandError, match="at least"):
        call_command("fairness_bits", bytes=0)


REWRITES = [
    f"{change} audit_{table}{rest}"
    for table, column in (("fairnessrun", "seed"), ("fairnessverdict", "verdict"))
    for change, rest in (("UPDATE", f" SET {column} = 'x'"), ("DELETE FROM", ""), ("TRUNCATE", " CASCADE"))
]


@pytest.mark.parametrize("sql", REWRITES)
def test_nobody_rewrites_a_run_or_its_verdict(committed_db: str, owner_connection: Any, sql: str) -> None:
    run_conclude(declared(), outcomes(0.5), [])
    with pytest.raises(Exception, match="is append-only"):
        owner_connection.execute(sql)
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


@pytest.mark.django_db
def test_the_models_are_append_only() -> None:
    run = declared()
    for change in (lambda: run.save(), lambda: run.delete(), lambda: FairnessRun.objects.all().delete()):
        with pytest.raises(TypeError, match="append-only"):
            change()


RUN = """
    INSERT INTO audit_fairnessrun
        (public_id, source, pack, decks, sequences, seed, sample, level, algorithm, shuffle_digest, period, attempt)
"""
VALUES = "SELECT gen_random_uuid(), '{source}', '52', 1, 0, 'x', '{{}}', {level}, 'a', 'd', '{period}', {attempt}"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changed", "constraint"),
    [
        ({"level": 0}, "audit_fairness_run_level"),
        ({"level": 1}, "audit_fairness_run_level"),
        ({"source": "other"}, "audit_fairness_run_source"),
        ({"attempt": -1}, "audit_fairnessrun_attempt_check"),
        ({"period": "2026-01-01"}, "audit_fairness_run_once_a_period"),
    ],
)
def test_the_database_refuses_a_run_that_makes_no_sense(changed: dict[str, Any], constraint: str) -> None:
    declared(period="2026-01-01")
    right = {"source": "fixed", "level": 0.01, "period": "", "attempt": 1}
    with connection.cursor() as cursor:
        cursor.execute(f"{RUN} {VALUES.format(**right)}")
        with pytest.raises(IntegrityError, match=constraint):
            cursor.execute(f"{RUN} {VALUES.format(**right | changed)}")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("verdict", "least_p", "failed", "faults"),
    [
        ("passed", "0.5", '["x"]', "[]"),
        ("passed", "0.5", "[]", '["x"]'),
        ("passed", "NULL", "[]", "[]"),
        ("failed", "0.5", "[]", "[]"),
        ("too_few", "NULL", "[]", '["x"]'),
        ("other", "0.5", "[]", "[]"),
    ],
)
def test_the_database_refuses_a_verdict_that_does_not_follow(verdict: str, least_p: str, failed: str, faults: str) -> None:
    run = declared()
    with pytest.raises(IntegrityError, match="audit_fairness_verdict_follows"), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO audit_fairnessverdict (run_id, verdict, least_p, outcomes, failed, faults)"
            f" VALUES ({run.pk}, '{verdict}', {least_p}, '[]', '{failed}', '{faults}')"
        )


COMMANDS = re.findall(
    r"^    \.venv/bin/python manage\.py (fairness_.+)$", (ROOT / "docs" / "fairness.md").read_text(), re.MULTILINE
)


@pytest.mark.django_db
def test_the_document_s_commands_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "var").mkdir()
    assert len(COMMANDS) == 5
    for command in COMMANDS:
        assert said(*shlex.split(command))[1] == 0, command
    assert sorted(path.name for path in tmp_path.glob("**/*.*")) == ["bits.bin", "decks.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["var"], "what examples leave behind is below a folder that git ignores"
