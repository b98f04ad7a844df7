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
app.steps["worker"].add(DjangoStructLogInitStep)
app.conf.beat_schedule = {
    "purge-expired": {"task": "casino.tasks.expired_purge", "schedule": crontab(hour=4, minute=10), "options": {"expires": 3600}},
    "expire-tables": {"task": "games.tables.tasks.tables_expire", "schedule": 1.0, "options": {"expires": 5}},
    "check-returns": {
        "task": "audit.returns.tasks.returns_check",
        "schedule": crontab(hour=1, minute=20),
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
