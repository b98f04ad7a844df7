"""What each action does (RP-3 to RP-6); that it may be done is settled before, in ``rules``."""

from dataclasses import dataclass, field

from games.core.cards import DECK_52
from games.core.engine import UNPLACED, Event, Move, Step
from games.core.errors import IllegalAction
from games.core.shuffle import Shuffles
from games.russian_poker.engine import events, settlement
from games.russian_poker.engine.actions import Action, BuyGame, Continue, Exchange, Fold, Insure, OpenDealer, SixthCard
from games.russian_poker.engine.errors import Refusal
from games.russian_poker.engine.scoring import LOWEST_GAME, Category, Combination, evaluate, shown
from games.russian_poker.engine.settlement import insurance_bounds, move
from games.russian_poker.engine.setup import OPEN_BOXES, Setup
from games.russian_poker.engine.state import Box, Decision, Draw, Outcome, Phase, State

MOST_REPEATS = 3
"""How often the dealer's replacement is repeated at most (RP-6.5)."""


@dataclass(slots=True)
class _Play:
    """A step in the making: the state so far, and what happened and moved on the way to it."""

    state: State
    events: list[Event] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)

    def change(self, box: Box, event: Event, moves: tuple[Move, ...] = ()) -> None:
        """Put a box in the place of its former self, and note the event and moves of it."""
        self.state = self.state.with_box(box)
        self.events.append(event)
        self.moves += moves

    def step(self) -> Step[State]:
        return Step(self.state, tuple(self.events), tuple(self.moves))


def start(setup: Setup, seed: Shuffles) -> Step[State]:
    """Deal (RP-3): cards to the boxes in table order, then to the dealer; then settle Bonus and show the player's cards."""
    deck = seed.shuffled(DECK_52, 0)
    boxes = tuple(
        [
            Box(box.number, box.ante_minor, box.bonus_minor, place >= OPEN_BOXES, deck[5 * place : 5 * place + 5])
            for place, box in enumerate(setup.boxes)
        ]
    )
    dealt = 5 * len(boxes) + 5
    play = _Play(State(setup, seed, Phase.DECIDING, boxes, deck[dealt - 5 : dealt], deck[dealt:]))
    for box in boxes:
        play.events.append(events.BoxDealt(box.number))
        play.moves.append(move("hold", box.ante_minor, "ante"))
        if box.bonus_minor:
            play.moves.append(move("hold", box.bonus_minor, "bonus"))
        play.moves.append(move("hold", 2 * box.ante_minor, "bet"))
    play.events.append(events.DealerDealt(play.state.dealer[-1]))
    for box in boxes:
        if box.bonus_minor:
            _settle_bonus(play, box)
    for box in boxes:
        _show(play, box)
    return play.step()


def carry_out(state: State, action: Action) -> Step[State]:
    """Carry out an action that is possible by its kind.

    **Errors** IllegalAction for what it names beyond its box: a card that is not there, an amount out of bounds.
    """
    play = _Play(state)
    if isinstance(action, OpenDealer):
        _open_dealer(play)
    elif isinstance(action, Continue):
        _continue(play)
    else:
        box = next(box for box in state.boxes if box.number == action.box)
        if isinstance(action, Exchange):
            _exchange(play, box, action)
        elif isinstance(action, SixthCard):
            _sixth_card(play, box)
        elif isinstance(action, Insure):
            _insure(play, box, action.amount_minor)
        elif isinstance(action, BuyGame):
            bought = events.GameBought(box.number, box.ante_minor)
            play.change(box._replace(game_bought=True), bought, settlement.fee(box.ante_minor, "game_purchase"))
        else:
            _decide(play, box, folds=isinstance(action, Fold))
    return play.step()


def _settle_bonus(play: _Play, box: Box) -> None:
    category = box.hand.first.category
    multiple = play.state.setup.pay_table.bonus[category]
    after, moves = settlement.settle_bonus(box, category, multiple)
    if after.returned_minor:
        play.change(after, events.BonusWon(box.number, category, multiple, box.bonus_minor, after.returned_minor), moves)
    else:
        play.change(after, events.BonusLost(box.number, box.bonus_minor), moves)


def _show(play: _Play, box: Box) -> None:
    """Show the player a box's cards and what they are worth."""
    hand = box.hand
    first, second = shown(hand, box.cards)
    multiple = hand.multiple(play.state.setup.pay_table.bet)
    play.events.append(events.CardsShown(box.number, box.cards, first, second, multiple))


def _exchange(play: _Play, box: Box, action: Exchange) -> None:
    """RP-5.1: new cards take the places of the named ones, left to right."""
    if not set(action.cards).issubset(box.cards):
        raise IllegalAction(Refusal.CARD_NOT_IN_BOX)
    count = len(action.cards)
    drawn = play.state.deck[:count]
    discarded = tuple([card for card in box.cards if card in action.cards])
    new = iter(drawn)
    cards = tuple([next(new) if card in discarded else card for card in box.cards])
    after = box._replace(cards=cards, draw=Draw.EXCHANGE)
    play.state = play.state._replace(deck=play.state.deck[count:], discarded=play.state.discarded + discarded)
    exchanged = events.CardsExchanged(box.number, discarded, drawn, box.ante_minor)
    play.change(after, exchanged, settlement.fee(box.ante_minor, "exchange_fee"))
    _show(play, after)


