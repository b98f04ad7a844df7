"""What a round begins with: the played boxes, the hall's limits and its pay table (RP-1.2, RP-2)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from games.core.codec import Fields, canonical
from games.core.engine import Exposure, Json, Stake
from games.core.errors import InvalidData
from games.core.limits import NO_STAKE_LIMIT, StakeLimit, parse_stake_limits, stake_limits_json
from games.russian_poker.engine.scoring import LOWEST_BONUS, Category

BOXES = 5
MOST_PLAYED = 4
OPEN_BOXES = 2
"""The first and second played box are open, further ones blind (RP-2.3)."""
MOST_MULTIPLE = 100_000
MOST_AT_STAKE_MINOR = 2**50
"""What a round may move in all, so that no account ever holds more than JSON can count."""
LONGEST_WAIT_SECONDS = 366 * 86_400

BET_CATEGORIES = tuple(category for category in Category if category > Category.NOTHING)
BONUS_CATEGORIES = tuple(category for category in Category if category >= LOWEST_BONUS)
_BET_CODES, _BONUS_CODES = ([category.code for category in paid] for paid in (BET_CATEGORIES, BONUS_CATEGORIES))
STAKE_KINDS = ("ante", "bonus")


def _data(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Path(__file__).with_name(name).read_bytes())
    return data


DEFAULT_PAY_TABLE: Mapping[str, Any] = _data("pay_table.json")
DEFAULT_LIMITS: Mapping[str, Mapping[str, Any]] = _data("limits.json")
NO_LIMITS: Mapping[str, Any] = {
    "stakes": stake_limits_json(dict.fromkeys(STAKE_KINDS, NO_STAKE_LIMIT)),
    "max_payout_minor": None,
    "abandon_after_seconds": 86_400,
}
"""What a scripted round without a hall plays under."""


@dataclass(frozen=True)
class Limits:
    """A hall's limit set for this game."""

    ante: StakeLimit
    bonus: StakeLimit
    max_payout_minor: int | None
    abandon_after_seconds: int

    @cached_property
    def text(self) -> str:
        """Its canonical JSON: what a dumped state keeps of it, written once and not at every step of every round."""
        return canonical(_dump_limits(self)).decode()


@dataclass(frozen=True)
class PayTable:
    """Multiples "to 1" of Bet and of Bonus, by ``Category``; 0 where nothing is paid."""

    bet: tuple[int, ...]
    bonus: tuple[int, ...]

    @cached_property
    def text(self) -> str:
        """Its canonical JSON, as that of the limits."""
        return canonical(_dump_pay_table(self)).decode()


@dataclass(frozen=True, slots=True)
class BoxStakes:
    """A played box and what is staked on it; Bonus is 0 without one."""

    number: int
    ante_minor: int
    bonus_minor: int


@dataclass(frozen=True, slots=True)
class Setup:
    """The played boxes in table order, under the limits and pay table of the moment."""

    boxes: tuple[BoxStakes, ...]
    limits: Limits
    pay_table: PayTable


def parse_setup(data: Json) -> Setup:
    """Read a setup; without limits there are none, without a pay table it is the document's.

    **Errors** InvalidData: no box, more than four, one twice (RP-2.1), a Bonus without an Ante (RP-2.2), amounts so large that a
    win could not be counted exactly.
    """
    fields = Fields(data)
    boxes = [_parse_box(item, f"boxes.{place}") for place, item in enumerate(fields.items("boxes", 1, MOST_PLAYED))]
    limits = limits_from_text(canonical(fields.value("limits") if "limits" in fields else NO_LIMITS))
    pay_table = pay_table_from_text(canonical(fields.value("pay_table") if "pay_table" in fields else DEFAULT_PAY_TABLE))
    fields.end()
    if len({box.number for box in boxes}) < len(boxes):
        raise InvalidData("boxes", "names a box twice")
    setup = Setup(tuple(sorted(boxes, key=lambda box: box.number)), limits, pay_table)
    most = exposure(setup)
    if most.house_minor + sum(most.seats_minor) > MOST_AT_STAKE_MINOR:
        raise InvalidData("boxes", "stakes more than a win could be counted for")
    return setup


@lru_cache(maxsize=256)
def limits_from_text(text: bytes) -> Limits:
    """Read limits from canonical JSON: the same few are read over and over, at every step of a round and in every audit."""
    return parse_limits(json.loads(text), "limits")


