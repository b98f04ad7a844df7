"""Random games of thirteen-card poker, scored and settled a second time from the rules alone, with another library's hands."""

from random import Random

import phevaluator
import pytest

from games.chinese_poker.engine import ChinesePoker
from games.chinese_poker.engine.setup import most_deals
from games.core.cards import card
from games.core.errors import IllegalAction
from games.core.record import escrow_balance, seat_totals
from games.core.shuffle import ExplicitDecks
from tests.rounds import seed_of

ENGINE = ChinesePoker()
TWO = {"seats": 2, "point_price_minor": 1}
NAMES = ("first", "second", "third")


def random_setup(random):
    seats = random.randint(2, 4)
    return {
        "seats": seats,
        "target": random.choice([1, 2, 5, 9, 13, 21, 30]),
        "point_price_minor": random.choice([1, 7, 100]),
        "rake": {"basis_points": random.choice([0, 250, 9_999]), "cap_minor": random.choice([None, 0, 40])},
    }


def random_action(state, seat, random):
    """An arrangement laid out at random where that turns out to be legal, else a suggestion; at times nothing at all."""
    if state.phase == "deciding":
        return {"type": "doezd"} if random.random() < 0.2 else {"type": "compare_next"}
    if random.random() < 0.02:
        return None
    for _ in range(3):
        cards = [each.text for each in random.sample(state.deal.hands[seat], 13)]
        action = {"type": "arrange", "first": cards[:5], "second": cards[5:10], "third": cards[10:]}
        if is_legal(action):
            return action
    return random.choice(ENGINE.legal_actions(state, seat)[0].suggestions)


def is_legal(action):
    first, second, third = (action[name] for name in NAMES)
    if five(first) < five(second):
        return False
    ranks, most = three(third)
    against = [(0, 0), (1, ranks[0]), (3, ranks[0])][most - 1]
    kind = category(second)
    if kind != against[0]:
        return kind > against[0]
    counted = by_count(second)
    return [rank for rank, _ in counted][: len(ranks)] >= ranks


def five(texts):
    """How high five cards are, by another library: the higher the better."""
    return -phevaluator.evaluate_cards(*texts)


BOUNDS = (7462, 6185, 3325, 2467, 1609, 1599, 322, 166, 10, 1)
"""The weakest of each category in that library's order: high card, pair … straight flush, royal flush."""


def category(texts):
    value = phevaluator.evaluate_cards(*texts)
    return max(place for place, bound in enumerate(BOUNDS) if value <= bound)


def by_count(texts):
    ranks = [card(text).rank for text in texts]
    return sorted({(rank, ranks.count(rank)) for rank in ranks}, key=lambda each: (each[1], each[0]), reverse=True)


def three(texts):
    """Ranks, those that are there most often first, and how often the first one is there."""
    counted = by_count(texts)
    return [rank for rank, _ in counted], counted[0][1]


def strength_prize(place, texts):
    if place == 2:
        ranks, most = three(texts)
        return 0 if most < 3 else 10 if ranks == [14] else 2
    return {9: 10, 8: 4, 7: 3, 6: place}.get(category(texts), 0)


def beats(place, one, other):
    """1, 0 or -1; hands are None where they were not arranged in time."""
    if one is None or other is None:
        return (one is not None) - (other is not None)
    if place == 2:
        (ranks, most), (others, others_most) = three(one), three(other)
        mine, theirs = (most, ranks), (others_most, others)
    else:
        mine, theirs = five(one), five(other)
    return (mine > theirs) - (mine < theirs)


def deal_points(hands, opened):
    """What a deal gives when so many positions are open; ``hands`` are a seat's action, None for a time-out."""
    seats = range(len(hands))
    points = [0] * len(hands)
    for seat in seats:
        mine = hands[seat]
        for place in range(opened):
            points[seat] += strength_prize(place, mine[NAMES[place]]) if mine else 0
        for other in seats:
            theirs = hands[other]
            if other == seat or (mine is None and theirs is None):
                continue
            outcomes = [beats(p, mine and mine[NAMES[p]], theirs and theirs[NAMES[p]]) for p in range(opened)]
            points[seat] += sum(1 + outcome for outcome in outcomes) + (outcomes.count(1) >= 2)
    return points


