"""Whole games against a model: RA-1 to RA-6 told once more, the naive way, with nothing of the engine's but its shuffles.

The model keeps cards as texts and counts everything anew; the engine's states must agree with it after every action.
"""

from itertools import combinations
from random import Random

import pytest

from games.rapira.engine import Rapira
from tests.rounds import seed_of
from tests.unit.rapira.readings import RANKS, worth

ENGINE = Rapira()
COLOURS = ["red", "yellow", "green", "blue", "pink"]


class Model:
    """A game as the rules tell it."""

    def __init__(self, seed, seats, max_cycles, scope, min_loss, max_bonuses):
        self.seed, self.seats, self.max_cycles, self.scope = seed, range(seats), max_cycles, scope
        self.min_loss, self.max_bonuses = min_loss, max_bonuses
        plain = [rank + suit for suit in "cdhs" for rank in RANKS[2:]]
        self.slots = [dict(enumerate(plain)) for _ in self.seats]
        self.points = [100] * seats
        self.deck, self.hand, self.pile, self.played, self.used = ([None] * seats for _ in range(5))
        self.blue, self.bonuses, self.queue = ([None] * seats for _ in range(3))
        self.k, self.cycle, self.winners, self.phase, self.counts = 0, 0, None, "", []
        self.begin_cycle()

    def alive(self):
        return [seat for seat in self.seats if self.points[seat] > 0]

    def shuffle(self):
        self.k += 1
        return list(self.seed.shuffled(range(52), self.k - 1))

    def begin_cycle(self):
        self.cycle += 1
        for seat in self.alive():
            self.deck[seat], self.hand[seat], self.pile[seat] = self.shuffle(), [], []
            self.blue[seat], self.bonuses[seat], self.used[seat] = set(), 1, 0
            self.fill(seat)
        self.number = 0
        self.begin_hand()

    def begin_hand(self):
        self.number += 1
        self.phase = "hand"
        for seat in self.alive():
            self.played[seat] = None if self.hand[seat] else []
            if self.scope == "hand":
                self.used[seat] = 0
        self.count()
        self.settle()

    def count(self):
        self.counts = [tuple(len(cards[seat]) for cards in (self.hand, self.deck, self.pile)) for seat in self.seats]

    def fill(self, seat):
        while len(self.hand[seat]) < 8 and self.deck[seat]:
            self.hand[seat].append(self.deck[seat].pop(0))

    def colours(self, seat, slot):
        return self.slots[seat][slot].partition(".")[2]

    def take(self, seat, positions):
        taken = [self.hand[seat][position] for position in sorted(positions)]
        self.hand[seat] = [slot for slot in self.hand[seat] if slot not in taken]
        self.pile[seat] += taken
        return taken

    def discard(self, seat, positions):
        self.used[seat] += 1
        for slot in self.take(seat, positions):
            self.bonuses[seat] += "g" in self.colours(seat, slot)
        self.fill(seat)

    def play(self, seat, positions):
        self.played[seat] = self.take(seat, positions)
        for slot in self.played[seat]:
            self.bonuses[seat] += "r" in self.colours(seat, slot)
        for slot in self.hand[seat]:
            if "b" in self.colours(seat, slot) and slot not in self.blue[seat]:
                self.blue[seat].add(slot)
                self.bonuses[seat] += 1
        self.fill(seat)
        self.settle()

    def settle(self):
        alive = self.alive()
        if any(self.played[seat] is None for seat in alive):
            return
        worths = {
            seat: worth([self.slots[seat][slot] for slot in self.played[seat]]) if self.played[seat] else (-1,) for seat in alive
        }
        best = max(worths.values())
        for seat in alive:
            place, own = max(best[0], 0), max(worths[seat][0], 0)
            self.bonuses[seat] += worths[seat][0] == 0
            if worths[seat] == best:
                self.bonuses[seat] += 1
            else:
                self.points[seat] = max(0, self.points[seat] - (place - own if place > own else self.min_loss))
        if len(self.alive()) == 1 or (self.number == 4 and self.cycle == self.max_cycles):
            self.phase = "over"
            self.winners = [seat for seat in self.seats if self.points[seat] == max(self.points)]
        elif self.number < 4:
            self.begin_hand()
        else:
            self.open_bonuses()

    def open_bonuses(self):
        self.phase = "bonuses"
        self.queue = [[] for _ in self.seats]
        for seat in self.alive():
            self.deck[seat], self.hand[seat], self.pile[seat] = list(range(52)), [], []
            count = self.bonuses[seat] if self.max_bonuses is None else min(self.bonuses[seat], self.max_bonuses)
            self.queue[seat] = [self.shuffle()[:8] for _ in range(count)]
        self.count()
        self.close_bonuses()

    def use(self, seat, action):
        eight, slots = self.queue[seat].pop(0), self.slots[seat]
        if action["type"] == "bonus_suit":
            for position in action["positions"]:
                text = slots[eight[position]]
                slots[eight[position]] = text[0] + action["suit"] + text[2:]
        elif action["type"] == "bonus_pipette":
            left, right = sorted(action["positions"])
            slots[eight[left]] = slots[eight[right]]
        elif action["type"] == "bonus_colour":
            plain, _, letters = slots[eight[action["position"]]].partition(".")
            letters = "".join(name[0] for name in COLOURS if name[0] in letters + action["colour"][0])
            slots[eight[action["position"]]] = f"{plain}.{letters}"
        self.close_bonuses()

    def close_bonuses(self):
        if not any(self.queue):
            self.begin_cycle()

    def to_act(self):
        if self.phase == "hand":
            return {seat for seat in self.alive() if self.played[seat] is None}
        return {seat for seat in self.seats if self.queue[seat]} if self.phase == "bonuses" else set()

    def choices(self, seat):
        """Every kind of action with all values, by the rules."""
        if self.phase == "bonuses":
            cards = [self.slots[seat][slot] for slot in self.queue[seat][0]]
            lacking = [(at, name) for at, text in enumerate(cards) for name in COLOURS if name[0] not in text.partition(".")[2]]
            return {"bonus_suit", "bonus_pipette", "bonus_skip"}, lacking
        return {"play_hand"} | ({"discard"} if self.used[seat] < 4 and self.deck[seat] else set()), []

    def strongest(self, seat):
        """The time-out's choice to the letter (RA-7.1), for a few cards at a time: it looks at every choice there is."""
        texts = [self.slots[seat][slot] for slot in self.hand[seat]]
        sizes = range(1, min(5, len(texts)) + 1)
        choices = [list(choice) for size in sizes for choice in combinations(range(len(texts)), size)]
        values = [worth([texts[at] for at in choice]) for choice in choices]
        return min(choice for choice, value in zip(choices, values, strict=True) if value == max(values))


