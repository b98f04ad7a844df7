"""The one list of reports."""

from collections.abc import Mapping

from audit.reports.account_summary import ACCOUNT_SUMMARY
from audit.reports.frame import Definition
from audit.reports.game_performance import GAME_PERFORMANCE
from audit.reports.liability import LIABILITY
from audit.reports.rake import RAKE
from audit.reports.significant_events import SIGNIFICANT_EVENTS
from audit.reports.terms_changes import TERMS_CHANGES

_ALL = (GAME_PERFORMANCE, LIABILITY, ACCOUNT_SUMMARY, SIGNIFICANT_EVENTS, TERMS_CHANGES, RAKE)
REPORTS: Mapping[str, Definition] = {definition.name: definition for definition in _ALL}