class Game:
    """A game that is kept twice: by the engine, and here."""

    def __init__(self, random):
        self.random = random
        self.setup = ENGINE.parse_setup(random_setup(random))
        self.target, self.seats = self.setup.target, self.setup.seats
        step = ENGINE.start(self.setup, seed_of(random, self.seats))
        self.state, self.moves = step.state, list(step.moves)
        self.scores = [0] * self.seats
        self.deals = 0

    def act(self, seat, action):
        engine_action = ENGINE.parse_action(action) if action else ENGINE.timeout_action(self.state, seat)
        step = ENGINE.apply(self.state, seat, engine_action)
        self.state = step.state
        self.moves += step.moves

    def play(self):
        while not self.play_deal():
            pass
        assert not ENGINE.to_act(self.state)
        assert list(self.state.scores) == self.scores
        assert self.deals <= most_deals(self.seats, self.target)

    def play_deal(self):
        """Play a deal; say whether the game is over."""
        self.deals += 1
        assert self.state.deal.number == self.deals
        hands = [None] * self.seats
        for seat in self.random.sample(range(self.seats), self.seats):
            assert seat in ENGINE.to_act(self.state)
            hands[seat] = random_action(self.state, seat, self.random)
            self.act(seat, hands[seat])
        before = self.scores
        for opened in (1, 2, 3):
            self.scores = [score + more for score, more in zip(before, deal_points(hands, opened), strict=True)]
            may_press = {seat for seat in range(self.seats) if self.scores[seat] >= self.target}
            if None in hands or opened == 3 or not may_press:
                continue
            assert list(self.state.scores) == self.scores
            assert len(self.state.deal.opened) == opened
            if self.pressed(may_press):
                return True
        return None in hands or any(score >= self.target for score in self.scores)

    def pressed(self, may_press):
        for seat in self.random.sample(sorted(may_press), len(may_press)):
            assert ENGINE.to_act(self.state) == may_press
            action = random_action(self.state, seat, self.random)
            self.act(seat, action)
            if action["type"] == "doezd":
                return True
            may_press = may_press - {seat}
        return False


@pytest.mark.parametrize("chunk", range(4))
def test_every_game_scores_and_pays_what_the_rules_say(chunk):
    random = Random(chunk)
    for _ in range(100):
        game = Game(random)
        game.play()
        rake, price = game.setup.rake, game.setup.point_price_minor
        assert escrow_balance(game.moves) == 0
        for seat, total in enumerate(seat_totals(game.moves, game.seats)):
            won = sum(price * (game.scores[seat] - theirs) for theirs in game.scores)
            taken = max(0, won) * rake.basis_points // 10_000
            taken = taken if rake.cap_minor is None else min(taken, rake.cap_minor)
            assert total.staked_minor == max(0, -won)
            assert total.returned_minor == max(0, won) - taken
            assert -won <= ENGINE.exposure(game.setup).seats_minor[seat]
            assert sum(move.amount_minor for move in game.moves if move.kind == "rake" and move.seat == seat) == taken


@pytest.mark.parametrize("ranks", ["23456789TJQKA", "9TJQKA", "2345A", "79JKA"])
def test_an_arrangement_is_taken_exactly_if_the_rules_allow_it(ranks):
    """Of few ranks, hands of one category and of equal ranks meet often."""
    random = Random(ranks)
    pack = [rank + suit for rank in ranks for suit in "cdhs"]
    taken = 0
    for _ in range(600):
        cards = random.sample(pack, 13)
        state = ENGINE.start(ENGINE.parse_setup(TWO), ExplicitDecks((tuple(cards),))).state
        for _ in range(4):
            random.shuffle(cards)
            action = {"type": "arrange", "first": cards[:5], "second": cards[5:10], "third": cards[10:]}
            try:
                ENGINE.apply(state, 0, ENGINE.parse_action(action))
                accepted = True
            except IllegalAction as refused:
                assert refused.code in ("first_below_second", "second_below_third")
                accepted = False
            assert accepted is is_legal(action)
            taken += accepted
    assert taken > 100
