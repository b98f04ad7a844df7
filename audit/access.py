"""Who reads what the audit has."""

from casino.permissions import Role, only

AUDITORS = only(Role.AUDITOR, Role.ADMIN)
