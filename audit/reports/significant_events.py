"""Significant events: every audit record and every finding of the interval, each once, and large wagers and wins.

Outages, voided rounds and logins that failed come by the records that they leave.
"""

import json

from django.conf import settings

from audit.reports.frame import Check, Column, Content, Definition, Scope
from audit.reports.standing import IN_HALL

COLUMNS = (
    Column("at", "Time", "time"),
    Column("id", "Id"),
    Column("source", "Source"),
    Column("component", "Component"),
    Column("event", "Event"),
    Column("severity", "Severity"),
    Column("subject_type", "Subject"),
    Column("subject_id", "Subject id"),
    Column("hall", "Hall code"),
    Column("performed_by", "Performed by"),
    Column("performed_by_id", "Performed by (id)"),
    Column("authorised_by", "Authorised by"),
    Column("reason", "Reason"),
    Column("before", "Value before", "data"),
    Column("after", "Value after", "data"),
    Column("request_id", "Request"),
)
_LARGE_SQL = f"""
    SELECT round.closed_at, round.commitment_id, 3, round.id, seat.index, 'round', 'rounds', large.event, NULL,
        'rounds.round', round.commitment_id::text, round.hall_id, seat.user_id, player.username, NULL, NULL, NULL,
        jsonb_build_object('currency', round.currency, 'seat', seat.index, 'staked_minor', seat.staked_minor,
            'returned_minor', seat.returned_minor, 'large_from_minor', large.from_minor), NULL
    FROM (SELECT * FROM rounds_round WHERE closed_at >= %(starts_at)s AND closed_at < %(ends_at)s AND {IN_HALL}) round
    JOIN rounds_roundseat seat ON seat.round_id = round.id
    JOIN users_user player ON player.id = seat.user_id
    CROSS JOIN LATERAL (VALUES
        ('large_wager', seat.staked_minor, (%(large_wagers)s::jsonb ->> round.currency)::bigint),
        ('large_win', seat.returned_minor - seat.staked_minor, (%(large_wins)s::jsonb ->> round.currency)::bigint)
    ) large (event, amount_minor, from_minor)
    WHERE round.status = 'settled' AND large.amount_minor >= large.from_minor
"""  # noqa: S608 parts of our own
_SQL = f"""
SELECT event.*, hall.code AS hall, actor.public_id AS performed_by_id
FROM (
    SELECT at, public_id AS id, 1 AS rank, id AS key, 0 AS seat, 'audit_record' AS source,
        CASE action WHEN 'outage_ended' THEN after ->> 'part' ELSE split_part(subject_type, '.', 1) END AS component,
        action AS event, NULL AS severity, subject_type, subject_id, hall_id, actor_id, actor_name AS performed_by,
        NULL AS authorised_by, reason, before, after, request_id
    FROM audit_auditrecord
    WHERE at >= %(starts_at)s AND at < %(ends_at)s AND {IN_HALL}
    UNION ALL
    SELECT found_at, public_id, 2, id, 0, 'finding', split_part(subject_type, '.', 1), check_name, severity,
        subject_type, subject_id, hall_id, NULL, 'system', NULL, NULL, NULL, evidence, NULL
    FROM audit_auditfinding
    WHERE found_at >= %(starts_at)s AND found_at < %(ends_at)s AND {IN_HALL}
    UNION ALL
    ({_LARGE_SQL})
) event
LEFT JOIN halls_hall hall ON hall.id = event.hall_id
LEFT JOIN users_user actor ON actor.id = event.actor_id
ORDER BY event.at, event.rank, event.key, event.seat, event.event
"""  # noqa: S608 parts of our own
_RECORDED_SQL = f"""
SELECT count(*) AS events, count(*) FILTER (WHERE records = 1) AS recorded
FROM (
    SELECT (
        SELECT count(*) FROM audit_auditrecord record
        WHERE (record.subject_type, record.subject_id, record.action) = (event.subject_type, event.subject_id, event.action)
    ) AS records
    FROM (
        SELECT 'outages.outage' AS subject_type, id::text AS subject_id, 'outage_ended' AS action FROM outages_outage
        WHERE %(hall_id)s IS NULL AND ended_at >= %(starts_at)s AND ended_at < %(ends_at)s
        UNION ALL
        SELECT 'rounds.round', commitment_id::text, 'round_voided' FROM rounds_round
        WHERE status = 'voided' AND closed_at >= %(starts_at)s AND closed_at < %(ends_at)s AND {IN_HALL}
    ) event
) counted
"""  # noqa: S608 parts of our own


def _build(scope: Scope) -> Content:
    """List the events; check that every outage and every voided round of the interval has one record."""
    large = {"large_wagers": settings.LARGE_WAGERS, "large_wins": settings.LARGE_WINS}
    rows = scope.read(_SQL, **{name: json.dumps(amounts) for name, amounts in large.items()})
    (recorded,) = scope.read(_RECORDED_SQL)
    return Content(
        rows=rows,
        checks=[Check("records_of_outages_and_voided_rounds", recorded["events"], recorded["recorded"])],
        is_active=bool(rows),
        filters=large,
    )


SIGNIFICANT_EVENTS = Definition(
    name="significant_events",
    title="Significant events and alterations",
    version=2,
    columns=COLUMNS,
    build=_build,
    daily="casino",
)
