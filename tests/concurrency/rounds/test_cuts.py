"""A service whose database connection is cut before any one of its statements leaves nothing; uncut, it then takes effect once.

To the database a process killed with -9 and a connection cut look alike, so this is also what a kill leaves.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError, connection

from audit.models import AuditRecord
from audit.reconcile import books_reconcile
from casino.permissions import Role
from casino.sql import BETWEEN
from games.halls.models import Hall
from games.rounds.models import Commitment, Round, RoundRecord, RoundSeat, RoundStep
from games.rounds.services import round_act, round_expire, round_open, round_void
from tests import playing
from tests.playing import FOUR_BOXES, GAME, WITHOUT_BONUS, Books, commit, open_round
from wallets.services import deposit_create

ROWS = (Commitment, Round, RoundSeat, RoundStep, RoundRecord, AuditRecord)
SELF_CUT = "SELECT pg_terminate_backend(pg_backend_pid())"


@dataclass
class Cut:
    """End the connection's backend before one of its statements, also before one amid those that were sent together."""

    before: int
    seen: int = 0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        statements = []
        for statement in sql.split(BETWEEN):
            self.seen += 1
            if self.seen == self.before:
                statements.append(SELF_CUT)
                break
            statements.append(statement)
        else:
            return execute(sql, params, many, context)
        sent = BETWEEN.join(statements)
        return execute(sent, (params or [])[: sent.count("%s")] or None, many, context)


def everything() -> tuple[Any, ...]:
    return Books.read(), *(list(model.objects.order_by("pk").values()) for model in ROWS)


def cut_everywhere(service: Callable[[], Any], *, statements: int = 4) -> None:
    """Cut a service before its first statement, its second and so on, until it comes through; it has so many at the least."""
    before = everything()
    for at in range(1, 200):
        cut = Cut(at)
        with connection.execute_wrapper(cut):
            try:
                service()
            except (InterfaceError, OperationalError):
                pass
            else:
                break
        connection.close()
        assert cut.seen == at
        assert everything() == before
    assert cut.seen == at - 1 >= statements
    assert everything() != before
    assert books_reconcile() == []


@pytest.fixture
def hall(committed_db: str) -> Hall:
    return playing.halls()["first"]


def test_an_opening_is_cut_before_every_statement(hall: Hall) -> None:
    player = playing.player(hall)
    round_id = commit(player, hall)
    asked = {"user": player, "hall_id": hall.public_id, "game": GAME, "round_id": round_id, "client_seed": ""}
    cut_everywhere(lambda: round_open(**asked, opening=FOUR_BOXES))
    assert Round.objects.count() == 1


def test_an_action_is_cut_before_every_statement(hall: Hall) -> None:
    player = playing.player(hall)
    step = open_round(player, hall, FOUR_BOXES)
    action = {"type": "exchange", "box": 1, "cards": [str(step.position.state.boxes[0].cards[0])]}
    asked = {"user": player, "round_id": step.round_id, "turn": 1, "action": action}
    cut_everywhere(lambda: round_act(**asked))
    assert RoundStep.objects.count() == 2


def test_a_sweep_is_cut_before_every_statement(hall: Hall) -> None:
    player = playing.player(hall)
    step = open_round(player, hall, FOUR_BOXES)
    due = Round.objects.get().opened_at + timedelta(days=1)
    cut_everywhere(lambda: round_expire(round_id=step.round_id, now=due))
    assert Round.objects.get().status == Round.Status.SETTLED


def test_a_void_is_cut_before_every_statement(hall: Hall) -> None:
    player = playing.player(hall)
    held = playing.balance(player)
    step = open_round(player, hall, WITHOUT_BONUS)
    actor = playing.user_with(Role.SUPERVISOR)
    cut_everywhere(lambda: round_void(actor=actor, round_id=step.round_id, reason="drill"))
    assert Round.objects.get().status == Round.Status.VOIDED
    assert playing.balance(player) == held


def test_a_deposit_is_cut_before_every_statement(hall: Hall) -> None:
    player, cashier = playing.player(hall), playing.user_with(Role.CASHIER, hall=hall)
    payment = {"hall_id": hall.public_id, "username": player.username, "amount_minor": 5, "currency": "EUR", "reference": ""}
    cut_everywhere(lambda: deposit_create(actor=cashier, **payment), statements=3)


def test_control_a_service_in_two_transactions_is_found_half_done(hall: Hall) -> None:
    player, actor = playing.player(hall), playing.user_with(Role.SUPERVISOR)
    step = open_round(player, hall)

    def void_after_a_mark() -> None:
        AuditRecord.objects.create(actor_name="x", action="x", subject_type="x", subject_id="x")
        round_void(actor=actor, round_id=step.round_id, reason="drill")

    with pytest.raises(AssertionError):
        cut_everywhere(void_after_a_mark)
