"""The reports of the day, kept by themselves."""

from celery import shared_task

from audit.reports.services import reports_store_daily

TIME_LIMIT_SECONDS = 3600
"""As often as it is begun: what one run does not get done the next one does."""


@shared_task(time_limit=TIME_LIMIT_SECONDS)
def reports_store() -> int:
    """Keep the reports of the last days that are still missing; safe to repeat, also twice at once."""
    return reports_store_daily()
