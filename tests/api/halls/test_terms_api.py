"""Limit sets and pay tables over HTTP."""

import uuid
from datetime import timedelta
from typing import Any

import pytest

from audit.models import AuditRecord
from casino.db import now
from casino.permissions import Role
from games.halls.models import Hall, LimitSet, PayTable
from tests.hall_builders import GAME, caller, hall_in_preparation, limits, open_hall, pay_table

pytestmark = pytest.mark.django_db

TOMORROW = timedelta(days=1)


def game_path(hall: Hall, rest: str = "") -> str:
    return f"/api/v1/halls/{hall.public_id}/games/{GAME}{rest}"


def publish(hall: Hall, kind: str, data: Any, client: Any = None, etag: str | None = None, **extra: Any) -> Any:
    etag = etag or f'"{Hall.objects.get(pk=hall.pk).version}"'
    body = {"data": data, "reason": "test", **extra}
    return (client or caller(Role.ADMIN)).post(game_path(hall, f"/{kind}"), body, HTTP_IF_MATCH=etag)


def moment(after: timedelta = TOMORROW) -> str:
    return (now() + after).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_rp_8_2_a_player_without_a_cent_sees_limits_timers_and_pay_table() -> None:
    hall = open_hall()
    shown = caller(Role.PLAYER).get(game_path(hall))
    assert shown.status_code == 200
    offer = shown.json()
    assert offer["minimum_stakes_minor"] == {"ante": 10, "bonus": 10}
    assert (offer["hall_id"], offer["game"], offer["currency"]) == (str(hall.public_id), GAME, "EUR")
    assert offer["limit_set"]["data"] == limits()
    assert offer["limit_set"]["data"]["abandon_after_seconds"] == 86_400
    assert offer["pay_table"]["data"] == pay_table()
    assert offer["next_limit_set"] is offer["next_pay_table"] is None
    assert caller(Role.PLAYER).get(game_path(hall), HTTP_IF_NONE_MATCH=shown["ETag"]).status_code == 304
    assert caller(Role.PLAYER).get(f"/api/v1/halls/{hall.public_id}/games").json() == {"results": [offer]}


def test_an_operator_publishes_limits_for_their_hall() -> None:
    hall = open_hall()
    operator = caller(Role.OPERATOR, hall)
    published = publish(hall, "limit-sets", limits(min_minor=20), operator, reason="Busy evening")
    assert published.status_code == 201
    row = published.json()
    assert (row["version"], row["status"], row["reason"]) == (2, "in_force", "Busy evening")
    assert row["author"]["username"] == "operator"
    assert published["ETag"] == caller(Role.PLAYER).get(f"/api/v1/halls/{hall.public_id}")["ETag"]
    offer = caller(Role.PLAYER).get(game_path(hall)).json()
    assert offer["minimum_stakes_minor"]["ante"] == 20
    assert offer["limit_set"] == {key: row[key] for key in ("id", "version", "effective_at", "data")}
    record = AuditRecord.objects.get(action="limit_set_published", reason="Busy evening")
    assert (record.actor_name, record.hall_id, record.subject_id) == ("operator", hall.pk, row["id"])


def test_a_scheduled_change_is_announced_before_it_counts() -> None:
    hall = open_hall()
    at = moment()
    published = publish(hall, "pay-tables", pay_table(royal_flush=200), effective_at=at)
    assert (published.status_code, published.json()["effective_at"], published.json()["status"]) == (201, at, "scheduled")
    offer = caller(Role.PLAYER).get(game_path(hall)).json()
    assert offer["pay_table"]["data"]["bet"]["royal_flush"] == 100
    assert offer["next_pay_table"]["data"]["bet"]["royal_flush"] == 200
    assert offer["next_pay_table"]["effective_at"] == at


def test_a_scheduled_change_is_withdrawn_by_a_further_row() -> None:
    hall = open_hall()
    row = publish(hall, "limit-sets", limits(min_minor=20), effective_at=moment()).json()
    etag = f'"{Hall.objects.get().version}"'
    path = game_path(hall, f"/limit-sets/{row['id']}/withdraw")
    withdrawal = caller(Role.ADMIN).post(path, {"reason": "Mistake"}, HTTP_IF_MATCH=etag)
    assert (withdrawal.status_code, withdrawal.json()["status"], withdrawal.json()["data"]) == (201, "withdrawal", None)
    assert caller(Role.PLAYER).get(game_path(hall)).json()["next_limit_set"] is None
    again = caller(Role.ADMIN).post(path, {"reason": "Mistake"}, HTTP_IF_MATCH=withdrawal["ETag"])
    assert (again.status_code, again.json()["code"]) == (409, "already_withdrawn")
    assert LimitSet.objects.count() == 3


