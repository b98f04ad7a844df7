"""What the application's role may do in the database: rows, never tables, and of each table only what the services need."""

from django.apps import AppConfig
from django.conf import settings
from django.db import connections, transaction

_APPEND_ONLY = "SELECT, INSERT"
TABLE_RIGHTS = {
    "audit_auditfinding": "SELECT, INSERT, UPDATE (status, owner_id, resolution, resolved_at, seen_at, times_seen)",
    "audit_auditmark": "SELECT, UPDATE (xid, again_key, again_attempts, attempts, taken_at, moved_at)",  # audit_mark_set sets it
    "audit_auditpage": "SELECT, INSERT, UPDATE (attempts, taken_at, rows, deviations, done_at)",
    "audit_auditpass": "SELECT, INSERT, UPDATE (ended_at)",
    "audit_auditreading": _APPEND_ONLY,
    "audit_auditrecord": _APPEND_ONLY,
    "audit_export": "SELECT, INSERT, UPDATE (rounds_written, bytes_written, status, sha256, progress_at)",
    "audit_fairnessrun": _APPEND_ONLY,
    "audit_fairnessverdict": _APPEND_ONLY,
    "audit_manifestcheck": _APPEND_ONLY,
    "audit_returnsday": _APPEND_ONLY,
    "audit_sighting": _APPEND_ONLY,
    "audit_storedreport": _APPEND_ONLY,
    "casino_idempotencyrecord": "SELECT, INSERT, DELETE",
    "django_migrations": "SELECT",
    "halls_hall": "SELECT, INSERT, UPDATE",
    "halls_limitset": _APPEND_ONLY,
    "halls_paytable": _APPEND_ONLY,
    "halls_paytablefigures": _APPEND_ONLY,
    "knox_authtoken": "SELECT, INSERT, DELETE",
    "outages_heartbeat": "SELECT, UPDATE",
    "outages_outage": _APPEND_ONLY,
    "rounds_commitment": "SELECT, INSERT, UPDATE",
    "rounds_round": "SELECT, INSERT, UPDATE",
    # Of what is written once the database itself says which transaction wrote it.
    "rounds_roundrecord": "SELECT, INSERT (round_id, document, record_hash)",
    "rounds_roundseat": "SELECT, INSERT, UPDATE",
    "rounds_roundstep": (
        "SELECT, INSERT (id, round_id, seq, at, seat, turn, origin, secret, previous_hash, hash, available_minor)"
    ),
    "seals_anchorfile": "SELECT, INSERT, UPDATE",
    "seals_passedover": "SELECT, INSERT, DELETE",
    "seals_seal": _APPEND_ONLY,
    "seals_sealdelivery": "SELECT, INSERT, UPDATE (attempts, due_at, delivered_at, answer)",
    "seals_sealleaf": _APPEND_ONLY,
    "seals_sealnode": _APPEND_ONLY,
    "tables_table": "SELECT, INSERT, UPDATE",
    "tables_tableevent": _APPEND_ONLY,
    "tables_tableseat": "SELECT, INSERT, UPDATE",
    "users_logincounter": "SELECT, INSERT, UPDATE, DELETE",
    "users_rolegrant": "SELECT, INSERT, DELETE, UPDATE (granted_at)",  # the update is what PostgreSQL asks for a row lock
    "users_user": "SELECT, INSERT, UPDATE",
    "wallets_account": "SELECT, INSERT, UPDATE (closed_at)",  # balances change by ledger_post
    "wallets_statement": "SELECT",
    "wallets_transfer": "SELECT",  # ledger_post inserts
}
"""By table or view; one that is not here is closed to the role."""
SEQUENCE_RIGHTS = {
    "rounds_roundstep_id_seq": "USAGE",  # a step and its transfers name each other; other keys draw themselves
    "wallets_transfer_id_seq": "SELECT",  # how far it has come tells the audit which keys are nobody's
}
FUNCTION_RIGHTS = {"audit_mark_set": "EXECUTE", "counter_find": "EXECUTE", "ledger_post": "EXECUTE"}
_EXISTS = {
    "TABLE": "SELECT to_regclass(%s) IS NOT NULL",
    "SEQUENCE": "SELECT to_regclass(%s) IS NOT NULL",
    "FUNCTION": "SELECT to_regproc(%s) IS NOT NULL",
}  # a migration may have gone only part of the way, or back


def application_role_grant(sender: AppConfig, using: str = "default", **kwargs: object) -> None:
    """Give the application's role its rights after a migration, and take away all others.

    **Rule** In one transaction: nobody ever meets more rights than these, nor fewer.
    """
    role = settings.DATABASE_APP_ROLE
    connection = connections[using]
    with transaction.atomic(using=using), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s AND rolname <> current_user", [role])
        if cursor.fetchone() is None:
            return
        cursor.execute(f'GRANT USAGE ON SCHEMA public TO "{role}"')
        cursor.execute(f'REVOKE ALL ON ALL TABLES IN SCHEMA public FROM "{role}"')
        cursor.execute(f'REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM "{role}"')
        for kind, rights in (("TABLE", TABLE_RIGHTS), ("SEQUENCE", SEQUENCE_RIGHTS), ("FUNCTION", FUNCTION_RIGHTS)):
            for name, some in rights.items():
                cursor.execute(_EXISTS[kind], [name])
                if cursor.fetchone() == (True,):
                    cursor.execute(f'GRANT {some} ON {kind} "{name}" TO "{role}"')
