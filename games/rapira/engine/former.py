"""Rapira as it was played by rules that have changed since: rounds opened by them are replayed and verified by them."""

from games.core.engine import Step
from games.rapira.engine import Rapira, events
from games.rapira.engine.actions import Action
from games.rapira.engine.state import State


class RapiraOne(Rapira):
    """Version 1: no event told the seat that played the fourth hand last what it drew then, before a bonus phase (RA-2.2)."""

    rules_version = 1

    def apply(self, state: State, seat: int, action: Action) -> Step[State]:
        step = super().apply(state, seat, action)
        if not any(isinstance(event, events.BonusPhaseStarted) for event in step.events):
            return step
        told = [event for event in step.events if not isinstance(event, events.CardsDrawn)]
        return Step(step.state, tuple(told), step.moves)
