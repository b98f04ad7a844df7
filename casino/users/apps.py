"""App registration."""

from django.apps import AppConfig


class UsersConfig(AppConfig):
    name = "casino.users"
    default_auto_field = "django.db.models.BigAutoField"
