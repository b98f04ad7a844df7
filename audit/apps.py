"""App registration."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "audit"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from audit.manifest.selectors import check_age, openings_stopped
        from casino.metrics import MEASURED

        MEASURED.add("casino_openings_stopped", "1 while no round may open, since the program is unverified.", openings_stopped)
        MEASURED.add("casino_manifest_check_age_seconds", "How long ago a check of the manifest last passed.", check_age)
