"""Publishing and withdrawing limit sets and pay tables."""

import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest

from audit.models import AuditRecord
from casino.errors import Conflict, InvalidInput, NotFound, PreconditionFailed, PreconditionRequired
from games.halls.models import Hall, LimitSet, PayTable
from games.halls.selectors import limit_set_in_force, pay_table_in_force, terms_for_round
from games.halls.services import hall_close, limit_set_publish, limit_set_withdraw, pay_table_publish, pay_table_withdraw
from tests.hall_builders import (
    GAME,
    HOUR,
    NOON,
    hall_in_preparation,
    limits,
    open_hall,
    pay_table,
    published_limits,
    published_pay_table,
    staff,
)

pytestmark = pytest.mark.django_db


def ante_min_at(hall: Hall, at: datetime) -> Any:
    row = limit_set_in_force(hall=hall, game=GAME, at=at)
    return row and row.data["stakes"]["ante"]["min_minor"]


def withdraw(hall: Hall, row: LimitSet, now: datetime = NOON, **changes: Any) -> LimitSet:
    arguments = {"version": hall.version, "game": GAME, "limit_set_id": row.public_id, "reason": "Mistake", **changes}
    withdrawal = limit_set_withdraw(actor=staff(), hall_id=hall.public_id, now=now, **arguments)
    hall.refresh_from_db()
    return withdrawal


def test_without_a_time_terms_take_effect_at_once() -> None:
    hall = hall_in_preparation()
    row = published_limits(hall, limits(min_minor=20))
    assert (row.effective_at, row.version, row.author, row.reason) == (NOON, 1, staff(), "test")
    assert ante_min_at(hall, NOON - timedelta(microseconds=1)) is None
    assert ante_min_at(hall, NOON) == 20


def test_scheduled_terms_wait_for_their_time() -> None:
    hall = hall_in_preparation()
    published_limits(hall, limits(min_minor=20))
    published_limits(hall, limits(min_minor=30), effective_at=NOON + HOUR)
    assert ante_min_at(hall, NOON + HOUR - timedelta(microseconds=1)) == 20
    assert ante_min_at(hall, NOON + HOUR) == 30


def test_the_latest_effective_time_counts_in_whatever_order_rows_were_written() -> None:
    hall = hall_in_preparation()
    published_limits(hall, limits(min_minor=30), effective_at=NOON + 2 * HOUR)
    published_limits(hall, limits(min_minor=20), effective_at=NOON + HOUR)
    assert [ante_min_at(hall, NOON + hours * HOUR) for hours in (0, 1, 2, 3)] == [None, 20, 30, 30]


def test_games_and_halls_have_terms_of_their_own() -> None:
    hall, other = hall_in_preparation("one"), hall_in_preparation("two")
    published_limits(hall, limits(min_minor=20))
    assert limit_set_in_force(hall=other, game=GAME, at=NOON) is None
    assert limit_set_in_force(hall=hall, game="another_game", at=NOON) is None
    assert pay_table_in_force(hall=hall, game=GAME, at=NOON) is None


def test_publishing_raises_the_halls_version_and_numbers_the_rows() -> None:
    hall = hall_in_preparation()
    versions = [published_limits(hall, limits(), effective_at=NOON + hours * HOUR).version for hours in (1, 2, 3)]
    assert versions == [1, 2, 3]
    assert published_pay_table(hall, pay_table()).version == 1
    assert hall.version == 5


def test_publishing_records_what_it_replaces() -> None:
    hall = hall_in_preparation()
    published_pay_table(hall, pay_table())
    row = published_pay_table(hall, pay_table(royal_flush=200), effective_at=NOON + HOUR)
    record = AuditRecord.objects.order_by("id").last()
    assert record is not None and record.before is not None and record.after is not None
    assert (record.action, record.hall_id, record.subject_id) == ("pay_table_published", hall.pk, str(row.public_id))
    assert record.before["data"]["bet"]["royal_flush"] == 100
    assert (record.after["data"]["bet"]["royal_flush"], record.after["version"]) == (200, 2)


