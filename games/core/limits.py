"""Check stakes against a hall's limit set: the same for every game, since an engine names its stakes and their kinds."""

from collections.abc import Iterable

from games.core.engine import Json, Stake

StakeError = tuple[str, str, Json]
"""The stake's dotted path in the setup, the code of what is wrong, and the bound that it breaks."""


def stake_errors(stakes: Iterable[Stake], limits: Json) -> list[StakeError]:
    """Return what the limit set refuses, in the order of the stakes; one error for each stake at most.

    **Rule** RP-2.4: bounds are inclusive, and a stake is a multiple of the chip step. A kind without limits is not accepted.

    **Shapes** ``limits["stakes"]`` maps a kind to ``min_minor``, ``max_minor`` and ``step_minor``.
    """
    found = (_error(stake, limits["stakes"].get(stake.kind)) for stake in stakes)
    return [error for error in found if error is not None]


def _error(stake: Stake, limit: Json | None) -> StakeError | None:
    details = {"kind": stake.kind, "amount_minor": stake.amount_minor}
    if limit is None:
        return stake.field, "stake_not_accepted", details
    if stake.amount_minor < limit["min_minor"]:
        return stake.field, "stake_below_minimum", {**details, "min_minor": limit["min_minor"]}
    if stake.amount_minor > limit["max_minor"]:
        return stake.field, "stake_above_maximum", {**details, "max_minor": limit["max_minor"]}
    if stake.amount_minor % limit["step_minor"]:
        return stake.field, "stake_not_in_steps", {**details, "step_minor": limit["step_minor"]}
    return None
