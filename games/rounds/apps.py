"""App registration."""

from django.apps import AppConfig


class RoundsConfig(AppConfig):
    name = "games.rounds"
    default_auto_field = "django.db.models.BigAutoField"
