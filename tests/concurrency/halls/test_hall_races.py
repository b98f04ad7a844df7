"""Operators against each other, and against rounds being opened; each race with its control without the lock."""

import threading
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from audit.models import AuditRecord
from casino.db import now, unit_of_work
from casino.errors import Conflict, PreconditionFailed
from casino.permissions import Role
from games.halls import services
from games.halls.defaults import default_halls_create
from games.halls.locks import hall_lock, hall_lock_shared
from games.halls.models import Hall, LimitSet, PayTable
from games.halls.selectors import limit_set_in_force, terms_for_round
from games.halls.services import hall_close, hall_create, hall_edit, limit_set_publish
from games.halls.terms import terms_publish
from tests.concurrency.racing import race
from tests.hall_builders import ENGINE, GAME, caller, hall_in_preparation, limits, open_hall, staff

pytestmark = pytest.mark.usefixtures("committed_db")

PUBLISHERS = 20
OpeningLock = Callable[..., Hall]


def hall_without_lock(*, hall_id: UUID, version: int | None = None) -> Hall:
    """What the locks answer, without locking."""
    return Hall.objects.get(public_id=hall_id)


def wait_for(condition: Callable[[], bool]) -> None:
    """Ask until something holds; the wait for a lock that never comes ends by the lock timeout."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline


def somebody_waits_for_the_hall() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("""
            SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
            WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()
        """)
        return bool(cursor.fetchone()[0])


def test_of_many_operators_with_one_version_one_publishes() -> None:
    hall = hall_in_preparation()
    author = staff()

    def publish(number: int) -> LimitSet:
        return limit_set_publish(
            actor=author,
            hall_id=hall.public_id,
            version=hall.version,
            game=GAME,
            data=limits(max_minor=10 * number),
            reason=f"Publisher {number}",
        )

    outcomes = race([partial(publish, number) for number in range(1, PUBLISHERS + 1)])
    published = [outcome for outcome in outcomes if isinstance(outcome, LimitSet)]
    refused = [outcome for outcome in outcomes if isinstance(outcome, PreconditionFailed)]
    assert (len(published), len(refused)) == (1, PUBLISHERS - 1)
    row = LimitSet.objects.get()
    assert (row.pk, row.version) == (published[0].pk, 1)
    assert AuditRecord.objects.get(action="limit_set_published").reason == row.reason
    assert Hall.objects.get().version == 2


def test_two_patches_with_one_etag_are_200_and_412() -> None:
    hall = hall_in_preparation()
    path = f"/api/v1/halls/{hall.public_id}"
    admins = [caller(Role.ADMIN, name=name) for name in ("admin-one", "admin-two")]

    def patch(client: Any, name: str) -> Any:
        return client.patch(path, {"name": name, "reason": "test"}, HTTP_IF_MATCH='"1"')

    answers = race([partial(patch, client, name) for client, name in zip(admins, ("One", "Two"), strict=True)])
    assert sorted(answer.status_code for answer in answers) == [200, 412]
    winner = next(answer for answer in answers if answer.status_code == 200)
    assert (Hall.objects.get().name, Hall.objects.get().version) == (winner.json()["name"], 2)


def edit_both_fields_at_once(hall: Hall) -> list[Any]:
    author = staff()
    return race(
        [
            lambda: hall_edit(actor=author, hall_id=hall.public_id, version=1, reason="Name", name="Renamed"),
            lambda: hall_edit(actor=author, hall_id=hall.public_id, version=1, reason="Zone", time_zone="Asia/Tokyo"),
        ]
    )


def test_no_edit_overwrites_another() -> None:
    hall = hall_in_preparation()
    outcomes = edit_both_fields_at_once(hall)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Hall", "PreconditionFailed"]
    after = Hall.objects.get()
    assert (after.name == "Renamed") != (after.time_zone == "Asia/Tokyo")
    assert after.version == 2


def test_control_without_the_lock_an_edit_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    both_have_read = threading.Barrier(2)

    def read_at_once(*, hall_id: UUID, version: int | None) -> Hall:
        hall = hall_without_lock(hall_id=hall_id)
        both_have_read.wait(timeout=60)
        return hall

    monkeypatch.setattr(services, "hall_lock", read_at_once)
    outcomes = edit_both_fields_at_once(hall_in_preparation())
    assert [type(outcome) for outcome in outcomes] == [Hall, Hall]
    after = Hall.objects.get()
    assert (after.name == "Renamed") != (after.time_zone == "Asia/Tokyo")
    assert after.version == 2


def close_while_a_round_opens(lock: OpeningLock) -> list[str]:
    """Close a hall between an opening's look at it and that opening's commit; tell what was finished in which order."""
    hall, author = open_hall(), staff()
    has_looked, is_closed = threading.Event(), threading.Event()
    order: list[str] = []

    def opening() -> None:
        with unit_of_work():
            terms_for_round(hall=lock(hall_id=hall.public_id), game=GAME, at=now())
            has_looked.set()
            wait_for(lambda: is_closed.is_set() or somebody_waits_for_the_hall())
            order.append("opened")

    def closing() -> None:
        has_looked.wait(timeout=60)
        hall_close(actor=author, hall_id=hall.public_id, version=hall.version, reason="Night")
        order.append("closed")
        is_closed.set()

    assert race([opening, closing]) == [None, None]
    return order


def test_no_round_opens_after_a_closing_was_answered() -> None:
    assert close_while_a_round_opens(hall_lock_shared) == ["opened", "closed"]
    with pytest.raises(Conflict) as refusal, unit_of_work():
        hall = hall_lock_shared(hall_id=Hall.objects.get().public_id)
        terms_for_round(hall=hall, game=GAME, at=now())
    assert refusal.value.code == "hall_closed"


def test_control_without_the_lock_a_round_opens_in_a_closed_hall() -> None:
    assert close_while_a_round_opens(hall_without_lock) == ["closed", "opened"]


def open_while_limits_are_published(lock: OpeningLock) -> tuple[LimitSet, LimitSet | None]:
    """Open a round between the writing and the commit of new limits; answer the limits it got and those of its moment."""
    hall, author = open_hall(), staff()
    is_written, has_opened = threading.Event(), threading.Event()
    opened: list[tuple[datetime, LimitSet]] = []

    def publishing() -> None:
        with unit_of_work():
            locked = hall_lock(hall_id=hall.public_id, version=hall.version)
            terms_publish(
                LimitSet,
                hall=locked,
                actor=author,
                game=GAME,
                data=limits(min_minor=20),
                reason="test",
                effective_at=None,
                now=None,
            )
            is_written.set()
            wait_for(lambda: has_opened.is_set() or somebody_waits_for_the_hall())

    def opening() -> None:
        is_written.wait(timeout=60)
        with unit_of_work():
            seen = lock(hall_id=hall.public_id)
            moment = now()
            opened.append((moment, terms_for_round(hall=seen, game=GAME, at=moment).limit_set))
        has_opened.set()

    assert race([publishing, opening]) == [None, None]
    [(moment, used)] = opened
    return used, limit_set_in_force(hall=hall, game=GAME, at=moment)


def test_a_round_gets_exactly_the_limits_of_its_opening_time() -> None:
    used, in_force = open_while_limits_are_published(hall_lock_shared)
    assert used == in_force
    assert used.data["stakes"]["ante"]["min_minor"] == 20


def test_control_without_the_lock_a_round_gets_limits_that_had_ended() -> None:
    used, in_force = open_while_limits_are_published(hall_without_lock)
    assert used != in_force
    assert used.data["stakes"]["ante"]["min_minor"] == 10


def test_openings_do_not_wait_for_each_other() -> None:
    hall = open_hall()
    all_inside = threading.Barrier(5)

    def opening() -> int:
        with unit_of_work():
            terms_for_round(hall=hall_lock_shared(hall_id=hall.public_id), game=GAME, at=now())
            return all_inside.wait(timeout=60)

    assert sorted(race([opening] * 5)) == [0, 1, 2, 3, 4]


def test_two_halls_with_one_code_at_once_are_one() -> None:
    author = staff()

    def create() -> Hall:
        return hall_create(actor=author, code="same", name="Same", currency="EUR", time_zone="UTC", reason="test")

    outcomes = race([create] * 5)
    refused = [outcome for outcome in outcomes if isinstance(outcome, Conflict)]
    assert {refusal.code for refusal in refused} == {"hall_code_taken"}
    assert len(refused) == 4
    assert Hall.objects.count() == AuditRecord.objects.count() == 1


def test_a_lock_needs_a_transaction() -> None:
    hall = open_hall()
    with pytest.raises(RuntimeError):
        hall_lock_shared(hall_id=hall.public_id)
    with pytest.raises(RuntimeError):
        hall_lock(hall_id=hall.public_id, version=hall.version)


def test_the_documents_halls_made_twice_at_once_are_three() -> None:
    author = staff()
    race([lambda: default_halls_create(engines=[ENGINE], author=author)] * 2)
    default_halls_create(engines=[ENGINE], author=author)
    assert Hall.objects.filter(is_open=True).count() == LimitSet.objects.count() == PayTable.objects.count() == 3
