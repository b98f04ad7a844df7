"""Events as JSON: by their fields, items of tuples by their own types; and which kinds a module declares."""

from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from types import ModuleType

from games.core.cards import Card, card
from games.core.engine import Event
from games.core.events import EventWriter, kinds_in, type_of


class Reason(StrEnum):
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Seated(Event):
    seat: int


@dataclass(frozen=True, slots=True)
class CardsShown(Seated):
    cards: tuple[Card | None, ...]
    hands: tuple[tuple[Card, ...], ...]
    reason: Reason | None


def test_an_event_is_its_type_and_its_fields_in_order():
    write = EventWriter({Card: attrgetter("text"), Reason: attrgetter("value")})
    event = CardsShown(1, (card("As"), None), ((card("2c"),), ()), Reason.LATE)
    data = {"type": "cards_shown", "seat": 1, "cards": ["As", None], "hands": [["2c"], []], "reason": "late"}
    assert write(event) == data and list(write(event)) == list(data)
    assert type(write(event)["reason"]) is str
    assert write(CardsShown(0, (), (), None)) == {"type": "cards_shown", "seat": 0, "cards": [], "hands": [], "reason": None}


def test_a_modules_kinds_are_those_that_it_declares_and_derives_nothing_from():
    module = ModuleType(__name__)
    module.__dict__.update(Event=Event, Seated=Seated, CardsShown=CardsShown, Reason=Reason)
    assert kinds_in(module) == (CardsShown,)
    assert kinds_in(ModuleType("elsewhere")) == ()


def test_a_type_is_the_name_in_snake_case():
    assert type_of(CardsShown) == "cards_shown"
