"""What a game begins with: seats, the table's convention, rake, the hall's limits (CP-1)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from games.chinese_poker.engine.scoring import MOST_PRIZES, TWO_POSITIONS_POINTS, WIN, Position
from games.core.codec import Fields, canonical
from games.core.engine import Exposure, Json, Stake
from games.core.errors import InvalidData
from games.core.limits import TableLimits, read_table_terms
from games.core.pot import Rake, parse_rake

FEWEST_SEATS, MOST_SEATS = 2, 4
DEFAULT_TARGET = 51
MOST_TARGET = 10_000
DEFAULT_ARRANGE_SECONDS = 120
DEFAULT_COMPARE_SECONDS = 15
LONGEST_WAIT_SECONDS = 366 * 86_400
MOST_AT_STAKE_MINOR = 2**50
"""What a game may hold in all, so that no account ever holds more than JSON can count."""
STAKE_KINDS = ("point_price",)
POINTS_OF_TWO = len(Position) * WIN + TWO_POSITIONS_POINTS
"""What two players can get from each other in a deal, together: every comparison, and one point for two positions."""

DEFAULT_LIMITS: Mapping[str, Mapping[str, Any]] = json.loads(Path(__file__).with_name("limits.json").read_bytes())


@dataclass(frozen=True)
class Setup:
    """A table's convention with the number of its seats, under the limits of the moment."""

    seats: int
    target: int
    point_price_minor: int
    arrange_timeout_seconds: int
    compare_timeout_seconds: int
    rake: Rake
    limits: TableLimits

    @cached_property
    def text(self) -> str:
        """Its canonical JSON: what a dumped state keeps of it, written once a game and not once a step."""
        return canonical(dump_setup(self)).decode()

    @property
    def hold_minor(self) -> int:
        """What each seat's stake is: the most that it can lose (CP-1.4)."""
        return self.point_price_minor * most_lost_points(self.seats, self.target)


def most_lost_points(seats: int, target: int) -> int:
    """Return how many points a seat can lose at most in a game.

    **Rule** CP-1.4: it loses what the others have more than it, and it has no less than nothing. They begin the last deal below
    the target, and win of it at most every prize, and of each two players what these can get from each other.
    """
    return (seats - 1) * (target - 1 + MOST_PRIZES) + POINTS_OF_TWO * seats * (seats - 1) // 2


def most_deals(seats: int, target: int) -> int:
    """Return how many deals a game can have at most.

    A deal that is not the last leaves everybody below the target, and nobody times out in it; so each two seats get the points of
    three comparisons from it. After d such deals the scores add up to 3 × n × (n - 1) × d at least, to n × (target - 1) at most.
    """
    return 1 + (target - 1) // (len(Position) * (seats - 1))


def parse_setup(data: Json) -> Setup:
    """Read a setup; what is left out of the settings is as CP-1.3 says, without limits there are none.

    **Errors** InvalidData: a setting out of bounds, a time that is empty (CP-1.3), amounts that could not be counted exactly.
    """
    return setup_from_text(canonical(data))


@lru_cache(maxsize=1024)
def setup_from_text(text: bytes) -> Setup:
    """Read a setup from canonical JSON: the same few are read over and over, at every step of a game and in every audit."""
    fields = Fields(json.loads(text))
    setup = Setup(
        seats=fields.integer("seats", FEWEST_SEATS, MOST_SEATS),
        target=fields.integer("target", 1, MOST_TARGET, default=DEFAULT_TARGET),
        point_price_minor=fields.integer("point_price_minor", 1),
        arrange_timeout_seconds=fields.integer(
            "arrange_timeout_seconds", 1, LONGEST_WAIT_SECONDS, default=DEFAULT_ARRANGE_SECONDS
        ),
        compare_timeout_seconds=fields.integer(
            "compare_timeout_seconds", 1, LONGEST_WAIT_SECONDS, default=DEFAULT_COMPARE_SECONDS
        ),
        rake=parse_rake(fields),
        limits=read_table_terms(fields, "point_price"),
    )
    fields.end()
    if setup.seats * setup.hold_minor > MOST_AT_STAKE_MINOR:
        raise InvalidData("point_price_minor", "stakes more than could be counted")
    return setup


def dump_setup(setup: Setup) -> dict[str, Any]:
    """Return the setup as complete JSON."""
    return {
        "seats": setup.seats,
        "target": setup.target,
        "point_price_minor": setup.point_price_minor,
        "arrange_timeout_seconds": setup.arrange_timeout_seconds,
        "compare_timeout_seconds": setup.compare_timeout_seconds,
        "rake": setup.rake.dump(),
        "limits": setup.limits.dump(),
        "pay_table": {},
    }


def stakes(setup: Setup) -> tuple[Stake, ...]:
    """Return the amount that the hall's limits bound."""
    return (Stake("point_price", setup.point_price_minor, "point_price_minor"),)


def exposure(setup: Setup) -> Exposure:
    """Return the most that each seat can lose (CP-1.4); the house plays no part."""
    return Exposure((setup.hold_minor,) * setup.seats, 0)
