"""Generate a report from the command line, and keep it where that is asked for."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.access import author_argument, author_named
from audit.reports.formats import csv_text, json_text
from audit.reports.intervals import period_parse
from audit.reports.registry import REPORTS
from audit.reports.services import report_build, report_store
from casino.commands import day, moment, refusals_told, whole
from games.halls.models import Hall


class Command(BaseCommand):
    help = (
        "Generate a report of a day, a month, a year, some days, or of all time; exits with 1 when it disagrees with the ledger."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", choices=sorted(REPORTS))
        parser.add_argument("--hall", help="the hall's code; without it, the whole casino in days of UTC")
        parser.add_argument("--day", type=day, help="such as 2026-03-29, a gaming day of the hall")
        parser.add_argument("--month", help="such as 2026-03")
        parser.add_argument("--year", type=whole(0))
        parser.add_argument("--from", dest="first_day", type=day, help="the first of several days")
        parser.add_argument("--to", dest="last_day", type=day, help="the last of them")
        parser.add_argument("--at", type=moment, help="an instant, for the liability: 2026-03-29T21:00:00Z")
        parser.add_argument("--csv", action="store_true", help="as CSV, not JSON")
        parser.add_argument("--store", action="store_true", help="keep it, as a further version where there is one")
        parser.add_argument("--reason", default="", help="why it is kept, or generated again")
        author_argument(parser, required=False)

    def handle(self, *args: Any, **options: Any) -> None:
        with refusals_told({"first_day": "--from", "last_day": "--to"}):
            self._report(options)

    def _report(self, options: dict[str, Any]) -> None:
        hall = Hall.objects.filter(code=options["hall"]).first() if options["hall"] else None
        if options["hall"] and hall is None:
            raise CommandError(f"--hall: there is no hall {options['hall']}")
        at = options["at"]
        period = period_parse(**{name: options[name] for name in ("day", "month", "year", "first_day", "last_day")})
        if options["store"]:
            if not (options["reason"] and options["author"]) or at is not None:
                raise CommandError("--store needs an --author, a --reason and a period")
            author = author_named(options["author"])
            row = report_store(name=options["name"], hall=hall, period=period, reason=options["reason"], actor=author)
            assert row is not None
            self.stdout.write(f"{row} {row.public_id} {row.document_hash}")
            return
        document = report_build(name=options["name"], hall=hall, period=period, at=at)
        self.stdout.write(csv_text(document) if options["csv"] else json_text(document), ending="" if options["csv"] else "\n")
        if not all(check["agrees"] for check in document["checks"]):
            raise CommandError("the report disagrees with the ledger; its checks tell where")
