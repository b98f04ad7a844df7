"""The tasks of the audit, where Celery looks for them."""

from audit.reports.tasks import reports_store

__all__ = ["reports_store"]
