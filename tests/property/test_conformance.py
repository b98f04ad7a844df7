"""Every game keeps the engine contract, on random rounds of its golden setups. Nothing here knows any game."""

from pathlib import Path
from random import Random

import pytest

from games.core.codec import canonical, parse
from games.core.engine import Amount
from games.core.errors import IllegalAction, InvalidData
from games.core.record import escrow_balance, seat_totals
from games.engines import ENGINES
from games.verify import verify
from tests.playthroughs import setups_of
from tests.rounds import action_of, allows, drawn, record_of, seed_of, text_of

ROUNDS = 1000
GAMES_OF_SEVERAL = 50
"""A game of several seats has hundreds of steps, each looked at by every seat."""
CHUNKS = 10
TRIED_ACTIONS = 3
"""How many actions that other moments allowed are tried at every moment."""

every_engine = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: f"{engine.code}-{engine.rules_version}")
several_seats = pytest.mark.parametrize(
    "engine", [engine for engine in ENGINES if engine.seats[1] > 1], ids=lambda engine: f"{engine.code}-{engine.rules_version}"
)


class Round:
    """One random round, every moment of which is checked."""

    def __init__(self, engine, random, seen):
        self.engine = engine
        self.random = random
        self.seen = seen
        self.setup = engine.parse_setup(random.choice(setups_of(engine.code)))
        self.exposure = engine.exposure(self.setup)
        self.seats = len(self.exposure.seats_minor)
        self.seed = seed_of(random, self.seats)
        step = engine.start(self.setup, self.seed)
        assert step == engine.start(self.setup, self.seed)
        self.pack = sorted(map(str, engine.cards(step.state)))
        self.moves = []
        self.steps = 0
        self.views, self.former, self.hidden_from_all = {}, {}, len(self.pack)
        self.texts_tell = len(set(self.pack)) == len(self.pack)
        self.shown, self.compared = set(), 0
        self._take(step, {})

    def play(self):
        while self.engine.to_act(self.state):
            self._refuses_the_rest()
            seat = self.random.choice(sorted(self.engine.to_act(self.state)))
            data = self._choice(seat)
            self.seen.append(data)
            action = self.engine.parse_action(data)
            assert self.engine.parse_action(self.engine.dump_action(action)) == action
            before, step = self.state, self.engine.apply(self.state, seat, action)
            assert step == self.engine.apply(before, seat, action)
            self._take(step, data)
            self._tells_no_more_than_the_view(before, seat, action, step)
        self._refuses_the_rest()
        assert escrow_balance(self.moves) == 0
        for total, most in zip(seat_totals(self.moves, self.seats), self.exposure.seats_minor, strict=True):
            assert total.staked_minor - total.returned_minor <= most
        assert parse(canonical(self.engine.result(self.state)))
        return self

    @property
    def is_read_by_texts(self):
        """Whether cards are told apart by their texts, and views show those: only then does looking for a text find a leak."""
        return self.texts_tell and not self.shown.isdisjoint(self.pack)

    def _choice(self, seat):
        """Draw an action; where parameters depend on one another, any values of theirs if the rules accept them."""
        spec = self.random.choice(self.engine.legal_actions(self.state, seat))
        if spec.suggestions:
            for suggestion in spec.suggestions:
                self.engine.apply(self.state, seat, self.engine.parse_action(suggestion))
            data = drawn(spec, self.random)
            if applies(self.engine, self.state, seat, data):
                return data
        return action_of(spec, self.random)

    def _take(self, step, asked):
        """Move on to the state after the step that an action made; check the step and the state."""
        self.state = step.state
        self.steps += 1
        assert self.steps <= self.engine.max_steps
        self._money(step.moves)
        assert sorted(map(str, self.engine.cards(step.state))) == self.pack
        dump = self.engine.dump(step.state)
        loaded = self.engine.load(parse(canonical(dump)))
        assert loaded == step.state
        assert self.engine.dump(loaded) == dump
        for event in step.events:
            data = self.engine.dump_event(event)
            assert parse(canonical(data)) == data
        self._hides(step, asked)
        for seat in range(self.seats):
            if seat not in self.engine.to_act(step.state):
                assert self.engine.legal_actions(step.state, seat) == ()
                continue
            assert self.engine.legal_actions(step.state, seat)
            self.engine.apply(step.state, seat, self.engine.timeout_action(step.state, seat))
            wait = self.engine.wait(step.state, seat)
            assert wait is None or wait.seconds > 0

    def _money(self, moves):
        for move in moves:
            assert type(move.amount_minor) is int and move.amount_minor > 0
            assert 0 <= move.seat < self.seats
            self.moves.append(move)
            assert escrow_balance(self.moves) >= 0
        house = sum({"fund": 1, "collect": -1}.get(move.kind, 0) * move.amount_minor for move in self.moves)
        assert house <= self.exposure.house_minor

    def _hides(self, step, asked):
        """What a viewer sees does not depend on cards that are hidden from it, and no event of the step shows one of them.

        When a new deck is dealt, more cards are hidden from all than before: what a viewer saw of the former one may be shown
        still, and lie hidden again.
        """
        for viewer in (None, *range(self.seats)):
            view = self.engine.view(step.state, viewer)
            assert parse(canonical(view)) == view
            hidden = []

            def order(cards, hidden=hidden):
                hidden.extend(map(str, cards))
                return self.random.sample(list(cards), len(cards))

            other = self.engine.permute_hidden(step.state, viewer, order)
            assert self.engine.view(other, viewer) == view
            assert sorted(map(str, self.engine.cards(other))) == self.pack
            if self.texts_tell:
                if viewer is None:
                    is_new_deck, self.hidden_from_all = len(hidden) > self.hidden_from_all, len(hidden)
                if is_new_deck:
                    self.former[viewer] = set(texts_in([self.views[viewer], asked]))
                self.views[viewer] = view
                told = set(texts_in([view, self._told(step, viewer)]))
                self.shown |= told
                assert not (set(hidden) - self.former.get(viewer, set())) & told

    def _told(self, step, viewer):
        return [self.engine.event_view(event, viewer) for event in step.events]

    def _tells_no_more_than_the_view(self, before, seat, action, step):
        """Had the hidden cards lain otherwise, and the viewer saw no difference afterwards, the events tell none either."""
        for viewer in (*range(self.seats), None):
            other = self.engine.permute_hidden(before, viewer, lambda cards: self.random.sample(list(cards), len(cards)))
            try:
                otherwise = self.engine.apply(other, seat, action)
            except IllegalAction:
                continue
            if self.engine.view(otherwise.state, viewer) == self.engine.view(step.state, viewer):
                self.compared += 1
                assert self._told(otherwise, viewer) == self._told(step, viewer)

    def _refuses_the_rest(self):
        """Whatever another moment allowed is possible now exactly if it is listed; else it is refused and nothing changes."""
        before = canonical(self.engine.dump(self.state))
        for data in self.random.sample(self.seen, min(TRIED_ACTIONS, len(self.seen))):
            for seat in range(self.seats):
                allowed = allows(self.engine.legal_actions(self.state, seat), data)
                assert applies(self.engine, self.state, seat, data) in ((True, False) if allowed is None else (allowed,))
        assert canonical(self.engine.dump(self.state)) == before


