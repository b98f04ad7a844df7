"""Statements written out: sent together, carried out one after another, each with its own answer."""

import pytest
from django.db import DatabaseError, transaction
from django.db.models.expressions import DatabaseDefault

from audit.models import AuditRecord
from casino.sql import Statement, insertion, row_insert, together

pytestmark = pytest.mark.django_db


def record(**fields: str) -> AuditRecord:
    return AuditRecord(**{"actor_name": "x", "action": "x", "subject_type": "x", "subject_id": "x"} | fields)


def test_each_statement_has_its_own_answer_and_sees_those_before_it() -> None:
    counts = [Statement("SELECT count(*) FROM audit_auditrecord WHERE action = %s", ["a; b"]) for _ in range(2)]
    added = insertion(record(action="a; b"))
    together(counts[0], added, counts[1])
    assert [count.rows for count in counts] == [[(0,)], [(1,)]]
    together()


def test_what_fails_is_the_last_carried_out() -> None:
    after = Statement("SELECT 1")
    with pytest.raises(DatabaseError), transaction.atomic():
        together(insertion(record()), Statement("SELECT 1 / 0"), after)
    assert (after.rows, AuditRecord.objects.count()) == ([], 0)


def test_an_inserted_row_knows_what_the_database_filled_in_or_computed() -> None:
    row = record()
    assert (row.pk, type(row.at)) == (None, DatabaseDefault)
    row_insert(row)
    stored = AuditRecord.objects.get()
    assert (row, row.pk, row.at, row._state.adding) == (stored, stored.pk, stored.at, False)
    other = record(reason="unused")
    added = insertion(other, {"reason": Statement("(SELECT lower(%s))", ["WHY"])})
    together(added)
    added.fill()
    assert (other.reason, AuditRecord.objects.latest("pk").reason) == ("why", "why")
