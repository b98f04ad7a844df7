"""Reports over HTTP: who may have which, what is asked wrongly, both formats, and those that are kept."""

import csv
import hashlib
import io
from typing import Any
from uuid import UUID, uuid4

import pytest

from audit.reports.registry import REPORTS
from audit.reports.services import report_store
from audit.reports.views import OnDemandView
from casino.permissions import Role
from games.halls.models import Hall
from tests import playing
from tests.playing import client, user_with
from tests.report_builders import hall_of, yesterday
from tests.user_builders import code_of

PATH = "/api/v1/reports/"
FOR_OPERATORS = {"game_performance", "terms_changes", "rake"}


def asked(name: str, hall: Hall) -> dict[str, str]:
    return {} if REPORTS[name].by_hall == "never" else {"hall_id": str(hall.public_id)}


@pytest.mark.parametrize("suffix", ["", "/csv"])
@pytest.mark.parametrize("name", REPORTS)
def test_auditors_have_every_report_and_operators_those_of_their_halls_that_name_no_player(
    hall: Hall, name: str, suffix: str
) -> None:
    for role in Role:
        caller = client(user_with(role, hall=hall))
        allowed = role in (Role.AUDITOR, Role.ADMIN) or (role == Role.OPERATOR and name in FOR_OPERATORS)
        assert caller.get(f"{PATH}{name}{suffix}", asked(name, hall)).status_code == (200 if allowed else 403), role


def test_an_operator_has_nothing_of_other_halls_and_nothing_of_all(hall: Hall) -> None:
    operator = client(user_with(Role.OPERATOR, hall=hall))
    assert code_of(operator.get(f"{PATH}rake"), 403) == "forbidden"
    assert code_of(operator.get(f"{PATH}rake", {"hall_id": str(hall_of("other").public_id)}), 403) == "forbidden"
    assert code_of(operator.get(f"{PATH}rake", {"hall_id": str(uuid4())}), 404) == "not_found"


@pytest.mark.parametrize(
    ("name", "query", "field"),
    [
        ("rake", {"day": "2026-02-30"}, "day"),
        ("rake", {"day": "20260301"}, "day"),
        ("rake", {"day": "2026-03-01", "month": "2026-03"}, "day"),
        ("rake", {"month": "2026-13"}, "month"),
        ("rake", {"month": "2026-3"}, "month"),
        ("rake", {"year": "26"}, "year"),
        ("rake", {"year": "1999"}, "year"),
        ("rake", {"day": "2099-01-01"}, "day"),
        ("rake", {"first_day": "2026-03-02"}, "last_day"),
        ("rake", {"first_day": "2026-03-02", "last_day": "2026-03-01"}, "last_day"),
        ("rake", {"at": "2026-03-02T00:00:00Z"}, "at"),
        ("liability", {"at": "2026-03-02"}, "at"),
        ("liability", {"at": "2099-03-02T00:00:00Z"}, "at"),
        ("liability", {"hall_id": str(UUID(int=0))}, ""),
        ("account_summary", {}, "hall_id"),
        ("rake", {"hall": "first"}, "hall"),
    ],
)
def test_what_makes_no_sense_is_named(hall: Hall, name: str, query: dict[str, str], field: str) -> None:
    answer = client(user_with(Role.AUDITOR)).get(f"{PATH}{name}", query)
    if field:
        assert code_of(answer, 400) == "invalid_input"
        assert field in str(answer.json()["details"])
    else:
        assert code_of(answer, 404) == "not_found"


def test_an_instant_of_the_first_year_is_written_as_any_other(hall: Hall) -> None:
    answer = client(user_with(Role.AUDITOR)).get(f"{PATH}liability", {"at": "0001-01-01T00:00:00Z"})
    assert answer.json()["header"]["interval"]["ends_at"] == "0001-01-01T00:00:00.000000Z"


def test_there_is_no_other_report(hall: Hall) -> None:
    assert code_of(client(user_with(Role.AUDITOR)).get(f"{PATH}profits"), 404) == "not_found"


