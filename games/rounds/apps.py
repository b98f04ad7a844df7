"""App registration."""

from django.apps import AppConfig


class RoundsConfig(AppConfig):
    name = "games.rounds"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from casino.metrics import MEASURED
        from games.rounds.selectors import sweep_lag

        MEASURED.add("casino_sweep_lag_seconds", "The age of the oldest deadline that waits for the sweep.", sweep_lag)
