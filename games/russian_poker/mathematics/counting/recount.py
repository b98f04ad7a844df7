"""All frequencies anew: some two minutes on one core."""

from itertools import product

from games.russian_poker.engine.scoring import Category
from games.russian_poker.mathematics.counting.hands import Ints
from games.russian_poker.mathematics.counting.replacements import count_replacements
from games.russian_poker.mathematics.counting.showdowns import Progress, count_showdowns
from games.russian_poker.mathematics.frequencies import Bought, Frequencies, Pair, Showdown


def recounted(progress: Progress) -> Frequencies:
    """Count every deal that matters."""
    boxes, showdowns = count_showdowns(progress)
    replacements = count_replacements(boxes, progress)
    return Frequencies(
        five=_counts(showdowns.five),
        six=_counts(showdowns.six),
        boxes=_counts(showdowns.boxes),
        against_five=_showdowns(showdowns.against_five),
        against_six={
            (before, pair): counts for before in Category for pair, counts in _showdowns(showdowns.against_six[before]).items()
        },
        after_replacement={
            stops: {category: int(table[category]) for category in Category if table[category]}
            for stops, table in sorted(replacements.alone.items())
        },
        bought={
            stops: {pair: Bought(*table[pair].tolist()) for pair in _PAIRS if table[pair].any()}
            for stops, table in sorted(replacements.against_five.items())
        },
    )


_PAIRS: list[Pair] = list(product(Category, Category))


def _counts(table: Ints) -> dict[Pair, int]:
    return {pair: int(table[pair]) for pair in _PAIRS if table[pair]}


def _showdowns(table: Ints) -> dict[Pair, Showdown]:
    return {pair: Showdown(*table[pair].tolist()) for pair in _PAIRS if table[pair].any()}
