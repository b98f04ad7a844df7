"""App registration."""

from django.apps import AppConfig


class TablesConfig(AppConfig):
    name = "games.tables"
    default_auto_field = "django.db.models.BigAutoField"
