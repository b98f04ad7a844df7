"""Tables as they can be watched: what happens there, the same for everybody who may know of the table."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from casino.api.rendering import render_json
from casino.db import now
from casino.streams.topics import Message, Snapshot
from casino.users.models import User
from games.halls.selectors import may_know
from games.tables.documents import event_document, table_document
from games.tables.models import Table, TableEvent
from games.tables.selectors import standing_of, table_get

MOST_AT_ONCE = 200
"""One who resumes after very long gets so many events at a time."""


class TableSource:
    """All tables. Whoever may know of a hall may watch its tables."""

    name = "table"

    def look(self, *, user: User, topic_id: UUID) -> Snapshot:
        table = table_get(viewer=user, table_id=topic_id)
        is_over = table.status == Table.Status.CLOSED

        def position() -> Message:
            return _position(table)

        return Snapshot(None, table.seq, is_over, position, ground=table.hall)

    def admits(self, user: User, snapshot: Snapshot) -> bool:
        return may_know(user, snapshot.ground)

    def topic(self, topic_id: UUID, after: int) -> "TableTopic":
        return TableTopic(topic_id, after)

    def position(self, *, topic_id: UUID, viewer: None) -> Message:
        return _position(Table.objects.select_related("hall").get(public_id=topic_id))

    def last_seqs(self, topic_ids: Collection[UUID]) -> Mapping[UUID, int]:
        return dict(Table.objects.filter(public_id__in=topic_ids).values_list("public_id", "seq"))

    def epoch(self) -> int:
        """Return always the same number: whatever changes at a table is an event."""
        return 0


class TableTopic:
    """One watched table, read event by event. The last event that nobody lacks is read too: it may have closed the table."""

    def __init__(self, table_id: UUID, after: int) -> None:
        self.table_id = table_id
        self.begins_after = after
        self.first_seq = max(after, 1)
        self.last_seq = self.first_seq - 1
        self.is_over = False
        self.told: list[Message] = []

    def read(self) -> None:
        for event in TableEvent.objects.filter(table__public_id=self.table_id, seq__gt=self.last_seq).order_by("seq"):
            self.told.append(Message("event", event.seq, render_json(event_document(event)), event.at))
            self.last_seq = event.seq
            self.is_over = event.kind == TableEvent.Kind.CLOSED

    def reached(self, viewer: None) -> int:
        return self.last_seq

    def messages(self, *, after: int, viewer: None) -> Sequence[Message]:
        begin = after + 1 - self.first_seq
        return self.told[begin : begin + MOST_AT_ONCE]


def _position(table: Table) -> Message:
    """Show a table whose row, with the number, has been read; its seats and round are read after that."""
    return Message("position", table.seq, render_json(table_document(standing_of(table), server_time=now())))
