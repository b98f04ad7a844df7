"""Findings over HTTP: finding them, taking one, resolving one; and whether the books agree."""

import re
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from audit.findings import Severity, finding_raise
from audit.models import AuditFinding, AuditRecord
from audit.tasks import audit_new, audit_night, audit_pages
from casino import metrics
from casino.permissions import Role
from casino.users.models import User
from tests import playing
from tests.playing import client

pytestmark = pytest.mark.django_db
FINDINGS = "/api/v1/audit/findings"


def found(**changes: Any) -> AuditFinding:
    usual = {"check": "sums", "severity": Severity.CRITICAL, "subject": ("rounds.round", uuid4()), "evidence": {"found": 6}}
    return finding_raise(**(usual | changes))


@pytest.fixture
def auditor() -> User:
    return playing.user_with(Role.AUDITOR)


def ids(who: User, **filters: str) -> list[str]:
    answer = client(who).get(FINDINGS, filters)
    assert answer.status_code == 200, answer.content
    return [each["id"] for each in answer.json()["results"]]


def test_findings_are_listed_newest_first_and_by_every_filter(auditor: User) -> None:
    hall, round_id = playing.halls()["first"], str(uuid4())
    one = found(hall=hall, evidence={"round_id": round_id})
    two = found(check="signs", severity=Severity.NOTICE, subject=("wallets.transfer", "T-1"))
    client(auditor).post(f"{FINDINGS}/{two.public_id}/own", {})
    first, second = str(one.public_id), str(two.public_id)
    assert ids(auditor) == [second, first]
    narrower: dict[str, tuple[str, list[str]]] = {
        "status": ("open", [first]),
        "severity": ("notice", [second]),
        "check_name": ("sums", [first]),
        "subject_type": ("wallets.transfer", [second]),
        "subject_id": ("T-1", [second]),
        "round_id": (round_id, [first]),
        "hall_id": (str(hall.public_id), [first]),
        "owner_id": (str(auditor.public_id), [second]),
        "found_from": ("2000-01-01T00:00:00Z", [second, first]),
        "found_before": ("2000-01-01T00:00:00Z", []),
    }
    for name, (value, expected) in narrower.items():
        assert ids(auditor, **{name: value}) == expected, name
    assert client(auditor).get(FINDINGS, {"verdict": "x"}).status_code == 400


def test_what_is_not_resolved_yet_is_one_filter_and_no_status_is_made_up(auditor: User) -> None:
    found(check="resolved")
    owned, one = found(check="owned"), found(check="open")
    client(auditor).post(f"{FINDINGS}/{owned.public_id}/own", {})
    resolved = AuditFinding.objects.get(check_name="resolved")
    client(auditor).post(f"{FINDINGS}/{resolved.public_id}/resolve", {"resolution": "A drill."})
    assert ids(auditor, status="unresolved") == [str(one.public_id), str(owned.public_id)]
    assert ids(auditor, status="resolved") == [str(resolved.public_id)]
    refused = client(auditor).get(FINDINGS, {"status": "new"})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_input")
    assert '"new" is none of: open, owned, resolved, unresolved.' in str(refused.json()["details"])


def test_a_finding_is_taken_and_resolved_and_the_trail_has_both(auditor: User) -> None:
    hall = playing.halls()["first"]
    path = f"{FINDINGS}/{found(hall=hall).public_id}"
    assert client(auditor).get(path).json()["hall_id"] == str(hall.public_id)
    owned = client(auditor).post(f"{path}/own", {}).json()
    assert (owned["status"], owned["owner_id"], owned["resolution"]) == ("owned", str(auditor.public_id), "")
    assert client(auditor).post(f"{path}/own", {}).status_code == 200
    resolved = client(auditor).post(f"{path}/resolve", {"resolution": "A drill."}).json()
    assert (resolved["status"], resolved["resolution"], resolved["evidence"]) == ("resolved", "A drill.", {"found": 6})
    assert resolved["resolved_at"] is not None
    told = AuditRecord.objects.filter(subject_type="audit.auditfinding").order_by("pk")
    assert [(each.actor, each.action, each.reason) for each in told] == [
        (auditor, "finding_owned", ""),
        (auditor, "finding_resolved", "A drill."),
    ]


def test_another_owners_finding_is_taken_before_it_is_resolved(auditor: User) -> None:
    path, other = f"{FINDINGS}/{found().public_id}", playing.user_with(Role.ADMIN)
    client(other).post(f"{path}/own", {})
    refused = client(auditor).post(f"{path}/resolve", {"resolution": "Nothing."})
    assert (refused.status_code, refused.json()["code"]) == (409, "finding_not_owned")
    client(auditor).post(f"{path}/own", {})
    assert client(auditor).post(f"{path}/resolve", {"resolution": "Nothing."}).status_code == 200
    for action, body in (("own", {}), ("resolve", {"resolution": "Again."})):
        late = client(other).post(f"{path}/{action}", body)
        assert (late.status_code, late.json()["code"]) == (409, "finding_resolved")


@pytest.mark.parametrize("evidence_names_them", [True, False])
def test_nobody_judges_what_they_did_themselves(auditor: User, evidence_names_them: bool) -> None:
    own = str(auditor.public_id)
    about = found(evidence={"author_id": own}) if evidence_names_them else found(subject=("users.user", own))
    for action, body in (("own", {}), ("resolve", {"resolution": "Nothing."})):
        refused = client(auditor).post(f"{FINDINGS}/{about.public_id}/{action}", body)
        assert (refused.status_code, refused.json()["code"]) == (403, "own_finding_forbidden")


def test_a_finding_that_is_none_is_not_found(auditor: User) -> None:
    for method, path in (("get", ""), ("post", "/own"), ("post", "/resolve")):
        answer = getattr(client(auditor), method)(f"{FINDINGS}/{UUID(int=1)}{path}", {"resolution": "x"} if "res" in path else {})
        assert answer.status_code == 404


def reconciliation(who: User) -> dict[str, Any]:
    answer: dict[str, Any] = client(who).get("/api/v1/audit/reconciliation").json()
    return answer


def test_the_books_are_clean_once_everything_was_looked_at(auditor: User) -> None:
    assert reconciliation(auditor) | {"lag_seconds": 0} == {
        "clean": False,
        "unresolved": {"notice": 0, "warning": 0, "critical": 0},
        "lag_seconds": 0,
        "last_pass": None,
        "running_pass": None,
    }
    audit_new()
    assert reconciliation(auditor)["running_pass"]["cause"] == "marks"
    audit_pages()
    told = reconciliation(auditor)
    assert (told["clean"], told["last_pass"]["findings"], told["running_pass"]) == (True, 0, None)
    audit_night()
    with transaction.atomic():
        found()
    told = reconciliation(auditor)
    assert (told["clean"], told["running_pass"]["cause"], told["unresolved"]["critical"]) == (False, "night", 1)


def test_the_metrics_tell_of_findings_of_lag_and_of_the_last_pass() -> None:
    before = metrics.exposition().decode()
    assert "casino_audit_pass_age_seconds" not in before
    found()
    audit_new()
    audit_pages()
    told = metrics.exposition().decode()
    assert 'casino_audit_findings{severity="critical"} 1.0' in told
    assert "casino_audit_lag_seconds 0.0" in told
    assert re.search(r"^casino_audit_pass_age_seconds \d", told, re.M)
