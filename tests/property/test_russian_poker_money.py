"""Random rounds of Russian poker under random limits and pay tables, settled a second time from RP-6's table alone."""

from random import Random

import phevaluator
import pytest

from games.core.engine import UNPLACED
from games.core.record import escrow_balance, seat_totals
from games.russian_poker.engine import RussianPoker
from games.russian_poker.engine.scoring import evaluate
from games.russian_poker.engine.setup import BET_CATEGORIES, BONUS_CATEGORIES
from games.russian_poker.engine.state import Decision, Draw
from tests.rounds import action_of, seed_of

ENGINE = RussianPoker()


def random_setup(random):
    step = random.choice([1, 5, 10])
    bounds = {"min_minor": step, "max_minor": 100 * step, "step_minor": step}
    boxes = [
        {"box": number, "ante_minor": step * random.randint(1, 100), "bonus_minor": step * random.choice([0, 1, 100])}
        for number in random.sample(range(1, 6), random.randint(1, 4))
    ]
    pays = [
        {category.code: multiple for category, multiple in zip(categories, sorted(random.choices(range(40), k=10)), strict=False)}
        for categories in (BET_CATEGORIES, BONUS_CATEGORIES)
    ]
    return {
        "boxes": boxes,
        "limits": {
            "stakes": {"ante": bounds, "bonus": bounds},
            "max_payout_minor": random.choice([None, None, step, 777, 100_000]),
            "abandon_after_seconds": 60,
        },
        "pay_table": random.choice([ENGINE.default_pay_table, {"bet": pays[0], "bonus": pays[1]}]),
    }


def play(random):
    """Play a round at random, drawing often; return its setup, first boxes, last state and all moves."""
    setup = ENGINE.parse_setup(random_setup(random))
    step = ENGINE.start(setup, seed_of(random, 1))
    dealt, moves = step.state, list(step.moves)
    while ENGINE.to_act(step.state):
        specs = ENGINE.legal_actions(step.state, 0)
        step = ENGINE.apply(step.state, 0, ENGINE.parse_action(action_of(random.choice(specs), random)))
        moves += step.moves
    return setup, dealt, step.state, moves


def value(cards):
    """How high a hand is, by another library: the lower the better."""
    return phevaluator.evaluate_cards(*[card.text for card in cards])


def has_game(cards):
    ranks = {card.rank for card in cards}
    return evaluate(cards).first.category > 0 if len(ranks) < 5 else {14, 13} <= ranks or value(cards) < 6186


def returned(setup, dealt, box, dealer, after):
    """What a box pays back in all, by the table under RP-6.6 and RP-4.1."""
    bets, bonuses = setup.pay_table.bet, setup.pay_table.bonus
    ante, total, insured = box.ante_minor, evaluate(box.cards).multiple(bets), box.insurance_minor
    first = evaluate(dealt.cards).first.category
    back = box.bonus_minor * (1 + bonuses[first]) if box.bonus_minor and first.code in ("three_of_a_kind", *HIGHER) else 0
    if box.decision is Decision.FOLD:
        return back
    if not has_game(dealer):
        back += 2 * insured
        if not box.game_bought:
            return back + 4 * ante
        if not has_game(after):
            return back + 3 * ante
        dealer, insured = after, 0
    if value(box.cards) < value(dealer):
        return back + 3 * ante + 2 * ante * total
    return back + (3 * ante if value(box.cards) == value(dealer) else insured)


HIGHER = ("straight", "flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush")


@pytest.mark.parametrize("chunk", range(4))
def test_every_round_pays_what_the_rules_table_says(chunk):
    random = Random(chunk)
    for _ in range(250):
        setup, dealt, state, moves = play(random)
        for box, first in zip(state.boxes, dealt.boxes, strict=True):
            fees = (box.draw is not Draw.NONE) + box.game_bought
            plays = box.decision is Decision.BET
            staked = box.bonus_minor + box.ante_minor * (1 + fees + 2 * plays) + box.insurance_minor
            assert box.staked_minor == staked
            assert box.returned_minor == returned(setup, first, box, dealt.dealer, state.dealer)
        (total,) = seat_totals(moves, 1)
        assert total.staked_minor == sum(box.staked_minor for box in state.boxes)
        assert total.returned_minor == sum(box.returned_minor for box in state.boxes)
        assert total.unplaced_minor == sum(2 * box.ante_minor for box in state.boxes if box.decision is Decision.FOLD)
        assert escrow_balance(moves) == 0
        exposure = ENGINE.exposure(setup)
        assert total.staked_minor - total.returned_minor <= exposure.seats_minor[0]
        assert total.returned_minor - total.staked_minor <= exposure.house_minor
        assert all(move.kind == "release" for move in moves if move.code == UNPLACED)
