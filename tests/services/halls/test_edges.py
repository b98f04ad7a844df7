"""A pay table is published together with its exact figures, and only with edges that the hall allows."""

from copy import deepcopy
from fractions import Fraction
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from audit.models import AuditRecord
from casino.errors import InvalidInput, Refused
from games.core.codec import digest
from games.engines import current_engines
from games.halls.edges import EdgeBand, edge_bands
from games.halls.models import Hall, PayTable, PayTableFigures
from games.halls.services import hall_edit, pay_table_publish
from games.mathematics import MATHEMATICS
from tests.hall_builders import GAME, hall_in_preparation, pay_table, published_pay_table, staff
from tests.playing import halls

BONUS_EDGE = Fraction(19_813, 649_740)


def generous_bonus(**multiples: int) -> dict[str, Any]:
    table = deepcopy(pay_table())
    table["bonus"].update(multiples)
    return table


def generous_bet() -> dict[str, Any]:
    """Little for what often comes, and much for what a sixth card makes of it."""
    multiples = (1, 1, 5, 7, 9, 11, 14, 40, 50, 100)
    return pay_table(**dict(zip(pay_table()["bet"], multiples, strict=True)))


def bands(kind: str, least: int | None, most: int | None) -> dict[str, Any]:
    return {GAME: {kind: {"min_bp": least, "max_bp": most}}}


def edited(hall: Hall, edge_bands: dict[str, Any]) -> Hall:
    return hall_edit(actor=staff(), hall_id=hall.public_id, version=hall.version, reason="test", edge_bands=edge_bands)


@pytest.mark.django_db
def test_a_pay_table_is_published_with_its_figures() -> None:
    row = published_pay_table(hall_in_preparation(), pay_table())
    figures = PayTableFigures.objects.get(pay_table=row).data
    assert figures == MATHEMATICS[GAME].figures(pay_table())
    assert figures["edges"]["bonus"]["exact"] == "19813/649740"
    assert figures["pay_table_sha256"] == digest(row.data)


@pytest.mark.django_db
def test_the_documents_halls_are_within_the_default_bands() -> None:
    halls()
    with_figures = set(PayTableFigures.objects.values_list("pay_table__hall__code", "pay_table__game"))
    assert with_figures == {(code, game) for code in ("first", "second", "vip") for game in MATHEMATICS}
    assert PayTable.objects.count() == 3 * len(current_engines())


@pytest.mark.django_db
def test_a_pay_table_with_which_the_house_would_lose_is_refused() -> None:
    hall = hall_in_preparation()
    with pytest.raises(Refused) as refused:
        published_pay_table(hall, generous_bonus(three_of_a_kind=27))
    assert refused.value.code == "edge_not_allowed"
    (edge,) = refused.value.details["edges"]
    expected = BONUS_EDGE - 2 * Fraction(88, 4165)
    assert expected < 0
    assert (edge["kind"], edge["min_bp"], edge["max_bp"]) == ("bonus", 0, 2500)
    assert Fraction(edge["edge"]["exact"]) == expected
    assert not PayTable.objects.exists()
    assert not PayTableFigures.objects.exists()


@pytest.mark.django_db
def test_a_miserly_pay_table_is_refused_with_every_edge_that_is_outside() -> None:
    nothing = {part: dict.fromkeys(multiples, 0) for part, multiples in pay_table().items()}
    with pytest.raises(Refused) as refused:
        published_pay_table(hall_in_preparation(), nothing)
    assert [edge["kind"] for edge in refused.value.details["edges"]] == ["blind", "open", "bonus"]


@pytest.mark.django_db
def test_a_pay_table_with_which_a_thinking_player_would_win_is_refused() -> None:
    """The house keeps a little of every blind box, and of an open one that is played well it loses an eighth and more."""
    hall = hall_in_preparation()
    with pytest.raises(Refused) as refused:
        published_pay_table(hall, generous_bet())
    assert refused.value.code == "edge_not_allowed"
    (edge,) = refused.value.details["edges"]
    assert (edge["kind"], edge["min_bp"], edge["max_bp"]) == ("open", 0, 2500)
    figures = MATHEMATICS[GAME].figures(generous_bet())
    returns = {name: each["return"] for name, each in figures["strategies"].items() if "return" in each}
    assert returns["best_by_combination"]["decimal"] == "1.15862406608"
    assert Fraction(edge["edge"]["exact"]) == 1 - max(Fraction(each["exact"]) for each in returns.values())
    assert 0 < Fraction(figures["edges"]["blind"]["exact"]) < Fraction(1, 100)
    assert not PayTable.objects.exists()
    row = published_pay_table(edited(hall, bands("open", None, None)), generous_bet())
    assert PayTableFigures.objects.get(pay_table=row).data["edges"]["open"] == edge["edge"]