def test_what_counts_already_is_not_withdrawn() -> None:
    hall = open_hall()
    row = publish(hall, "pay-tables", pay_table(royal_flush=200)).json()
    etag = f'"{Hall.objects.get().version}"'
    path = game_path(hall, f"/pay-tables/{row['id']}/withdraw")
    refused = caller(Role.ADMIN).post(path, {"reason": "Mistake"}, HTTP_IF_MATCH=etag)
    assert (refused.status_code, refused.json()["code"]) == (409, "already_in_effect")
    unknown = game_path(hall, f"/pay-tables/{uuid.uuid4()}/withdraw")
    assert caller(Role.ADMIN).post(unknown, {"reason": "Mistake"}, HTTP_IF_MATCH=etag).status_code == 404
    assert PayTable.objects.count() == 2


def test_the_history_keeps_every_row_with_author_and_reason() -> None:
    hall = open_hall()
    later = publish(hall, "limit-sets", limits(min_minor=20), effective_at=moment(), reason="Later").json()
    publish(hall, "limit-sets", limits(min_minor=30), reason="Now")
    mistake = publish(hall, "limit-sets", limits(min_minor=40), effective_at=moment(2 * TOMORROW), reason="Mistake").json()
    caller(Role.ADMIN).post(
        game_path(hall, f"/limit-sets/{mistake['id']}/withdraw"),
        {"reason": "Taken back"},
        HTTP_IF_MATCH=f'"{Hall.objects.get().version}"',
    )
    history = caller(Role.AUDITOR).get(game_path(hall, "/limit-sets")).json()["results"]
    assert [(row["version"], row["status"], row["reason"], row["author"]["username"]) for row in history] == [
        (5, "withdrawal", "Taken back", "admin"),
        (4, "withdrawn", "Mistake", "admin"),
        (3, "in_force", "Now", "admin"),
        (2, "scheduled", "Later", "admin"),
        (1, "superseded", "test", "author"),
    ]
    assert history[3] == later


def test_histories_are_for_those_who_oversee_the_hall() -> None:
    hall, other = open_hall("own"), open_hall("other")
    for path in (game_path(hall, "/limit-sets"), game_path(hall, "/pay-tables")):
        for client in (
            caller(Role.ADMIN),
            caller(Role.AUDITOR),
            caller(Role.SUPERVISOR),
            caller(Role.OPERATOR, hall, name="operator-own"),
        ):
            assert client.get(path).status_code == 200
        for client in (
            caller(Role.PLAYER),
            caller(Role.CASHIER, hall),
            caller(Role.OPERATOR, other, name="operator-other"),
        ):
            assert client.get(path).status_code == 403


def test_only_operators_of_the_hall_and_admins_publish() -> None:
    hall, other = open_hall("own"), open_hall("other")
    versions = dict(Hall.objects.values_list("code", "version"))
    for client in (
        caller(Role.PLAYER),
        caller(Role.CASHIER, hall),
        caller(Role.SUPERVISOR),
        caller(Role.AUDITOR),
        caller(Role.OPERATOR, other),
    ):
        assert publish(hall, "limit-sets", limits(min_minor=20), client).status_code == 403
        assert publish(hall, "pay-tables", pay_table(royal_flush=200), client).status_code == 403
        path = game_path(hall, f"/limit-sets/{uuid.uuid4()}/withdraw")
        assert client.post(path, {"reason": "test"}, HTTP_IF_MATCH='"4"').status_code == 403
    assert dict(Hall.objects.values_list("code", "version")) == versions
    assert LimitSet.objects.count() == PayTable.objects.count() == 2


@pytest.mark.parametrize(("if_match", "status"), [("", 428), ('"1"', 412), ("*", 412)])
def test_terms_need_the_halls_etag(if_match: str, status: int) -> None:
    hall = open_hall()
    body = {"data": limits(min_minor=20), "reason": "test"}
    refused = caller(Role.ADMIN).post(game_path(hall, "/limit-sets"), body, HTTP_IF_MATCH=if_match)
    assert refused.status_code == status
    assert LimitSet.objects.count() == 1


