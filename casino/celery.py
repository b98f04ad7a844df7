"""The Celery application and the only beat schedule."""

import os
import time
from typing import Any

from celery import Celery, Task
from celery.schedules import crontab
from celery.signals import task_postrun, task_prerun, worker_ready
from django_structlog.celery.steps import DjangoStructLogInitStep

from casino.metrics import task_measure

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")

app = Celery("casino", include=[f"audit.{part}.tasks" for part in ("fairness", "manifest", "reports", "returns")])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add(DjangoStructLogInitStep)
# Nobody's time may run out late because the audit is busy, and no night's work may hold up sealing or the look at what is new:
# each has workers of its own.
app.conf.task_routes = {
    **{f"audit.{short}": {"queue": "audit"} for short in ("tasks.audit_new", "seals.tasks.seals_make", "seals.tasks.heads_send")},
    "audit.*": {"queue": "night"},
}
app.conf.beat_schedule = {
    "audit-new": {"task": "audit.tasks.audit_new", "schedule": 10.0, "options": {"expires": 10}},
    "audit-night": {"task": "audit.tasks.audit_night", "schedule": crontab(hour=2, minute=40), "options": {"expires": 3600}},
    "audit-pages": {"task": "audit.tasks.audit_pages", "schedule": 10.0, "options": {"expires": 10}},
    "purge-expired": {"task": "casino.tasks.expired_purge", "schedule": crontab(hour=4, minute=10), "options": {"expires": 3600}},
    "verify-manifest": {
        "task": "audit.manifest.tasks.manifest_verify",
        "schedule": crontab(hour=3, minute=40),
        "options": {"expires": 3600},
    },
    "store-reports": {"task": "audit.reports.tasks.reports_store", "schedule": crontab(minute=20), "options": {"expires": 3600}},
    "fairness-nightly": {
        "task": "audit.fairness.tasks.fairness_nightly",
        "schedule": crontab(hour=3, minute=20),
        "options": {"expires": 6 * 3600},
    },
    "fairness-weekly": {
        "task": "audit.fairness.tasks.fairness_weekly",
        "schedule": crontab(hour=4, minute=40),
        "options": {"expires": 6 * 3600},
    },
    "fairness-yearly": {
        "task": "audit.fairness.tasks.fairness_yearly",
        "schedule": crontab(hour=5, minute=30, day_of_month="2", month_of_year="1"),
        "options": {"expires": 24 * 3600},
    },
    "expire-tables": {"task": "games.tables.tasks.tables_expire", "schedule": 1.0, "options": {"expires": 5}},
    "check-returns": {
        "task": "audit.returns.tasks.returns_check",
        "schedule": crontab(hour=1, minute=20),
        "options": {"expires": 3600},
    },
    "seal": {"task": "audit.seals.tasks.seals_make", "schedule": 60.0, "options": {"expires": 55}},
    "send-heads": {"task": "audit.seals.tasks.heads_send", "schedule": 10.0, "options": {"expires": 9}},
    "check-new-seals": {"task": "audit.seals.tasks.seals_check_recent", "schedule": 300.0, "options": {"expires": 290}},
    "check-all-seals": {
        "task": "audit.seals.tasks.seals_check_all",
        "schedule": crontab(hour=4, minute=20),
        "options": {"expires": 3600},
    },
    "expire-deadlines": {"task": "games.rounds.tasks.deadlines_expire", "schedule": 1.0, "options": {"expires": 5}},
}


@task_prerun.connect
def _task_started(task: Task, **kwargs: Any) -> None:
    task.request.started = time.perf_counter()


@task_postrun.connect
def _task_done(task: Task, state: str | None = None, **kwargs: Any) -> None:
    task_measure(task, state, time.perf_counter() - task.request.started)


@worker_ready.connect
def _worker_started(**kwargs: Any) -> None:
    """Check the program when the worker's processes have been made, which must not inherit the thread's connection."""
    from audit.manifest.models import ManifestCheck
    from audit.manifest.watching import ManifestWatch

    ManifestWatch(ManifestCheck.Part.WORKER).start()
