"""Acting: turns, retries, refusals in their order, money, the end of a round."""

import random
from datetime import timedelta

import pytest

from casino.errors import Conflict, InvalidInput, NotFound, Refused
from casino.users.models import User
from games.core.codec import parse
from games.halls.models import Hall
from games.rounds.models import Round, RoundRecord, RoundSeat, RoundStep
from games.rounds.selectors import round_after_step, round_steps
from games.verify import verify
from tests import playing
from tests.playing import FOUR_BOXES, Books, act, balance, legal, look, open_round, play_out
from wallets.models import Transfer


def test_a_bet_uses_its_hold_and_moves_no_money(hall: Hall, player: User) -> None:
    step = open_round(player, hall)
    before = balance(player)
    bet = {"type": "bet", "box": 1}
    act(player, step.round_id, bet)
    made = RoundStep.objects.get(round__commitment_id=step.round_id, seq=1)
    codes = set(Transfer.objects.filter(step_id=made.pk).values_list("code", flat=True))
    assert not any(code.startswith("hold.") for code in codes)
    assert made.available_minor == balance(player) >= before


def test_the_same_turn_with_the_same_body_gets_the_first_answer(hall: Hall, player: User) -> None:
    step = open_round(player, hall, FOUR_BOXES)
    first = act(player, step.round_id, {"type": "bet", "box": 1}, turn=1)
    answer = round_after_step(user=player, round_id=step.round_id, seq=first.step.seq)
    before = Books.read()
    again = act(player, step.round_id, {"type": "bet", "box": 1}, turn=1)
    assert again.step == first.step
    assert Books.read() == before
    play_out(player, step.round_id, random.Random(3))
    late = act(player, step.round_id, {"type": "bet", "box": 1}, turn=1)
    assert late.step == first.step
    assert round_after_step(user=player, round_id=step.round_id, seq=late.step.seq) == answer


def test_the_same_turn_with_another_body_is_a_conflict(hall: Hall, player: User) -> None:
    step = open_round(player, hall, FOUR_BOXES)
    act(player, step.round_id, {"type": "bet", "box": 1}, turn=1)
    before = Books.read()
    with pytest.raises(Conflict) as refusal:
        act(player, step.round_id, {"type": "fold", "box": 1}, turn=1)
    assert refusal.value.code == "turn_already_played"
    with pytest.raises(Conflict) as refusal:
        act(player, step.round_id, {"type": "bet", "box": 2}, turn=9)
    assert refusal.value.code == "turn_not_reached"
    assert Books.read() == before


def test_an_illegal_action_changes_nothing_and_carries_the_rules_code(hall: Hall, player: User) -> None:
    step = open_round(player, hall, FOUR_BOXES)
    before, shown = Books.read(), look(player, step.round_id)
    for action in ({"type": "continue"}, {"type": "fold", "box": 5}, {"type": "bet", "box": 3}):
        with pytest.raises(Refused) as refusal:
            act(player, step.round_id, action)
        assert refusal.value.code in playing.ENGINE.error_codes
    with pytest.raises(InvalidInput):
        act(player, step.round_id, {"type": "dance"})
    after = look(player, step.round_id)
    assert Books.read() == before
    assert {**after, "server_time": ""} == {**shown, "server_time": ""}


def test_rp_5_5_an_action_that_the_balance_cannot_cover_is_shown_and_refused(hall: Hall) -> None:
    short = playing.player(hall, 300)
    opening = {"boxes": [{"box": 1, "ante_minor": 100}]}
    step = open_round(short, hall, opening)
    assert balance(short) == 0
    offered = {action["type"]: action["affordable"] for action in look(short, step.round_id)["legal_actions"]}
    assert offered == {"exchange": False, "sixth_card": False, "fold": True, "bet": True}
    with pytest.raises(Refused) as refusal:
        act(short, step.round_id, {"type": "sixth_card", "box": 1})
    assert refusal.value.code == "insufficient_funds"
    act(short, step.round_id, {"type": "fold", "box": 1})
    assert balance(short) == 200


def test_a_strangers_round_is_not_found(hall: Hall, player: User) -> None:
    step = open_round(player, hall)
    stranger = playing.player(hall)
    with pytest.raises(NotFound):
        act(stranger, step.round_id, {"type": "bet", "box": 1}, turn=1)
    with pytest.raises(NotFound):
        look(stranger, step.round_id)


def test_after_the_deadline_only_the_sweep_plays(hall: Hall, player: User) -> None:
    step = open_round(player, hall)
    deadline = RoundSeat.objects.get(round__commitment_id=step.round_id).deadline
    with pytest.raises(Conflict) as refusal:
        act(player, step.round_id, {"type": "bet", "box": 1}, now=deadline)
    assert refusal.value.code == "deadline_passed"
    act(player, step.round_id, {"type": "bet", "box": 1}, now=deadline - timedelta(microseconds=1))


@pytest.mark.parametrize("chance", range(25))
def test_random_rounds_end_settled_verified_and_to_the_cent(hall: Hall, player: User, chance: int) -> None:
    rng = random.Random(chance)
    opening = {
        "boxes": [
            {"box": box, "ante_minor": rng.randrange(10, 300, 10), "bonus_minor": rng.choice((0, 10, 50))}
            for box in sorted(rng.sample(range(1, 6), rng.randint(1, 4)))
        ]
    }
    before = balance(player)
    step = open_round(player, hall, opening)
    play_out(player, step.round_id, rng)
    row = Round.objects.get(commitment_id=step.round_id)
    seat = RoundSeat.objects.get(round=row)
    row.escrow.refresh_from_db()
    assert (row.status, row.escrow.balance_minor, seat.held_minor, seat.is_open, seat.deadline) == ("settled", 0, 0, False, None)
    assert balance(player) - before == seat.returned_minor - seat.staked_minor
    record = RoundRecord.objects.get(round=row)
    verify(record.document.encode())
    result = parse(record.document.encode())["result"]["seats"][0]
    assert (result["staked_minor"], result["returned_minor"]) == (seat.staked_minor, seat.returned_minor)
    steps = round_steps(user=player, round_id=step.round_id)
    assert [each["hash"] for each in steps] == [each["hash"] for each in parse(record.document.encode())["steps"]]


def test_a_closed_round_takes_no_action(hall: Hall, player: User) -> None:
    step = open_round(player, hall)
    play_out(player, step.round_id, random.Random(5))
    with pytest.raises(Conflict) as refusal:
        act(player, step.round_id, {"type": "bet", "box": 1}, turn=99)
    assert refusal.value.code == "round_closed"
    assert not legal(player, step.round_id)


def test_a_round_resumes_exactly_also_when_its_dump_is_of_another_version(
    hall: Hall, player: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = open_round(player, hall, FOUR_BOXES)
    act(player, step.round_id, {"type": "bet", "box": 1})
    loaded = look(player, step.round_id)
    monkeypatch.setattr(type(playing.ENGINE), "dump_version", playing.ENGINE.dump_version + 1)
    rebuilt = look(player, step.round_id)
    assert {**rebuilt, "server_time": ""} == {**loaded, "server_time": ""}


def test_the_seed_is_shown_only_after_the_end(hall: Hall, player: User) -> None:
    step = open_round(player, hall, FOUR_BOXES)
    assert look(player, step.round_id)["server_seed"] is None
    play_out(player, step.round_id, random.Random(6))
    assert len(look(player, step.round_id)["server_seed"]) == 64
