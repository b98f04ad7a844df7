"""Whole games against a second reading of the rules, which works on card texts and shares nothing with the engine."""

from random import Random

import pytest

from games.core.record import escrow_balance, seat_totals
from games.ukrainian_poker.engine import UkrainianPoker
from tests.property import test_conformance
from tests.rounds import action_of, seed_of

ENGINE = UkrainianPoker()
PACK = [rank + suit for suit in "cdhs" for rank in "23456789TJQKA"] + ["X1", "X2"]
SETTINGS = [
    {},
    {"joker_any_time": True},
    {"blind_ban": False, "rake": {"basis_points": 333, "cap_minor": None}},
    {"joker_any_time": True, "blind_ban": False, "first_dealer": 1, "rake": {"basis_points": 500, "cap_minor": 7}},
]


def is_joker(text):
    return text.startswith("X")


def value(text):
    return 100 if is_joker(text) else "23456789TJQKA".index(text[0])


def playable(hand, led, claimed, trump, joker_any_time):
    """UP-4.2 to UP-4.4, a duty at a time."""
    if not led:
        return set(hand)
    if claimed:
        top = max(value(text) for text in hand)
        return {text for text in hand if value(text) == top}
    jokers = {text for text in hand if is_joker(text)}
    trumps = {text for text in hand if trump and text[1] == trump} - jokers
    if not is_joker(led) and led[1] != trump:
        suit = {text for text in hand if text[1] == led[1]} - jokers
        if suit:
            return suit | jokers if joker_any_time else suit
    if trump and trumps | jokers:
        return trumps | jokers
    return set(hand)


def trick_winner(plays, claimed, trump):
    """UP-4.1, UP-4.3, UP-4.4: the seat, from (seat, text) in the order of play."""
    if claimed:
        return plays[0][0]
    jokers = [seat for seat, text in plays if is_joker(text)]
    if jokers:
        return jokers[-1]
    ranked = [play for play in plays if play[1][1] == trump] or [play for play in plays if play[1][1] == plays[0][1][1]]
    return max(ranked, key=lambda play: value(play[1]))[0]


def points(kind, bid, taken):
    """UP-5."""
    if kind == "minimum":
        return -10 * taken
    if kind == "maximum":
        return 10 * taken
    if bid == taken:
        return 10 * bid if bid else 5
    return taken if taken > bid else 10 * (taken - bid)


def rounds(seats):
    """UP-2.1."""
    sizes = [1, 2, 3, 4, 5, 6, 7, 8, *[9] * seats, 8, 7, 6, 5, 4, 3, 2, 1]
    return [("bidding", size) for size in sizes] + [(kind, 9) for kind in ("no_trump", "blind", "minimum", "maximum")]


