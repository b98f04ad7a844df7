"""The tasks of the audit, where Celery looks for them."""

from audit.returns.tasks import returns_check

__all__ = ["returns_check"]
