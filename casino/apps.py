"""The wiring as a Django app: it holds idempotency keys and gives the application role its rights."""

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class CasinoConfig(AppConfig):
    name = "casino"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from casino import logs  # noqa: F401 its receivers are connected by being read
        from casino.rights import application_role_grant

        # Django sends this for apps with models only, after all migrations, so any app that has some will do.
        post_migrate.connect(application_role_grant, sender=apps.get_app_config("users"))
