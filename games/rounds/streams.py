"""Rounds as they can be watched: each step as the answer to the request that took it, made for its viewer."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from django.db.models import Subquery

from casino.api.rendering import render_json
from casino.streams.topics import Message, Snapshot
from casino.users.models import User
from games.engines import engine_for
from games.outages.gaps import Loss
from games.outages.selectors import last_move, losses_since, outage_last
from games.rounds.documents import step_document
from games.rounds.models import Round, RoundSeat, RoundStep
from games.rounds.position import seq_for
from games.rounds.replay import position_until, step_replay, steps_seen
from games.rounds.selectors import may_watch, round_get, round_seats, round_standing
from games.rounds.steps import StepTaken


class RoundSource:
    """All rounds."""

    name = "round"

    def look(self, *, user: User, topic_id: UUID) -> Snapshot:
        row, seats, viewer = round_get(user=user, round_id=topic_id)

        def position() -> Message:
            return _position(row, seats, viewer)

        return Snapshot(viewer, seq_for(row.seq, seats, viewer), row.status != Round.Status.OPEN, position, ground=row)

    def admits(self, user: User, snapshot: Snapshot) -> bool:
        return snapshot.viewer is not None or may_watch(user, snapshot.ground)

    def topic(self, topic_id: UUID, after: int) -> "RoundTopic":
        """Begin before the first step, whatever is wanted: each step is worked out from the one before it."""
        return RoundTopic(topic_id)

    def position(self, *, topic_id: UUID, viewer: int | None) -> Message:
        seats = round_seats(topic_id)
        return _position(seats[0].round, seats, viewer)

    def epoch(self) -> int:
        """Tell by the last outage that moved deadlines, which is no step."""
        return last_move()

    def last_seqs(self, topic_ids: Collection[UUID]) -> Mapping[UUID, int]:
        return dict(Round.objects.filter(commitment_id__in=topic_ids).values_list("commitment_id", "seq"))


class RoundTopic:
    """One watched round, played on from its stored steps: each is applied once, however many watch."""

    def __init__(self, round_id: UUID) -> None:
        self.round_id = round_id
        self.begins_after = self.last_seq = -1
        self.is_over = False
        self.seats: Sequence[RoundSeat] = ()
        self.steps: list[StepTaken] = []
        self.outage: int | None = None
        self.losses: Sequence[Loss] = ()
        self.made: dict[tuple[int, int | None], Message] = {}
        """Documents of the newest step, by step and viewer; older ones are asked for by those who resume, and made anew."""

    def read(self) -> None:
        if not self.seats:
            self.seats = round_seats(self.round_id)
        rows = RoundStep.objects.filter(round_id=self.seats[0].round_id, seq__gt=self.last_seq).order_by("seq")
        for step_row in rows.annotate(outage=Subquery(outage_last())):
            if step_row.outage != self.outage:
                self._outages_read(step_row.outage)
            self._play_on(step_row)

    def _outages_read(self, outage: int | None) -> None:
        """Know the outages up to one, and play all steps again: one that became known late may have moved what follows early."""
        self.outage, self.losses = outage, losses_since(self.seats[0].round.opened_at)
        taken, self.steps = self.steps, []
        for each in taken:
            self._play_on(each.step)

    def _play_on(self, step_row: RoundStep) -> None:
        row = self.seats[0].round
        engine = engine_for(row.game, row.rules_version)
        before = position_until(self.steps[-1], self.losses, step_row.at) if self.steps else None
        taken = step_replay(row, self.seats, engine=engine, before=before, step_row=step_row)
        if taken.position.status != Round.Status.OPEN:
            row.closed_at, self.is_over = step_row.at, True
        self.steps.append(taken)
        self.last_seq = step_row.seq
        self.made.clear()

    def reached(self, viewer: int | None) -> int:
        return self.steps[-1].position.seq_for(viewer) if self.steps else -1

    def messages(self, *, after: int, viewer: int | None) -> Sequence[Message]:
        return [self._message(taken, viewer) for taken in steps_seen(self.steps, viewer, after=after)]

    def _message(self, taken: StepTaken, viewer: int | None) -> Message:
        key = (taken.step.seq, viewer)
        if key in self.made:
            return self.made[key]
        message = Message("step", taken.position.seq_for(viewer), render_json(step_document(taken, viewer=viewer)), taken.step.at)
        if taken.step.seq == self.last_seq:
            self.made[key] = message
        return message


def _position(row: Round, seats: Sequence[RoundSeat], viewer: int | None) -> Message:
    return Message("position", seq_for(row.seq, seats, viewer), render_json(round_standing(row, seats, viewer=viewer)))