class Game:
    """Plays the engine at random and checks each choice, trick, score and payment by the reading above."""

    def __init__(self, seats, settings, random):
        self.seats, self.random = seats, random
        self.setup = ENGINE.parse_setup({"seats": seats, "ante_minor": random.randint(1, 1_000), **settings})
        self.seed = seed_of(random, seats)
        step = ENGINE.start(self.setup, self.seed)
        self.state, self.moves = step.state, list(step.moves)
        self.totals = [0] * seats

    def choices(self, seat):
        """Every action that is legal, as JSON."""
        assert ENGINE.to_act(self.state) == {seat}
        found = []
        for spec in ENGINE.legal_actions(self.state, seat):
            if spec.type == "bid":
                found += [{"type": "bid", "tricks": tricks} for tricks in spec.parameters["tricks"].options]
            else:
                for claim in spec.parameters["by_highest"].options:
                    cards = spec.parameters["card"].options
                    found += [{"type": "play_card", "card": text, "by_highest": claim} for text in cards]
        return found

    def act(self, seat, data):
        step = ENGINE.apply(self.state, seat, ENGINE.parse_action(data))
        self.state = step.state
        self.moves += step.moves

    def bids(self, kind, size, order):
        bids = {}
        for seat in order:
            legal = set(range(size + 1))
            if seat == order[-1] and (kind != "blind" or self.setup.blind_ban):
                legal.discard(size - sum(bids.values()))
            choices = self.choices(seat)
            assert sorted(choice["tricks"] for choice in choices) == sorted(legal)
            assert ENGINE.dump_action(ENGINE.timeout_action(self.state, seat))["tricks"] == min(legal)
            bids[seat] = self.random.choice(choices)["tricks"]
            self.act(seat, {"type": "bid", "tricks": bids[seat]})
        return bids

    def card(self, seat, hand, plays, claimed, trump):
        """Let a seat play a card; return it with its claim."""
        legal = playable(hand, plays[0][1] if plays else None, claimed, trump, self.setup.joker_any_time)
        expected = {(text, False) for text in legal} | {(text, True) for text in legal if not plays and is_joker(text)}
        choices = self.choices(seat)
        assert {(choice["card"], choice["by_highest"]) for choice in choices} == expected
        assert len(choices) == len(expected)
        lowest = min(legal, key=lambda text: (value(text), "cdhs12".index(text[1])))
        automatic = {"type": "play_card", "card": lowest, "by_highest": False}
        assert ENGINE.dump_action(ENGINE.timeout_action(self.state, seat)) == automatic
        data = self.random.choice(choices)
        self.act(seat, data)
        return data["card"], data["by_highest"]

    def round(self, number, kind, size, dealer):
        order = [(dealer + 1 + place) % self.seats for place in range(self.seats)]
        deck = list(self.seed.shuffled(PACK, number))
        hands = {seat: [] for seat in order}
        for _ in range(size):
            for seat in order:
                hands[seat].append(deck.pop(0))
        turned = deck[0] if deck and kind != "no_trump" else None
        trump = turned[1] if turned and not is_joker(turned) else None
        view = ENGINE.view(self.state, order[0])
        assert (view["turned"], view["trump"], view["hand"]) == (turned, trump, hands[order[0]])
        bids = {} if kind in ("minimum", "maximum") else self.bids(kind, size, order)
        taken, leader = dict.fromkeys(order, 0), order[0]
        for _ in range(size):
            plays, claimed = [], False
            for place in range(self.seats):
                seat = (leader + place) % self.seats
                text, claim = self.card(seat, hands[seat], plays, claimed, trump)
                claimed = claimed or claim
                hands[seat].remove(text)
                plays.append((seat, text))
            leader = trick_winner(plays, claimed, trump)
            taken[leader] += 1
            last = ENGINE.view(self.state, None)["last_trick"]
            assert (last["winner"], last["cards"], last["by_highest"]) == (leader, [text for _, text in plays], claimed)
        row = ENGINE.view(self.state, None)["scores"][-1]
        for seat in range(self.seats):
            earned = points(kind, bids.get(seat), taken[seat])
            self.totals[seat] += earned
            column = {"bid": bids.get(seat), "taken": taken[seat], "points": earned, "total": self.totals[seat]}
            assert row["seats"][seat] == column
        assert sum(taken.values()) == size
        if bids and (kind != "blind" or self.setup.blind_ban):
            assert any(bids[seat] != taken[seat] for seat in order)

    def play(self):
        dealer = self.setup.first_dealer
        if dealer is None:
            dealer = self.seed.shuffled([str(seat) for seat in range(self.seats)], 0)[0]
        for number, (kind, size) in enumerate(rounds(self.seats), start=1):
            self.round(number, kind, size, (int(dealer) + number - 1) % self.seats)
        assert ENGINE.to_act(self.state) == frozenset()
        self.check_money()

    def check_money(self):
        best = [seat for seat in range(self.seats) if self.totals[seat] == max(self.totals)]
        pot = self.setup.ante_minor * self.seats
        rake = pot * self.setup.rake.basis_points // 10_000
        if self.setup.rake.cap_minor is not None:
            rake = min(rake, self.setup.rake.cap_minor)
        each, odd = divmod(pot - rake, len(best))
        got = [(each + odd * (seat == best[0])) if seat in best else 0 for seat in range(self.seats)]
        totals = seat_totals(self.moves, self.seats)
        assert [total.staked_minor for total in totals] == [self.setup.ante_minor] * self.seats
        assert [total.returned_minor for total in totals] == got == ENGINE.result(self.state)["shares_minor"]
        assert sum(move.amount_minor for move in self.moves if move.kind == "rake") == rake
        assert escrow_balance(self.moves) == 0
        assert ENGINE.result(self.state)["winners"] == best


