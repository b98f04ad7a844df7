"""What each action does (CP-2 to CP-4); that it may be done is settled before, in ``rules``."""

from dataclasses import dataclass, field
from operator import add

from games.chinese_poker.engine import events, settlement
from games.chinese_poker.engine.actions import Arrange
from games.chinese_poker.engine.scoring import HAND_SIZE, POSITIONS, Position, points_of
from games.chinese_poker.engine.setup import Setup
from games.chinese_poker.engine.state import Deal, Ending, Phase, Standing, State
from games.core.cards import DECK_52, Card
from games.core.engine import Event, Move, Step
from games.core.shuffle import Shuffles


@dataclass(slots=True)
class _Play:
    """A step in the making: the state so far, and what happened and moved on the way to it."""

    state: State
    events: list[Event] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)

    def step(self) -> Step[State]:
        return Step(self.state, tuple(self.events), tuple(self.moves))


def start(setup: Setup, seed: Shuffles) -> Step[State]:
    """Hold every seat's stake and deal (CP-1.1, CP-1.4)."""
    deal, rest = _dealt(setup, seed, 1)
    play = _Play(State(setup, seed, Phase.ARRANGING, (0,) * setup.seats, deal, rest))
    play.moves += settlement.stakes_held(setup)
    _tell_deal(play)
    return play.step()


def arrange(state: State, seat: int, action: Arrange) -> Step[State]:
    """Lay out a seat's hand; with the last one the deal is compared (CP-2.4)."""
    return _made(state, seat, (*action.first, *action.second, *action.third), Standing.ARRANGED, events.HandArranged(seat))


def forfeit(state: State, seat: int) -> Step[State]:
    """Let a seat's time to arrange be over (CP-2.5)."""
    return _made(state, seat, state.deal.hands[seat], Standing.TIMED_OUT, events.ArrangementMissed(seat))


def doezd(state: State, seat: int) -> Step[State]:
    """Settle the game without the positions that are not open (CP-4.1)."""
    play = _Play(state._replace(pressed_by=seat), [events.DoezdPressed(seat)])
    _settle(play, Ending.DOEZD)
    return play.step()


def compare_next(state: State, seat: int) -> Step[State]:
    """Continue; the last seat of the window to do so has the next position opened (CP-4.2)."""
    play = _Play(state._replace(continued=(*state.continued, seat)), [events.CompareContinued(seat)])
    if len(play.state.continued) == len(state.may_press):
        _open(play)
    return play.step()


def _made(state: State, seat: int, hand: tuple[Card, ...], standing: Standing, event: Event) -> Step[State]:
    deal = state.deal
    hands = (*deal.hands[:seat], hand, *deal.hands[seat + 1 :])
    standings = (*deal.standings[:seat], standing, *deal.standings[seat + 1 :])
    play = _Play(state._replace(deal=deal._replace(hands=hands, standings=standings)), [event])
    if Standing.ARRANGING not in standings:
        _open(play)
    return play.step()


def _open(play: _Play) -> None:
    """Open one position after another, up to the next window (CP-4.2) or the end of the deal."""
    state, deal = play.state, play.state.deal
    values, opened, scores = deal.values(), deal.opened, state.scores
    waits = not deal.timed_out
    for position in POSITIONS[len(opened) :]:
        points = points_of(position, values)
        opened = (*opened, points)
        scores = tuple(map(add, scores, points.totals))
        play.events.append(events.PositionOpened(deal.number, position, deal.shown(position), *points, scores))
        reached = tuple([seat for seat, score in enumerate(scores) if score >= state.setup.target])
        if waits and reached and position is not Position.THIRD:
            play.events.append(events.WindowOpened(position, reached))
            play.state = state._replace(
                phase=Phase.DECIDING, scores=scores, deal=deal._replace(opened=opened), may_press=reached, continued=()
            )
            return
    play.state = state._replace(scores=scores, deal=deal._replace(opened=opened))
    _end_deal(play)


def _end_deal(play: _Play) -> None:
    """Score the deal; then deal again, or settle when somebody timed out (CP-2.5) or has reached the target (CP-4.4)."""
    state, deal = play.state, play.state.deal
    points = tuple(map(sum, zip(*[points.totals for points in deal.opened], strict=True)))
    play.events.append(events.DealScored(deal.number, points, state.scores))
    if deal.timed_out:
        _settle(play, Ending.TIMEOUT)
    elif max(state.scores) >= state.setup.target:
        _settle(play, Ending.TARGET)
    else:
        anew, rest = _dealt(state.setup, state.seed, deal.number + 1)
        play.state = state._replace(deal=anew, rest=rest, last=deal)
        _tell_deal(play)


def _settle(play: _Play, ending: Ending) -> None:
    """End the game: everybody settles with everybody (CP-5)."""
    play.state = state = play.state._replace(phase=Phase.OVER, ending=ending)
    accounts = settlement.accounts(state.setup, state.scores)
    play.moves += settlement.paid_out(state.setup, accounts)
    nets, rakes = [account.net_minor for account in accounts], [account.rake_minor for account in accounts]
    play.events.append(events.GameSettled(ending, state.scores, tuple(nets), tuple(rakes)))


def _dealt(setup: Setup, seed: Shuffles, number: int) -> tuple[Deal, tuple[Card, ...]]:
    """Shuffle and deal; return the deal and the cards that stay out (CP-1.1)."""
    deck = seed.shuffled(DECK_52, number - 1)
    count = HAND_SIZE * setup.seats
    hands = tuple([deck[at : at + HAND_SIZE] for at in range(0, count, HAND_SIZE)])
    return Deal(number, hands, (Standing.ARRANGING,) * setup.seats), deck[count:]


def _tell_deal(play: _Play) -> None:
    deal = play.state.deal
    play.events.append(events.DealStarted(deal.number))
    play.events += [events.HandDealt(seat, cards) for seat, cards in enumerate(deal.hands)]