def _sixth_card(play: _Play, box: Box) -> None:
    """RP-5.2: the new card goes last."""
    drawn = play.state.deck[0]
    after = box._replace(cards=(*box.cards, drawn), draw=Draw.SIXTH_CARD)
    play.state = play.state._replace(deck=play.state.deck[1:])
    bought = events.SixthCardBought(box.number, drawn, box.ante_minor)
    play.change(after, bought, settlement.fee(box.ante_minor, "sixth_card_fee"))
    _show(play, after)


def _decide(play: _Play, box: Box, *, folds: bool) -> None:
    """RP-5.3 or RP-5.4; after the last open box the blind ones bet, then the window or the dealer opens (RP-5.7 to 5.9)."""
    if folds:
        after = box._replace(decision=Decision.FOLD, outcome=Outcome.FOLDED)
        moves = (*settlement.lost(box.ante_minor, "ante"), move("release", 2 * box.ante_minor, UNPLACED))
        play.change(after, events.BoxFolded(box.number, box.staked_minor - box.bonus_minor), moves)
    else:
        _bet(play, box)
    if play.state.undecided:
        return
    for blind in play.state.boxes:
        if blind.blind:
            _bet(play, blind)
    if not play.state.playing:
        play.state = play.state._replace(phase=Phase.OVER)
        return
    insurable = tuple([each.number for each in play.state.playing if insurance_bounds(play.state.setup, each)])
    if insurable:
        play.state = play.state._replace(phase=Phase.INSURING)
        play.events.append(events.InsuranceOpened(insurable))
    else:
        _open_dealer(play)


def _bet(play: _Play, box: Box) -> None:
    """The Bet uses what the deal held for it, so no money moves (RP-3.3)."""
    after = box._replace(decision=Decision.BET)
    play.change(after, events.BetPlaced(box.number, after.bet_minor, box.blind))


def _insure(play: _Play, box: Box, amount_minor: int) -> None:
    """RP-5.8."""
    bounds = insurance_bounds(play.state.setup, box)
    if bounds is None or not bounds[0] <= amount_minor <= bounds[1]:
        raise IllegalAction(Refusal.INSURANCE_OUT_OF_BOUNDS)
    if amount_minor % play.state.setup.limits.ante.step_minor:
        raise IllegalAction(Refusal.INSURANCE_NOT_IN_STEPS)
    insured = events.BoxInsured(box.number, amount_minor)
    play.change(box._replace(insurance_minor=amount_minor), insured, (move("hold", amount_minor, "insurance"),))


def _open_dealer(play: _Play) -> None:
    """RP-6.1 to RP-6.3: with a game everything is settled, without one insurance is paid and the game can be bought."""
    dealer = _dealer_combination(play.state)
    has_game = dealer.category >= LOWEST_GAME
    play.events.append(events.DealerOpened(play.state.dealer, dealer, has_game))
    for box in play.state.playing:
        outcome = settlement.compare(play.state, box) if has_game else Outcome.NO_GAME
        if has_game:
            box = _settle(play, box, outcome)
        if box.insurance_minor:
            after, moves = settlement.settle_insurance(box, outcome)
            back = after.returned_minor - box.returned_minor
            play.change(after, events.InsuranceSettled(box.number, box.insurance_minor, back), moves)
    play.state = play.state._replace(phase=Phase.OVER if has_game else Phase.BUYING)


def _continue(play: _Play) -> None:
    """RP-6.4 to RP-6.6: boxes without a purchase are paid; for the others the dealer's highest card is replaced."""
    for box in play.state.playing:
        if not box.game_bought:
            _settle(play, box, Outcome.NO_GAME)
    buyers = [box for box in play.state.playing if box.game_bought]
    if buyers:
        _replace_highest(play)
        dealer = _dealer_combination(play.state)
        has_game = dealer.category >= LOWEST_GAME
        play.events.append(events.DealerShownAgain(play.state.dealer, dealer, has_game))
        for box in buyers:
            _settle(play, box, settlement.compare(play.state, box) if has_game else Outcome.STILL_NO_GAME)
    play.state = play.state._replace(phase=Phase.OVER)


def _replace_highest(play: _Play) -> None:
    """RP-6.5: once, and again while the new card has the rank of the old one, unless the cards became a flush."""
    for _ in range(1 + MOST_REPEATS):
        state = play.state
        highest, drawn = max(state.dealer, key=lambda card: card.rank), state.deck[0]
        dealer = tuple([drawn if card is highest else card for card in state.dealer])
        play.state = state._replace(dealer=dealer, deck=state.deck[1:], replaced=(*state.replaced, highest))
        play.events.append(events.DealerCardReplaced(highest, drawn))
        if drawn.rank != highest.rank or evaluate(dealer).first.category is Category.FLUSH:
            return


def _settle(play: _Play, box: Box, outcome: Outcome) -> Box:
    after, moves = settlement.settle_box(play.state, box, outcome)
    back = after.returned_minor - box.returned_minor
    multiple = box.hand.multiple(play.state.setup.pay_table.bet)
    play.change(after, events.BoxSettled(box.number, outcome, multiple, back), moves)
    return after


def _dealer_combination(state: State) -> Combination:
    return shown(evaluate(state.dealer), state.dealer)[0]
