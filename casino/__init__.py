"""Wiring of the back office: settings, URLs, tasks, errors, access. No game or money rules."""

from casino.celery import app as celery_app

__all__ = ["celery_app"]
