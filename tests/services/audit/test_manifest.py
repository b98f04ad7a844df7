"""A program that is not the reviewed one deals no more: the check, its log, its finding, and what stops."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from audit.manifest.files import NAME, files_digest, manifest_text
from audit.manifest.gate import CHECK, opening_allow, process_deviations
from audit.manifest.models import ManifestCheck
from audit.manifest.selectors import manifest_now
from audit.manifest.services import STARTED, manifest_check
from audit.manifest.tasks import manifest_verify
from audit.manifest.watching import DAY_SECONDS, RETRY_SECONDS, ManifestWatch
from audit.models import AuditFinding, AuditRecord
from casino.celery import app
from casino.db import now
from casino.errors import Conflict
from casino.metrics import exposition
from casino.permissions import Role
from games.core.codec import canonical
from games.engines import current_engine
from games.halls.models import PayTable
from games.halls.services import limit_set_publish, limit_set_withdraw
from games.rounds.locks import opening_moment
from games.rounds.models import Round
from tests import playing, table_builders
from tests.architecture.source import PACKAGES, ROOT
from tests.concurrency.racing import race

Plant = Callable[[str], None]
RULES = "games/russian_poker/engine/rules.py"
Occasion, Part = ManifestCheck.Occasion, ManifestCheck.Part


def copied(folder: Path) -> Path:
    """Copy the program with a manifest of it."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("manage.py", "pyproject.toml"):
        shutil.copy2(ROOT / file, folder)
    (folder / NAME).write_text(manifest_text(files_digest(folder)))
    return folder


def runs(settings: Any, program: Path) -> None:
    """Let this be the program that the process looks at; what it began with stays."""
    settings.BASE_DIR, settings.MANIFEST_FILE = program, program / NAME


@pytest.fixture
def program(tmp_path: Path, settings: Any) -> Iterator[Path]:
    process_deviations()
    runs(settings, copied(tmp_path / "program"))
    yield settings.BASE_DIR
    process_deviations.cache_clear()


def change(program: Path, name: str = RULES) -> None:
    with (program / name).open("a") as file:
        file.write(" ")


def restore(program: Path, name: str = RULES) -> None:
    shutil.copy2(ROOT / name, program / name)


def checked(occasion: ManifestCheck.Occasion = Occasion.DEMAND) -> ManifestCheck:
    return manifest_check(occasion=occasion, part=Part.COMMAND)


def resolve() -> None:
    AuditFinding.objects.exclude(status="resolved").update(
        status="resolved", owner=playing.user_with(), resolution="Put back.", resolved_at=now()
    )


def is_open() -> bool:
    try:
        opening_moment()
    except Conflict as error:
        assert error.code == "engine_unverified"
        return False
    return True


@pytest.mark.django_db
def test_a_check_of_the_reviewed_program_passes_and_is_written_down(program: Path) -> None:
    playing.halls()
    check = checked()
    assert (check.passed, check.deviations, check.terms) == (True, [], 24)
    assert check.files == len(files_digest(program)) > 200
    assert check.digest == hashlib.sha256((program / NAME).read_bytes()).hexdigest()
    assert (check.host, check.process_id) == (os.uname().nodename, os.getpid())
    assert not AuditFinding.objects.exists() and is_open()


@pytest.mark.django_db
def test_a_changed_byte_stops_new_rounds_until_it_is_put_right_checked_and_resolved(program: Path) -> None:
    hall = playing.halls()["first"]
    player, other = playing.player(hall), playing.player(hall)
    before = playing.open_round(player, hall)
    change(program)
    check = checked()
    assert (check.passed, [each["name"] for each in check.deviations]) == (False, [RULES])
    finding = AuditFinding.objects.get()
    assert (finding.check_name, finding.severity, finding.subject_id) == (CHECK, "critical", RULES)
    assert finding.evidence["expected"] == files_digest(ROOT)[RULES] != finding.evidence["found"]
    books = playing.Books.read()
    with pytest.raises(Conflict, match="reviewed"):
        playing.open_round(other, hall)
    assert playing.Books.read() == books
    playing.act(player, before.round_id, {"type": "bet", "box": 1})
    restore(program)
    assert not is_open()
    assert checked().passed
    assert not is_open()
    resolve()
    assert is_open()