@pytest.mark.parametrize("settings", SETTINGS, ids=range(len(SETTINGS)))
@pytest.mark.parametrize("seats", range(2, 7))
def test_whole_games_by_a_second_reading(seats, settings):
    random = Random(f"{seats} {settings}")
    for _ in range(2):
        Game(seats, settings, random).play()


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(20))
def test_many_whole_games_by_a_second_reading(chunk):
    random = Random(chunk)
    for _ in range(40):
        Game(random.randint(2, 6), random.choice(SETTINGS), random).play()


@pytest.mark.parametrize("seats", [3, 6])
def test_hidden_cards_are_permuted_within_what_was_played(seats):
    """In the permuted deal every card played so far would have been legal, from the hand with what it played later."""
    random, moved = Random(seats), 0
    setup = ENGINE.parse_setup({"seats": seats, "ante_minor": 100, "joker_any_time": seats == 6})
    state = ENGINE.start(setup, seed_of(random, seats)).state
    while ENGINE.to_act(state):
        (seat,) = ENGINE.to_act(state)
        specs = ENGINE.legal_actions(state, seat)
        state = ENGINE.apply(state, seat, ENGINE.parse_action(action_of(random.choice(specs), random))).state
        if random.random() < 0.3:
            viewer = random.choice([*range(seats), None])
            other = ENGINE.permute_hidden(state, viewer, lambda cards: random.sample(list(cards), len(cards)))
            assert viewer is None or other.hands[viewer] == state.hands[viewer]
            assert [len(hand) for hand in other.hands] == [len(hand) for hand in state.hands]
            moved += other.hands != state.hands
            check_plays(other)
    assert moved > 50


def check_plays(state):
    """Take the round's plays back one by one; each must have been legal."""
    hands = [{card.text for card in hand} for hand in state.hands]
    trump = ENGINE.view(state, None)["trump"]
    for trick in reversed((*state.tricks, state.trick)):
        texts = [card.text for card in trick.cards]
        for place in reversed(range(len(texts))):
            hand = hands[(trick.leader + place) % len(hands)]
            hand.add(texts[place])
            led = texts[0] if place else None
            assert texts[place] in playable(hand, led, trick.by_highest, trump, state.setup.joker_any_time)


@pytest.mark.parametrize("seats", [4, pytest.param(5, marks=pytest.mark.slow), pytest.param(6, marks=pytest.mark.slow)])
def test_games_of_more_seats_keep_the_contract(seats, monkeypatch):
    setups = [{"seats": seats, "ante_minor": 77, **settings} for settings in SETTINGS]
    monkeypatch.setattr(test_conformance, "setups_of", lambda code: setups)
    test_conformance.Round(ENGINE, Random(seats), []).play()


@pytest.mark.parametrize("seats", [2, 6])
def test_a_dumped_game_stays_below_eight_kilobytes(seats):
    random, largest = Random(seats), 0
    setup = ENGINE.parse_setup({"seats": seats, "ante_minor": 2**50 // seats})
    state = ENGINE.start(setup, seed_of(random, seats)).state
    while ENGINE.to_act(state):
        (seat,) = ENGINE.to_act(state)
        state = ENGINE.apply(state, seat, ENGINE.timeout_action(state, seat)).state
        largest = max(largest, len(str(ENGINE.dump(state))))
    assert largest < 2_500
