"""A step in the making, and how a game goes on (RA-1 to RA-6); that an action may be done is settled before, in ``rules``."""

from typing import Any

from games.core.engine import Event, Move, Step
from games.core.pot import pot_moves
from games.core.shuffle import Shuffles
from games.rapira.engine import events
from games.rapira.engine.actions import HAND, Discard, PlayHand
from games.rapira.engine.cards import BLUE, FRESH, GREEN, RED, SLOTS
from games.rapira.engine.scoring import Place, evaluate, place_of
from games.rapira.engine.setup import DiscardScope, Setup
from games.rapira.engine.state import HANDS, START_POINTS, LastHand, Phase, Seat, ShownHand, State, waits, winners

ALL_SLOTS = tuple(range(SLOTS))


class Play:
    """The state so far, and what happened and moved on the way to it."""

    __slots__ = ("cycle", "events", "hand", "last", "moves", "next_shuffle", "phase", "seats", "seed", "setup")

    def __init__(self, state: State) -> None:
        self.setup, self.seed, self.phase, self.cycle, self.hand, self.next_shuffle, seats, self.last = state
        self.seats: list[Seat] = list(seats)
        self.events: list[Event] = []
        self.moves: tuple[Move, ...] = ()

    def change(self, index: int, **changes: Any) -> Seat:
        """Change what a seat has; return the seat as it is then."""
        seat = self.seats[index] = self.seats[index]._replace(**changes)
        return seat

    def living(self) -> list[tuple[int, Seat]]:
        """The seats that have points, in index order."""
        return [(index, seat) for index, seat in enumerate(self.seats) if seat.points > 0]

    def step(self) -> Step[State]:
        """Go on as far as nobody is asked, then return what came of it all."""
        self._go_on()
        return Step(self._state(), tuple(self.events), self.moves)

    def _state(self) -> State:
        seats = tuple(self.seats)
        return State(self.setup, self.seed, self.phase, self.cycle, self.hand, self.next_shuffle, seats, self.last)

    def _go_on(self) -> None:
        """Settle what all have played, then go to the next hand, bonus phase or cycle, until a seat is asked or all is over."""
        while self.phase is not Phase.OVER and not any(waits(self.phase, seat) for seat in self.seats):
            if self.phase is Phase.BONUSES:
                self.start_cycle()
                continue
            _settle_hand(self)
            if len(self.living()) == 1:
                self._end(events.Ending.LAST_SEAT)
            elif self.hand < HANDS:
                self.start_hand(self.hand + 1)
            elif self.cycle == self.setup.max_cycles:
                self._end(events.Ending.LAST_CYCLE)
            else:
                self._start_bonuses()

    def start_cycle(self) -> None:
        """Shuffle the decks of all living seats, each from slot order, and deal (RA-1.4, RA-6.4)."""
        self.cycle += 1
        self.events.append(events.CycleStarted(self.cycle))
        for index, _ in self.living():
            deck = self.seed.shuffled(ALL_SLOTS, self.next_shuffle)
            self.next_shuffle += 1
            self.change(index, deck=deck, hand=(), pile=(), blue=0, earned=0)
            fill_hand(self, index)
        self.start_hand(1)

    def start_hand(self, hand: int) -> None:
        """Begin a hand; a seat without cards has played it by itself (RA-2.3)."""
        self.phase, self.hand = Phase.HAND, hand
        self.events.append(events.HandStarted(self.cycle, hand))
        keeps_discards = hand > 1 and self.setup.discard_scope is DiscardScope.CYCLE
        for index, seat in self.living():
            self.change(
                index,
                played=None if seat.hand else (),
                discards=seat.discards if keeps_discards else 0,
                counted_hand=len(seat.hand),
                counted_pile=len(seat.pile),
            )
            if not seat.hand:
                self.events.append(events.SeatPlayed(index))

    def _start_bonuses(self) -> None:
        """Count bonuses and number their shuffles seat by seat, so that nothing depends on who acts first (RA-1.4, RA-6.1).

        What the last seat drew after its play goes back before it was seen, so that no event tells it.
        """
        self.phase = Phase.BONUSES
        self.events = [event for event in self.events if not isinstance(event, events.CardsDrawn)]
        self.events.append(events.BonusPhaseStarted(self.cycle))
        cap = self.setup.max_bonuses
        for index, seat in self.living():
            bonuses = 1 + seat.earned if cap is None else min(1 + seat.earned, cap)
            self.change(
                index,
                deck=ALL_SLOTS,
                hand=(),
                pile=(),
                played=None,
                bonuses=bonuses,
                shuffle=self.next_shuffle,
                counted_hand=0,
                counted_pile=0,
            )
            self.next_shuffle += bonuses
            self.events.append(events.BonusesCounted(index, bonuses))
            show_bonus(self, index)

    def _end(self, ending: events.Ending) -> None:
        """Pay the pot to those with the most points (RA-1.1 to RA-1.3)."""
        self.phase = Phase.OVER
        winning = winners(self._state())
        self.events.append(events.GameEnded(ending, tuple(winning)))
        self.moves = pot_moves(self.setup.entry_minor, self.setup.seats, winning, self.setup.rake)


