"""Findings: one per fault however often it is seen, and never rewritten."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from audit.findings import Severity, finding_raise
from audit.models import AuditFinding
from tests.wallet_builders import hall, user

Raise = Callable[..., AuditFinding]


def raised(**changes: Any) -> AuditFinding:
    usual = {"check": "sums", "severity": Severity.CRITICAL, "subject": ("transfer", 7), "evidence": {"expected": 5, "found": 6}}
    return finding_raise(**(usual | changes))


@pytest.mark.django_db
def test_a_finding_says_what_failed_on_what() -> None:
    room = hall()
    finding = raised(subject=room, hall=room)
    assert (finding.check_name, finding.severity, finding.status, finding.times_seen) == ("sums", "critical", "open", 1)
    assert (finding.subject_type, finding.subject_id, finding.hall_id) == ("halls.hall", str(room.public_id), room.pk)
    assert finding.evidence == {"expected": 5, "found": 6}
    assert str(finding) == f"sums: halls.hall {room.public_id}"


@pytest.mark.django_db
def test_the_same_fault_is_one_finding_however_often_it_is_seen() -> None:
    first, again = raised(), raised(evidence={"found": 9})
    assert again.pk == first.pk
    assert (again.times_seen, again.evidence) == (2, {"expected": 5, "found": 6})
    assert again.seen_at >= first.seen_at
    assert raised(check="signs").pk != first.pk != raised(subject=("transfer", 8)).pk


@pytest.mark.django_db
def test_a_subject_with_a_long_name_is_told_of_and_taken_for_no_other() -> None:
    first, other, again = (raised(subject=("file", "games/" + "a" * 200 + end)) for end in ("b", "c", "b"))
    assert first.pk == again.pk != other.pk
    assert first.subject_id.startswith("games/aaa") and len(first.subject_id) == 100


@pytest.mark.django_db
def test_a_fault_that_comes_back_after_its_resolution_is_a_new_finding() -> None:
    first = raised()
    AuditFinding.objects.update(
        status="resolved", owner=user("auditor"), resolution="A planted fault.", resolved_at=first.found_at
    )
    assert raised().pk != first.pk


def test_a_fault_that_is_seen_while_its_finding_is_resolved_is_a_new_finding(
    committed_db: str, owner_connection: psycopg.Connection
) -> None:
    """After the new one is not inserted, as the old one stands, and before that is counted again."""
    with transaction.atomic():
        first = raised()
    resolve = "UPDATE audit_auditfinding SET status = 'resolved', owner_id = %s, resolution = 'A drill.', resolved_at = now()"
    auditor = user("auditor")

    def resolved_after_insertion(execute: Callable[..., Any], statement: str, *rest: Any) -> Any:
        answer = execute(statement, *rest)
        if statement.startswith("INSERT INTO"):
            owner_connection.execute(f"{resolve} WHERE status = 'open'".encode(), [auditor.pk])
        return answer

    with transaction.atomic(), connection.execute_wrapper(resolved_after_insertion):
        second = raised()
    told = [(first.pk, "resolved", 1), (second.pk, "open", 1)]
    assert list(AuditFinding.objects.order_by("pk").values_list("pk", "status", "times_seen")) == told


def test_a_finding_needs_a_transaction(committed_db: str) -> None:
    with pytest.raises(RuntimeError, match="transaction"):
        raised()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("constraint", "changes"),
    [
        ("audit_finding_complete", {"check_name": ""}),
        ("audit_finding_complete", {"subject_id": ""}),
        ("audit_finding_severity", {"severity": "grave"}),
        ("audit_finding_is_in_its_status", {"status": "owned"}),
        ("audit_finding_is_in_its_status", {"status": "resolved"}),
        ("audit_finding_is_in_its_status", {"resolution": "Nothing."}),
    ],
)
def test_a_finding_is_whole(constraint: str, changes: dict[str, Any]) -> None:
    whole = {"check_name": "sums", "severity": "notice", "subject_type": "x", "subject_id": "1", "evidence": {}}
    with pytest.raises(IntegrityError, match=constraint):
        AuditFinding.objects.create(**(whole | changes))


CHANGES = [
    ("UPDATE audit_auditfinding SET evidence = '{}'", "keeps what was found"),
    ("UPDATE audit_auditfinding SET severity = 'notice'", "keeps what was found"),
    ("DELETE FROM audit_auditfinding", "stays"),
    ("TRUNCATE audit_auditfinding", "stays"),
]


@pytest.mark.parametrize(("sql", "message"), CHANGES)
def test_nobody_rewrites_a_finding(
    committed_db: str, owner_connection: "psycopg.Connection[tuple[object, ...]]", sql: str, message: str
) -> None:
    with transaction.atomic():
        raised()
    with pytest.raises(psycopg.errors.RestrictViolation, match=message):
        owner_connection.execute(sql)


@pytest.mark.django_db
def test_a_resolved_finding_stays_as_it_is() -> None:
    finding = raised()
    AuditFinding.objects.update(status="resolved", owner=user("auditor"), resolution="Done.", resolved_at=finding.found_at)
    with pytest.raises(IntegrityError, match="that is resolved stays"), connection.cursor() as cursor:
        cursor.execute("UPDATE audit_auditfinding SET resolution = 'Nothing happened.'")