@pytest.mark.django_db
def test_a_resolution_alone_opens_nothing(program: Path) -> None:
    change(program)
    checked()
    resolve()
    assert not is_open()
    checked()
    assert [finding.status for finding in AuditFinding.objects.order_by("pk")] == ["resolved", "open"]
    restore(program)
    checked()
    resolve()
    assert is_open()


@pytest.mark.django_db
def test_a_process_that_began_with_other_files_stays_closed_until_it_is_begun_anew(program: Path) -> None:
    change(program)
    process_deviations.cache_clear()
    with pytest.raises(Conflict):
        opening_allow(is_stopped=False)
    restore(program)
    assert not checked().passed
    resolve()
    assert not is_open()
    process_deviations.cache_clear()
    assert checked().passed
    resolve()
    assert is_open()


@pytest.mark.django_db
def test_at_a_table_the_round_does_not_open_and_nobody_pays(program: Path) -> None:
    hall = playing.halls()["first"]
    game = table_builders.Game.seated(hall, 2)
    table_builders.ready(game.players[0], game.table_id, now=game.clock())
    change(program)
    checked()
    books = playing.Books.read()
    with pytest.raises(Conflict, match="reviewed"):
        table_builders.ready(game.players[1], game.table_id, now=game.clock())
    assert playing.Books.read() == books and not Round.objects.exists()
    restore(program)
    checked()
    resolve()
    table_builders.ready(game.players[1], game.table_id, now=game.clock())
    assert Round.objects.count() == 1


@pytest.mark.django_db
def test_asking_the_gate_costs_an_opening_no_round_trip(program: Path) -> None:
    with CaptureQueriesContext(connection) as captured:
        opening_moment()
    assert len(captured) == 1


@pytest.mark.django_db
@pytest.mark.parametrize("game", ["russian_poker", "ukrainian_poker"])
def test_a_round_carries_what_the_manifest_shows(program: Path, game: str) -> None:
    hall = playing.halls()["first"]
    if game == "russian_poker":
        playing.open_round(playing.player(hall), hall)
    else:
        table_builders.Game.opened(hall, 2, game=game)
    row = Round.objects.select_related("pay_table", "limit_set").get()
    shown = manifest_now()
    engines = {each["package"]: each["digest"] for each in shown["engines"]}
    assert row.engine_digest == engines[f"games.{game}.engine"] == row.head["engine_digest"]
    entries = {each.name: each.sha256 for each in shown["entries"]}
    kept = hashlib.sha256(canonical(row.head["setup"]["pay_table"])).hexdigest()
    assert entries[f"pay-tables/first/{game}/{row.pay_table.version}.json"] == kept


@pytest.mark.django_db
def test_the_same_fault_is_one_finding_and_many_faults_are_bounded(program: Path) -> None:
    change(program)
    checked()
    checked()
    assert AuditFinding.objects.get().times_seen == 2
    (program / NAME).write_text("")
    assert len(checked().deviations) > 200
    assert AuditFinding.objects.count() == 21


@pytest.mark.django_db
@pytest.mark.parametrize("name", [b"a" * 120 + b".py", b"\xff.py"], ids=["long", "no text"])
def test_a_file_of_any_name_hides_no_other(program: Path, name: bytes) -> None:
    change(program)
    (program / "games" / os.fsdecode(name)).touch()
    assert len(checked().deviations) == 2
    assert RULES in AuditFinding.objects.values_list("subject_id", flat=True)
    assert AuditFinding.objects.count() == 2
    assert not is_open()


def test_terms_that_were_not_published_so_are_found(committed_db: str, program: Path, plant: Plant) -> None:
    hall = playing.halls()["first"]
    plant("UPDATE halls_paytable SET data = data || '{\"bonus\": {}}' WHERE game = 'russian_poker' AND hall_id = 1")
    row = PayTable.objects.get(hall=1, game="russian_poker")
    name = f"pay-tables/{row.hall.code}/russian_poker/1.json"
    assert [each["name"] for each in checked().deviations] == [name]
    assert AuditFinding.objects.get().subject_id == name
    with pytest.raises(Conflict, match="reviewed"):
        playing.open_round(playing.player(hall), hall)


