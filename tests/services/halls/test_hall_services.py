"""Creating, editing, opening and closing halls."""

import uuid
from typing import Any

import pytest

from audit.models import AuditRecord
from casino.errors import Conflict, InvalidInput, NotFound, PreconditionFailed, PreconditionRequired
from games.halls.edges import edge_bands_json
from games.halls.models import Hall
from games.halls.services import hall_close, hall_create, hall_edit, hall_open
from tests.hall_builders import NOON, hall_in_preparation, staff
from wallets.models import Account

pytestmark = pytest.mark.django_db


def last_record() -> AuditRecord:
    record = AuditRecord.objects.order_by("id").last()
    assert record is not None
    return record


def test_a_new_hall_is_closed_and_has_its_accounts() -> None:
    hall = hall_in_preparation(now=NOON)
    assert (hall.is_open, hall.version, hall.created_at, hall.opened_at) == (False, 1, NOON, None)
    kinds = Account.objects.filter(hall_id=hall.pk).values_list("kind", flat=True)
    assert sorted(kinds) == ["cage", "house", "rake"]


def test_creating_a_hall_leaves_a_record() -> None:
    hall = hall_in_preparation(reason="A hall for tests")
    record = last_record()
    assert (record.action, record.actor_name, record.reason) == ("hall_created", "author", "A hall for tests")
    assert (record.subject_id, record.hall_id, record.before) == (str(hall.public_id), hall.pk, None)
    assert record.after == {
        "code": "test",
        "name": "Test hall",
        "currency": "EUR",
        "time_zone": "Europe/Vienna",
        "is_open": False,
        "edge_bands": edge_bands_json({}),
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("code", ""),
        ("code", "First"),
        ("code", "a" * 33),
        ("code", "first\n"),
        ("name", ""),
        ("name", " Hall"),
        ("name", "Hall\x00"),
        ("name", "h" * 81),
        ("currency", "eur"),
        ("currency", "EURO"),
        ("currency", "EU\u0420"),
        ("time_zone", "Mars/Olympus"),
        ("time_zone", "../../etc/passwd"),
        ("time_zone", "localtime"),
        ("time_zone", "Factory"),
    ],
)
def test_nonsense_is_refused_with_the_field_named(field: str, value: str) -> None:
    fields: dict[str, Any] = {"code": "test", "name": "Test", "currency": "EUR", "time_zone": "UTC", "reason": "test"}
    with pytest.raises(InvalidInput) as refusal:
        hall_create(actor=staff(), **{**fields, field: value})
    assert refusal.value.details == {"field": field}
    assert not Hall.objects.exists()
    assert not AuditRecord.objects.exists()


def test_two_halls_never_share_a_code() -> None:
    hall_in_preparation("same")
    with pytest.raises(Conflict, match="code") as refusal:
        hall_in_preparation("same")
    assert refusal.value.code == "hall_code_taken"
    assert Hall.objects.count() == AuditRecord.objects.count() == 1


def test_an_edit_changes_what_it_names_and_records_both_sides() -> None:
    hall = hall_in_preparation()
    edited = hall_edit(actor=staff(), hall_id=hall.public_id, version=1, name="Grand hall", reason="New sign")
    hall.refresh_from_db()
    assert (hall.name, hall.time_zone, hall.version) == ("Grand hall", "Europe/Vienna", 2)
    assert edited.version == 2
    record = last_record()
    assert record.before is not None and record.after is not None
    assert (record.before["name"], record.after["name"], record.reason) == ("Test hall", "Grand hall", "New sign")


def test_an_edit_of_nothing_is_refused() -> None:
    hall = hall_in_preparation()
    with pytest.raises(InvalidInput):
        hall_edit(actor=staff(), hall_id=hall.public_id, version=1, reason="None")
    hall.refresh_from_db()
    assert hall.version == 1


def test_a_hall_opens_and_closes_once() -> None:
    hall = hall_in_preparation()
    opened = hall_open(actor=staff(), hall_id=hall.public_id, version=1, reason="Start", now=NOON)
    assert (opened.is_open, opened.opened_at, opened.version) == (True, NOON, 2)
    with pytest.raises(Conflict) as refusal:
        hall_open(actor=staff(), hall_id=hall.public_id, version=2, reason="Again")
    assert refusal.value.code == "hall_open"
    closed = hall_close(actor=staff(), hall_id=hall.public_id, version=2, reason="Night")
    assert (closed.is_open, closed.opened_at, closed.version) == (False, NOON, 3)
    with pytest.raises(Conflict) as refusal:
        hall_close(actor=staff(), hall_id=hall.public_id, version=3, reason="Again")
    assert refusal.value.code == "hall_closed"
    assert list(AuditRecord.objects.order_by("id").values_list("action", flat=True)) == [
        "hall_created",
        "hall_opened",
        "hall_closed",
    ]


@pytest.mark.parametrize("service", [hall_edit, hall_open, hall_close])
@pytest.mark.parametrize(("version", "kind"), [(None, PreconditionRequired), (2, PreconditionFailed), (0, PreconditionFailed)])
def test_a_change_needs_the_version_that_is_there(service: Any, version: int | None, kind: type[Exception]) -> None:
    hall = hall_in_preparation()
    extra = {"name": "Other"} if service is hall_edit else {}
    with pytest.raises(kind):
        service(actor=staff(), hall_id=hall.public_id, version=version, reason="test", **extra)
    after = Hall.objects.get()
    assert (after.name, after.is_open, after.version) == ("Test hall", False, 1)
    assert AuditRecord.objects.count() == 1


def test_an_unknown_hall_is_not_found() -> None:
    with pytest.raises(NotFound):
        hall_open(actor=staff(), hall_id=uuid.uuid4(), version=1, reason="test")
