"""The reports of the day, kept by themselves."""

from celery import shared_task

from audit.reports.services import reports_store_daily


@shared_task
def reports_store() -> int:
    """Keep the reports of the last days that are still missing; safe to repeat, also twice at once."""
    return reports_store_daily()