@pytest.mark.django_db
def test_terms_that_nobody_published_are_found(program: Path) -> None:
    hall, moment = playing.halls()["first"], now()
    times = {"effective_at": moment, "created_at": moment}
    PayTable.objects.create(hall=hall, game="russian_poker", version=2, data={}, reason="x", author=playing.user_with(), **times)
    assert checked().deviations == [
        {"name": "pay-tables/first/russian_poker/2.json", "expected": None, "found": hashlib.sha256(b"{}").hexdigest()}
    ]


@pytest.mark.parametrize(
    ("fault", "version"),
    [
        ("DELETE FROM halls_limitset WHERE version = 2", 2),
        ("UPDATE halls_limitset SET effective_at = effective_at + interval '1 day' WHERE version = 2", 2),
        ("UPDATE halls_limitset SET version = 9 WHERE version = 2", 2),
        ("DELETE FROM halls_limitset WHERE version = 4", 4),
        ("UPDATE halls_limitset SET public_id = gen_random_uuid() WHERE version = 4", 4),
    ],
)
def test_terms_that_are_in_force_otherwise_than_the_trail_says_are_found(
    committed_db: str, program: Path, plant: Plant, fault: str, version: int
) -> None:
    """The second is published at once, the third for tomorrow and withdrawn by the fourth."""
    hall, admin = playing.halls()["first"], playing.user_with(Role.ADMIN)
    data = current_engine(playing.GAME).default_limits["first"]
    asked = {"actor": admin, "hall_id": hall.public_id, "game": playing.GAME, "reason": "test"}
    for ahead in (None, now() + timedelta(days=1)):
        hall.refresh_from_db()
        last = limit_set_publish(version=hall.version, data=data, effective_at=ahead, **asked)
    hall.refresh_from_db()
    limit_set_withdraw(version=hall.version, limit_set_id=last.public_id, **asked)
    assert checked().passed
    plant(fault)
    names = [each["name"] for each in checked().deviations]
    assert any(name.startswith(f"limit-sets/first/{playing.GAME}/{version}.json") for name in names)


