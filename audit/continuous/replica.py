"""Where a full pass reads: on the replica, if there is one that has come far enough."""

from datetime import timedelta

import structlog
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connections

from audit.models import AuditPass
from casino.db import REPLICA
from casino.db import now as database_now

PATIENCE = timedelta(minutes=10)
_REACHED = "SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= %s::pg_lsn"
logger = structlog.get_logger(__name__)


def reading_alias(audit_pass: AuditPass) -> str | None:
    """Return the database to read in, or None while the replica is not as far as the pass.

    **Rule** A replica that lacks what the pass is about would tell of rows that are missing. One that is away or behind for
    longer than the patience is not waited for: the primary is read.
    """
    if REPLICA not in connections.databases:
        return DEFAULT_DB_ALIAS
    try:
        with connections[REPLICA].cursor() as cursor:
            cursor.execute(_REACHED, [audit_pass.wal_position])
            (has_reached,) = cursor.fetchone()
    except (DatabaseError, InterfaceError) as error:
        has_reached = False
        logger.warning("audit_replica_away", error=str(error))
    if has_reached:
        return REPLICA
    if database_now() - audit_pass.began_at <= PATIENCE:
        return None
    logger.warning("audit_reads_the_primary", audit_pass=str(audit_pass.public_id))
    return DEFAULT_DB_ALIAS
