"""How often what happens in Russian poker, whatever it pays: counted once (``counting``), kept in ``frequencies.json``.

A slow test counts again and compares.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from games.core.engine import Json
from games.russian_poker.engine.scoring import Category

RULES_VERSION = 1
"""The rules that were counted."""
FILE = Path(__file__).with_name("frequencies.json")
NO_SECOND = Category.NOTHING
"""Stands for a second combination where there is none."""

Pair = tuple[Category, Category]
"""The first and the second combination of a hand."""


class Showdown(NamedTuple):
    """How many of dealer's hands have no game, are beaten, win, are equal; whole counts."""

    no_game: int = 0
    won: int = 0
    lost: int = 0
    tied: int = 0

    @property
    def total(self) -> int:
        return sum(self)


class Bought(NamedTuple):
    """How many replacements that give the dealer a game are beaten, win, are equal."""

    won: int = 0
    lost: int = 0
    tied: int = 0


@dataclass(frozen=True)
class Frequencies:
    """Counts; what is never met is left out.

    ``after_replacement`` and ``bought`` count pairs of a dealer's hand without a game and the card that stays in the end, by how
    many unseen cards can be that one: each of those is equally likely.
    """

    five: Mapping[Pair, int]
    """All hands of five cards."""
    six: Mapping[Pair, int]
    """All hands of six cards."""
    boxes: Mapping[Pair, int]
    """All ordered pairs of disjoint hands of five cards, by the first combination of each."""
    against_five: Mapping[Pair, Showdown]
    """All hands of five cards against all that the dealer may have."""
    against_six: Mapping[tuple[Category, Pair], Showdown]
    """The same with every sixth card, by the first combination before it."""
    after_replacement: Mapping[int, Mapping[Category, int]]
    """By the dealer's category afterwards; only the dealer's hand is known."""
    bought: Mapping[int, Mapping[Pair, Bought]]
    """By a box's combinations; the dealer's hand and the box's five cards are known."""


def frequencies_json(counts: Frequencies) -> dict[str, Any]:
    """Return the frequencies by the categories' names."""
    return {
        "rules_version": RULES_VERSION,
        "five": _pairs_json(counts.five),
        "six": _pairs_json(counts.six),
        "boxes": _pairs_json(counts.boxes),
        "against_five": _pairs_json(counts.against_five),
        "against_six": {
            category.code: _pairs_json({pair: each for (before, pair), each in counts.against_six.items() if before == category})
            for category in Category
        },
        "after_replacement": {
            str(stops): {category.code: count for category, count in table.items()}
            for stops, table in counts.after_replacement.items()
        },
        "bought": {str(stops): _pairs_json(table) for stops, table in counts.bought.items()},
    }


def read_frequencies(data: Json) -> Frequencies:
    """Read what ``frequencies_json`` wrote."""
    return Frequencies(
        five=dict(_pairs(data["five"])),
        six=dict(_pairs(data["six"])),
        boxes=dict(_pairs(data["boxes"])),
        against_five={pair: Showdown(*counts) for pair, counts in _pairs(data["against_five"])},
        against_six={
            (_category(before), pair): Showdown(*counts)
            for before, table in data["against_six"].items()
            for pair, counts in _pairs(table)
        },
        after_replacement={
            int(stops): {_category(code): count for code, count in table.items()}
            for stops, table in data["after_replacement"].items()
        },
        bought={int(stops): {pair: Bought(*counts) for pair, counts in _pairs(table)} for stops, table in data["bought"].items()},
    )


def _pairs_json(table: Mapping[Pair, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for (first, second), value in table.items():
        found.setdefault(first.code, {})[second.code] = value if isinstance(value, int) else list(value)
    return found


def _pairs(table: Json) -> Iterator[tuple[Pair, Any]]:
    return (((_category(first), _category(second)), value) for first, row in table.items() for second, value in row.items())


def _category(code: str) -> Category:
    return Category[code.upper()]


FREQUENCIES = read_frequencies(json.loads(FILE.read_bytes()))
