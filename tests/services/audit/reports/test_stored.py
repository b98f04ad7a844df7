"""Reports that are kept: once for each day, every version for ever, and what disagrees is a finding."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from audit.models import AuditFinding, AuditRecord, StoredReport
from audit.reports import services
from audit.reports.frame import Check, Content, Scope
from audit.reports.registry import REPORTS
from audit.reports.selectors import stored_report_get, stored_report_is_intact
from audit.reports.services import report_build, report_store, reports_store_daily
from audit.reports.tasks import reports_store
from casino.errors import Refused
from casino.permissions import Role
from games.halls.models import Hall
from tests.playing import user_with
from tests.report_builders import hall_of, period, report, utc
from tests.services.audit.reports.conftest import DAY, World

AFTER = datetime(2026, 3, 29, 21, 30, tzinfo=UTC)
PER_HALL = {name for name, definition in REPORTS.items() if definition.daily == "hall"}


def kept(of: str = DAY, hall: Hall | None = None) -> StoredReport:
    row = report_store(name="rake", hall=hall, period=period(of), reason="test")
    assert row is not None
    return row


def test_a_kept_report_is_the_document_with_its_hash_and_its_program(world: World) -> None:
    row = kept(hall=world.kyiv)
    document = json.loads(row.document)
    assert {**document, "header": 0} == {**report("rake", world.kyiv, DAY), "header": 0}
    assert row.document_hash == hashlib.sha256(row.document.encode()).hexdigest()
    assert row.software_digest == document["header"]["software_digest"]
    assert (row.report, row.period, row.version, row.previous_hash, row.hall_id) == (
        "rake",
        "day 2026-03-29",
        1,
        "",
        world.kyiv.pk,
    )
    assert str(row) == "rake of day 2026-03-29, version 1"
    assert stored_report_is_intact(row)


def test_what_is_generated_again_is_a_further_version_and_the_old_one_stays(world: World) -> None:
    first = kept(hall=world.kyiv)
    auditor = user_with()
    second = report_store(name="rake", hall=world.kyiv, period=period(DAY), reason="asked for", actor=auditor)
    assert second is not None
    assert (second.version, second.previous_hash, second.generated_by) == (2, first.document_hash, auditor)
    record = AuditRecord.objects.get(action="report_generated_again")
    assert (record.actor, record.reason, record.before["version"], record.after["version"]) == (auditor, "asked for", 1, 2)
    assert all(stored_report_is_intact(stored_report_get(stored_report_id=row.public_id)) for row in (first, second))
    assert kept("2026-03-28", world.kyiv).version == 1


def test_each_day_is_kept_once_for_every_hall_and_for_the_casino(db: None) -> None:
    halls = [hall_of("kyiv", now=utc("03-27 12:00")), hall_of("york", time_zone="America/New_York", now=utc("03-28 12:00"))]
    assert reports_store_daily(now=AFTER) == (3 + 1) * len(PER_HALL) + 2 * (len(REPORTS) - len(PER_HALL))
    of_kyiv = StoredReport.objects.filter(hall_id=halls[0].pk, report="rake")
    assert sorted(of_kyiv.values_list("period", flat=True)) == ["day 2026-03-27", "day 2026-03-28", "day 2026-03-29"]
    of_york = StoredReport.objects.filter(hall_id=halls[1].pk, report="rake")
    assert list(of_york.values_list("period", flat=True)) == ["day 2026-03-28"]
    of_casino = StoredReport.objects.filter(hall_id=None, report="liability")
    assert sorted(of_casino.values_list("period", flat=True)) == ["day 2026-03-27", "day 2026-03-28"]
    assert reports_store_daily(now=AFTER) == 0
    assert reports_store_daily(now=AFTER + timedelta(hours=3)) == len(REPORTS) - len(PER_HALL)


def test_the_task_keeps_what_is_missing(db: None) -> None:
    hall_of("kyiv", now=datetime.now(UTC) - timedelta(days=2))
    assert reports_store() >= len(REPORTS)
    assert reports_store() == 0


def test_a_report_that_fails_holds_up_no_other(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    hall_of("kyiv", now=utc("03-28 12:00"))

    def fail(scope: Scope) -> Content:
        raise ArithmeticError(scope.interval)

    monkeypatch.setitem(REPORTS, "liability", replace(REPORTS["liability"], build=fail))  # type: ignore[arg-type] as below
    with pytest.raises(ArithmeticError):
        reports_store_daily(now=AFTER)
    assert set(StoredReport.objects.values_list("report", flat=True)) >= PER_HALL


def test_a_kept_report_takes_what_time_it_needs_and_one_on_demand_the_roles(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    hall, limits = hall_of("kyiv", now=utc("03-28 12:00")), list[str]()

    def note(scope: Scope) -> Content:
        limits.extend(row["statement_timeout"] for row in scope.read("SHOW statement_timeout"))
        return Content(rows=[], checks=[], is_active=False)

    monkeypatch.setitem(REPORTS, "rake", replace(REPORTS["rake"], build=note))  # type: ignore[arg-type] as below
    report_build(name="rake", hall=hall, period=period(DAY), rows_max=10)
    assert kept(hall=hall)
    assert limits == ["30s", "0"]


def test_a_day_that_goes_on_is_not_kept(db: None) -> None:
    hall = hall_of("kyiv")
    with pytest.raises(Refused, match="not over"):
        report_store(name="rake", hall=hall, period=period(DAY), reason="test", now=utc("03-29 20:59"))
    assert not StoredReport.objects.exists()


def test_what_disagrees_with_the_ledger_is_kept_and_is_a_finding(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    content = Content(rows=[], checks=[Check("rake_accounts", expected=20, found=19, currency="EUR")], is_active=True)
    planted = services.REPORTS["rake"].__class__(
        name="rake", title="Rake", version=1, columns=REPORTS["rake"].columns, build=lambda scope: content, daily="hall"
    )
    monkeypatch.setitem(REPORTS, "rake", planted)  # type: ignore[arg-type] a mapping to everybody else
    row = kept(hall=world.kyiv)
    finding = AuditFinding.objects.get()
    assert (finding.check_name, finding.severity, finding.hall_id) == ("report_rake_rake_accounts", "critical", world.kyiv.pk)
    assert (finding.subject_type, finding.subject_id) == ("report", "rake kyiv day 2026-03-29")
    assert (finding.evidence["expected"], finding.evidence["found"]) == (20, 19)
    assert finding.evidence["stored_report_id"] == str(row.public_id)
    kept(hall=world.kyiv)
    assert AuditFinding.objects.get().times_seen == 2


@pytest.mark.parametrize(
    ("constraint", "changes"),
    [
        ("audit_stored_report_one_per_version", {}),
        ("audit_stored_report_follows", {"version": "3"}),
        ("audit_stored_report_follows", {"previous_hash": f"'{'0' * 64}'"}),
        ("audit_stored_report_complete", {"version": "2", "previous_hash": f"'{'0' * 64}'", "reason": "''"}),
        ("audit_stored_report_complete", {"version": "2", "previous_hash": f"'{'0' * 64}'", "document_hash": "'none'"}),
    ],
)
def test_each_constraint_refuses_by_its_name(world: World, constraint: str, changes: dict[str, str]) -> None:
    kept(hall=world.kyiv)
    columns = [field.attname for field in StoredReport._meta.concrete_fields if field.name != "id"]
    values = ["gen_random_uuid()" if column == "public_id" else changes.get(column, column) for column in columns]
    sql = f"INSERT INTO audit_storedreport ({', '.join(columns)}) SELECT {', '.join(values)} FROM audit_storedreport"
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


def test_the_command_prints_and_keeps(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("report", "rake", "--hall", "kyiv", "--day", DAY)
    assert json.loads(capsys.readouterr().out)["totals"] == [
        {"currency": "EUR", "rounds": 1, "pots_minor": 800, "rake_minor": 20, "rake_over_rule_minor": 0}
    ]
    call_command("report", "liability", "--at", "2026-03-29T21:00:00Z", "--csv")
    assert "rows,currency,accounts," in capsys.readouterr().out
    auditor, player = user_with(Role.AUDITOR), user_with(Role.PLAYER)
    storing = ("report", "rake", "--hall", "kyiv", "--month", "2026-03", "--store", "--reason", "for the month")
    call_command(*storing, "--author", auditor.username.upper())
    row = StoredReport.objects.get()
    assert row.document_hash in capsys.readouterr().out
    assert (row.generated_by, row.reason) == (auditor, "for the month")
    call_command(*storing, "--author", auditor.username)
    assert AuditRecord.objects.get(action="report_generated_again").actor == auditor
    for author in ((), ("--author", player.username), ("--author", "nobody")):
        with pytest.raises(CommandError, match="author"):
            call_command(*storing, *author)
    assert StoredReport.objects.count() == 2
    refused: tuple[tuple[str, ...], ...] = (
        ("--hall", "nowhere"),
        ("--hall", "kyiv", "--month", "2026-13"),
        ("--hall", "kyiv", "--day", DAY, "--year", "2026"),
        ("--hall", "kyiv", "--from", DAY),
        ("--store",),
    )
    for arguments in refused:
        with pytest.raises(CommandError):
            call_command("report", "rake", *arguments)
    with pytest.raises(CommandError, match="offset"):
        call_command("report", "liability", "--at", "2026-03-29T21:00:00")


def test_a_report_that_disagrees_fails_the_command(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.reports.rake._ACCOUNTS_SQL", "SELECT 'EUR' AS currency, 19 AS rake_minor")
    with pytest.raises(CommandError, match="disagrees"):
        call_command("report", "rake", "--hall", "kyiv", "--day", DAY)