def applies(engine, state, seat, data):
    """Say whether the rules accept an action; what they refuse, they refuse with a declared code."""
    try:
        engine.apply(state, seat, engine.parse_action(data))
    except InvalidData:
        return False
    except IllegalAction as refused:
        assert refused.code in engine.error_codes
        return False
    return True


def texts_in(value):
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from texts_in(each)


@every_engine
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_rounds_keep_the_contract(engine, chunk):
    keep_the_contract(
        engine, Random(f"{engine.code} {chunk}"), (ROUNDS if engine.seats == (1, 1) else GAMES_OF_SEVERAL) // CHUNKS
    )


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(20))
@several_seats
def test_many_games_of_several_seats_keep_the_contract(engine, chunk):
    keep_the_contract(engine, Random(f"{engine.code} {chunk} slow"), 50)


def keep_the_contract(engine, random, rounds):
    seen = []
    played = [Round(engine, random, seen).play() for _ in range(rounds)]
    assert sum(each.compared for each in played) > 0
    own_test = Path(__file__).with_name(f"test_{engine.code}_hiding.py")
    assert all(each.is_read_by_texts for each in played) or own_test.exists(), f"{own_test.name} is to look for hidden cards"


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(20))
@several_seats
def test_pots_are_conserved_to_the_unit_over_many_games(engine, chunk):
    random = Random(f"{engine.code} {chunk} money")
    for _ in range(500):
        setup = engine.parse_setup(random.choice(setups_of(engine.code)))
        seats = len(engine.exposure(setup).seats_minor)
        step = engine.start(setup, seed_of(random, seats))
        moves = list(step.moves)
        while to_act := engine.to_act(step.state):
            seat = random.choice(sorted(to_act))
            action = engine.parse_action(action_of(random.choice(engine.legal_actions(step.state, seat)), random))
            step = engine.apply(step.state, seat, action)
            moves += step.moves
        assert escrow_balance(moves) == 0
        lost = [total.staked_minor - total.returned_minor for total in seat_totals(moves, seats)]
        assert sum(lost) == sum(move.amount_minor for move in moves if move.kind == "rake")
        assert all(each <= most for each, most in zip(lost, engine.exposure(setup).seats_minor, strict=True))


