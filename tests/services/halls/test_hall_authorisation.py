"""Who may change a hall is decided by the services, whoever calls them, and told before the state of the hall."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from casino.errors import DomainError, Forbidden, NotFound, PreconditionFailed, PreconditionRequired
from casino.permissions import HALL_ROLES, Role
from casino.users.models import RoleGrant, User
from games.halls.models import Hall, LimitSet
from games.halls.selectors import hall_list, may_know, terms_list
from games.halls.services import (
    hall_close,
    hall_create,
    hall_edit,
    hall_open,
    limit_set_publish,
    limit_set_withdraw,
    pay_table_publish,
    pay_table_withdraw,
)
from tests.hall_builders import GAME, NOON, caller, hall_in_preparation, limits, open_hall, pay_table, staff

pytestmark = pytest.mark.django_db

CHANGES: list[Callable[..., Any]] = [
    partial(hall_edit, name="Other"),
    hall_open,
    hall_close,
    partial(limit_set_publish, game=GAME, data=limits()),
    partial(pay_table_publish, game=GAME, data=pay_table()),
    partial(limit_set_withdraw, game=GAME, limit_set_id=uuid.uuid4()),
    partial(pay_table_withdraw, game=GAME, pay_table_id=uuid.uuid4()),
]


def holder(role: Role, hall: Hall | None = None) -> User:
    user = User.objects.create(username=f"{role.value}-{hall.code if hall else 'everywhere'}")
    RoleGrant.objects.create(user=user, role=role, hall=hall)
    return user


def refusal(change: Callable[..., Any], actor: User, hall_id: uuid.UUID, version: int | None) -> type[DomainError]:
    with pytest.raises(DomainError) as refused:
        change(actor=actor, hall_id=hall_id, version=version, reason="test")
    return refused.type


@pytest.mark.parametrize("change", CHANGES)
def test_a_hall_is_changed_by_its_operators_and_by_admins(change: Callable[..., Any]) -> None:
    known, other, hidden = open_hall("known"), open_hall("other"), hall_in_preparation("hidden")
    stranger = holder(Role.OPERATOR, other)
    for actor in (stranger, holder(Role.CASHIER, known), holder(Role.SUPERVISOR), holder(Role.PLAYER)):
        assert refusal(change, actor, known.public_id, known.version) is Forbidden
    assert refusal(change, stranger, known.public_id, known.version + 1) is Forbidden, "told nothing of its version"
    assert refusal(change, stranger, hidden.public_id, hidden.version) is NotFound
    assert refusal(change, stranger, uuid.uuid4(), None) is PreconditionRequired
    for actor in (staff(), holder(Role.OPERATOR, known)):
        assert refusal(change, actor, known.public_id, known.version + 1) is PreconditionFailed
    assert Hall.objects.get(code="known").version == known.version


def test_whether_a_user_may_know_of_a_hall_is_said_of_one_as_of_all() -> None:
    known, hidden, other = open_hall("known"), hall_in_preparation("hidden"), hall_in_preparation("other")
    viewers = [holder(role, hidden if role in HALL_ROLES else None) for role in Role]
    found = [{hall.code for hall in (known, hidden, other) if may_know(viewer, hall)} for viewer in viewers]
    assert found == [{hall.code for hall in hall_list(viewer=viewer)} for viewer in viewers]
    assert sorted({len(codes) for codes in found}) == [1, 2, 3]


def test_halls_are_created_by_admins() -> None:
    fields = {"code": "new", "name": "New", "currency": "EUR", "time_zone": "UTC", "reason": "test"}
    with pytest.raises(Forbidden):
        hall_create(actor=holder(Role.OPERATOR, open_hall()), **fields)
    assert not Hall.objects.filter(code="new").exists()


def test_the_history_is_for_the_halls_operators_and_who_oversees_all() -> None:
    hall, other = open_hall("known"), open_hall("other")
    asked = {"hall_id": hall.public_id, "game": GAME, "at": NOON}
    for viewer in (holder(Role.OPERATOR, hall), holder(Role.AUDITOR), holder(Role.SUPERVISOR), staff()):
        assert len(terms_list(LimitSet, viewer=viewer, **asked)) == 1
    for viewer in (holder(Role.CASHIER, hall), holder(Role.PLAYER)):
        with pytest.raises(Forbidden):
            terms_list(LimitSet, viewer=viewer, **asked)
    with pytest.raises(Forbidden):
        terms_list(LimitSet, viewer=User.objects.get(username="operator-known"), **(asked | {"hall_id": other.public_id}))


def test_a_nonsensical_body_comes_before_the_hall_and_a_missing_version_too() -> None:
    own, other = hall_in_preparation("own"), open_hall("other")
    operator = caller(Role.OPERATOR, own)
    path = f"/api/v1/halls/{other.public_id}"
    etag = {"HTTP_IF_MATCH": f'"{other.version}"'}
    assert operator.patch(path, {"name": "", "reason": "test"}, **etag).status_code == 400
    assert operator.patch(path, {"name": "x", "reason": "test"}).status_code == 428
    assert operator.patch(path, {"name": "x", "reason": "test"}, HTTP_IF_MATCH="*").status_code == 403
    assert operator.patch(f"/api/v1/halls/{uuid.uuid4()}", {"name": "x", "reason": "test"}, HTTP_IF_MATCH="*").status_code == 404