def agree(state, model):
    assert ENGINE.to_act(state) == model.to_act()
    assert (state.phase, state.cycle, state.hand, state.next_shuffle) == (model.phase, model.cycle, model.number, model.k)
    assert [seat.points for seat in state.seats] == model.points
    for index, seat in enumerate(state.seats):
        assert dict(enumerate(card.text for card in seat.slots)) == model.slots[index]
        own = ENGINE.view(state, index)["own"]
        texts = model.slots[index]
        assert own["hand"] == [texts[slot] for slot in model.hand[index]]
        assert sorted(own["deck"]) == sorted(texts[slot] for slot in model.deck[index])
        assert sorted(own["pile"]) == sorted(texts[slot] for slot in model.pile[index])
        if model.phase == "hand" and seat.points:
            assert list(seat.deck) == model.deck[index]
            assert 1 + seat.earned == model.bonuses[index]
            assert own["discards_left"] == 4 - model.used[index]
        if model.phase == "bonuses":
            assert own["bonuses_left"] == len(model.queue[index])
            assert own["bonus_cards"] == [texts[slot] for slot in (model.queue[index] or [[]])[0]]
    public = ENGINE.view(state, None)
    assert [(seat["hand_count"], seat["deck_count"], seat["pile_count"]) for seat in public["seats"]] == model.counts
    assert public["winners"] == model.winners


