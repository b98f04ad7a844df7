"""The halls of the document."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from audit.models import AuditRecord
from casino.db import now
from games.halls.defaults import default_halls_create
from games.halls.models import Hall, LimitSet, PayTable
from games.halls.selectors import limit_set_in_force, pay_table_in_force
from games.halls.services import hall_close, hall_create
from tests.hall_builders import ENGINE, GAME, staff

pytestmark = pytest.mark.django_db


def test_rp_2_4_the_documents_halls_and_limits() -> None:
    halls = default_halls_create(engines=[ENGINE], author=staff())
    bounds = {}
    for hall in halls:
        assert (hall.currency, hall.is_open) == ("EUR", True)
        row = limit_set_in_force(hall=hall, game=GAME, at=now())
        assert row is not None
        stakes = row.data["stakes"]
        bounds[hall.code] = [
            (stakes[kind]["min_minor"], stakes[kind]["max_minor"], stakes[kind]["step_minor"]) for kind in ("ante", "bonus")
        ]
        assert (row.data["max_payout_minor"], row.data["abandon_after_seconds"]) == (None, 86_400)
    assert bounds == {
        "first": [(10, 1000, 10), (10, 200, 10)],
        "second": [(100, 10_000, 100), (100, 2000, 100)],
        "vip": [(2500, 100_000, 2500), (2500, 20_000, 2500)],
    }


def test_rp_1_2_the_documents_pay_table() -> None:
    for hall in default_halls_create(engines=[ENGINE], author=staff()):
        row = pay_table_in_force(hall=hall, game=GAME, at=now())
        assert row is not None
        assert sorted(row.data["bet"].values()) == [1, 1, 2, 3, 4, 5, 7, 20, 50, 100]
        assert sorted(row.data["bonus"].values()) == [25, 40, 50, 70, 200, 500, 1000]


def test_a_second_call_changes_nothing() -> None:
    halls = default_halls_create(engines=[ENGINE], author=staff())
    hall_close(actor=staff(), hall_id=halls[0].public_id, version=halls[0].version, reason="Night")
    records = AuditRecord.objects.count()
    default_halls_create(engines=[ENGINE], author=staff(), currency="USD")
    assert AuditRecord.objects.count() == records
    assert Hall.objects.filter(currency="EUR").count() == LimitSet.objects.count() == PayTable.objects.count() == 3
    assert not Hall.objects.get(code="first").is_open


def test_a_call_after_a_crash_adds_what_is_missing() -> None:
    hall_create(actor=staff(), code="first", name="First hall", currency="EUR", time_zone="UTC", reason="interrupted")
    default_halls_create(engines=[ENGINE], author=staff())
    assert Hall.objects.filter(is_open=True).count() == LimitSet.objects.count() == 3


def test_the_command_creates_them_in_the_currency_asked_for() -> None:
    staff("anna")
    output = StringIO()
    call_command("halls_create", "--author", "Anna", "--currency", "CHF", "--time-zone", "Europe/Zurich", stdout=output)
    assert set(Hall.objects.values_list("code", "currency", "time_zone")) == {
        (code, "CHF", "Europe/Zurich") for code in ("first", "second", "vip")
    }
    assert [line.split(":")[0] for line in output.getvalue().splitlines()] == ["first", "second", "vip"]
    assert set(LimitSet.objects.values_list("author__username", flat=True)) == {"anna"}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--author", "nobody"], "no active user nobody"),
        (["--author", "author", "--currency", "eur"], "currency"),
        (["--author", "author", "--time-zone", "Mars"], "time zone"),
    ],
)
def test_the_command_says_what_is_wrong(arguments: list[str], reason: str) -> None:
    staff()
    with pytest.raises(CommandError, match=reason):
        call_command("halls_create", *arguments)
    assert not Hall.objects.exists()
