"""App registration."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "audit"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from audit.continuous.selectors import audit_lag, findings_unresolved, last_pass_age
        from audit.manifest.selectors import check_age, openings_stopped
        from casino.metrics import MEASURED

        MEASURED.add("casino_audit_lag_seconds", "How old the oldest row is that the audit has not read.", audit_lag)
        MEASURED.add("casino_audit_pass_age_seconds", "How long ago the last full pass ended.", last_pass_age)
        MEASURED.add_counts("casino_audit_findings", "Findings that are unresolved.", "severity", findings_unresolved)
        MEASURED.add("casino_openings_stopped", "1 while no round may open, since the program is unverified.", openings_stopped)
        MEASURED.add("casino_manifest_check_age_seconds", "How long ago a check of the manifest last passed.", check_age)
