"""Times of the trail and of the audit's own rows are such as can be read."""

from django.db import migrations

from casino.db import times_in_calendar


class Migration(migrations.Migration):
    dependencies = [("audit", "0011_fairness_skipped")]

    operations = [
        migrations.AddConstraint("auditrecord", times_in_calendar("audit_record_time_in_calendar", "at")),
        migrations.AddConstraint(
            "auditfinding", times_in_calendar("audit_finding_times_in_calendar", "found_at", "seen_at", "resolved_at")
        ),
        migrations.AddConstraint("auditmark", times_in_calendar("audit_mark_times_in_calendar", "taken_at", "moved_at")),
        migrations.AddConstraint("auditreading", times_in_calendar("audit_reading_time_in_calendar", "read_at")),
        migrations.AddConstraint("auditpass", times_in_calendar("audit_pass_times_in_calendar", "began_at", "ended_at")),
        migrations.AddConstraint("auditpage", times_in_calendar("audit_page_times_in_calendar", "taken_at", "done_at")),
    ]
