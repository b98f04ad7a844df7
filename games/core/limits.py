"""Stakes and a hall's limit set: the same for every game, since an engine names its stakes and their kinds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from games.core.codec import MAX_INTEGER, Fields
from games.core.engine import Json, Stake
from games.core.errors import InvalidData
from games.core.pot import NO_RAKE, Rake, parse_rake

StakeError = tuple[str, str, Json]
"""The stake's dotted path in the setup, the code of what is wrong, and the bound that it breaks."""


@dataclass(frozen=True, slots=True)
class StakeLimit:
    """Bounds of one kind of stake, both inclusive, and the chip step that it is a multiple of (RP-2.4)."""

    min_minor: int
    max_minor: int
    step_minor: int


NO_STAKE_LIMIT = StakeLimit(1, MAX_INTEGER, 1)
"""What a scripted round without a hall plays under."""


@dataclass(frozen=True, slots=True)
class TableLimits:
    """A hall's limit set for a game among players: bounds of its one stake, and the rake of the tables that are made there."""

    kind: str
    stake: StakeLimit = NO_STAKE_LIMIT
    rake: Rake = NO_RAKE

    def dump(self) -> dict[str, Any]:
        """Return what ``parse_table_limits`` reads."""
        return {"stakes": stake_limits_json({self.kind: self.stake}), "rake": self.rake.dump()}


def parse_table_limits(data: object, kind: str, path: str = "") -> TableLimits:
    """Read a limit set: ``stakes`` and, unless there is none, ``rake``.

    **Errors** InvalidData as for both of them.
    """
    fields = Fields(data, path)
    limits = TableLimits(kind, parse_stake_limits(fields, (kind,))[kind], parse_rake(fields))
    fields.end()
    return limits


def read_table_terms(fields: Fields, kind: str) -> TableLimits:
    """Read a setup's ``limits`` and ``pay_table``, which a script may leave out: then there are no limits.

    **Errors** InvalidData as for both of them.
    """
    if "pay_table" in fields:
        check_no_pay_table(fields.value("pay_table"), "pay_table")
    return parse_table_limits(fields.value("limits"), kind, "limits") if "limits" in fields else TableLimits(kind)


def check_no_pay_table(data: object, path: str = "") -> None:
    """Refuse any pay table but the empty one: where players play among themselves the house pays nothing."""
    Fields(data, path).end()


def parse_stake_limits(fields: Fields, kinds: Iterable[str]) -> dict[str, StakeLimit]:
    """Read what a limit set says under ``stakes``: a limit for each kind, and nothing else.

    **Errors** InvalidData: a minimum above the maximum, a chip step that divides neither evenly.
    """
    by_kind = fields.fields("stakes")
    limits = {kind: _parse_stake_limit(by_kind.fields(kind)) for kind in kinds}
    by_kind.end()
    return limits


def stake_limits_json(limits: Mapping[str, StakeLimit]) -> dict[str, Any]:
    """Return what ``parse_stake_limits`` reads under ``stakes``."""
    return {
        kind: {"min_minor": limit.min_minor, "max_minor": limit.max_minor, "step_minor": limit.step_minor}
        for kind, limit in limits.items()
    }


def stake_errors(stakes: Iterable[Stake], limits: Json) -> list[StakeError]:
    """Return what the limit set refuses, in the order of the stakes; one error for each stake at most.

    **Rule** RP-2.4: bounds are inclusive, and a stake is a multiple of the chip step. A kind without limits is not accepted.

    **Shapes** ``limits["stakes"]`` maps a kind to ``min_minor``, ``max_minor`` and ``step_minor``.
    """
    found = (_error(stake, limits["stakes"].get(stake.kind)) for stake in stakes)
    return [error for error in found if error is not None]


def _parse_stake_limit(fields: Fields) -> StakeLimit:
    limit = StakeLimit(fields.integer("min_minor", 1), fields.integer("max_minor", 1), fields.integer("step_minor", 1))
    fields.end()
    if limit.min_minor > limit.max_minor:
        raise InvalidData(fields.path("max_minor"), "is below the minimum")
    for name, bound in (("min_minor", limit.min_minor), ("max_minor", limit.max_minor)):
        if bound % limit.step_minor:
            raise InvalidData(fields.path(name), f"is not a multiple of the step {limit.step_minor}")
    return limit


def _error(stake: Stake, limit: Json | None) -> StakeError | None:
    if limit is None:
        return _refused(stake, "stake_not_accepted")
    if stake.amount_minor < limit["min_minor"]:
        return _refused(stake, "stake_below_minimum", min_minor=limit["min_minor"])
    if stake.amount_minor > limit["max_minor"]:
        return _refused(stake, "stake_above_maximum", max_minor=limit["max_minor"])
    if stake.amount_minor % limit["step_minor"]:
        return _refused(stake, "stake_not_in_steps", step_minor=limit["step_minor"])
    return None


def _refused(stake: Stake, code: str, **bound: int) -> StakeError:
    return stake.field, code, {"kind": stake.kind, "amount_minor": stake.amount_minor, **bound}
