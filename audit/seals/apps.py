"""App registration."""

from django.apps import AppConfig


class SealsConfig(AppConfig):
    name = "audit.seals"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from audit.seals.selectors import seal_lag
        from casino.metrics import MEASURED

        MEASURED.add("casino_seal_lag_seconds", "The age of the oldest step or transfer that waits for its seal.", seal_lag)
