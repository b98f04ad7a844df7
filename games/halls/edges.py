"""The house's edge that a hall allows, and the figures that a pay table is published with. Pure but for what it raises."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from casino.errors import InvalidInput, Refused
from games.core.engine import Json
from games.core.mathematics import exact_json
from games.mathematics import MATHEMATICS

BASIS_POINTS = 10_000
BOUNDS = ("min_bp", "max_bp")


@dataclass(frozen=True, slots=True)
class EdgeBand:
    """The least and the most edge of a kind of bet, both inclusive, in basis points of what is staked; None for no bound."""

    min_bp: int | None = 0
    max_bp: int | None = 2_500

    def allows(self, edge: Fraction) -> bool:
        points = edge * BASIS_POINTS
        return (self.min_bp is None or points >= self.min_bp) and (self.max_bp is None or points <= self.max_bp)


DEFAULT_BAND = EdgeBand()
"""Where a hall says nothing else the house does not play at a loss, and gives back three quarters of what is staked."""

Bands = Mapping[str, Mapping[str, Mapping[str, int | None]]]
"""What a hall says: by game, then by kind of bet, the bounds of ``EdgeBand``."""


def edge_bands(said: Bands) -> dict[str, dict[str, EdgeBand]]:
    """Return the band of every kind of bet of every game with mathematics, as a hall says or the default."""
    return {
        game: {
            kind: EdgeBand(**said[game][kind]) if kind in said.get(game, {}) else DEFAULT_BAND for kind in mathematics.edge_kinds
        }
        for game, mathematics in MATHEMATICS.items()
    }


def edge_bands_json(said: Bands) -> dict[str, dict[str, dict[str, int | None]]]:
    """Return the same as JSON, for answers and for the trail."""
    return {game: {kind: asdict(band) for kind, band in kinds.items()} for game, kinds in edge_bands(said).items()}


def edge_bands_changed(said: Bands, changes: Bands) -> dict[str, dict[str, dict[str, int | None]]]:
    """Return what a hall says once some bands have been changed; the others stay.

    **Errors** InvalidInput for a game or kind of bet without mathematics, or a minimum above the maximum.
    """
    changed = {game: {kind: dict(band) for kind, band in bands.items()} for game, bands in said.items()}
    for game, bands in changes.items():
        if game not in MATHEMATICS:
            raise InvalidInput("invalid_input", "The house has no edge in this game.", field=f"edge_bands.{game}")
        for kind, band in bands.items():
            field = f"edge_bands.{game}.{kind}"
            if kind not in MATHEMATICS[game].edge_kinds:
                raise InvalidInput("invalid_input", "The game has no such kind of bet.", field=field)
            least, most = (band[bound] for bound in BOUNDS)
            if least is not None and most is not None and least > most:
                raise InvalidInput("invalid_input", "The minimum is above the maximum.", field=f"{field}.min_bp")
            changed.setdefault(game, {})[kind] = {"min_bp": least, "max_bp": most}
    return changed


def pay_table_figures(said: Bands, game: str, pay_table: Json) -> dict[str, Any] | None:
    """Return the exact figures of a pay table; None for a game in which the house has no edge.

    **Errors** Refused ``edge_not_allowed`` names every edge outside the hall's bands.
    """
    mathematics = MATHEMATICS.get(game)
    if mathematics is None:
        return None
    bands, edges = edge_bands(said)[game], mathematics.edges(pay_table)
    outside = [_outside(kind, edge, bands[kind]) for kind, edge in edges.items() if not bands[kind].allows(edge)]
    if outside:
        raise Refused("edge_not_allowed", field="data", edges=outside)
    return mathematics.figures(pay_table)


def _outside(kind: str, edge: Fraction, band: EdgeBand) -> dict[str, Any]:
    return {"kind": kind, "edge": exact_json(edge), "min_bp": band.min_bp, "max_bp": band.max_bp}
