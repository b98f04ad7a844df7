"""What a game begins with: its seats, the ante, and what its table has settled (UP-1, UP-3.2, UP-4.2, UP-6.1)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from games.core.codec import Fields, canonical
from games.core.engine import Exposure, Json, Stake
from games.core.errors import InvalidData
from games.core.limits import TableLimits, read_table_terms
from games.core.pot import Rake, parse_rake

FEWEST_SEATS, MOST_SEATS = 2, 6
MOST_IN_POT_MINOR = 2**50
"""So that no account ever holds more than JSON can count."""
DEFAULT_WAIT_SECONDS = 30
LONGEST_WAIT_SECONDS = 86_400
STAKE_KINDS = ("ante",)

DEFAULT_LIMITS: Mapping[str, Mapping[str, Any]] = json.loads(Path(__file__).with_name("limits.json").read_bytes())
DEFAULT_PAY_TABLE: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Setup:
    """A table's settings; ``first_dealer`` is None where chance chooses (UP-1.3)."""

    seats: int
    ante_minor: int
    blind_ban: bool
    joker_any_time: bool
    bid_timeout_seconds: int
    play_timeout_seconds: int
    first_dealer: int | None
    rake: Rake
    limits: TableLimits

    @property
    def pot_minor(self) -> int:
        """What is played for: every seat's ante (UP-1.2)."""
        return self.seats * self.ante_minor

    @cached_property
    def text(self) -> str:
        """Its canonical JSON: what a dumped state keeps of it, written once a game and not once a step."""
        return canonical(dump_setup(self)).decode()


def parse_setup(data: Json) -> Setup:
    """Read a setup; settings left out take their defaults, without limits there are none.

    **Errors** InvalidData: a wrong number of seats, a pot too large to be counted exactly, a dealer who has no seat.
    """
    return setup_from_text(canonical(data))


@lru_cache(maxsize=1024)
def setup_from_text(text: bytes) -> Setup:
    """Read a setup from canonical JSON: the same few are read over and over, at every step of a game and in every audit."""
    fields = Fields(json.loads(text))
    seats = fields.integer("seats", FEWEST_SEATS, MOST_SEATS)
    setup = Setup(
        seats=seats,
        ante_minor=fields.integer("ante_minor", 1, MOST_IN_POT_MINOR // seats),
        blind_ban=_flag(fields, "blind_ban", default=True),
        joker_any_time=_flag(fields, "joker_any_time", default=False),
        bid_timeout_seconds=fields.integer("bid_timeout_seconds", 1, LONGEST_WAIT_SECONDS, default=DEFAULT_WAIT_SECONDS),
        play_timeout_seconds=fields.integer("play_timeout_seconds", 1, LONGEST_WAIT_SECONDS, default=DEFAULT_WAIT_SECONDS),
        first_dealer=_first_dealer(fields, seats),
        rake=parse_rake(fields),
        limits=read_table_terms(fields, "ante"),
    )
    fields.end()
    return setup


def dump_setup(setup: Setup) -> dict[str, Any]:
    """Return the setup as complete JSON."""
    return {
        "seats": setup.seats,
        "ante_minor": setup.ante_minor,
        "blind_ban": setup.blind_ban,
        "joker_any_time": setup.joker_any_time,
        "bid_timeout_seconds": setup.bid_timeout_seconds,
        "play_timeout_seconds": setup.play_timeout_seconds,
        "first_dealer": setup.first_dealer,
        "rake": setup.rake.dump(),
        "limits": setup.limits.dump(),
        "pay_table": {},
    }


def stakes(setup: Setup) -> tuple[Stake, ...]:
    """Return the amounts that the hall's limits bound."""
    return (Stake("ante", setup.ante_minor, "ante_minor"),)


def exposure(setup: Setup) -> Exposure:
    """Return the most that each side can lose: a seat its ante, the house nothing."""
    return Exposure((setup.ante_minor,) * setup.seats, 0)


def _flag(fields: Fields, key: str, *, default: bool) -> bool:
    value = fields.value(key) if key in fields else default
    if type(value) is not bool:
        raise InvalidData(fields.path(key), "must be true or false")
    return value


def _first_dealer(fields: Fields, seats: int) -> int | None:
    if "first_dealer" not in fields or fields.value("first_dealer") is None:
        return None
    return fields.integer("first_dealer", 0, seats - 1)
