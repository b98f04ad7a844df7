"""The Celery application and the only beat schedule."""

import os
import time
from typing import Any

from celery import Celery, Task
from celery.schedules import crontab
from celery.signals import task_postrun, task_prerun
from django_structlog.celery.steps import DjangoStructLogInitStep

from casino.metrics import task_measure

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")

app = Celery("casino")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["audit.fairness"])
app.steps["worker"].add(DjangoStructLogInitStep)
app.conf.beat_schedule = {
    "purge-expired": {"task": "casino.tasks.expired_purge", "schedule": crontab(hour=4, minute=10), "options": {"expires": 3600}},
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
    "expire-deadlines": {"task": "games.rounds.tasks.deadlines_expire", "schedule": 1.0, "options": {"expires": 5}},
}


@task_prerun.connect
def _task_started(task: Task, **kwargs: Any) -> None:
    task.request.started = time.perf_counter()


@task_postrun.connect
def _task_done(task: Task, state: str | None = None, **kwargs: Any) -> None:
    task_measure(task, state, time.perf_counter() - task.request.started)
