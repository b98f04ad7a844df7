"""What people do about findings: take one, resolve one. What was found stays as it is."""

from datetime import datetime
from uuid import UUID

from audit.continuous.persons import finding_is_about
from audit.locks import finding_lock
from audit.models import AuditFinding
from audit.trail import audit_record
from casino.db import now as database_now
from casino.db import unit_of_work
from casino.errors import Conflict, Forbidden, NotFound
from casino.users.models import User

Status = AuditFinding.Status


def finding_own(*, actor: User, finding_id: UUID) -> AuditFinding:
    """Take a finding, also from another owner, to look into it.

    **Rule** Nobody takes or resolves a finding that is about them.
    **Errors** NotFound; Forbidden ``own_finding_forbidden``; Conflict ``finding_resolved``.
    **Locks** the finding. **Writes** the finding, an audit record; nothing where it is the actor's already.
    """
    with unit_of_work():
        finding = _open_finding(actor, finding_id)
        if finding.owner_id == actor.pk:
            return finding
        before = _told(finding)
        finding.owner, finding.status = actor, Status.OWNED
        finding.save(update_fields=["owner", "status"])
        _recorded(actor, "finding_owned", finding, before)
        return finding


def finding_resolve(*, actor: User, finding_id: UUID, resolution: str, now: datetime | None = None) -> AuditFinding:
    """Say what a finding came to. Nothing else changes: books are corrected by the services of the books.

    **Rule** Once, by its owner, which is who resolves it where it had none. A check that fails again makes a new finding.
    **Errors** NotFound; Forbidden ``own_finding_forbidden``; Conflict ``finding_resolved``, ``finding_not_owned``.
    **Locks** the finding. **Writes** the finding, an audit record.
    """
    with unit_of_work():
        finding = _open_finding(actor, finding_id)
        if finding.owner_id not in (None, actor.pk):
            raise Conflict("finding_not_owned")
        before = _told(finding)
        finding.owner, finding.status, finding.resolution, finding.resolved_at = (
            actor,
            Status.RESOLVED,
            resolution,
            now or database_now(),
        )
        finding.save(update_fields=["owner", "status", "resolution", "resolved_at"])
        _recorded(actor, "finding_resolved", finding, before, reason=resolution)
        return finding


def _open_finding(actor: User, finding_id: UUID) -> AuditFinding:
    finding = finding_lock(finding_id)
    if finding is None:
        raise NotFound("not_found")
    if finding_is_about(finding, actor):
        raise Forbidden("own_finding_forbidden")
    if finding.status == Status.RESOLVED:
        raise Conflict("finding_resolved")
    return finding


def _told(finding: AuditFinding) -> dict[str, object]:
    return {"status": finding.status, "owner_id": str(finding.owner.public_id) if finding.owner else None}


def _recorded(actor: User, action: str, finding: AuditFinding, before: dict[str, object], reason: str = "") -> None:
    audit_record(
        actor=actor, action=action, subject=finding, before=before, after=_told(finding), reason=reason, hall=finding.hall_id
    )
