"""App registration."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "audit"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from audit.continuous.selectors import audit_lag, findings_unresolved, last_pass_age
        from casino.metrics import MEASURED

        MEASURED.add("casino_audit_lag_seconds", "How old the oldest row is that the audit has not read.", audit_lag)
        MEASURED.add("casino_audit_pass_age_seconds", "How long ago the last full pass ended.", last_pass_age)
        MEASURED.add_counts("casino_audit_findings", "Findings that are unresolved.", "severity", findings_unresolved)