def start(setup: Setup, seed: Shuffles) -> Step[State]:
    """Open a game: hold every entry, shuffle every deck, deal the first hand (RA-1)."""
    seats = (Seat(START_POINTS, FRESH, ()),) * setup.seats
    play = Play(State(setup, seed, Phase.HAND, 0, 0, 0, seats, None))
    play.moves = tuple([Move("hold", index, setup.entry_minor, "entry") for index in range(setup.seats)])
    play.start_cycle()
    return play.step()


def fill_hand(play: Play, index: int) -> None:
    """Draw up to eight cards, as far as the deck goes; new ones go to the end (RA-2.1, RA-2.2)."""
    seat = play.seats[index]
    drawn = seat.deck[: HAND - len(seat.hand)]
    if drawn:
        play.change(index, deck=seat.deck[len(drawn) :], hand=seat.hand + drawn)
        play.events.append(events.CardsDrawn(index, seat.cards(drawn)))


def show_bonus(play: Play, index: int) -> None:
    """Show eight cards for a seat's next bonus, or note that it has none left (RA-6.2)."""
    seat = play.seats[index]
    if not seat.bonuses:
        play.events.append(events.BonusesFinished(index))
        return
    seat = play.change(index, deck=play.seed.shuffled(ALL_SLOTS, seat.shuffle))
    play.events.append(events.BonusShown(index, seat.bonuses, seat.cards(seat.shown)))


def discard(play: Play, index: int, action: Discard) -> None:
    """Change cards of the hand for the deck's next ones (RA-2.1); green ones bring bonuses (RA-5.1)."""
    seat = play.seats[index]
    gone, kept = _parted(seat, action.positions)
    cards = seat.cards(gone)
    bonuses = sum([1 for card in cards if card.colours & GREEN])
    play.change(index, hand=kept, pile=seat.pile + gone, discards=seat.discards + 1, earned=seat.earned + bonuses)
    play.events.append(events.CardsDiscarded(index, cards, bonuses))
    fill_hand(play, index)


def play_hand(play: Play, index: int, action: PlayHand) -> None:
    """Play cards of the hand (RA-2.1): red ones bring a bonus, and once a cycle blue ones that stay (RA-5.1, RA-5.4)."""
    seat = play.seats[index]
    gone, kept = _parted(seat, action.positions)
    cards = seat.cards(gone)
    bonuses = sum([1 for card in cards if card.colours & RED])
    blue = seat.blue
    for slot in kept:
        if seat.slots[slot].colours & BLUE and not blue >> slot & 1:
            blue |= 1 << slot
            bonuses += 1
    play.change(index, hand=kept, pile=seat.pile + gone, played=gone, blue=blue, earned=seat.earned + bonuses)
    play.events += (events.CardsPlayed(index, cards, bonuses), events.SeatPlayed(index))
    fill_hand(play, index)


def _parted(seat: Seat, positions: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the slots at these positions of the hand, and the others."""
    hand = seat.hand
    kept = [slot for position, slot in enumerate(hand) if position not in positions]
    return tuple([hand[position] for position in positions]), tuple(kept)


def _settle_hand(play: Play) -> None:
    """Compare what all have played, take the losers' points together, count bonuses of hands (RA-3, RA-4, RA-6.1)."""
    living = play.living()
    hands = [(index, seat, cards, evaluate(cards)) for index, seat in living for cards in [seat.cards(seat.played or ())]]
    best = max([strength for _, _, _, strength in hands])
    for index, _, cards, strength in hands:
        combination = Place(strength[0]) if cards else None
        play.events.append(events.HandShown(index, cards, combination, place_of(strength), strength[1:]))
    play.events.append(events.HandWon(tuple([index for index, _, _, strength in hands if strength == best])))
    shown = []
    for index, seat, cards, strength in hands:
        won = strength == best
        loss = 0 if won else min(seat.points, (place_of(best) - place_of(strength)) or play.setup.min_loss)
        high_card = strength[0] == Place.HIGH_CARD
        points = seat.points - loss
        play.change(index, points=points, earned=seat.earned + won + high_card)
        if loss:
            play.events.append(events.PointsLost(index, loss, points))
        if not points:
            play.events.append(events.SeatEliminated(index))
        shown.append(ShownHand(index, cards, strength, won, loss, points))
    play.last = LastHand(play.cycle, play.hand, tuple(shown))
