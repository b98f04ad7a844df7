"""App registration."""

from django.apps import AppConfig


class HallsConfig(AppConfig):
    name = "games.halls"
    default_auto_field = "django.db.models.BigAutoField"
