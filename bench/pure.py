"""(d) Verifying records and (e) evaluating hands: pure Python on one core, no database."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

from phevaluator import evaluate_cards

from bench.play import ENGINE
from bench.scale import Scale
from bench.table import Line, interleaved, per_second
from games.core.cards import DECK_52
from games.russian_poker.engine.scoring import evaluate
from games.verify import verify
from tests.rounds import record_of, text_of

SEED = 20
VERIFIED_PER_SECOND = 5_000


def verify_lines(scale: Scale) -> Iterator[Line]:
    """Verify records of rounds whose stakes, cards and actions are drawn."""
    chance = Random(SEED)
    one, four = ([_record(chance, boxes) for _ in range(scale.records)] for boxes in (1, 4))
    of_one, of_four = interleaved(scale.repeats, partial(_rate, verify, one), partial(_rate, verify, four))
    ratio = of_one / VERIFIED_PER_SECOND
    yield Line("d", "records of one box verified on one core", per_second(of_one), "", ratio, f"≥ {VERIFIED_PER_SECOND:,}/s")
    yield Line("d", "records of four boxes verified on one core", per_second(of_four), "", 0, "")


def hand_lines(scale: Scale) -> Iterator[Line]:
    """Find both combinations of hands, against a yardstick that finds how high the first is."""
    for size in (5, 6):
        chance = Random(SEED)
        hands = [chance.sample(DECK_52, size) for _ in range(scale.hands)]
        numbers = [[4 * (card.rank - 2) + card.suit for card in hand] for hand in hands]
        ours, yardstick = interleaved(
            scale.repeats,
            partial(_rate, evaluate, hands),
            partial(_rate, _yardstick, numbers),
        )
        what = f"both combinations of {size} cards / phevaluator"
        yield Line("e", what, per_second(ours), per_second(yardstick), ours / yardstick, "≥ 1")


def _yardstick(hand: Sequence[int]) -> int:
    return evaluate_cards(*hand)


def _record(chance: Random, boxes: int) -> bytes:
    setup = {
        "boxes": [
            {"box": box, "ante_minor": chance.randrange(100, 1_001, 10), "bonus_minor": chance.randrange(0, 201, 10)}
            for box in sorted(chance.sample(range(1, 6), boxes))
        ],
        "limits": ENGINE.default_limits["first"],
        "pay_table": ENGINE.default_pay_table,
    }
    return text_of(record_of(ENGINE, ENGINE.dump_setup(ENGINE.parse_setup(setup)), chance))


def _rate(work: Callable[[Any], object], items: Sequence[Any]) -> float:
    """How many items a second of this process's own time is enough for."""
    begun = time.process_time()
    for item in items:
        work(item)
    return len(items) / (time.process_time() - begun)