@every_engine
def test_records_of_random_rounds_verify(engine):
    random = Random(engine.code)
    for number in range(40):
        choose = (lambda state, seat: None) if number % 4 == 0 else None
        void_after = random.randint(1, 4) if number % 4 == 1 else None
        record = record_of(engine, random.choice(setups_of(engine.code)), random, choose=choose, void_after=void_after)
        assert verify(text_of(record)).steps == len(record["steps"])


@every_engine
def test_amounts_beyond_their_bounds_are_refused(engine):
    random, found = Random(engine.code), 0
    for _ in range(200 if engine.seats == (1, 1) else 5):
        setup = engine.parse_setup(random.choice(setups_of(engine.code)))
        state = engine.start(setup, seed_of(random, len(engine.exposure(setup).seats_minor))).state
        while engine.to_act(state):
            seat = random.choice(sorted(engine.to_act(state)))
            specs = engine.legal_actions(state, seat)
            for spec in specs:
                for name, parameter in spec.parameters.items():
                    if isinstance(parameter, Amount):
                        found += 1
                        for wrong in (
                            parameter.min_minor - 1,
                            parameter.max_minor + 1,
                            parameter.min_minor - parameter.step_minor,
                        ):
                            refuse(engine, state, seat, {**action_of(spec, random), name: wrong})
            state = engine.apply(state, seat, engine.parse_action(action_of(random.choice(specs), random))).state
    if not found:
        pytest.skip("no action of this game names an amount")


def refuse(engine, state, seat, data):
    try:
        action = engine.parse_action(data)
    except InvalidData:
        return
    with pytest.raises(IllegalAction) as refused:
        engine.apply(state, seat, action)
    assert refused.value.code in engine.error_codes


@every_engine
def test_the_data_that_a_hall_starts_with_makes_sense(engine):
    assert engine.default_limits
    for limits in engine.default_limits.values():
        engine.check_limits(limits)
    engine.check_pay_table(engine.default_pay_table)


@every_engine
def test_setups_are_complete_after_one_reading(engine):
    for data in setups_of(engine.code):
        setup = engine.parse_setup(data)
        complete = engine.dump_setup(setup)
        assert engine.parse_setup(complete) == setup
        assert engine.dump_setup(engine.parse_setup(parse(canonical(complete)))) == complete
        assert {stake.kind for stake in engine.stakes(setup)} <= set(engine.stake_kinds)
        assert engine.seats[0] <= len(engine.exposure(setup).seats_minor) <= engine.seats[1]
        with pytest.raises(InvalidData):
            engine.parse_setup({**complete, "unknown": 1})
