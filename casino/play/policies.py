"""How a bot chooses among the actions that the service says are legal.

Actions come as the API's documents describe them: a type, and for each parameter the values that it takes.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

Action = dict[str, Any]
Document = Mapping[str, Any]
Policy = Callable[[Document, Random], Action]
"""Chooses an action for a round's document, which has at least one legal action."""


def choose_randomly(document: Document, chance: Random) -> Action:
    """Choose any affordable action, with any values."""
    return drawn(chance.choice(affordable(document)), chance)


def choose_sensibly(document: Document, chance: Random) -> Action:
    """Choose as a careful beginner would; where this page knows nothing better, at random."""
    specs = affordable(document)
    chooser = _SENSIBLE.get(str(document["game"]))
    chosen = chooser(document, specs, chance) if chooser else None
    return chosen or drawn(chance.choice(specs), chance)


POLICIES: Mapping[str, Policy] = {"random": choose_randomly, "sensible": choose_sensibly}


def affordable(document: Document) -> list[Document]:
    """Return the legal actions that the player's balance covers; if there are none, all of them, and the service will say so."""
    specs: list[Document] = document["legal_actions"]
    return [spec for spec in specs if spec["affordable"]] or specs


def drawn(spec: Document, chance: Random) -> Action:
    """Draw an action of a kind: one of its suggestions if it has any, else a value for each parameter."""
    if spec["suggestions"]:
        return dict(chance.choice(spec["suggestions"]))
    return {"type": spec["type"], **{name: _value(parameter, chance) for name, parameter in spec["parameters"].items()}}


def _value(parameter: Document, chance: Random) -> Any:
    if parameter["kind"] == "one_of":
        return chance.choice(parameter["options"])
    if parameter["kind"] == "amount":
        return chance.randrange(parameter["min_minor"], parameter["max_minor"] + 1, parameter["step_minor"])
    number = chance.randint(parameter["min"], parameter["max"])
    return chance.sample(parameter["options"], number)


def _of_type(specs: Sequence[Document], *types: str) -> Document | None:
    """Return the first spec of the first of the types that is there."""
    found = (next((spec for spec in specs if spec["type"] == wanted), None) for wanted in types)
    return next((spec for spec in found if spec is not None), None)


def _russian_poker(document: Document, specs: Sequence[Document], chance: Random) -> Action | None:
    """Bet on a pair or better, fold the rest, buy and insure nothing."""
    spec = _of_type(specs, "bet")
    if spec is None:
        plain = _of_type(specs, "open_dealer", "continue", "fold")
        return drawn(plain, chance) if plain else None
    box = spec["parameters"]["box"]["options"][0]
    (view,) = (each for each in document["view"]["boxes"] if each["box"] == box)
    has_game = view["first"]["category"] not in ("nothing", "ace_king")
    return {"type": "bet" if has_game else "fold", "box": box}


def _chinese_poker(document: Document, specs: Sequence[Document], chance: Random) -> Action | None:
    """Arrange as suggested first, press on when that ends the game in front."""
    spec = _of_type(specs, "arrange", "doezd", "compare_next")
    if spec is None or not spec["suggestions"]:
        return drawn(spec, chance) if spec else None
    return dict(spec["suggestions"][0])


def _ukrainian_poker(document: Document, specs: Sequence[Document], chance: Random) -> Action | None:
    """Bid low, and play the first legal card without a claim."""
    bid = _of_type(specs, "bid")
    if bid is not None:
        options = sorted(bid["parameters"]["tricks"]["options"])
        return {"type": "bid", "tricks": options[min(len(options) - 1, len(options) // 4)]}
    card = _of_type(specs, "play_card")
    return {**drawn(card, chance), "card": card["parameters"]["card"]["options"][0]} if card else None


def _rapira(document: Document, specs: Sequence[Document], chance: Random) -> Action | None:
    """Play five cards without discards, and use up bonuses at random."""
    play = _of_type(specs, "play_hand")
    if play is None:
        return None
    positions = play["parameters"]["positions"]
    return {"type": "play_hand", "positions": chance.sample(positions["options"], positions["max"])}


_SENSIBLE: Mapping[str, Callable[[Document, Sequence[Document], Random], Action | None]] = {
    "russian_poker": _russian_poker,
    "chinese_poker": _chinese_poker,
    "ukrainian_poker": _ukrainian_poker,
    "rapira": _rapira,
}