@pytest.mark.parametrize("effective_at", [NOON - timedelta(microseconds=1), NOON - 400 * 24 * HOUR, NOON + 367 * 24 * HOUR])
def test_a_time_in_the_past_or_too_far_ahead_is_refused(effective_at: datetime) -> None:
    hall = hall_in_preparation()
    with pytest.raises(InvalidInput) as refusal:
        published_limits(hall, limits(), effective_at=effective_at)
    assert refusal.value.details == {"field": "effective_at"}
    assert_nothing_changed(hall)


def test_one_effective_time_has_one_row() -> None:
    hall = hall_in_preparation()
    published_limits(hall, limits(min_minor=20), effective_at=NOON + HOUR)
    with pytest.raises(Conflict) as refusal:
        published_limits(hall, limits(min_minor=30), effective_at=NOON + HOUR)
    assert refusal.value.code == "effective_time_taken"
    assert LimitSet.objects.count() == 1
    assert ante_min_at(hall, NOON + HOUR) == 20


def test_a_withdrawn_row_never_takes_effect_and_frees_its_time() -> None:
    hall = hall_in_preparation()
    published_limits(hall, limits(min_minor=20))
    mistake = published_limits(hall, limits(min_minor=30), effective_at=NOON + HOUR)
    withdrawal = withdraw(hall, mistake)
    assert (withdrawal.data, withdrawal.effective_at, withdrawal.version) == (None, NOON + HOUR, 3)
    assert ante_min_at(hall, NOON + 2 * HOUR) == 20
    published_limits(hall, limits(min_minor=40), effective_at=NOON + HOUR)
    assert ante_min_at(hall, NOON + 2 * HOUR) == 40
    assert LimitSet.objects.count() == 4
    record = AuditRecord.objects.filter(action="limit_set_withdrawn").get()
    assert record.before is not None and record.after is not None
    assert (record.before["id"], record.after["data"], record.reason) == (str(mistake.public_id), None, "Mistake")


def test_a_row_is_withdrawn_once_and_only_before_it_takes_effect() -> None:
    hall = hall_in_preparation()
    row = published_limits(hall, limits(), effective_at=NOON + HOUR)
    with pytest.raises(Conflict) as refusal:
        withdraw(hall, row, now=NOON + HOUR)
    assert refusal.value.code == "already_in_effect"
    withdraw(hall, row)
    with pytest.raises(Conflict) as refusal:
        withdraw(hall, row)
    assert refusal.value.code == "already_withdrawn"
    assert LimitSet.objects.count() == 2


def test_a_withdrawal_cannot_be_withdrawn_nor_another_halls_or_games_row() -> None:
    hall, other = hall_in_preparation("one"), hall_in_preparation("two")
    row = published_limits(hall, limits(), effective_at=NOON + HOUR)
    withdrawal = withdraw(hall, row)
    foreign = published_limits(other, limits(), effective_at=NOON + HOUR)
    for changes in (
        {"limit_set_id": withdrawal.public_id},
        {"limit_set_id": foreign.public_id},
        {"limit_set_id": uuid.uuid4()},
        {"game": "another_game"},
    ):
        with pytest.raises(NotFound):
            withdraw(hall, row, **changes)
    assert LimitSet.objects.count() == 3


def test_pay_tables_are_withdrawn_alike() -> None:
    hall = open_hall()
    row = published_pay_table(hall, pay_table(royal_flush=200), effective_at=NOON + HOUR)
    pay_table_withdraw(
        actor=staff(),
        hall_id=hall.public_id,
        version=hall.version,
        game=GAME,
        pay_table_id=row.public_id,
        reason="Mistake",
        now=NOON,
    )
    in_force = pay_table_in_force(hall=hall, game=GAME, at=NOON + HOUR)
    assert in_force is not None and in_force.data["bet"]["royal_flush"] == 100


@pytest.mark.parametrize(("version", "kind"), [(None, PreconditionRequired), (7, PreconditionFailed)])
def test_terms_need_the_version_of_the_hall_that_is_there(version: int | None, kind: type[Exception]) -> None:
    hall = hall_in_preparation()
    arguments: dict[str, Any] = {"actor": staff(), "hall_id": hall.public_id, "version": version, "reason": "test"}
    with pytest.raises(kind):
        limit_set_publish(**arguments, game=GAME, data=limits())
    with pytest.raises(kind):
        pay_table_publish(**arguments, game=GAME, data=pay_table())
    with pytest.raises(kind):
        limit_set_withdraw(**arguments, game=GAME, limit_set_id=uuid.uuid4())
    assert_nothing_changed(hall)


