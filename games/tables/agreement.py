"""What is agreed at a table: the game's convention, the stake in it, the rake; and whether the hall accepts it at a moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from casino.errors import InvalidInput
from games.core.engine import Engine, Json
from games.core.pot import NO_RAKE
from games.engines import current_engine
from games.halls.models import Hall
from games.halls.selectors import RoundTerms, terms_for_round
from games.registry import GAMES
from games.rounds.opening import setup_parse, stakes_check
from games.tables.models import Table


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a round at a table would open with at a moment; the ``setup`` is the engine's, with the hall's terms in it."""

    engine: Engine[Any, Any, Any]
    setup: Any
    terms: RoundTerms

    def fields(self) -> Mapping[str, Any]:
        """The columns in which a table keeps it: convention and rake complete, the stake, the most that a seat can lose."""
        complete, shape = self.engine.dump_setup(self.setup), GAMES[self.engine.code].convention
        names = [str(name) for name in shape().fields] if shape else []
        (stake,) = self.engine.stakes(self.setup)
        return {
            "convention": {name: complete[name] for name in names},
            "stake_kind": stake.kind,
            "stake_minor": stake.amount_minor,
            "most_to_lose_minor": max(self.engine.exposure(self.setup).seats_minor),
            "rake": complete["rake"],
        }


def convention_check(*, game: str, convention: Json, seats: int) -> None:
    """Refuse a convention that no hall could accept. **Errors** InvalidInput names the field."""
    engine = current_engine(game)
    if not engine.seats[0] <= seats <= engine.seats[1]:
        raise InvalidInput("invalid_input", f"From {engine.seats[0]} to {engine.seats[1]} play this game.", field="seats")
    try:
        setup_parse(engine, {**convention, "seats": seats})
    except InvalidInput as error:
        raise InvalidInput(error.code, str(error), field=f"convention.{error.details['field']}") from error


def agreement_new(*, hall: Hall, game: str, convention: Json, seats: int, at: datetime) -> Agreement:
    """Agree on a convention, with the rake that the hall's limit set names at this moment.

    **Errors** Conflict ``hall_closed``, ``game_not_offered``; Refused ``stake_…``. **Locks** Needs the hall locked, shared.
    """
    terms = terms_for_round(hall=hall, game=game, at=at)
    return _agreement(terms, game, convention, seats, (terms.limit_set.data or {}).get("rake", NO_RAKE.dump()))


def agreement_of(table: Table, at: datetime) -> Agreement:
    """Hold what a table agreed on against what the hall offers at this moment; the rake stays as it was agreed.

    **Errors** Conflict ``hall_closed``, ``game_not_offered``; Refused ``stake_…`` when the hall's limits have changed.
    **Locks** Needs the hall locked, shared.
    """
    terms = terms_for_round(hall=table.hall, game=table.game, at=at)
    return _agreement(terms, table.game, table.convention, table.seats, table.rake)


def _agreement(terms: RoundTerms, game: str, convention: Json, seats: int, rake: Json) -> Agreement:
    engine, limits = current_engine(game), terms.limit_set.data or {}
    agreed = {**convention, "seats": seats, "rake": rake, "limits": limits, "pay_table": terms.pay_table.data}
    setup = setup_parse(engine, agreed)
    stakes_check(engine, setup, limits)
    return Agreement(engine, setup, terms)