def test_an_open_box_is_worth_at_least_a_blind_one() -> None:
    for table in (pay_table(), generous_bet(), pay_table(pair=0, ace_king=0)):
        edges = MATHEMATICS[GAME].edges(table)
        assert tuple(edges) == MATHEMATICS[GAME].edge_kinds
        assert edges["open"] <= edges["blind"]


def test_a_band_includes_its_bounds_exactly() -> None:
    assert EdgeBand(305, 305).allows(Fraction(305, 10_000))
    assert not EdgeBand(305, None).allows(BONUS_EDGE)  # 304.937…
    assert EdgeBand(304, 305).allows(BONUS_EDGE)
    assert not EdgeBand(None, 304).allows(BONUS_EDGE)
    assert EdgeBand(None, None).allows(Fraction(-5))


@pytest.mark.django_db
def test_a_hall_changes_what_it_allows_and_leaves_a_record() -> None:
    hall = edited(hall_in_preparation(), bands("bonus", None, None))
    assert edge_bands(hall.edge_bands)[GAME] == {
        "blind": EdgeBand(0, 2500),
        "open": EdgeBand(0, 2500),
        "bonus": EdgeBand(None, None),
    }
    record = AuditRecord.objects.get(action="hall_edited")
    assert record.before is not None and record.after is not None
    default = {"min_bp": 0, "max_bp": 2500}
    assert record.before["edge_bands"] == {GAME: {"blind": default, "open": default, "bonus": default}}
    unbounded = {"min_bp": None, "max_bp": None}
    assert record.after["edge_bands"] == {GAME: {"blind": default, "open": default, "bonus": unbounded}}
    row = published_pay_table(hall, generous_bonus(three_of_a_kind=27))
    assert Fraction(PayTableFigures.objects.get(pay_table=row).data["edges"]["bonus"]["exact"]) < 0
    hall = edited(hall, bands("blind", 900, 1100))
    assert hall.edge_bands[GAME].keys() == {"blind", "bonus"}


@pytest.mark.django_db
def test_bands_count_for_what_is_published_from_then_on() -> None:
    hall = hall_in_preparation()
    published_pay_table(hall, pay_table())
    hall = edited(hall, bands("bonus", 400, 500))
    with pytest.raises(Refused):
        pay_table_publish(
            actor=staff(), hall_id=hall.public_id, version=hall.version, game=GAME, data=pay_table(), reason="the same again"
        )
    assert PayTable.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        (bands("bonus", 2, 1), "edge_bands.russian_poker.bonus.min_bp"),
        (bands("ante", 0, 1), "edge_bands.russian_poker.ante"),
        ({"rapira": {"stake": {"min_bp": 0, "max_bp": 1}}}, "edge_bands.rapira"),
    ],
)
@pytest.mark.django_db
def test_bands_that_make_no_sense_are_refused(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        edited(hall_in_preparation(), changes)
    assert refused.value.details["field"] == field


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("constraint", "sql"),
    [
        ("halls_paytablefigures_pkey", "INSERT INTO halls_paytablefigures SELECT * FROM halls_paytablefigures"),
        ("paytablefigures_object", "INSERT INTO halls_paytablefigures (pay_table_id, data) VALUES (0, '[]')"),
        ("hall_edge_bands_object", "UPDATE halls_hall SET edge_bands = '[]'"),
    ],
)
def test_the_database_knows_what_figures_and_bands_are(constraint: str, sql: str) -> None:
    published_pay_table(hall_in_preparation(), pay_table())
    with pytest.raises(DatabaseError, match=constraint), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


def test_what_a_hall_allowed_is_renamed_with_the_kind_of_bet(committed_db: str) -> None:
    """The edge of a blind box was called ante, as its stake is."""
    hall = edited(hall_in_preparation(), bands("blind", 900, None))
    other = edited(hall_in_preparation("other"), bands("bonus", 1, 2))
    call_command("migrate", "halls", "0002", database="owner", verbosity=0)
    hall.refresh_from_db()
    assert hall.edge_bands == bands("ante", 900, None)
    call_command("migrate", database="owner", verbosity=0)
    for each, expected in ((hall, bands("blind", 900, None)), (other, bands("bonus", 1, 2))):
        each.refresh_from_db()
        assert each.edge_bands == expected


@pytest.mark.parametrize("change", ["UPDATE {} SET data = '{{}}'", "DELETE FROM {}", "TRUNCATE {}"])
def test_even_their_owner_cannot_change_figures(owner_connection: psycopg.Connection, change: str) -> None:
    published_pay_table(hall_in_preparation(), pay_table())
    with pytest.raises(psycopg.errors.RestrictViolation, match="halls_paytablefigures is append-only"):
        owner_connection.execute(change.format("halls_paytablefigures"))
