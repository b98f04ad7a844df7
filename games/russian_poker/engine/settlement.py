"""Which money moves when a bet is decided (RP-4, RP-5.8, RP-6): amounts, never whether a player has them.

Each function returns a box after its settlement and the moves of it; a move of nothing is left out.
"""

from games.core.engine import Move, MoveKind
from games.core.ranking import strength
from games.russian_poker.engine.scoring import LOWEST_BONUS, LOWEST_INSURED, Category
from games.russian_poker.engine.setup import Setup
from games.russian_poker.engine.state import Box, Outcome, State

SEAT = 0
"""The game has one player; the dealer is no seat."""

Moves = tuple[Move, ...]


def move(kind: MoveKind, amount_minor: int, code: str) -> Move:
    """Return a move of the player's seat."""
    return Move(kind, SEAT, amount_minor, code)


def paid(stake_minor: int, multiple: int, code: str) -> Moves:
    """Return a won stake's moves, at ``multiple`` to 1: the house adds the win, the stake goes back with it."""
    if not multiple:
        return returned(stake_minor, code)
    win = stake_minor * multiple
    return move("fund", win, code), move("release", stake_minor + win, code)


def returned(stake_minor: int, code: str) -> Moves:
    """Return the move that gives a stake back."""
    return (move("release", stake_minor, code),)


def lost(stake_minor: int, code: str) -> Moves:
    """Return the move that gives a stake to the house."""
    return (move("collect", stake_minor, code),)


def fee(amount_minor: int, code: str) -> Moves:
    """Return the moves of a fee: the player's money goes to the house through the round's escrow."""
    return move("hold", amount_minor, code), move("collect", amount_minor, code)


def insurance_bounds(setup: Setup, box: Box) -> tuple[int, int] | None:
    """Return the least and the most that a playing box may be insured for, both in chip steps; None where it may not be.

    **Rule** RP-5.8: from three of a kind, one Ante to twice the Ante times the total multiple, at most the hall's maximum payout
    (RP-2.5), rounded down to the step.
    """
    hand = box.hand
    if hand.first.category < LOWEST_INSURED:
        return None
    most = 2 * box.ante_minor * hand.multiple(setup.pay_table.bet)
    if setup.limits.max_payout_minor is not None:
        most = min(most, setup.limits.max_payout_minor)
    step = setup.limits.ante.step_minor
    least, most = -(-box.ante_minor // step) * step, most // step * step
    return (least, most) if least <= most else None


def compare(state: State, box: Box) -> Outcome:
    """Return how a playing box stands against a dealer with a game (RP-1.6, RP-1.7, RP-6.2)."""
    own, dealers = strength(box.cards), strength(state.dealer)
    if own == dealers:
        return Outcome.TIED
    return Outcome.WON if own > dealers else Outcome.LOST


def settle_box(state: State, box: Box, outcome: Outcome) -> tuple[Box, Moves]:
    """Settle Ante and Bet by the outcome (RP-6.2, RP-6.4, RP-6.6)."""
    ante, bet = box.ante_minor, 2 * box.ante_minor
    if outcome is Outcome.WON:
        moves = returned(ante, "ante") + paid(bet, box.hand.multiple(state.setup.pay_table.bet), "bet")
    elif outcome is Outcome.LOST:
        moves = lost(ante, "ante") + lost(bet, "bet")
    elif outcome is Outcome.NO_GAME:
        moves = paid(ante, 1, "ante") + returned(bet, "bet")
    else:
        moves = returned(ante, "ante") + returned(bet, "bet")
    return _credited(box, moves)._replace(outcome=outcome), moves


def settle_insurance(box: Box, outcome: Outcome) -> tuple[Box, Moves]:
    """Settle a box's insurance: paid 1:1 without a dealer's game, returned with a lost box, else lost (RP-6.2, RP-6.3)."""
    if outcome is Outcome.NO_GAME:
        moves = paid(box.insurance_minor, 1, "insurance")
    elif outcome is Outcome.LOST:
        moves = returned(box.insurance_minor, "insurance")
    else:
        moves = lost(box.insurance_minor, "insurance")
    return _credited(box, moves), moves


def settle_bonus(box: Box, category: Category, multiple: int) -> tuple[Box, Moves]:
    """Settle the Bonus of a box whose first five cards make the category (RP-4.1): it wins by that, not by its pay (RP-1.2)."""
    if category < LOWEST_BONUS:
        return box, lost(box.bonus_minor, "bonus")
    moves = paid(box.bonus_minor, multiple, "bonus")
    return _credited(box, moves), moves


def _credited(box: Box, moves: Moves) -> Box:
    back = sum([each.amount_minor for each in moves if each.kind == "release"])
    return box._replace(returned_minor=box.returned_minor + back)