@pytest.mark.parametrize(
    ("table", "statement"), [("audit_auditrecord", 1), ("halls_limitset", 2)], ids=["the records", "the rows"]
)
def test_terms_that_are_published_while_a_check_reads_are_as_they_should_be(
    committed_db: str, program: Path, table: str, statement: int
) -> None:
    """After either has been read, and before the other: a deviation would stop new rounds until somebody resolves it."""
    hall, admin = playing.halls()["first"], playing.user_with(Role.ADMIN)
    asked = {"actor": admin, "hall_id": hall.public_id, "version": hall.version, "game": playing.GAME, "reason": "test"}
    data = current_engine(playing.GAME).default_limits["first"]
    read, published = [], []

    def publishing_meanwhile(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        answer = execute(sql, *rest)
        if f'FROM "{table}"' in sql:
            read.append(sql)
            if len(read) == statement:
                published.extend(race([lambda: limit_set_publish(data=data, **asked)]))
        return answer

    with connection.execute_wrapper(publishing_meanwhile):
        assert checked().passed
    assert [row.version for row in published] == [2], "control"
    assert not AuditFinding.objects.exists()


@pytest.mark.django_db
def test_two_versions_are_each_held_against_their_own_manifest_and_each_change_is_noted(
    program: Path, tmp_path: Path, settings: Any
) -> None:
    newer = copied(tmp_path / "newer")
    change(newer)
    (newer / NAME).write_text(manifest_text(files_digest(newer)))
    checks = []
    for each in (program, program, newer, newer, program):
        runs(settings, each)
        checks.append(manifest_check(occasion=Occasion.START, part=Part.WEB))
    assert all(check.passed for check in checks)
    noted = AuditRecord.objects.filter(action=STARTED).order_by("pk")
    digests = [hashlib.sha256((each / NAME).read_bytes()).hexdigest() for each in (program, newer, program)]
    assert [record.subject_id for record in noted] == digests
    assert [record.before and record.before["manifest_digest"] for record in noted] == [None, *digests[:2]]
    assert noted[1].after["engines"]["games.rapira.engine"] == noted[0].after["engines"]["games.rapira.engine"]
    assert noted[1].after["engines"]["games.russian_poker.engine"] != noted[0].after["engines"]["games.russian_poker.engine"]


def test_another_process_with_a_changed_program_stops_this_one(committed_db: str, tmp_path: Path) -> None:
    hall = playing.halls()["first"]
    program = copied(tmp_path / "program")
    environment = {**os.environ, "DATABASE_URL": committed_db, "MANIFEST_FILE": str(program / NAME)}
    command = [sys.executable, "manage.py", "manifest_check"]
    assert subprocess.run(command, cwd=program, env=environment, capture_output=True).returncode == 0
    assert is_open()
    change(program)
    done = subprocess.run(command, cwd=program, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout.startswith(f"{RULES}: expected ")
    with pytest.raises(Conflict, match="reviewed"):
        playing.open_round(playing.player(hall), hall)


def test_the_watch_checks_at_the_start_and_daily_and_comes_again_when_it_could_not(
    committed_db: str, program: Path, owner_connection: psycopg.Connection
) -> None:
    watch = ManifestWatch(Part.WEB)
    owner_connection.execute("REVOKE INSERT ON audit_manifestcheck FROM PUBLIC, casino_app")
    assert watch.check() == RETRY_SECONDS
    owner_connection.execute("GRANT INSERT ON audit_manifestcheck TO casino_app")
    assert watch.check() == DAY_SECONDS
    assert watch.check() == DAY_SECONDS
    assert list(ManifestCheck.objects.order_by("pk").values_list("occasion", "part")) == [("start", "web"), ("daily", "web")]


@pytest.mark.django_db
def test_the_daily_task_checks_and_may_run_twice(program: Path) -> None:
    assert app.conf.beat_schedule["verify-manifest"]["task"] == manifest_verify.name
    assert manifest_verify() and manifest_verify()
    change(program)
    assert not manifest_verify() and not manifest_verify()
    assert AuditFinding.objects.count() == 1


@pytest.mark.django_db
def test_metrics_tell_of_it(program: Path) -> None:
    assert b"casino_openings_stopped 0.0" in exposition() and b"casino_manifest_check_age_seconds" not in exposition()
    checked()
    assert b"casino_manifest_check_age_seconds" in exposition()
    change(program)
    checked()
    assert b"casino_openings_stopped 1.0" in exposition()


@pytest.mark.django_db
def test_an_export_of_the_terms_is_verified_by_an_outside_tool_also_later(tmp_path: Path) -> None:
    playing.halls()
    for folder in ("first", "later"):
        call_command("manifest_export", str(tmp_path / folder), verbosity=0)
    table = tmp_path / "first" / "pay-tables" / "vip" / "rapira" / "1.json"
    assert table.read_bytes() == canonical(PayTable.objects.get(hall__code="vip", game="rapira").data)
    earlier = tmp_path / "first" / NAME
    for folder in ("first", "later"):
        assert subprocess.run(["sha256sum", "-c", "--quiet", earlier], cwd=tmp_path / folder, check=False).returncode == 0
    table.write_bytes(table.read_bytes() + b" ")
    assert subprocess.run(["sha256sum", "-c", "--quiet", NAME], cwd=tmp_path / "first", capture_output=True).returncode == 1


@pytest.mark.django_db
@pytest.mark.parametrize(("passed", "deviations"), [(True, [{"name": "x"}]), (False, [])])
def test_a_check_says_why_it_failed(passed: bool, deviations: list[Any]) -> None:
    with pytest.raises(IntegrityError, match="audit_manifestcheck_passed_without_deviations"):
        ManifestCheck.objects.create(
            occasion="start",
            part="web",
            host="x",
            process_id=1,
            digest="",
            files=0,
            terms=0,
            passed=passed,
            deviations=deviations,
        )


@pytest.mark.parametrize("sql", ["UPDATE {} SET passed = true", "DELETE FROM {}", "TRUNCATE {}"])
def test_nobody_rewrites_the_log(committed_db: str, program: Path, owner_connection: psycopg.Connection, sql: str) -> None:
    checked()
    statement = sql.format("audit_manifestcheck")
    with pytest.raises(psycopg.errors.RestrictViolation, match="audit_manifestcheck is append-only"):
        owner_connection.execute(statement.encode())
    with pytest.raises(DatabaseError, match="permission denied"), connection.cursor() as cursor:
        cursor.execute(statement)
