"""Reports and other tables as text: JSON in one spelling, and CSV that no spreadsheet takes for formulas."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from audit.cells import cell
from audit.reports.frame import Row


def json_text(document: Row) -> str:
    """Return a document's JSON: keys in order, no spaces, one spelling for one document."""
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def csv_text(document: Row) -> str:
    """Return a report as CSV (RFC 4180): its head, its rows, their totals, the checks; an empty line between parts.

    **Shapes** Each part begins with its name and those of its columns. The head has a name and a value in each line; the others
    number their rows. Names stand in order below the format's line, as a kept report has lost any other; only the rows' columns
    have their own. What is neither text nor a number is JSON; what is not there is empty.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    names = [column["name"] for column in document["columns"]]
    writer.writerow(["header", "value"])
    for name, value in [("format", document["format"]), *sorted(document["header"].items())]:
        writer.writerow([name, cell(value)])
    for part, columns in (("rows", names), ("totals", None), ("checks", None)):
        rows = document[part]
        writer.writerow([])
        shown = columns or (sorted(rows[0]) if rows else [])
        writer.writerow([part, *shown])
        writer.writerows(_lines(rows, shown))
    return buffer.getvalue()


def _lines(rows: Sequence[Row], columns: Sequence[str]) -> Iterable[list[Any]]:
    for number, row in enumerate(rows, 1):
        yield [number, *(cell(row[name]) for name in columns)]
