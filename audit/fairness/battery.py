"""The whole battery on one sample of decks, and the verdict on all its p-values together."""

from collections.abc import Iterator, Sequence

from audit.fairness.between import BETWEEN_NAMES, RARE, between_decks, repeats, repeats_expected
from audit.fairness.decks import Orders
from audit.fairness.hands import hands, hands_names
from audit.fairness.laws import Outcome
from audit.fairness.within import within_decks, within_names

LEVEL = 0.01
"""The chance, of all tests of a run together, that a fair shuffle fails: 99 % collectively (GLI-19, 3.2.2)."""
LEAST_DECKS = 30
"""So many decks make a sum of theirs about normal; fewer are only looked through for repeated ones."""
CERTAIN = 1e-6
"""Below this a p-value is no bad luck, and blocks without a second sample."""


def battery(orders: Orders, games: Sequence[str] = ()) -> Iterator[Outcome]:
    """Run every test that the sample is large enough for; with hands as the games deal them from such decks."""
    if repeats_expected(*orders.shape) < RARE and len(orders) > 1:
        yield repeats(orders)
    if len(orders) < LEAST_DECKS:
        return
    yield from within_decks(orders)
    yield from between_decks(orders)
    for game in games:
        yield from hands(orders, game)


def skipped(outcomes: Sequence[Outcome], items: int, games: Sequence[str] = ()) -> tuple[str, ...]:
    """Name the tests of such decks that the battery left out, as the sample was too small for their laws."""
    computed = {each.name for each in outcomes}
    names = [*within_names(items), *BETWEEN_NAMES, *(name for game in games for name in hands_names(game))]
    return tuple([name for name in names if name not in computed])


def holm(p_values: Sequence[float], level: float = LEVEL) -> tuple[int, ...]:
    """Return the places of the p-values that Holm's step-down rejects, the smallest first.

    **Rule** The smallest of k is rejected up to level/k, the next one up to level/(k - 1), and so on to the first that is not.
    The chance to reject anything under a fair shuffle is then at most the level, whatever the tests have to do with each other.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rejected, place in enumerate(order):
        if not p_values[place] <= level / (len(order) - rejected):
            return tuple(order[:rejected])
    return tuple(order)


def failures(outcomes: Sequence[Outcome], level: float = LEVEL) -> tuple[Outcome, ...]:
    """Return the outcomes that fail as a family, the least likely first."""
    return tuple([outcomes[place] for place in holm([each.p for each in outcomes], level)])