def drawn(random, model, seat, greedy):
    """Draw an action by the model; a greedy seat discards and plays as much as it may, so that its deck runs out."""
    kinds, lacking = model.choices(seat)
    kind = random.choice(sorted(kinds | ({"bonus_colour"} if lacking else set())))
    if "discard" in kinds and (greedy or random.random() < 0.4):
        kind = "discard"
    if kind in ("discard", "play_hand"):
        cards = len(model.hand[seat])
        most = min(5, cards)
        return {"type": kind, "positions": random.sample(range(cards), most if greedy else random.randint(1, most))}
    if kind == "bonus_suit":
        return {"type": kind, "positions": random.sample(range(8), random.randint(1, 3)), "suit": random.choice("cdhs")}
    if kind == "bonus_pipette":
        return {"type": kind, "positions": random.sample(range(8), 2)}
    if kind == "bonus_colour":
        position, colour = random.choice(lacking)
        return {"type": kind, "position": position, "colour": colour}
    return {"type": kind}


def game(random, *, all_greedy, **settings):
    """Play a game on both and compare them after every action; return how many empty hands were met."""
    seats = settings["seats"]
    setup = ENGINE.parse_setup({"entry_minor": 101, "rake": {"basis_points": 250}, **settings})
    seed = seed_of(random, seats)
    step = ENGINE.start(setup, seed)
    model = Model(
        seed,
        seats,
        settings.get("max_cycles", 30),
        settings.get("discard_scope", "hand"),
        settings.get("min_loss", 0),
        settings.get("max_bonuses"),
    )
    agree(step.state, model)
    empty = 0
    while model.to_act():
        seat = random.choice(sorted(model.to_act()))
        specs = ENGINE.legal_actions(step.state, seat)
        kinds, lacking = model.choices(seat)
        assert {spec.type for spec in specs} - {"bonus_colour"} == kinds
        listed = [
            (position, colour)
            for spec in specs
            if spec.type == "bonus_colour"
            for colour in spec.parameters["colour"].options
            for position in spec.parameters["position"].options
        ]
        assert sorted(listed) == sorted(lacking)
        if model.phase == "hand" and random.random() < 0.02:
            assert list(ENGINE.timeout_action(step.state, seat).positions) == model.strongest(seat)
        data = drawn(random, model, seat, all_greedy or seat == 1)
        step = ENGINE.apply(step.state, seat, ENGINE.parse_action(data))
        if data["type"] == "discard":
            model.discard(seat, data["positions"])
        elif data["type"] == "play_hand":
            model.play(seat, data["positions"])
        else:
            model.use(seat, data)
        agree(step.state, model)
        empty += sum(event["type"] == "hand_shown" and not event["cards"] for event in map(ENGINE.dump_event, step.events))
    pot = 101 * seats
    rest = pot - pot * 250 // 10_000
    paid = {move.seat: move.amount_minor for move in step.moves if move.kind == "release"}
    assert sum(paid.values()) == rest
    part = rest // len(model.winners)
    assert paid == {seat: part + (rest % len(model.winners) if seat == min(model.winners) else 0) for seat in model.winners}
    return empty


@pytest.mark.parametrize(
    "settings",
    [
        {"seats": 2, "max_cycles": 8},
        {"seats": 3, "max_cycles": 5, "discard_scope": "cycle", "min_loss": 2},
        {"seats": 2, "max_cycles": 6, "max_bonuses": 0},
        {"seats": 4, "max_cycles": 4, "max_bonuses": 3, "min_loss": 11},
        {"seats": 6, "max_cycles": 3, "min_loss": 1},
        {"seats": 2, "min_loss": 11},
        {"seats": 5, "min_loss": 11, "max_bonuses": 1, "max_cycles": 12},
    ],
    ids=lambda settings: "-".join(map(str, settings.values())),
)
def test_games_go_as_the_model_says(settings):
    random = Random(str(settings))
    empty = [game(random, all_greedy=all_greedy, **settings) for all_greedy in (False, False, True)]
    assert sum(empty) or settings.get("discard_scope") == "cycle"