def test_a_round_opens_with_the_terms_of_its_moment() -> None:
    hall = open_hall()
    published_limits(hall, limits(min_minor=30), effective_at=NOON + HOUR)
    before = terms_for_round(hall=hall, game=GAME, at=NOON)
    after = terms_for_round(hall=hall, game=GAME, at=NOON + HOUR)
    assert before.limit_set.data["stakes"]["ante"]["min_minor"] == 10
    assert after.limit_set.data["stakes"]["ante"]["min_minor"] == 30
    assert before.pay_table == after.pay_table
    before.limit_set.refresh_from_db()
    assert before.limit_set.data["stakes"]["ante"]["min_minor"] == 10


def test_a_closed_hall_and_a_game_without_terms_open_no_round() -> None:
    hall = open_hall()
    with pytest.raises(Conflict) as refusal:
        terms_for_round(hall=hall, game="another_game", at=NOON)
    assert refusal.value.code == "game_not_offered"
    with pytest.raises(Conflict) as refusal:
        terms_for_round(hall=hall, game=GAME, at=NOON - 3 * HOUR)
    assert refusal.value.code == "game_not_offered"
    closed = hall_close(actor=staff(), hall_id=hall.public_id, version=hall.version, reason="Night")
    with pytest.raises(Conflict) as refusal:
        terms_for_round(hall=closed, game=GAME, at=NOON)
    assert refusal.value.code == "hall_closed"


def changed(data: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    *parents, last = path.split(".")
    inner = data
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("stakes.ante.min_minor", 2000, "stakes.ante"),
        ("stakes.ante.step_minor", 30, "stakes.ante"),
        ("stakes.ante.step_minor", 0, "stakes.ante.step_minor"),
        ("stakes.ante.min_minor", 0, "stakes.ante.min_minor"),
        ("stakes.bonus.min_minor", -10, "stakes.bonus.min_minor"),
        ("stakes.bonus.max_minor", 10.0, "stakes.bonus.max_minor"),
        ("stakes.bonus.max_minor", "200", "stakes.bonus.max_minor"),
        ("stakes.bonus.max_minor", True, "stakes.bonus.max_minor"),
        ("stakes.bonus.max_minor", 2**53, "stakes.bonus.max_minor"),
        ("stakes.bonus.extra", 1, "stakes.bonus.extra"),
        ("stakes.blind", {"min_minor": 1, "max_minor": 1, "step_minor": 1}, "stakes.blind"),
        ("max_payout_minor", 0, "max_payout_minor"),
        ("abandon_after_seconds", 0, "abandon_after_seconds"),
        ("abandon_after_seconds", None, "abandon_after_seconds"),
        ("currency", "EUR", "currency"),
    ],
)
def test_rp_2_4_nonsensical_limits_are_refused_with_the_field_named(path: str, value: Any, field: str) -> None:
    hall = hall_in_preparation()
    with pytest.raises(InvalidInput) as refusal:
        published_limits(hall, changed(limits(), path, value))
    assert refusal.value.details["field"].startswith(f"data.{field}")
    assert_nothing_changed(hall)


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("bet.flush", 3, "bet"),
        ("bet.pair", -1, "bet.pair"),
        ("bet.pair", 1.5, "bet.pair"),
        ("bet.five_of_a_kind", 500, "bet.five_of_a_kind"),
        ("bonus.two_pair", 1, "bonus.two_pair"),
        ("bonus.royal_flush", 1, "bonus"),
        ("rake", 1, "rake"),
    ],
)
def test_rp_1_2_nonsensical_pay_tables_are_refused_with_the_field_named(path: str, value: Any, field: str) -> None:
    hall = hall_in_preparation()
    with pytest.raises(InvalidInput) as refusal:
        published_pay_table(hall, changed(pay_table(), path, value))
    assert refusal.value.details["field"].startswith(f"data.{field}")
    assert_nothing_changed(hall)


def assert_nothing_changed(hall: Hall) -> None:
    hall.refresh_from_db()
    assert hall.version == 1
    assert not LimitSet.objects.exists()
    assert not PayTable.objects.exists()
    assert AuditRecord.objects.values_list("action", flat=True).get() == "hall_created"