def test_a_report_that_is_too_long_is_left_to_the_command(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.reports.views.ROWS_MAX", 2)
    assert OnDemandView.roles.any_of == {Role.AUDITOR, Role.ADMIN, Role.OPERATOR}
    answer = client(user_with(Role.AUDITOR)).get(f"{PATH}game_performance", asked("game_performance", hall))
    assert code_of(answer, 422) == "report_too_long"


@pytest.mark.parametrize("name", REPORTS)
def test_both_formats_say_the_same(hall: Hall, name: str) -> None:
    player = playing.player(hall)
    playing.open_round(player, hall)
    auditor = client(user_with(Role.AUDITOR))
    document = auditor.get(f"{PATH}{name}", asked(name, hall)).json()
    answer = auditor.get(f"{PATH}{name}/csv", asked(name, hall))
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}.csv"'
    parts = parts_of(answer.content.decode())
    assert parts["rows"][0] == ["rows", *(column["name"] for column in document["columns"])]
    numbers = {column["name"] for column in document["columns"] if column["type"] == "integer"}
    texts = [name for name in parts["rows"][0][1:] if name not in numbers | {"before", "after", "changed"}]
    for line, row in zip(parts["rows"][1:], document["rows"], strict=True):
        cells = dict(zip(parts["rows"][0], line, strict=True))
        assert {key: int(cells[key]) for key in numbers if cells[key]} == {
            key: row[key] for key in numbers if row[key] is not None
        }
        assert {key: cells[key].removeprefix("'") for key in texts} == {key: row[key] or "" for key in texts}
    assert len(parts["totals"]) - 1 == len(document["totals"])
    assert len(parts["checks"]) - 1 == len(document["checks"]) > 0


def parts_of(text: str) -> dict[str, list[list[str]]]:
    """The parts of a CSV report, by their names."""
    parts: dict[str, list[list[str]]] = {}
    lines: list[list[str]] = []
    for line in csv.reader(io.StringIO(text, newline="")):
        if not line:
            lines = []
            continue
        if not lines:
            parts[line[0]] = lines
        lines.append(line)
    return parts


def test_kept_reports_are_listed_shown_and_returned_byte_for_byte(hall: Hall) -> None:
    row = report_store(name="liability", hall=None, period=yesterday(), reason="The report of the day.")
    of_hall = report_store(name="terms_changes", hall=hall, period=yesterday(), reason="The report of the day.")
    assert row is not None and of_hall is not None
    auditor, path = client(user_with(Role.AUDITOR)), "/api/v1/stored-reports"
    listed = auditor.get(path).json()["results"]
    assert [each["report"] for each in listed] == ["terms_changes", "liability"]
    assert [each["hall_id"] for each in listed] == [str(hall.public_id), None]
    for query in ({"report": "rake"}, {"hall_id": str(uuid4())}, {"period": "day 2020-01-01"}):
        assert auditor.get(path, query).json()["results"] == []
    for period in ("2020-01-01", "day 2020-1-1", "life_to_date"):
        assert code_of(auditor.get(path, {"period": period}), 400) == "invalid_input"
    found = auditor.get(path, {"report": "liability", "period": row.period}).json()["results"]
    assert [each["id"] for each in found] == [str(row.public_id)]
    shown: dict[str, Any] = auditor.get(f"{path}/{row.public_id}").json()
    assert (shown["is_intact"], shown["version"], shown["previous_hash"]) == (True, 1, "")
    document = auditor.get(f"{path}/{row.public_id}/document")
    assert hashlib.sha256(document.content).hexdigest() == shown["document_hash"]
    unchanged = auditor.get(f"{path}/{row.public_id}/document", headers={"If-None-Match": document.headers["ETag"]})
    assert unchanged.status_code == 304
    kept_csv = auditor.get(f"{path}/{row.public_id}/csv")
    assert kept_csv.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
    assert kept_csv.content.decode().startswith("header,value\r\nformat,casino-report/1\r\n")
    assert code_of(auditor.get(f"{path}/{uuid4()}"), 404) == "not_found"
