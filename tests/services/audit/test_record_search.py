"""The trail is searched by whatever an auditor knows, and each way has an index."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.db import connection, transaction
from structlog.contextvars import bound_contextvars

from audit.models import AuditRecord
from audit.selectors import audit_record_list
from audit.sightings.selectors import sighting_list
from audit.trail import audit_record
from casino.db import now
from casino.users.models import User
from games.halls.models import Hall
from tests import playing


@pytest.fixture
def made(db: None) -> Mapping[str, Any]:
    """Some records of every kind, and one that each filter is to find."""
    hall = playing.halls()["first"]
    clerk = playing.user_with(name="clerk")
    start = now()
    with bound_contextvars(request_id="r-17"):
        record = audit_record(
            actor=clerk, action="sign_hung", subject=("sign", 7), before={"text": "old"}, after={"text": "new", "lit": True},
            reason="The old sign fell, again.", hall=hall,
        )  # fmt: skip
    record.refresh_from_db()
    return {"hall": hall, "clerk": clerk, "record": record, "start": start}


@pytest.mark.parametrize(
    "asked",
    [
        {"action": "sign_hung"},
        {"subject_type": "sign", "subject_id": "7"},
        {"request_id": "r-17"},
        {"reason": "sign"},
        {"reason": "OLD again"},
        {"changed": "lit"},
        {"changed": "text"},
        {"reason": "fell", "changed": "text", "action": "sign_hung"},
    ],
    ids=str,
)
def test_a_filter_finds_what_it_says_and_nothing_else(made: Mapping[str, Any], asked: dict[str, str]) -> None:
    assert list(audit_record_list(**asked)) == [made["record"]]


@pytest.mark.parametrize("asked", [{"reason": "sig"}, {"reason": "sign rose"}, {"changed": "new"}, {"action": "sign"}], ids=str)
def test_what_merely_resembles_it_is_not_found(made: Mapping[str, Any], asked: dict[str, str]) -> None:
    assert list(audit_record_list(**asked)) == []


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        ("deposit/withdrawal mixed up", "deposit"),
        ("deposit/withdrawal mixed up", "withdrawal"),
        ("refund-500 to Anna", "500"),
        ("paid out -500 twice", "500"),
        ("Slip No.7 was wrong", "7"),
        ("mistake.Corrected", "corrected"),
        ("und/oder", "oder"),
        ("see mail of user@example.com", "user@example.com example"),
        ("так/ні, або ніяк", "ні"),
    ],
)
def test_signs_between_words_hide_none(db: None, reason: str, word: str) -> None:
    record = audit_record(actor=None, action="noted", subject=("sign", 7), before=None, after=None, reason=reason)
    assert list(audit_record_list(reason=word)) == [record]


def test_by_person_hall_and_time(made: Mapping[str, Any]) -> None:
    record: AuditRecord = made["record"]
    assert list(audit_record_list(actor_id=made["clerk"].public_id)) == [record]
    assert record in audit_record_list(hall_id=made["hall"].public_id)
    assert {row.hall_public_id for row in audit_record_list(hall_id=made["hall"].public_id)} == {made["hall"].public_id}
    assert record not in audit_record_list(hall_id=Hall.objects.get(code="vip").public_id)
    assert list(audit_record_list(hall_id=uuid4())) == []
    assert list(audit_record_list(action="sign_hung", at_from=record.at)) == [record]
    assert list(audit_record_list(action="sign_hung", at_to=record.at)) == []


FILLED = """
    INSERT INTO audit_auditrecord (public_id, actor_id, actor_name, action, subject_type, subject_id, hall_id, before, after,
                                   reason, request_id, at)
    SELECT gen_random_uuid(), %(actor)s, 'x', 'act_' || n %% 400, 'thing', n::text, n %% 400, '{"a": 1}',
           jsonb_build_object('k' || n %% 400, n), 'because of w' || n %% 400, 'r-' || n, now() - n * interval '1 minute'
    FROM generate_series(1, 20000) AS n"""
SEEN = """
    INSERT INTO audit_sighting (public_id, what, viewer_id, viewer_name, path, subject_type, subject_id, players, query, address,
                                request_id, at)
    SELECT gen_random_uuid(), sha256(n::text::bytea), %(actor)s, 'x', '/x', 'thing', n::text,
           jsonb_build_array('p' || n %% 400), '{}', 'x', '', now() - n * interval '1 minute'
    FROM generate_series(1, 20000) AS n"""


def plan_of(rows: Any) -> str:
    with transaction.atomic():
        return str(rows[:51].explain())


def test_no_search_reads_the_whole_table(committed_db: str, owner_connection: psycopg.Connection) -> None:
    """On 20,000 rows, by the plans that the database itself prefers."""
    actor, other = User.objects.create(username="one-of-many"), User.objects.create(username="another")
    with connection.cursor() as cursor:
        cursor.execute(FILLED, {"actor": actor.pk})
        cursor.execute(SEEN, {"actor": actor.pk})
    owner_connection.execute("VACUUM ANALYZE audit_auditrecord, audit_sighting, users_user, halls_hall")
    moment: datetime = now()
    searches = {
        "audit_record_by_action": audit_record_list(action="act_17"),
        "audit_record_by_subject": audit_record_list(subject_type="thing", subject_id="17"),
        "audit_record_by_request": audit_record_list(request_id="r-17"),
        "audit_record_by_reason": audit_record_list(reason="w17"),
        "audit_record_by_key_after": audit_record_list(changed="k17"),
        "audit_record_by_actor": audit_record_list(actor_id=other.public_id),
        "audit_record_by_hall": audit_record_list(hall_id=uuid4()),
        "audit_record_by_time": audit_record_list(at_from=moment - timedelta(days=9), at_to=moment - timedelta(days=8, hours=23)),
        "audit_sighting_by_viewer": sighting_list(viewer_id=other.public_id),
        "audit_sighting_by_subject": sighting_list(subject_type="thing", subject_id="17"),
        "audit_sighting_by_time": sighting_list(at_from=moment - timedelta(days=9), at_to=moment - timedelta(days=8, hours=23)),
    }
    plans = {index: plan_of(rows) for index, rows in searches.items()}
    assert {index: plan for index, plan in plans.items() if index not in plan} == {}
    by_player = plan_of(sighting_list(player_id=uuid4()))
    assert "audit_sighting_by_player" in by_player
