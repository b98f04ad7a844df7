"""The house's edges over HTTP: what a hall allows, and what pay tables were published with."""

from fractions import Fraction
from typing import Any
from uuid import uuid4

import pytest

from casino.permissions import Role
from games.halls.models import Hall, PayTable, PayTableFigures
from games.mathematics import MATHEMATICS
from tests.hall_builders import GAME, HOUR, caller, open_hall, pay_table

pytestmark = pytest.mark.django_db


def path(hall: Hall, rest: str) -> str:
    return f"/api/v1/halls/{hall.public_id}{rest}"


def changed(hall: Hall, bands: Any, client: Any = None) -> Any:
    etag = f'"{Hall.objects.get(pk=hall.pk).version}"'
    body = {"edge_bands": bands, "reason": "test"}
    return (client or caller(Role.ADMIN)).patch(path(hall, ""), body, HTTP_IF_MATCH=etag)


def test_the_history_shows_edges_and_the_figures_have_a_page() -> None:
    hall = open_hall()
    auditor = caller(Role.AUDITOR)
    (row,) = auditor.get(path(hall, f"/games/{GAME}/pay-tables")).json()["results"]
    assert row["edges"].keys() == {"blind", "open", "bonus"}
    assert row["edges"]["bonus"] == {"exact": "19813/649740", "decimal": "0.0304937359559"}
    shown = auditor.get(path(hall, f"/games/{GAME}/pay-tables/{row['id']}/figures"))
    assert shown.status_code == 200
    assert shown.json()["figures"] == MATHEMATICS[GAME].figures(pay_table())
    assert (shown.json()["pay_table_id"], shown.json()["version"]) == (row["id"], 1)
    (limit_set,) = auditor.get(path(hall, f"/games/{GAME}/limit-sets")).json()["results"]
    assert "edges" not in limit_set
    assert auditor.get(path(hall, f"/games/{GAME}/pay-tables/{limit_set['id']}/figures")).status_code == 404
    assert caller(Role.PLAYER).get(path(hall, f"/games/{GAME}/pay-tables/{row['id']}/figures")).status_code == 403


def test_figures_of_before_there_was_an_edge_of_open_boxes_are_shown_as_they_were() -> None:
    hall = open_hall()
    row = PayTable.objects.get()
    edges = {"ante": {"exact": "1/10", "decimal": "0.1"}, "bonus": {"exact": "1/20", "decimal": "0.05"}}
    row.pk, row.public_id, row.version, row.effective_at = None, uuid4(), 2, row.effective_at + HOUR
    row.save()
    PayTableFigures.objects.create(pay_table=row, data={"edges": edges})
    newest, oldest = caller(Role.AUDITOR).get(path(hall, f"/games/{GAME}/pay-tables")).json()["results"]
    assert (newest["edges"], oldest["edges"].keys()) == (edges, {"blind", "open", "bonus"})
    shown = caller(Role.AUDITOR).get(path(hall, f"/games/{GAME}/pay-tables/{row.public_id}/figures")).json()
    assert shown["figures"] == {"edges": edges}


def test_an_edge_outside_the_band_is_refused_with_what_it_is() -> None:
    hall = open_hall()
    table = pay_table()
    table["bonus"]["three_of_a_kind"] = 27
    etag = f'"{Hall.objects.get().version}"'
    body = {"data": table, "reason": "generous"}
    refused = caller(Role.ADMIN).post(path(hall, f"/games/{GAME}/pay-tables"), body, HTTP_IF_MATCH=etag)
    assert (refused.status_code, refused.json()["code"]) == (422, "edge_not_allowed")
    (edge,) = refused.json()["details"]["edges"]
    assert (edge["kind"], edge["min_bp"], edge["max_bp"]) == ("bonus", 0, 2500)
    assert Fraction(edge["edge"]["exact"]) == Fraction(19_813, 649_740) - 2 * Fraction(88, 4165)
    assert len(caller(Role.ADMIN).get(path(hall, f"/games/{GAME}/pay-tables")).json()["results"]) == 1


def test_an_admin_changes_a_band_and_its_operators_see_all_of_them() -> None:
    hall = open_hall()
    answer = changed(hall, {GAME: {"bonus": {"min_bp": 100, "max_bp": None}}})
    assert answer.status_code == 200
    shown = caller(Role.OPERATOR, hall).get(path(hall, "/edge-bands"))
    assert shown["ETag"] == answer["ETag"]
    assert shown.json()["edge_bands"] == answer.json()["edge_bands"]
    assert shown.json() == {
        "edge_bands": {
            GAME: {
                "blind": {"min_bp": 0, "max_bp": 2500},
                "open": {"min_bp": 0, "max_bp": 2500},
                "bonus": {"min_bp": 100, "max_bp": None},
            }
        }
    }
    assert caller(Role.PLAYER).get(path(hall, "/edge-bands")).status_code == 403


@pytest.mark.parametrize(
    "bands",
    [
        {},
        [],
        {GAME: 1},
        {GAME: {"bonus": {"min_bp": 1}}},
        {GAME: {"bonus": {"min_bp": 1.5, "max_bp": None}}},
        {GAME: {"bonus": {"min_bp": 1, "max_bp": 2, "mid_bp": 1}}},
        {GAME: {"bonus": {"min_bp": 2, "max_bp": 1}}},
        {"rapira": {"stake": {"min_bp": 0, "max_bp": 1}}},
    ],
)
def test_bands_that_make_no_sense_are_refused(bands: Any) -> None:
    answer = changed(open_hall(), bands)
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid_input"


def test_who_publishes_pay_tables_does_not_change_what_bounds_them() -> None:
    hall = open_hall()
    bands = {GAME: {"bonus": {"min_bp": None, "max_bp": None}}}
    assert changed(hall, bands, caller(Role.OPERATOR, hall)).status_code == 403
    hall.refresh_from_db()
    assert hall.edge_bands == {}
