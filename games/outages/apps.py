"""App registration."""

from functools import partial

from django.apps import AppConfig


class OutagesConfig(AppConfig):
    name = "games.outages"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from casino.metrics import MEASURED
        from games.outages.models import Part
        from games.outages.selectors import heartbeat_age

        for part in Part:
            MEASURED.add(
                f"casino_{part}_heartbeat_age_seconds", f"How long ago the {part} was last seen.", partial(heartbeat_age, part)
            )
