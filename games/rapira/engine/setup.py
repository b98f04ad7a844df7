"""What a game begins with: the seats, the entry, the table's settings, the hall's limits (RA-1, RA-7)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from games.core.codec import Fields, canonical
from games.core.engine import Exposure, Json, Stake
from games.core.errors import InvalidData
from games.core.limits import TableLimits, read_table_terms
from games.core.pot import Rake, parse_rake
from games.rapira.engine.scoring import Place

SEATS = (2, 6)
STAKE_KINDS = ("entry",)
DEFAULT_CYCLES = 30
MOST_CYCLES = 100
MOST_BONUSES = 1_000
"""What ``max_bonuses`` may say at most: far more than a phase can bring (RA-6.2)."""
HAND_SECONDS = 60
BONUS_SECONDS = 120
LONGEST_WAIT_SECONDS = 86_400
MOST_AT_STAKE_MINOR = 2**50
"""What a pot may hold, so that no account ever holds more than JSON can count."""

DEFAULT_LIMITS: Mapping[str, Mapping[str, Any]] = json.loads(Path(__file__).with_name("limits.json").read_bytes())
DEFAULT_PAY_TABLE: Mapping[str, Any] = {}
"""Players play among themselves: the house pays nothing."""


class DiscardScope(StrEnum):
    """For how long the four discards last (RA-2.2)."""

    HAND = "hand"
    CYCLE = "cycle"


@dataclass(frozen=True)
class Setup:
    """The seats and what their table fixes, under the limits of the moment. Without ``max_bonuses`` there is no cap."""

    seats: int
    entry_minor: int
    max_cycles: int
    discard_scope: DiscardScope
    min_loss: int
    max_bonuses: int | None
    hand_timeout_seconds: int
    bonus_timeout_seconds: int
    rake: Rake
    limits: TableLimits

    @cached_property
    def text(self) -> str:
        """Its canonical JSON: what a dumped state keeps of it, written once a game and not once a step."""
        return canonical(dump_setup(self)).decode()


def parse_setup(data: Json) -> Setup:
    """Read a setup; settings left out take their defaults.

    **Errors** InvalidData: a number out of its bounds, an unknown scope, a pot so large that it could not be counted exactly.
    """
    return setup_from_text(canonical(data))


@lru_cache(maxsize=1024)
def setup_from_text(text: bytes) -> Setup:
    """Read a setup from canonical JSON: the same few are read over and over, at every step of a game and in every audit."""
    fields = Fields(json.loads(text))
    seats = fields.integer("seats", *SEATS)
    setup = Setup(
        seats=seats,
        entry_minor=fields.integer("entry_minor", 1, MOST_AT_STAKE_MINOR // seats),
        max_cycles=fields.integer("max_cycles", 1, MOST_CYCLES, default=DEFAULT_CYCLES),
        discard_scope=_parse_scope(fields),
        min_loss=fields.integer("min_loss", 0, max(Place), default=0),
        max_bonuses=_parse_max_bonuses(fields),
        hand_timeout_seconds=fields.integer("hand_timeout_seconds", 1, LONGEST_WAIT_SECONDS, default=HAND_SECONDS),
        bonus_timeout_seconds=fields.integer("bonus_timeout_seconds", 1, LONGEST_WAIT_SECONDS, default=BONUS_SECONDS),
        rake=parse_rake(fields),
        limits=read_table_terms(fields, "entry"),
    )
    fields.end()
    return setup


def dump_setup(setup: Setup) -> dict[str, Any]:
    """Return the setup as complete JSON."""
    return {
        "seats": setup.seats,
        "entry_minor": setup.entry_minor,
        "max_cycles": setup.max_cycles,
        "discard_scope": setup.discard_scope.value,
        "min_loss": setup.min_loss,
        "max_bonuses": setup.max_bonuses,
        "hand_timeout_seconds": setup.hand_timeout_seconds,
        "bonus_timeout_seconds": setup.bonus_timeout_seconds,
        "rake": setup.rake.dump(),
        "limits": setup.limits.dump(),
        "pay_table": {},
    }


def stakes(setup: Setup) -> tuple[Stake, ...]:
    """Return the amount that the hall's limits bound (RA-1.2)."""
    return (Stake("entry", setup.entry_minor, "entry_minor"),)


def exposure(setup: Setup) -> Exposure:
    """Return the most that anybody can lose: a seat its entry, the house nothing."""
    return Exposure((setup.entry_minor,) * setup.seats, 0)


def _parse_scope(fields: Fields) -> DiscardScope:
    if "discard_scope" not in fields:
        return DiscardScope.HAND
    try:
        return DiscardScope(fields.text("discard_scope"))
    except ValueError:
        raise InvalidData(fields.path("discard_scope"), f"must be one of {', '.join(DiscardScope)}") from None


def _parse_max_bonuses(fields: Fields) -> int | None:
    if "max_bonuses" not in fields or fields.value("max_bonuses") is None:
        return None
    return fields.integer("max_bonuses", 0, MOST_BONUSES)