def test_a_retry_with_its_key_publishes_once() -> None:
    hall = open_hall()
    body = {"data": limits(min_minor=20), "reason": "test"}
    headers: dict[str, Any] = {"HTTP_IF_MATCH": f'"{hall.version}"', "HTTP_IDEMPOTENCY_KEY": "limits-1"}
    first = caller(Role.ADMIN).post(game_path(hall, "/limit-sets"), body, **headers)
    again = caller(Role.ADMIN).post(game_path(hall, "/limit-sets"), body, **headers)
    assert (first.status_code, again.content, again["Idempotency-Replayed"]) == (201, first.content, "true")
    assert LimitSet.objects.count() == 2


def test_one_effective_time_has_one_row() -> None:
    hall = open_hall()
    at = moment()
    assert publish(hall, "limit-sets", limits(), effective_at=at).status_code == 201
    refused = publish(hall, "limit-sets", limits(min_minor=20), effective_at=at)
    assert (refused.status_code, refused.json()["code"]) == (409, "effective_time_taken")
    assert refused.json()["details"]["field"] == "effective_at"
    assert LimitSet.objects.count() == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"data": limits(max_minor=5)}, "data.stakes.ante"),
        ({"data": limits(step_minor=30)}, "data.stakes.ante"),
        ({"data": limits(step_minor=0)}, "data.stakes.ante.step_minor"),
        ({"data": limits() | {"stakes": {}}}, "data.stakes.ante"),
        ({"data": limits() | {"hall": "first"}}, "data.hall"),
        ({"data": limits() | {"abandon_after_seconds": 0.5}}, "data.abandon_after_seconds"),
        ({"data": limits() | {"abandon_after_seconds": "60"}}, "data.abandon_after_seconds"),
        ({"data": []}, "data"),
        ({"data": {}}, "data"),
        ({"data": None}, "data"),
        ({"data": limits(), "effective_at": "2020-01-01T00:00:00Z"}, "effective_at"),
        ({"data": limits(), "effective_at": "2099-01-01T00:00:00Z"}, "effective_at"),
        ({"data": limits(), "effective_at": "2030-01-01T00:00:00"}, "effective_at"),
        ({"data": limits(), "effective_at": 1_900_000_000}, "effective_at"),
        ({"data": limits(), "author": "somebody"}, "author"),
        ({"data": limits(), "reason": ""}, "reason"),
        ({"data": limits(), "reason": None}, "reason"),
    ],
)
def test_rp_2_4_nonsense_is_refused_with_the_field_named(body: dict[str, Any], field: str) -> None:
    hall = open_hall()
    sent = {"reason": "test", **body}
    refused = caller(Role.ADMIN).post(game_path(hall, "/limit-sets"), sent, HTTP_IF_MATCH=f'"{hall.version}"')
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_input")
    assert refused.json()["details"]["field"].startswith(field)
    assert LimitSet.objects.count() == 1
    assert Hall.objects.get().version == hall.version


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"flush": 3}, "data.bet"),
        ({"pair": 1.5}, "data.bet.pair"),
        ({"pair": "1"}, "data.bet.pair"),
        ({"pair": -1}, "data.bet.pair"),
        ({"five_aces": 100}, "data.bet.five_aces"),
    ],
)
def test_rp_1_2_a_nonsensical_pay_table_is_refused_with_the_field_named(changes: dict[str, Any], field: str) -> None:
    hall = open_hall()
    refused = publish(hall, "pay-tables", pay_table(**changes))
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_input")
    assert refused.json()["details"]["field"].startswith(field)
    assert PayTable.objects.count() == 1


def test_an_unknown_game_is_not_found() -> None:
    hall = open_hall()
    path = f"/api/v1/halls/{hall.public_id}/games/whist"
    admin = caller(Role.ADMIN)
    assert admin.get(path).status_code == 404
    body = {"data": limits(), "reason": "test"}
    assert admin.post(f"{path}/limit-sets", body, HTTP_IF_MATCH=f'"{hall.version}"').status_code == 404


def test_a_game_without_terms_is_not_offered() -> None:
    hall = hall_in_preparation()
    admin = caller(Role.ADMIN)
    assert admin.get(game_path(hall)).status_code == 404
    publish(hall, "limit-sets", limits())
    assert admin.get(game_path(hall)).status_code == 404
    assert admin.get(f"/api/v1/halls/{hall.public_id}/games").json() == {"results": []}
    publish(hall, "pay-tables", pay_table())
    assert admin.get(game_path(hall)).status_code == 200