@lru_cache(maxsize=256)
def pay_table_from_text(text: bytes) -> PayTable:
    """Read a pay table from canonical JSON, as the limits."""
    return parse_pay_table(json.loads(text), "pay_table")


def dump_setup(setup: Setup) -> dict[str, Any]:
    """Return the setup as complete JSON."""
    return {
        "boxes": [{"box": box.number, "ante_minor": box.ante_minor, "bonus_minor": box.bonus_minor} for box in setup.boxes],
        "limits": _dump_limits(setup.limits),
        "pay_table": _dump_pay_table(setup.pay_table),
    }


def stakes(setup: Setup) -> tuple[Stake, ...]:
    """Return the amounts that the hall's limits bound (RP-2.4)."""
    found = []
    for place, box in enumerate(setup.boxes):
        found.append(Stake("ante", box.ante_minor, f"boxes.{place}.ante_minor"))
        if box.bonus_minor:
            found.append(Stake("bonus", box.bonus_minor, f"boxes.{place}.bonus_minor"))
    return tuple(found)


def exposure(setup: Setup) -> Exposure:
    """Return the most that the player and the house can lose.

    A box costs its player most either by losing everything after a purchase, or, insured for the most, by a tie. It costs the
    house most when no game pays the largest insurance and the bought game is then lost to the largest hand.
    """
    best = setup.pay_table.bet[Category.ROYAL_FLUSH] + setup.pay_table.bet[Category.STRAIGHT_FLUSH]
    player = house = 0
    for place, box in enumerate(setup.boxes):
        ante, win = box.ante_minor, 2 * box.ante_minor * best
        cap = setup.limits.max_payout_minor
        insurance = win if cap is None else min(win, cap)
        draw = ante if place < OPEN_BOXES else 0
        player += box.bonus_minor + draw + max(3 * ante + ante, insurance)
        house += box.bonus_minor * setup.pay_table.bonus[Category.ROYAL_FLUSH] + max(ante + insurance, win + insurance - ante)
    return Exposure((player,), house)


def parse_limits(data: object, path: str = "") -> Limits:
    """Read a hall's limit set.

    **Errors** InvalidData: a minimum above the maximum, a chip step that divides neither evenly, a maximum payout or wait out of
    range.
    """
    fields = Fields(data, path)
    stakes = parse_stake_limits(fields, STAKE_KINDS)
    cap = fields.value("max_payout_minor")
    if cap is not None:
        cap = fields.integer("max_payout_minor", 1)
    wait = fields.integer("abandon_after_seconds", 1, LONGEST_WAIT_SECONDS)
    fields.end()
    return Limits(stakes["ante"], stakes["bonus"], cap, wait)


def parse_pay_table(data: object, path: str = "") -> PayTable:
    """Read a pay table.

    **Errors** InvalidData: a category missing, unknown or below Bonus's lowest, a multiple that falls going up (RP-1.2).
    """
    fields = Fields(data, path)
    bet = _parse_multiples(fields.fields("bet"), BET_CATEGORIES)
    bonus = _parse_multiples(fields.fields("bonus"), BONUS_CATEGORIES)
    fields.end()
    return PayTable(bet, bonus)


def _parse_box(data: object, path: str) -> BoxStakes:
    fields = Fields(data, path)
    box = BoxStakes(
        fields.integer("box", 1, BOXES),
        fields.integer("ante_minor", 1),
        fields.integer("bonus_minor", 0, default=0),
    )
    fields.end()
    return box


def _dump_limits(limits: Limits) -> dict[str, Any]:
    return {
        "stakes": stake_limits_json({"ante": limits.ante, "bonus": limits.bonus}),
        "max_payout_minor": limits.max_payout_minor,
        "abandon_after_seconds": limits.abandon_after_seconds,
    }


def _dump_pay_table(pay_table: PayTable) -> dict[str, Any]:
    return {
        "bet": dict(zip(_BET_CODES, pay_table.bet[BET_CATEGORIES[0] :], strict=True)),
        "bonus": dict(zip(_BONUS_CODES, pay_table.bonus[BONUS_CATEGORIES[0] :], strict=True)),
    }


def _parse_multiples(fields: Fields, categories: tuple[Category, ...]) -> tuple[int, ...]:
    multiples = [0] * len(Category)
    least = 0
    for category in categories:
        multiples[category] = least = fields.integer(category.code, least, MOST_MULTIPLE)
    fields.end()
    return tuple(multiples)
