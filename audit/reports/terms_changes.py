"""Changes of limits and pay tables: every one that was published or withdrawn in the interval."""

from collections import Counter
from typing import Any

from audit.reports.frame import Check, Column, Content, Definition, Row, Scope, amount
from audit.reports.standing import IN_HALL

COLUMNS = (
    Column("at", "Time", "time"),
    Column("hall_id", "Hall"),
    Column("hall", "Hall code"),
    Column("game", "Game"),
    Column("kind", "Kind"),
    Column("id", "Id"),
    amount("version", "Version", is_summed=False),
    Column("change", "Change"),
    Column("effective_at", "Takes effect at", "time"),
    Column("withdrawn_at", "Withdrawn before it took effect", "time"),
    Column("withdrawn_by", "Withdrawn by"),
    Column("withdraws_id", "Withdraws (id)"),
    amount("withdraws_version", "Withdraws version", is_summed=False),
    Column("performed_by", "Performed by"),
    Column("reason", "Reason"),
    Column("changed", "Changed", "data"),
    Column("before", "Value before", "data"),
    Column("after", "Value after", "data"),
)


def _published(kind: str, table: str, subject_type: str) -> str:
    return f"""
        SELECT terms.created_at AS at, terms.hall_id, terms.game, '{kind}' AS kind, terms.public_id AS id, terms.version,
            CASE WHEN terms.data IS NULL THEN 'withdrawn' ELSE 'published' END AS change, terms.effective_at,
            coalesce(record.actor_name, author.username) AS performed_by, terms.reason, record.id AS record_id,
            record.before -> 'data' AS before, terms.data AS after,
            withdrawal.created_at AS withdrawn_at, withdrawer.username AS withdrawn_by,
            scheduled.public_id AS withdraws_id, scheduled.version AS withdraws_version
        FROM {table} terms
        JOIN users_user author ON author.id = terms.author_id
        LEFT JOIN {table} withdrawal ON terms.data IS NOT NULL AND withdrawal.created_at < %(ends_at)s
            AND (withdrawal.hall_id, withdrawal.game, withdrawal.effective_at, withdrawal.revision)
                = (terms.hall_id, terms.game, terms.effective_at, terms.revision + 1)
        LEFT JOIN users_user withdrawer ON withdrawer.id = withdrawal.author_id
        LEFT JOIN {table} scheduled ON terms.data IS NULL
            AND (scheduled.hall_id, scheduled.game, scheduled.effective_at, scheduled.revision)
                = (terms.hall_id, terms.game, terms.effective_at, terms.revision - 1)
        LEFT JOIN audit_auditrecord record ON record.subject_type = '{subject_type}' AND record.subject_id = terms.public_id::text
        WHERE terms.created_at >= %(starts_at)s AND terms.created_at < %(ends_at)s
    """  # noqa: S608 names of our own


_SQL = f"""
SELECT terms.*, hall.public_id AS hall_id, hall.code AS hall
FROM (
    SELECT hall_id AS hall_key, published.* FROM (
        {_published("limit_set", "halls_limitset", "halls.limitset")}
        UNION ALL
        {_published("pay_table", "halls_paytable", "halls.paytable")}
    ) published WHERE {IN_HALL}
) terms
JOIN halls_hall hall ON hall.id = terms.hall_key
ORDER BY terms.at, hall.code, terms.game, terms.kind, terms.version
"""  # noqa: S608 parts of our own


def changes(before: Any, after: Any, path: str = "") -> list[Row]:
    """Return the values that differ between two documents, each with its path; None stands for what is not there."""
    if not (isinstance(before, dict) or isinstance(after, dict)):
        return [] if before == after else [{"path": path, "before": before, "after": after}]
    old, new = (each if isinstance(each, dict) else {} for each in (before, after))
    return [
        change
        for key in sorted({*old, *new})
        for change in changes(old.get(key), new.get(key), f"{path}.{key}" if path else str(key))
    ]


def _build(scope: Scope) -> Content:
    """List the changes; check that each has one audit record. A withdrawal leaves what is in force as it is."""
    rows = scope.read(_SQL)
    for row in rows:
        row["changed"] = changes(row["before"], row["after"]) if row["change"] == "published" else []
    records = Counter(row["id"] for row in rows if row["record_id"] is not None)
    found = sum(each == 1 for each in records.values())
    return Content(rows, [Check("audit_records", len({row["id"] for row in rows}), found)], is_active=bool(rows))


TERMS_CHANGES = Definition(
    name="terms_changes",
    title="Changes of limits and pay tables",
    version=2,
    columns=COLUMNS,
    build=_build,
    daily="hall",
    for_operators=True,
)
