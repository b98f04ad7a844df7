"""Every line of the log can be led back to the request, or the task, that it came from."""

from typing import Any

from celery import Task
from django.dispatch import receiver
from django_structlog.celery.signals import bind_extra_task_metadata
from structlog.contextvars import bind_contextvars, get_contextvars


@receiver(bind_extra_task_metadata)
def task_request_id_bind(task: Task, **kwargs: Any) -> None:
    """Let a task that no request has asked for go by its own id, also in the trail."""
    if "request_id" not in get_contextvars():
        bind_contextvars(request_id=task.request.id)
