"""Each step as every seat saw it: as it was answered when it was taken, made anew from the record, with the ledger beside."""

import json
import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from cryptography.fernet import Fernet

from audit.history.selectors import steps_as_seen, steps_described
from audit.replay import round_audit
from casino.api.rendering import render_json
from casino.errors import Conflict
from casino.permissions import Role
from casino.users.models import User
from games.core.codec import canonical
from games.engines import engine_for
from games.halls.models import Hall
from games.rounds import cipher
from games.rounds.documents import step_document
from games.rounds.models import Round, RoundRecord, RoundStep
from games.rounds.replay import round_replay
from games.rounds.selectors import round_seats, round_steps
from tests import playing
from tests.services.audit.history.worlds import rows
from wallets.models import Account, Transfer


def described(round_id: UUID) -> list[dict[str, Any]]:
    steps = steps_described(steps_as_seen(round_id=round_id), round_id=round_id)
    return json.loads(render_json(steps))  # type: ignore[no-any-return]


def test_every_seat_saw_what_it_was_answered_and_before_a_step_what_it_saw_after_the_last(halls: dict[str, Hall]) -> None:
    for row in rows(halls["first"]):
        seats = round_seats(row.public_id)
        taken = round_replay(seats[0].round, seats, engine=engine_for(row.game, row.rules_version))
        steps = described(row.public_id)
        assert len(steps) == len(taken) == row.seq + 1
        for step, each in zip(steps, taken, strict=True):
            assert [view["viewer"] for view in step["views"]] == [*range(len(seats)), None]
            assert step["divergence"] is None
            for view in step["views"]:
                answered = json.loads(render_json(step_document(each, viewer=view["viewer"])))
                assert (view["after"], view["events"]) == (answered["view"], answered["events"])
        for step, following in pairwise(steps):
            assert [view["after"] for view in step["views"]] == [view["before"] for view in following["views"]]
        assert all(view["before"] is None for view in steps[0]["views"])


def test_the_money_beside_the_cards_is_the_ledgers(halls: dict[str, Hall]) -> None:
    for row in rows(halls["first"]):
        steps, seats = described(row.public_id), list(row.seats.order_by("index"))
        ledger = {step.seq: list(Transfer.objects.filter(step_id=step.pk)) for step in RoundStep.objects.filter(round=row)}
        held = 0
        for step in steps:
            assert {each["id"] for each in step["transfers"]} == {str(each.public_id) for each in ledger[step["seq"]]}
            assert step["escrow"]["before_minor"] == held
            change = 0
            for each in step["transfers"]:
                change += each["amount_minor"] * ((each["to"]["kind"] == "escrow") - (each["from"]["kind"] == "escrow"))
            held = step["escrow"]["after_minor"]
            assert held == step["escrow"]["before_minor"] + change
            for stands in step["seats"]:
                moved = [each for each in step["transfers"] if stands["seat"] in (each["to"]["seat"], each["from"]["seat"])]
                gained = sum(each["amount_minor"] * (1 if each["to"]["seat"] == stands["seat"] else -1) for each in moved)
                before, after = (stands[when]["available_minor"] for when in ("before", "after"))
                assert (before is None) == (after is None) == (not moved and stands["seat"] != step["seat"])
                assert before is None or after - before == gained
            assert sum(each["after"]["held_minor"] for each in step["seats"]) == held
        assert held == 0
        last = steps[-1]["seats"]
        assert [(each["after"]["staked_minor"], each["after"]["returned_minor"]) for each in last] == [
            (seat.staked_minor, seat.returned_minor) for seat in seats
        ]
        account = Account.objects.get(pk=seats[0].account_id)
        if (after := last[0]["after"]["available_minor"]) is not None and row == Round.objects.last():
            assert after == account.balance_minor


def test_a_closed_round_is_shown_without_the_keys_that_encrypted_it(settled: UUID, settings: Any) -> None:
    """Keys are taken away when no round that they encrypted is open: what is shown of closed ones must not need them."""
    shown, keys = described(settled), settings.ROUND_KEYS
    settings.ROUND_KEYS = [Fernet.generate_key().decode()]
    cipher._fernet.cache_clear()
    try:
        assert described(settled) == shown
    finally:
        settings.ROUND_KEYS = keys
        cipher._fernet.cache_clear()


@pytest.mark.parametrize("fault", ["event", "move", "action"])
def test_control_a_changed_record_is_not_believed(settled: UUID, plant: Callable[[str], None], fault: str) -> None:
    record = json.loads(RoundRecord.objects.get(round__commitment_id=settled).document)
    honest = described(settled)
    step = record["steps"][1]
    if fault == "event":
        step["events"][0]["type"] = "something_else"
    elif fault == "move":
        step["moves"].append({"kind": "release", "seat": 0, "amount_minor": 1, "code": "gift"})
    else:
        step["action"] = {"type": "buy_game", "box": 1}
    text = canonical(record).decode().replace("'", "''")
    plant(f"UPDATE rounds_roundrecord SET document = '{text}'")
    told = described(settled)
    if fault == "action":
        assert len(told) == 2
        assert "the rules refuse" in told[1]["divergence"]
        assert all(view["after"] is None for view in told[1]["views"])
    else:
        assert [step["divergence"] is not None for step in told] == [seq == 1 for seq in range(len(told))]
        assert [step["views"] for step in told] == [step["views"] for step in honest], "what seats saw follows from the rules"


def test_an_open_round_tells_an_auditor_what_the_public_sees(halls: dict[str, Hall], player: User) -> None:
    opened = playing.open_round(player, halls["first"], playing.FOUR_BOXES)
    playing.act(player, opened.round_id, playing.choose(playing.legal(player, opened.round_id), random.Random(1)))
    auditor = playing.user_with(Role.AUDITOR)
    public = round_steps(user=auditor, round_id=opened.round_id)
    told = described(opened.round_id)
    assert [(step["seq"], step["origin"], step["views"][0]["events"]) for step in told] == [
        (step["seq"], step["origin"], step["events"]) for step in public
    ]
    text = json.dumps(told)
    assert "server_seed" not in text and '"action": {' not in text


@pytest.mark.parametrize(
    "made",
    [
        lambda text: "x",
        lambda text: "[]",
        lambda text: text.replace('"result"', '"outcome"'),
        lambda text: text.replace('"seq":1', '"seq":"1"'),
        lambda text: text.replace('"game":"', '"game":"no_'),
        lambda text: text.replace('"server_seed"', '"seed"'),
    ],
)
def test_a_record_that_is_none_is_said_to_be_none(
    settled: UUID, plant: Callable[[str], None], made: Callable[[str], str]
) -> None:
    text = made(RoundRecord.objects.get(round__commitment_id=settled).document).replace("'", "''")
    plant(f"UPDATE rounds_roundrecord SET document = '{text}'")
    with pytest.raises(Conflict) as refused:
        described(settled)
    assert refused.value.code == "record_unreadable"
    assert not round_audit(round_id=settled).is_clean
