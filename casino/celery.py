"""The Celery application and the only beat schedule."""

import os

from celery import Celery
from celery.schedules import crontab

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")

app = Celery("casino")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    "purge-expired": {"task": "casino.tasks.expired_purge", "schedule": crontab(hour=4, minute=10), "options": {"expires": 3600}},
    "expire-deadlines": {"task": "games.rounds.tasks.deadlines_expire", "schedule": 1.0, "options": {"expires": 5}},
}
