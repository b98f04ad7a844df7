"""The nightly tidying takes what has had its time and nothing else, however often it runs."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from knox.models import AuthToken

from casino import db
from casino.celery import app
from casino.db import now
from casino.models import IdempotencyRecord
from casino.tasks import expired_purge
from casino.users.login import WINDOW, counters_purge
from casino.users.models import LoginCounter
from tests.user_builders import user


@pytest.mark.django_db
def test_what_has_had_its_time_goes() -> None:
    anna = user("anna")
    for age, name in ((timedelta(days=121), b"old"), (timedelta(days=119), b"new")):
        IdempotencyRecord.objects.create(
            scope_hash=name, fingerprint=name, user=anna, method="POST", path="/", status=201, body=b"", created_at=now() - age
        )
    LoginCounter.objects.create(key="old", attempts=1, started_at=now() - WINDOW)
    LoginCounter.objects.create(key="new", attempts=1, started_at=now())
    AuthToken.objects.create(anna, expiry=timedelta(seconds=-1))
    kept = AuthToken.objects.create(anna)[0]
    for _ in range(2):
        expired_purge()
        assert [bytes(name) for name in IdempotencyRecord.objects.values_list("scope_hash", flat=True)] == [b"new"]
        assert list(LoginCounter.objects.values_list("key", flat=True)) == ["new"]
        assert list(AuthToken.objects.values_list("pk", flat=True)) == [kept.pk]


@pytest.mark.django_db
def test_many_go_in_batches_each_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db, "PURGE_BATCH_ROWS", 2)
    LoginCounter.objects.bulk_create(LoginCounter(key=f"{n}", attempts=1, started_at=now() - WINDOW) for n in range(5))
    with CaptureQueriesContext(connection) as queries:
        assert counters_purge() == 5
    deletions = [query["sql"] for query in queries.captured_queries if query["sql"].startswith("DELETE")]
    assert len(deletions) == 3 and all("LIMIT 2" in sql for sql in deletions)
    assert not LoginCounter.objects.exists()


def test_it_is_on_the_schedule() -> None:
    assert expired_purge.name in {entry["task"] for entry in app.conf.beat_schedule.values()}
