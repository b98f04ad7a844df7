"""What the audit itself has kept: a full pass names each report and each finding that somebody changed or took away."""

from collections.abc import Callable

import pytest
from django.db import transaction

from audit.continuous.passes import pages_work, pass_begin
from audit.continuous.services import finding_own, finding_resolve
from audit.findings import Severity, finding_raise
from audit.models import AuditFinding, AuditPass, StoredReport
from audit.reports.services import report_store
from casino.permissions import Role
from tests import playing
from tests.report_builders import yesterday
from tests.services.audit.reading import begin, findings

Plant = Callable[[str], None]


@pytest.fixture
def kept(committed_db: str) -> list[str]:
    """Two versions of a report; three findings, of which the second is resolved and the third taken."""
    begin()
    for _ in range(2):
        report_store(name="liability", hall=None, period=yesterday(), reason="test")
    auditor = playing.user_with(Role.AUDITOR)
    with transaction.atomic():
        found = [
            finding_raise(check=check, severity=Severity.NOTICE, subject=("test", 1), evidence={}).public_id
            for check in ("first", "second", "third")
        ]
    finding_resolve(actor=auditor, finding_id=found[1], resolution="A drill.")
    finding_own(actor=auditor, finding_id=found[2])
    night()
    assert findings() == {("first", "test"), ("third", "test")}
    return [str(each) for each in found]


def night() -> None:
    with transaction.atomic():
        pass_begin(cause=AuditPass.Cause.ASKED)
    pages_work()


def new(check: str) -> tuple[str, str]:
    (told,) = AuditFinding.objects.filter(check_name=check).values_list("subject_type", "subject_id")
    return told


FIRST = "(SELECT min(id) FROM audit_storedreport)"
REPORTS = [
    (f"UPDATE audit_storedreport SET document = document || ' ' WHERE id = {FIRST}", "stored_report_is_as_it_was_kept", 0),
    (
        f"UPDATE audit_storedreport SET document = 'x', document_hash = encode(sha256('x'), 'hex') WHERE id = {FIRST}",
        "stored_report_follows_the_version_before",
        1,
    ),
    (f"DELETE FROM audit_storedreport WHERE id = {FIRST}", "stored_report_follows_the_version_before", 1),
]


@pytest.mark.parametrize(("fault", "check", "place"), REPORTS)
def test_a_kept_report_that_was_changed_is_named(kept: list[str], plant: Plant, fault: str, check: str, place: int) -> None:
    reports = [str(report.public_id) for report in StoredReport.objects.order_by("pk")]
    plant(fault)
    night()
    assert new(check) == ("audit.storedreport", reports[place])


def test_the_last_version_of_a_report_that_was_taken_away_is_named_by_the_trail(kept: list[str], plant: Plant) -> None:
    plant("DELETE FROM audit_storedreport WHERE version = 2")
    night()
    assert new("report_of_the_trail_is_kept")[0] == "audit_auditrecord"


FINDINGS = [
    "DELETE FROM audit_auditrecord WHERE action = 'finding_resolved'",
    "UPDATE audit_auditrecord SET reason = 'Another.' WHERE action = 'finding_resolved'",
    "UPDATE audit_auditfinding SET resolution = 'Nothing.' WHERE check_name = 'second'",
]


@pytest.mark.parametrize("fault", FINDINGS)
def test_a_finding_that_is_resolved_otherwise_than_the_trail_says_is_named(kept: list[str], plant: Plant, fault: str) -> None:
    plant(fault)
    night()
    assert new("finding_is_resolved_in_the_trail") == ("audit.auditfinding", kept[1])


def test_a_finding_that_somebody_resolved_below_the_service_is_named(kept: list[str], plant: Plant) -> None:
    plant(
        "UPDATE audit_auditfinding SET status = 'resolved', owner_id = (SELECT min(id) FROM users_user), resolution = 'x', "
        "resolved_at = now() WHERE check_name = 'first'"
    )
    night()
    assert new("finding_is_resolved_in_the_trail") == ("audit.auditfinding", kept[0])


@pytest.mark.parametrize("check", ["first", "second", "third"])
@pytest.mark.parametrize(
    "fault",
    [
        "severity = 'warning'",
        "check_name = 'other'",
        "evidence = '{\"round_id\": 7}'",
        "hall_id = 7",
        "found_at = found_at - interval '1 microsecond'",
        "found_hash = repeat('0', 64)",
    ],
)
def test_a_finding_that_says_something_else_than_was_found_is_named(
    kept: list[str], plant: Plant, check: str, fault: str
) -> None:
    plant(f"UPDATE audit_auditfinding SET {fault} WHERE check_name = '{check}'")
    night()
    place = ("first", "second", "third").index(check)
    assert new("finding_is_as_it_was_found") == ("audit.auditfinding", kept[place])


def test_a_finding_that_somebody_was_given_below_the_service_is_named(kept: list[str], plant: Plant) -> None:
    plant(f"UPDATE audit_auditfinding SET owner_id = {playing.user_with().pk} WHERE check_name = 'third'")
    night()
    assert new("finding_is_owned_in_the_trail") == ("audit.auditfinding", kept[2])


def test_a_finding_that_was_taken_away_is_missed_by_the_one_after_it(kept: list[str], plant: Plant) -> None:
    key = AuditFinding.objects.get(public_id=kept[0]).pk
    plant("DELETE FROM audit_auditfinding WHERE check_name = 'first'")
    night()
    assert new("finding_before_is_there") == ("audit_auditfinding", str(key))


def test_a_finding_that_was_taken_is_missed_by_the_trail_too(kept: list[str], plant: Plant) -> None:
    plant("DELETE FROM audit_auditfinding WHERE check_name = 'third'")
    night()
    assert new("finding_of_the_trail_is_there")[0] == "audit_auditrecord"


def test_a_finding_from_before_the_one_before_was_kept_misses_none(kept: list[str], plant: Plant) -> None:
    plant("UPDATE audit_auditfinding SET previous_id = NULL")
    plant("UPDATE audit_auditfinding AS finding SET found_hash = audit_finding_hash(finding)")
    night()
    assert {check for check, _ in findings()} == {"first", "third"}
